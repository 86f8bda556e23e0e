//! What the name of a member says of what it holds, and the name of a tool of what is done with that.
//!
//! Whoever writes a tool calls these things as he likes: `command`, `shellCommand`, `cmd_str`, `command[0]`. So a name
//! is read by its words, wherever they are set apart by a sign, a capital or a digit, and where they are not, by its
//! beginning and its end. A word in doubt counts: what is asked about too much is a question, what is not is a hole.
use super::shape::listed;

/// What a member holds by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Named {
    /// Shell text, or a program with its words.
    Command,
    /// Several of them: each string of a list is one.
    Commands,
    /// Code in a language that is not told, or what is typed into a program. Harmless to one reader, it is a program
    /// to another.
    Code,
    /// Nothing that runs.
    Other,
}

/// A name with one of these words holds a command, whatever stands beside it: `bash_command_text`, `shell_input`.
const COMMAND: &str = "argv bash cmd cmdline command commandline sh shell zsh";

/// The same for several.
const COMMANDS: &str = "cmdlines cmds commandlines commands";

/// Words that make several of one: `command_list`.
const LISTS: &str = "array batch list queue sequence";

/// Whole names for a command whose last word says nothing: a name that only ends so is mostly something else
/// (`dry_run`, `tv_program`).
const WHOLE: &str = "exe exec execute executable program run shellscript bashscript toexecute torun";

/// Words of names that hold code if all the others are [`WITH`].
const CODE: &str = "applescript code javascript osascript powershell pwsh python script scripts typescript";

/// Words that say nothing against it: `country_code` is none, `code_to_run` is. Alone they are other things (`ts` is a
/// time at Slack).
const WITH: &str = "and block body c cell cells complete content contents cpp exec execute executed file final full generated go \
    golang inline input java js jsx julia kotlin lines lua main my new node old payload perl php py r raw ruby run rust scala \
    shell bash snippet source sql str string swift test text to ts updated";

/// Code by the whole name, where words are not set apart.
const GLUED: &str = "cellsource codeblock codecontent codesnippet codestring codetext codetoexecute codetorun jscode keystrokes \
    nodecode pycode pythoncode scriptbody scriptcode scriptcontent scripttext sendkeys sourcecode stdin stdintext toolcalls tscode";

/// What names of files end with: `{"files": {"run.sh": "…"}}` writes one.
const FILES: &str = ".bash .bat .js .jsx .lua .php .pl .ps1 .py .rb .sh .ts .tsx .zsh";

/// A name that ends with one of these tells about a command: `shell_id`, `commandTimeout`, `python_version`.
const ABOUT: &str = "count description exitcode history id ids index length limit ms output result results seconds \
    size status timeout uuid version";

/// Words of a tool's name, or of its server's, by which it is a shell: what it is handed may be typed there, whatever
/// it is called.
const SHELLS: &str = "applescript bash cmd exec gdb interpreter ipython iterm keystrokes lldb osascript powershell pty pwsh sh shell shells ssh stdin \
    subprocess terminal terminals tmux tty wsl zellij zsh";

/// The same where it is the last word: `browser_console_messages` is none.
const LAST: &str = "console eval repl";

/// What a tool does with one of [`DONE`]: `run_command`, `insert_execute_code_cell`, `send_keys`. `run_query` and
/// `search_code` are none.
const DOES: &str = "eval exec execute launch run send spawn";
const DONE: &str =
    "cell cells cmd code command commands javascript js keys process program python script scripts shell";

/// First and last words of tools that tell about shells: `list_terminals`, `exec_summary`.
const LISTING: &str = "list";
const TELLING: &str = "summary";

/// Words behind a shell's name that make of it what is told about: `bash-docs`.
const TOLD: &str = "docs documentation tutorial";

/// Words of tools for which code is a drawing.
const DRAWS: &str = "graphviz mermaid plantuml";

/// A name with a word of both is that of a program: `executablePath`, `program_name`.
const PROGRAM: &str = "binary exe exec executable program";
const PLACE: &str = "file name path";

/// Names of the program whose words are `args` beside it; one of several words may be any of them (`appPath`).
const PROGRAMS: &str =
    "app application bin binary entrypoint exe file filename interpreter path process runner runtime";

/// Words that make a folder or a text of such a name: `repo_path`, `log_file`.
const NO_PROGRAM: &str =
    "config dir directory folder input log output project repo repository root workspace";

/// Names of members that hold texts for readers, files and messages: JSON within them is somebody's text.
const TEXTS: &str = "body comment content contents description filetext message newstr newstring newtext oldstr oldstring \
    oldtext text";

/// Words that only begin like a command.
const NONE: &str = "commander commanders commandment commandments";

/// A name without what its writers differ in.
pub(super) fn plain(name: &str) -> String {
    words(name).concat()
}

