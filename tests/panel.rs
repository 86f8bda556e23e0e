//! The approver's page: real guards ask, a real browser shows it, a person's click or key answers.
//!
//! What the page refuses to everybody else is tested by plain HTTP in `tests/panel_door.rs`, and field by field in `approver/src/panel/tests.rs`.
use std::process::{Child, Output};
use std::time::Duration;

use serde_json::{Value, json};

use crate::operator::ctl;
use crate::stage::approver;
use crate::stage::browser::Browser;
use crate::stage::service::Service;
use crate::stage::{Stage, Way};

/// How long a guard may take.
pub const LONG: Duration = Duration::from_secs(600);

const ENTER: &str = "\u{e007}";
const ESCAPE: &str = "\u{e00c}";

/// A world whose questions wait longer than any test.
pub fn stage() -> Stage {
    approver::stage().config(&json!({"tools": {"exec": {"approvalTimeoutMs": 900_000}}}))
}

/// A guard that asks whether the tool may run with these words.
pub fn asks(stage: &Stage, words: &[&str]) -> Child {
    let all: Vec<&str> = std::iter::once("tool").chain(words.iter().copied()).collect();
    stage.cast(&all).way(Way::Dash).start()
}

pub fn end(child: Child) -> (i32, String) {
    let Output { status, stderr, .. } = child.wait_with_output().expect("its end");
    (status.code().unwrap_or(-1), String::from_utf8_lossy(&stderr).into_owned())
}

/// A condition in the page: a card that waits and whose text has these words.
fn card(words: &str) -> String {
    format!(
        "[...document.querySelectorAll('.card:not(.over)')].find((c) => c.innerText.includes({}))",
        json!(words)
    )
}

/// A browser that was let in, and whose page is live.
fn enter(browser: &Browser, service: &Service<'_>) -> String {
    let link = service.link();
    browser.goto(&link);
    browser.until("document.querySelector('#live')?.dataset.live === 'yes'");
    let base = browser.js("location.href").as_str().expect("an address").to_owned();
    let token = link.rsplit('?').next().expect("a link");
    assert!(base.contains("/s/") && !base.contains(token), "the link is not in the address: {base}");
    base
}

