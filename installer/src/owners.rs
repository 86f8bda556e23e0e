//! `owners`: whose own calls of tools need no yes, and who answers for others'. They stand in config.json.
use serde_json::{Value, json};
use store::edit::{Target, edit};
use store::locate::CONFIG;
use tools::config::Settings;

use crate::cli::Owners;
use crate::exit::{Exit, Failure};
use crate::say::Page;

/// Does it.
///
/// # Errors
/// The documents cannot be used or written.
pub fn run(command: &Owners) -> Result<Exit, Failure> {
    let loaded = crate::approvals::load(&crate::approvals::places())?;
    let settings = Settings::of(&loaded.policy).map_err(|e| Failure::trouble(e.0))?;
    let (user, add) = match command {
        Owners::List { json } => return list(&settings, *json),
        Owners::Add { user } => (user, true),
        Owners::Remove { user } => (user, false),
    };
    let named = store::caller::id(user.trim().as_bytes());
    let user = named.ok_or_else(|| Failure::usage("that can be nobody's name"))?;
    if settings.is_owner(&user) == add {
        let what = if add { "is an owner already" } else { "is no owner" };
        let what = format!("`{user}` {what}");
        return if add { done(&what) } else { Err(Failure::not(what)) };
    }
    let state = loaded.state.ok_or_else(|| Failure::trouble("there is no folder for documents"))?;
    let path = state.join(CONFIG);
    let shown = protocol::Shown::text(path.as_os_str().as_encoded_bytes()).into_string();
    if settings.file.as_ref().is_some_and(|f| *f != shown) {
        let file = settings.file.unwrap_or_default();
        return Err(Failure::not(format!(
            "what is said of tools stands in {file}, which is not written here"
        )));
    }
    edit(&Target::at(path), |doc| change(doc, &user, add)).map_err(|e| Failure::trouble(e.to_string()))?;
    let rest = settings.owners.len();
    done(&match (add, rest) {
        (true, _) => format!(
            "`{user}` is an owner now, in {shown}: their own calls need no yes where the mode says so"
        ),
        (false, 0 | 1) => format!("`{user}` is no owner any more, in {shown}; nobody is"),
        (false, _) => format!("`{user}` is no owner any more, in {shown}; {} left", rest - 1),
    })
}

fn done(what: &str) -> Result<Exit, Failure> {
    let mut page = Page::new();
    page.line(what);
    page.print().map_err(|e| Failure::trouble(format!("stdout: {e}")))?;
    Ok(Exit::Done)
}

/// Wherever the document names owners, they are named there: the places must not come to contradict each other.
fn change(doc: &mut Value, user: &str, add: bool) -> Result<(), String> {
    let list = |v: Option<&mut Value>, create: bool| -> Result<bool, String> {
        let Some(v) = v else { return Ok(false) };
        if v.is_null() && !create {
            return Ok(false);
        }
        if v.is_null() {
            *v = json!([]);
        }
        let all = v.as_array_mut().ok_or("the owners are no list")?;
        all.retain(|o| o.as_str().map(str::trim) != Some(user));
        if add {
            all.push(json!(user));
        }
        Ok(true)
    };
    let object = doc.as_object_mut().ok_or("the document is no object")?;
    let admins = list(object.get_mut("allowlist").and_then(|a| a.get_mut("admins")), false)?;
    let has = |s: &Value, key: &str| s.get(key).is_some_and(|v| !v.is_null());
    let own = object.get("security").is_some_and(|s| has(s, "owners") || has(s, "ownerId"));
    if admins && !own {
        return Ok(());
    }
    let security = object.entry("security").or_insert(Value::Null);
    if security.is_null() {
        *security = json!({});
    }
    let security = security.as_object_mut().ok_or("security is no object")?;
    if !add && security.get("ownerId").and_then(Value::as_str).map(str::trim) == Some(user) {
        security.remove("ownerId");
    }
    list(Some(security.entry("owners").or_insert(Value::Null)), true)?;
    Ok(())
}

fn list(settings: &Settings, as_json: bool) -> Result<Exit, Failure> {
    let mut page = Page::new();
    if as_json {
        page.json(&json!(settings.owners));
    } else if settings.owners.is_empty() {
        page.line("no owner is named: every dangerous call of a tool needs somebody's yes");
    }
    if !as_json {
        settings.owners.iter().for_each(|o| page.line(o));
    }
    page.print().map_err(|e| Failure::trouble(format!("stdout: {e}")))?;
    Ok(Exit::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_named_where_they_were() {
        for (doc, user, add, want) in [
            (json!({"version": 1}), "a", true, json!({"version": 1, "security": {"owners": ["a"]}})),
            (
                json!({"security": {"ownerId": "a"}}),
                "b",
                true,
                json!({"security": {"ownerId": "a", "owners": ["b"]}}),
            ),
            (json!({"security": {"ownerId": "a"}}), "a", false, json!({"security": {"owners": []}})),
            (
                json!({"allowlist": {"admins": ["a"]}}),
                "b",
                true,
                json!({"allowlist": {"admins": ["a", "b"]}}),
            ),
            (
                json!({"allowlist": {"admins": ["a", "b"]}, "security": {"owners": ["a", "b"]}}),
                "a",
                false,
                json!({"allowlist": {"admins": ["b"]}, "security": {"owners": ["b"]}}),
            ),
        ] {
            let mut changed = doc.clone();
            change(&mut changed, user, add).unwrap();
            assert_eq!(changed, want, "{doc} {user} {add}");
            assert_eq!(Settings::read(&changed, "f").unwrap().is_owner(user), add);
        }
        assert!(change(&mut json!({"security": {"owners": "a"}}), "b", true).is_err());
    }
}