/// What a member of this name holds.
pub(super) fn named(name: &str) -> Named {
    if FILES.split_ascii_whitespace().any(|end| name.ends_with(end)) {
        return Named::Other;
    }
    let words = words(name);
    let whole = words.concat();
    let any = |list: &str| words.iter().any(|w| listed(list, w));
    if listed(GLUED, &whole) {
        return Named::Code;
    }
    if words.last().is_some_and(|w| listed(ABOUT, w)) {
        return Named::Other;
    }
    // Before the commands: `shell_script` may be written for any of them, and is read as one of those.
    let code = any(CODE) && words.iter().all(|w| listed(CODE, w) || listed(WITH, w));
    if (code || any("script scripts")) && !listed(WHOLE, &whole) {
        return Named::Code;
    }
    if any(COMMANDS) || ends(COMMANDS, &whole) || (any(COMMAND) && any(LISTS)) {
        return Named::Commands;
    }
    let by_word = any(COMMAND) || ends(COMMAND, &whole) || (begins(&whole) && !any(NONE));
    match by_word || listed(WHOLE, &whole) || (any(PROGRAM) && any(PLACE)) {
        true => Named::Command,
        false => Named::Other,
    }
}

/// True if the name is one for a command only where it stands alone: elsewhere it is mostly something else.
pub(super) fn by_whole(name: &str) -> bool {
    listed(WHOLE, &plain(name))
}

/// True if what is said to have this name is a command: `{"key": "command", "value": "…"}`. A form has fields that are
/// called `Code` and `Program`.
pub(super) fn tells_of_a_command(name: &str) -> bool {
    name.len() < 64 && matches!(named(name), Named::Command | Named::Commands) && !by_whole(name)
}

/// True if a member of this name holds a program where its words stand beside it.
pub(super) fn program(name: &str) -> bool {
    let words = words(name);
    let any = |list: &str| words.iter().any(|w| listed(list, w));
    let about = words.last().is_some_and(|w| listed(ABOUT, w));
    listed(PROGRAMS, &words.concat()) || (any(PROGRAMS) && !any(NO_PROGRAM) && !about)
}

/// True if a member of this name holds a text for readers.
pub(super) fn for_readers(name: &str) -> bool {
    listed(TEXTS, &plain(name))
}

/// True if a value under a name of code is none: a country, a coupon (`US`, `SUMMER25`), a version (`3.12`).
pub(super) fn no_code(name: &str, value: &str) -> bool {
    let sign = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_' || b == b'-';
    let version = |b: u8| b.is_ascii_digit() || b == b'.';
    let short = value.len() <= 24;
    let code = plain(name) == "code";
    // `en-US`, and `E11.9` as doctors have it.
    let tag = value.split_once('-').is_some_and(|(language, country)| {
        language.len() == 2 && country.len() == 2 && language.bytes().all(|b| b.is_ascii_lowercase())
    });
    let signs =
        value.bytes().all(|b| sign(b) || b == b'.') && value.as_bytes().first().is_some_and(|b| sign(*b));
    short && (value.bytes().all(version) || (code && (signs || (tag && value.bytes().skip(3).all(sign)))))
}

/// True if a tool is a shell by its name, or lies at a server that is.
pub(super) fn is_shell(tool: &str) -> bool {
    tool.split("__").any(|part| {
        let words = words(part);
        if words.first().is_some_and(|w| listed(LISTING, w))
            || words.last().is_some_and(|w| listed(TELLING, w))
        {
            return false;
        }
        let shell = |w: &str| listed(SHELLS, w);
        let told = |at: usize| words.get(at + 1).is_some_and(|w| listed(TOLD, w));
        words.iter().enumerate().any(|(at, w)| (shell(w) && !told(at)) || does(w))
            // `iTerm` is two words by its capital.
            || words.windows(2).any(|two| shell(&two.concat()))
            || words.last().is_some_and(|w| listed(LAST, w))
            || words.iter().enumerate().any(|(at, w)| {
                // `run_python_code`: one word may stand between.
                listed(DOES, w) && words.iter().skip(at + 1).take(2).any(|w| listed(DONE, w))
            })
    })
}

/// True if what a tool calls code is a drawing.
pub(super) fn draws(tool: &str) -> bool {
    words(tool).iter().any(|w| listed(DRAWS, w))
}

/// `runcommand`, `sendkeys`.
fn does(word: &str) -> bool {
    DOES.split_ascii_whitespace().any(|verb| word.strip_prefix(verb).is_some_and(|done| listed(DONE, done)))
}

/// `shellcommand`. The two letters of `sh` end too many words.
fn ends(names: &str, name: &str) -> bool {
    names.split_ascii_whitespace().any(|n| n != "sh" && name.ends_with(n))
}

/// `commandstring`, `cmdstr`.
fn begins(name: &str) -> bool {
    name.starts_with("command") || name.starts_with("cmd")
}