#[test]
fn a_click_answers_and_the_command_runs() {
    let Some(browser) = Browser::open(1000, 900) else { return };
    let stage = stage();
    let service = Service::with_panel(&stage);
    enter(&browser, &service);
    // When each card came, by the same clock as the journal's.
    browser.js(
        "(window.came = [], new MutationObserver((all) => all.forEach((m) => m.addedNodes.forEach((n) => \
         n.matches?.('.card:not(.over)') && came.push(Date.now())))).observe(document.querySelector('#questions'), \
         {childList: true}), 0)",
    );
    let run = stage.cast(&["tool", "a b", "--x=1"]).way(Way::Dash).limit(LONG).talk(|| {
        let here = card("tool 'a b' --x=1");
        browser.until(&here);
        let text = browser.js(&format!("{here}.innerText"));
        let text = text.as_str().expect("text");
        let (program, folder) = (stage.text("bin/tool"), stage.text("work"));
        for field in [
            "main asks to run tool",
            "Folder",
            &folder,
            "Program",
            &program,
            "Agent",
            "Host",
            "Policy",
            "security allowlist",
            "exec-approvals.json:/agents/main/ask",
            "Rule that asks",
            "allowlist-miss",
            "time left",
            "Approve once",
            "Deny",
            "Always allow",
        ] {
            assert!(text.contains(field), "no {field}: {text}");
        }
        assert!(browser.js("document.title").as_str().is_some_and(|t| t.starts_with("(1) ")));
        assert!(
            browser
                .js("document.querySelector('#news').innerText")
                .as_str()
                .is_some_and(|t| t.contains("New question"))
        );
        browser.js("window.height = document.querySelector('.card').offsetHeight");
        browser.click(".card form.once button");
        // What comes behind it does not slide under the pointer.
        browser.until("document.querySelector('.card.over')?.offsetHeight === height");
    });
    run.ran(&[&["tool", "a b", "--x=1"]]);
    assert_eq!(run.code(), 0, "{run:?}");
    browser
        .until("document.querySelector('.card.over.allowed')?.innerText.includes('Allowed once by panel')");
    // Those that are the same are one card.
    let same = [asks(&stage, &["same"]), asks(&stage, &["same"]), asks(&stage, &["same"])];
    browser.until(&format!("{}?.innerText.includes('× 3: one answer for all')", card("tool same")));
    browser.fill(".card:not(.over) input[name=reason]", "typing");
    let more = asks(&stage, &["same"]);
    browser.until(&format!("{}?.innerText.includes('× 4')", card("tool same")));
    // Who was typing goes on typing, at the same place.
    assert_eq!(browser.js("document.activeElement.value"), "typing");
    browser.keys(&format!(" on{ENTER}"));
    for child in same.into_iter().chain([more]) {
        let (code, said) = end(child);
        assert!(code == 126 && said.contains("typing on"), "{code} {said}");
    }
    browser.until(
        "document.querySelector('.card.over.denied')?.innerText.includes('Denied by panel: typing on')",
    );
    // Withdrawn is told as well.
    let mut gone = asks(&stage, &["gone"]);
    browser.until(&card("tool gone"));
    gone.kill().expect("a signal");
    gone.wait().expect("its end");
    browser.until("[...document.querySelectorAll('.over')].some((c) => c.innerText.includes('Withdrawn'))");
    // What is over goes by itself, once nobody has marked it.
    browser.js("document.activeElement.blur()");
    browser
        .until("document.querySelectorAll('.card').length === 0 && !document.querySelector('#none').hidden");
    assert_eq!(browser.complaints(), [] as [Value; 0]);
    println!("question -> shown, ms: {:?}", shown_after(&browser, &stage));
}

/// Milliseconds between what the journal says of each question and the page's showing it, for those that came alone.
fn shown_after(browser: &Browser, stage: &Stage) -> Vec<i64> {
    let came = browser.js("came");
    let came: Vec<i64> = came.as_array().into_iter().flatten().filter_map(Value::as_i64).collect();
    let journal = std::fs::read_to_string(stage.path("guard/journal/journal.jsonl")).expect("a journal");
    let asked: Vec<i64> = journal
        .lines()
        .filter_map(|l| serde_json::from_str::<Value>(l).ok())
        .filter(|r| r["event"] == "exec.approval.requested")
        .filter_map(|r| r["ts"].as_i64())
        .collect();
    came.iter().filter_map(|at| asked.iter().filter(|a| *a <= at).max().map(|a| at - a)).collect()
}

#[test]
fn keys_answer_the_question_that_is_marked() {
    let Some(browser) = Browser::open(1000, 900) else { return };
    let stage = stage();
    let service = Service::with_panel(&stage);
    enter(&browser, &service);
    let mut guards = Vec::new();
    for word in ["one", "two", "three"] {
        guards.push(asks(&stage, &[word]));
        browser.until(&card(&format!("tool {word}")));
    }
    let marked = |words: &str| format!("document.activeElement === {}", card(words));
    // With none marked nothing is answered.
    browser.keys("a");
    browser.until(&marked("tool one"));
    assert_eq!(service.waiting(), 3);
    browser.keys("j");
    browser.until(&marked("tool two"));
    browser.keys("a");
    browser.until("document.activeElement.matches('.card.over') && document.activeElement.innerText.includes('tool two')");
    assert_eq!((end(guards.remove(1)).0, service.waiting()), (0, 2));
    browser.keys("j");
    browser.until(&marked("tool three"));
    browser.keys("d");
    // Letters that are keys elsewhere are letters here.
    browser.keys("a bad day, ask again");
    browser.keys(ESCAPE);
    browser.until(&marked("tool three"));
    assert_eq!(service.waiting(), 2);
    browser.keys("d");
    browser.keys(ENTER);
    let (code, said) = end(guards.remove(1));
    assert!(code == 126 && said.contains("a bad day, ask again"), "{code} {said}");
    browser.until("document.activeElement.matches('.card.over') && document.activeElement.innerText.includes('tool three')");
    browser.keys("k");
    browser.keys("k");
    browser.until(&marked("tool one"));
    browser.keys("A");
    browser.until("document.activeElement.matches('input[type=radio][value=arguments]')");
    let entry = browser.js("document.querySelector('.card:not(.over) .entry').innerText");
    assert!(entry.as_str().is_some_and(|e| e.contains("/bin/tool") && e.contains("one")), "{entry}");
    browser.keys(ENTER);
    assert_eq!(end(guards.remove(0)).0, 0);
    let document = std::fs::read_to_string(stage.path("guard/exec-approvals.json")).expect("the document");
    let document: Value = serde_json::from_str(&document).expect("JSON");
    let stored = &document["agents"]["main"]["allowlist"][1];
    assert_eq!((&stored["pattern"], &stored["args"]), (&json!(stage.text("bin/tool")), &json!(["one"])));
    // From now on nobody is asked.
    assert_eq!(end(asks(&stage, &["one"])).0, 0);
    browser.keys("?");
    browser.until("document.querySelector('#keys').open");
    assert_eq!(browser.complaints(), [] as [Value; 0]);
}

/// Faults that everybody meets who does not see the page as its makers do: unnamed fields, headings out of order, text
/// that is too faint, ids twice.
const FAULTS: &str = r#"(() => {
  const out = []
  const named = (e) => e.labels?.length || e.ariaLabel || e.getAttribute('aria-labelledby') || (e.matches('button') && e.textContent.trim())
  document.querySelectorAll('input:not([type=hidden]), select, textarea, button').forEach((e) => named(e) || out.push('no label: ' + e.outerHTML))
  document.querySelectorAll('img:not([alt])').forEach((e) => out.push('no alt: ' + e.outerHTML))
  if (document.documentElement.lang !== 'en') out.push('no language')
  if (document.querySelectorAll('h1').length !== 1) out.push('not one h1')
  if (document.querySelectorAll('main').length !== 1) out.push('not one main')
  let level = 1
  document.querySelectorAll('h1, h2, h3, h4').forEach((h) => {
    const n = Number(h.tagName[1])
    if (n > level + 1) out.push('a level is left out: ' + h.innerText)
    level = n
  })
  const ids = [...document.querySelectorAll('[id]')].map((e) => e.id)
  ids.filter((id, at) => ids.indexOf(id) !== at).forEach((id) => out.push('twice: ' + id))
  document.querySelectorAll('[aria-labelledby], [aria-describedby]').forEach((e) => {
    for (const id of (e.getAttribute('aria-labelledby') || e.getAttribute('aria-describedby')).split(' '))
      if (!document.getElementById(id)) out.push('leads nowhere: ' + id)
  })
  const rgb = (text) => { const [r, g, b, a = 1] = text.match(/[\d.]+/g).map(Number); return { r, g, b, a } }
  const over = (top, below, a) => ({ r: top.r * a + below.r * (1 - a), g: top.g * a + below.g * (1 - a), b: top.b * a + below.b * (1 - a) })
  const light = ({ r, g, b }) => [r, g, b].map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, at) => sum + v * [0.2126, 0.7152, 0.0722][at], 0)
  document.querySelectorAll('body *').forEach((e) => {
    const text = [...e.childNodes].filter((n) => n.nodeType === 3).map((n) => n.data).join('').trim()
    if (!text || !e.checkVisibility() || e.closest('.sr, .skip, option')) return
    let back, faint = 1
    for (let up = e; up && !back; up = up.parentElement) {
      const c = rgb(getComputedStyle(up).backgroundColor)
      if (c.a === 1) back = c
      else faint *= Number(getComputedStyle(up).opacity)
    }
    back ??= { r: 255, g: 255, b: 255 }
    const front = over(rgb(getComputedStyle(e).color), back, faint)
    const [a, b] = [light(front), light(back)].sort((x, y) => y - x)
    const ratio = (a + 0.05) / (b + 0.05)
    if (ratio < 4.5) out.push(`too faint, ${ratio.toFixed(2)}: ${text.slice(0, 40)}`)
  })
  document.querySelectorAll('.badge, th, td[data-label=Agent], td[data-label=Time]').forEach((e) => {
    // The longest word stands on one line.
    const word = e.checkVisibility() && e.innerText.split(/\s+/).filter((w) => w.length < 16).sort((a, b) => b.length - a.length)[0]
    const walk = word && document.createTreeWalker(e, NodeFilter.SHOW_TEXT)
    for (let n = walk && walk.nextNode(); n; n = walk.nextNode()) {
      const at = n.data.indexOf(word)
      if (at < 0) continue
      const range = document.createRange()
      range.setStart(n, at)
      range.setEnd(n, at + word.length)
      if (range.getClientRects().length > 1) out.push(`broken at ${innerWidth}: ${word}`)
    }
  })
  if (document.documentElement.scrollWidth > innerWidth) out.push(`wider than the window: ${document.documentElement.scrollWidth}`)
  return out
})()"#;