/// The words of a name, in small letters: `runSSHCommand2` is `run`, `ssh`, `command`. Letters in their full width are
/// letters.
fn words(name: &str) -> Vec<String> {
    let half = |c: char| match u32::from(c) {
        wide @ 0xff01..=0xff5e => char::from_u32(wide - 0xfee0).unwrap_or(c),
        _ => c,
    };
    let letters: Vec<char> = name.chars().map(half).collect();
    let (mut out, mut word) = (Vec::new(), String::new());
    for (i, c) in letters.iter().enumerate() {
        let before = i.checked_sub(1).and_then(|i| letters.get(i)).copied().unwrap_or(' ');
        let small_follows = letters.get(i + 1).is_some_and(char::is_ascii_lowercase);
        let capital = c.is_ascii_uppercase()
            && (before.is_ascii_lowercase() || (before.is_ascii_uppercase() && small_follows));
        if (capital || !c.is_ascii_alphabetic()) && !word.is_empty() {
            out.push(std::mem::take(&mut word));
        }
        if c.is_ascii_alphabetic() {
            word.push(c.to_ascii_lowercase());
        }
    }
    if !word.is_empty() {
        out.push(word);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_by_their_words() {
        for (name, is) in [
            ("runSSHCommand2", "run ssh command"),
            ("JSCode", "js code"),
            ("command[0]", "command"),
            ("x-y_z", "x y z"),
            ("ｃｏｍｍａｎｄ", "command"),
            ("7", ""),
        ] {
            assert_eq!(words(name).join(" "), is, "{name}");
        }
    }

    #[test]
    fn what_names_hold() {
        let commands = "command Command COMMAND shellCommand shell_command shellcommand Cmd-Line run_cmd argv commandStr \
            cmd_string cmdstr commandInput commandString commandtorun command_to_execute bash_command_text shell_input \
            command[0] command1 exec execute run program toExecute to_run shellScript bashScript sh zsh ｃｏｍｍａｎｄ \
            executablePath programPath exec_path program_name path_to_executable BinaryFile";
        let several = "commands cmds cmdlines shellCommands command_list commandList commandBatch";
        let code = "code Script scripts scriptBody script_content sourceCode code_to_run codetorun python_code pythonCode \
            jsCode JSCode code_block codeBlock code_snippet python javascript pwsh powershell user_script keystrokes \
            sendKeys stdin tool_calls script_path cell_source go_code rust_code test_code full_code sql_code \
            my_code new_code main_code generated_code pycode stdinText";
        let other = "country_code language_code statusCode error_code zip_code code_review dry_run run_id tv_program \
            transcript description text query shell_id commandTimeout command_description python_version exit_code \
            ts expr codes user_code snippet run.sh src/script.py \
            commander program_id executable_version file_name bash_version key keys name value finish mesh publish refresh javascript_enabled script_id 7";
        for (names, is) in [
            (commands, Named::Command),
            (several, Named::Commands),
            (code, Named::Code),
            (other, Named::Other),
        ] {
            for name in names.split_ascii_whitespace() {
                assert_eq!(named(name), is, "{name}");
            }
        }
    }

    #[test]
    fn tools_that_are_shells() {
        for tool in "mcp__tmux__send_keys mcp__pty__write mcp__x__console mcp__js-repl__eval runSSH mcp__terminals__write \
            mcp__shells__x mcp__x__subprocess mcp__osascript__x mcp__wsl__x mcp__iTerm__write iterm2_write run_command \
            mcp__x__runcommand executeCommand insert_execute_code_cell run_python_code eval_script mcp__x__sendkeys \
            mcp__applescript__x run_process spawn_process launch_process run_python execute_python runPython run_js \
            runProgram".split_ascii_whitespace()
        {
            assert!(is_shell(tool), "{tool}");
        }
        for tool in "mcp__playwright__browser_console_messages mcp__fs__read list_terminals finish search_code run_workflow \
            execute_sql run_query send_message evaluate_script code_run_query exec_summary list_repl get_code press_key \
            run_dag_and_get_code keysend"
            .split_ascii_whitespace()
        {
            assert!(!is_shell(tool), "{tool}");
        }
    }

    #[test]
    fn programs_with_their_words() {
        for name in "appPath app_file binary entryPoint entrypoint file filename path processName runner"
            .split_ascii_whitespace()
        {
            assert!(program(name), "{name}");
        }
        for name in "repo_path log_file app_id project_path name url workspacePath".split_ascii_whitespace() {
            assert!(!program(name), "{name}");
        }
    }

    #[test]
    fn what_is_no_code() {
        for (name, value) in [
            ("code", "US"),
            ("code", "SUMMER25"),
            ("code", "en-US"),
            ("code", "E11.9"),
            ("python", "3.12"),
            ("typescript", "5"),
            ("Code", "A1_b".to_uppercase().as_str()),
        ] {
            assert!(no_code(name, value), "{name} {value}");
        }
        for (name, value) in [
            ("code", "ls"),
            ("code", "en-us"),
            ("code", "./A"),
            ("code", "A B"),
            ("script", "LS"),
            ("python", "x"),
            ("code", &"A".repeat(25)),
        ] {
            assert!(!no_code(name, value), "{name} {value}");
        }
    }
}