#[test]
fn pages_fit_a_phone_and_can_be_read_by_everybody() {
    let Some(browser) = Browser::open(360, 800) else { return };
    let stage = stage();
    let service = Service::with_panel(&stage);
    let base = enter(&browser, &service);
    assert_eq!(browser.js("innerWidth"), 360);
    let long = "x".repeat(3000);
    let guards = [asks(&stage, &[&long, "/a/b"]), asks(&stage, &["short"]), asks(&stage, &["short"])];
    let script = stage.guard_cast(&["-c", &format!("tool {long}\nlisted | tool y")]).limit(LONG).start();
    service.until(4);
    let set = ctl(&stage, &["session", "set", "--agent", "other", "--security", "deny", "--for", "10m"]);
    assert_eq!(set.code(), 0, "{set:?}");
    browser.until("document.querySelectorAll('.card').length === 3");
    browser.js("document.querySelectorAll('details').forEach((d) => d.open = true)");
    for (scheme, width) in [("light", 360), ("dark", 360), ("light", 768), ("dark", 1100), ("light", 1440)] {
        browser.scheme(scheme);
        browser.resize(width, 800);
        for page in ["", "policy?scope=agent%3Amain", "history", "targets", "../nobody/"] {
            if !(page.is_empty() && browser.js("location.href") == json!(base)) {
                browser.goto(&format!("{base}{page}"));
            }
            assert_eq!(browser.js(FAULTS), json!([]), "{page} {scheme} {width}");
            let banner = browser.js("document.querySelector('.overrides')?.innerText ?? ''");
            let lasts = banner.as_str().is_some_and(|b| b.contains("other") && b.contains("deny"));
            assert_eq!(lasts, !page.contains("nobody"), "{page}: {banner}");
        }
    }
    for mut child in guards.into_iter().chain([script]) {
        child.kill().expect("a signal");
        child.wait().expect("its end");
    }
}

#[test]
fn two_people_edit_the_policy_and_lose_nothing() {
    let Some(browser) = Browser::open(1000, 900) else { return };
    let stage = stage();
    let service = Service::with_panel(&stage);
    let base = enter(&browser, &service);
    let tool = stage.text("bin/tool");
    browser.goto(&format!("{base}policy?scope=agent%3Amain"));
    assert!(browser.js("document.querySelector('#from-security').innerText").as_str().is_some_and(|t| {
        t.contains("in force: allowlist") && t.contains("exec-approvals.json:/agents/main/security")
    }));
    let added = ctl(&stage, &["approvals", "allowlist", "add", "--agent", "main", &tool]);
    assert_eq!(added.code(), 0, "{added:?}");
    browser.js("document.querySelector('#askFallback').value = 'allowlist'");
    browser.click("form[action=policy] button.main");
    browser.until("document.querySelector('.conflict')?.innerText.includes('differs')");
    let document = || -> Value {
        let text = std::fs::read_to_string(stage.path("guard/exec-approvals.json")).expect("the document");
        serde_json::from_str(&text).expect("JSON")
    };
    assert_eq!(document()["agents"]["main"]["askFallback"], "deny", "nothing was written");
    assert_eq!(
        browser.js("document.querySelector('#askFallback').value"),
        "allowlist",
        "and nothing was lost"
    );
    browser.click("form[action=policy] button.main");
    browser.until("document.querySelector('.message.good')?.innerText.includes('saved')");
    let now = document();
    assert_eq!(now["agents"]["main"]["askFallback"], "allowlist");
    assert!(now.to_string().contains(&tool), "{now}");
    // What was used is said, and what goes is gone.
    assert_eq!(end(asks(&stage, &["seen"])).0, 0);
    browser.goto(&format!("{base}policy?scope=agent%3Amain"));
    let row =
        format!("[...document.querySelectorAll('tr')].find((r) => r.innerText.includes({}))", json!(tool));
    browser.until(&format!("{row}.innerText.includes('tool seen')"));
    browser.js(&format!("{row}.querySelector('button').click()"));
    browser.until("document.querySelector('.message.good')?.innerText.includes('no longer')");
    assert_eq!(browser.js(&row), Value::Null);
    browser.fill("form[action='policy/add'] input[name=pattern]", "/usr/bin/printf");
    browser.click("form[action='policy/add'] button");
    browser.until("document.querySelector('.message.good')?.innerText.includes('/usr/bin/printf')");
    // The history knows it all.
    browser.goto(&format!("{base}history"));
    browser.fill("input[name=text]", &format!("TOOL SEEN{ENTER}"));
    browser.until("location.search.includes('SEEN') && document.querySelectorAll('tbody tr').length > 0");
    assert!(
        browser
            .js("[...document.querySelectorAll('tbody tr')].every((r) => r.innerText.includes('tool seen'))")
            == json!(true)
    );
    assert_eq!(browser.complaints().iter().filter(|c| !c.to_string().contains("409")).count(), 0);
}

#[test]
fn hostile_text_runs_nothing_in_a_browser() {
    let Some(browser) = Browser::open(1000, 900) else { return };
    let stage = stage();
    let service = Service::with_panel(&stage);
    enter(&browser, &service);
    let hostile =
        "<img src=x onerror=\"window.bad=1\">'\"><script>window.bad=1</script>\u{202e}\u{200b}\x1b[2J";
    let whole = format!("{hostile}{}END", "<b>".repeat(20_000));
    let guard = asks(&stage, &[&whole, hostile]);
    browser.until(&card("END"));
    let text = browser.js("document.querySelector('.command').textContent");
    let text = text.as_str().expect("text");
    assert!(
        text.contains("<script>window.bad=1</script>") && text.contains("<b><b>"),
        "it is all there, as text"
    );
    assert!(!text.contains(['\u{202e}', '\u{200b}', '\x1b']));
    browser.fill(".card input[name=reason]", "<b>no</b>");
    browser.keys(ENTER);
    assert_eq!(end(guard).0, 126);
    browser.until("document.querySelector('.over')?.innerText.includes('<b>no</b>')");
    assert_eq!(
        browser.js("[window.bad ?? 0, document.querySelectorAll('#questions img, #questions b').length]"),
        json!([0, 0])
    );
    assert_eq!(browser.complaints(), [] as [Value; 0]);
}
