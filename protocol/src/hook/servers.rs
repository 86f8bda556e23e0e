//! Calls of well-known servers, by the names of their real parameters: those that run something here are asked about or
//! judged, the everyday ones of the others are nobody's business.
use serde_json::{Value, json};

use super::{Agent, Input};

/// What agents of every kind of name make of this.
fn read(server: &str, tool: &str, input: &Value) -> Vec<(&'static str, Input)> {
    let wide = format!("mcp__{server}__{tool}");
    let hub = json!({"server_name": server, "tool_name": tool, "arguments": input.to_string()});
    let calls = [
        (
            "claude",
            json!({"hook_event_name": "PreToolUse", "tool_name": wide, "tool_input": input, "cwd": "/p"}),
        ),
        (
            "codex",
            json!({"hook_event_name": "PreToolUse", "tool_name": wide, "tool_input": input, "cwd": "/p"}),
        ),
        (
            "gemini",
            json!({"hook_event_name": "BeforeTool", "tool_name": format!("mcp_{server}_{tool}"), "tool_input": input, "cwd": "/p"}),
        ),
        (
            "copilot",
            json!({"toolName": format!("{server}-{tool}"), "toolArgs": input.to_string(), "cwd": "/p"}),
        ),
        ("opencode", json!({"tool": format!("{server}_{tool}"), "args": input, "cwd": "/p"})),
        (
            "cline",
            json!({"workspaceRoots": ["/p"], "preToolUse": {"toolName": "use_mcp_tool", "parameters": hub}}),
        ),
    ];
    let one = |(id, call): (&'static str, Value)| {
        let agent = Agent::named(id.as_bytes()).unwrap();
        (id, agent.read(call.to_string().as_bytes()))
    };
    calls.into_iter().map(one).collect()
}

#[test]
fn everyday_calls_are_nobodys_business() {
    let package = json!({"name": "x", "scripts": {"build": "tsc"}}).to_string();
    let servers = json!({"mcpServers": {"a": {"command": "npx", "args": ["x"]}}}).to_string();
    let countries = json!([{"code": "US", "name": "x"}]).to_string();
    let fenced = "```json\n{\"command\": \"x\"}\n```\nfails";
    for (server, tool, input) in [
        (
            "github",
            "create_or_update_file",
            json!({"owner": "o", "repo": "r", "path": "run.sh", "content": "rm -rf x", "message": "m", "branch": "b", "sha": "x"}),
        ),
        (
            "github",
            "create_or_update_file",
            json!({"owner": "o", "repo": "r", "path": "package.json", "content": package, "message": "m", "branch": "b"}),
        ),
        (
            "github",
            "push_files",
            json!({"owner": "o", "repo": "r", "branch": "b", "message": "m", "files": [{"path": "package.json", "content": package}]}),
        ),
        (
            "github",
            "create_issue",
            json!({"owner": "o", "repo": "r", "title": "t", "body": fenced, "labels": ["bug"]}),
        ),
        (
            "github",
            "add_issue_comment",
            json!({"owner": "o", "repo": "r", "issue_number": 1, "body": "{\"command\": 1}"}),
        ),
        (
            "github",
            "pull_request_review_write",
            json!({"method": "create", "body": "x", "event": "COMMENT", "commitID": "x"}),
        ),
        ("github", "search_code", json!({"query": "exec("})),
        (
            "github",
            "get_job_logs",
            json!({"owner": "o", "repo": "r", "run_id": 1, "failed_only": true, "return_content": true, "tail_lines": 5}),
        ),
        (
            "github",
            "run_workflow",
            json!({"owner": "o", "repo": "r", "workflow_id": "ci.yml", "ref": "main", "inputs": {"env": "p"}}),
        ),
        (
            "github",
            "actions_run_trigger",
            json!({"method": "run_workflow", "owner": "o", "repo": "r", "workflow_id": "ci.yml", "ref": "m"}),
        ),
        (
            "github",
            "list_code_scanning_alerts",
            json!({"owner": "o", "repo": "r", "ref": "x", "tool_name": "CodeQL"}),
        ),
        ("filesystem", "read_text_file", json!({"path": "/x", "head": 5})),
        ("filesystem", "write_file", json!({"path": "/x/package.json", "content": package})),
        ("filesystem", "write_file", json!({"path": "/x/.mcp.json", "content": servers})),
        ("filesystem", "write_file", json!({"path": "/x/c.json", "content": countries})),
        ("filesystem", "write_file", json!({"path": "/x/a.css", "content": "[data-code]:hover { x: y }"})),
        (
            "filesystem",
            "edit_file",
            json!({"path": "/x/package.json", "edits": [{"oldText": "{\n  \"scripts\": {\n", "newText": "{\n  \"scripts\": {\n   \"a\":\"b\","}], "dryRun": false}),
        ),
        ("filesystem", "search_files", json!({"path": "/x", "pattern": "*.sh", "excludePatterns": ["a"]})),
        ("playwright", "browser_navigate", json!({"url": "http://x"})),
        (
            "playwright",
            "browser_type",
            json!({"element": "x", "ref": "e1", "text": "{\"code\":1}", "submit": true}),
        ),
        ("playwright", "browser_press_key", json!({"key": "Enter"})),
        ("playwright", "browser_console_messages", json!({"level": "error"})),
        ("playwright", "browser_evaluate", json!({"function": "() => ({ code: 1 })"})),
        (
            "playwright",
            "browser_fill_form",
            json!({"fields": [{"name": "Code", "type": "textbox", "ref": "e1", "value": "123456"}, {"name": "Program", "type": "combobox", "ref": "e2", "value": "CS"}, {"name": "Zip code", "type": "textbox", "ref": "e3", "value": "1"}]}),
        ),
        (
            "puppeteer",
            "puppeteer_navigate",
            json!({"url": "http://x", "launchOptions": {"headless": true, "args": ["--no-sandbox"]}, "allowDangerous": true}),
        ),
        ("puppeteer", "puppeteer_fill", json!({"selector": "[name=\"code\"]:not(.x)", "value": "1"})),
        ("puppeteer", "puppeteer_click", json!({"selector": "[aria-label='Code']:x"})),
        ("chrome-devtools", "fill_form", json!({"elements": [{"uid": "1", "value": "x"}]})),
        ("chrome-devtools", "list_network_requests", json!({"resourceTypes": ["script"]})),
        ("postgres", "query", json!({"sql": "select code from t where script = 'x'"})),
        ("postgres", "execute_sql", json!({"sql": "select 1"})),
        ("supabase", "execute_sql", json!({"project_id": "x", "query": "select 1"})),
        ("supabase", "apply_migration", json!({"project_id": "x", "name": "n", "query": "create table t()"})),
        ("bigquery", "run_query", json!({"query": "select 1"})),
        ("slack", "slack_post_message", json!({"channel_id": "C", "text": "{code: 500} seen"})),
        (
            "slack",
            "slack_reply_to_thread",
            json!({"channel_id": "C", "thread_ts": "1.2", "text": "[link: x] hi"}),
        ),
        (
            "slack",
            "conversations_add_message",
            json!({"channel_id": "C", "payload": "```\n{\"cmd\":1}\n```", "content_type": "text/markdown"}),
        ),
        ("slack", "send_message", json!({"channel": "C", "message": "run: rm"})),
        (
            "atlassian",
            "jira_add_comment",
            json!({"issue_key": "A-1", "comment": "{code:java}\nint x;\n{code}"}),
        ),
        (
            "jira",
            "jira_create_issue",
            json!({"project_key": "A", "summary": "s", "issue_type": "Bug", "description": "{code}\nx\n{code}\nNote: y"}),
        ),
        ("jira", "jira_search", json!({"jql": "project = A and status = Open", "limit": 5})),
        (
            "memory",
            "create_entities",
            json!({"entities": [{"name": "script", "entityType": "x", "observations": ["a"]}]}),
        ),
        (
            "memory",
            "create_relations",
            json!({"relations": [{"from": "a", "to": "b", "relationType": "runs"}]}),
        ),
        ("fetch", "fetch", json!({"url": "http://x", "max_length": 5, "raw": true})),
        (
            "context7",
            "get-library-docs",
            json!({"context7CompatibleLibraryID": "/a/b", "topic": "x", "tokens": 5}),
        ),
        ("context7", "query-docs", json!({"libraryId": "/a", "query": "how to run a shell command"})),
        ("sentry", "search_issues", json!({"organizationSlug": "o", "naturalLanguageQuery": "x"})),
        ("sentry", "analyze_issue_with_seer", json!({"issueId": "x", "instruction": "y"})),
        ("linear", "create_issue", json!({"title": "t", "description": "[ ] \"run\": y", "teamId": "x"})),
        ("linear", "create_comment", json!({"issueId": "x", "body": "{code: x}"})),
        (
            "notion",
            "API-patch-block-children",
            json!({"block_id": "x", "children": [{"object": "block", "type": "code", "code": {"rich_text": [{"type": "text", "text": {"content": "ls"}}], "language": "bash"}}]}),
        ),
        (
            "notion",
            "API-post-page",
            json!({"parent": {"database_id": "x"}, "properties": {"Program": {"select": {"name": "CS"}}, "Code": {"rich_text": [{"text": {"content": "A1"}}]}, "Run": {"type": "number", "number": 1}}}),
        ),
        (
            "notion",
            "API-query-data-source",
            json!({"data_source_id": "x", "filter": {"property": "Command", "rich_text": {"equals": "x"}}}),
        ),
        ("stripe", "create_promotion_code", json!({"coupon": "x", "code": "SUMMER25"})),
        ("stripe", "create_coupon", json!({"name": "Code", "value": "x", "currency": "usd"})),
        (
            "airtable",
            "create_record",
            json!({"baseId": "b", "tableId": "t", "fields": {"Code": "A1", "Name": "x"}}),
        ),
        (
            "wandb",
            "query_wandb_tool",
            json!({"query": "query { run(name: \"x\") { id } }", "variables": {"entity": "e"}}),
        ),
        ("graphql", "query-graphql", json!({"query": "{ country(code: \"US\") { name } }"})),
        (
            "graphql",
            "query-graphql",
            json!({"query": "query($code: ID!){c(code:$code){n}}", "variables": "{\"code\":\"US\"}"}),
        ),
        ("weather", "get", json!({"code": "US"})),
        ("uv", "pin", json!({"python": "3.12"})),
        (
            "time",
            "convert_time",
            json!({"source_timezone": "UTC", "time": "10:00", "target_timezone": "CET"}),
        ),
        ("git", "git_commit", json!({"repo_path": "/x", "message": "{run: x}"})),
        ("git", "git_diff", json!({"repo_path": "/x", "target": "main", "context_lines": 3})),
        (
            "sequential-thinking",
            "sequentialthinking",
            json!({"thought": "{code: x}", "nextThoughtNeeded": true, "thoughtNumber": 1, "totalThoughts": 2}),
        ),
        ("kubernetes", "kubectl_get", json!({"resourceType": "pods", "namespace": "n", "output": "json"})),
        ("kubernetes", "pods_log", json!({"namespace": "n", "name": "p", "tail": 5})),
        ("docker", "list_containers", json!({"all": true})),
        ("docker", "fetch_container_logs", json!({"container_id": "x", "tail": 5})),
        ("figma", "get_code", json!({"nodeId": "1", "clientLanguages": "typescript,css"})),
        ("redis", "set", json!({"key": "program", "value": "x"})),
        ("mtg", "deck", json!({"commander": "Atraxa"})),
        ("airtable", "update_records", json!({"records": [{"id": "r", "fields": {"Program": "Gold Plus"}}]})),
        ("hubspot", "create_contact", json!({"properties": {"program": "Gold Plus", "run": "of the mill"}})),
        ("elasticsearch", "search", json!({"queryBody": {"query": {"match": {"command": "x y"}}}})),
        ("elasticsearch", "search", json!({"query": {"term": {"process.command_line": {"value": "x"}}}})),
        ("mermaid", "generate", json!({"code": "graph TD; A-->B", "format": "svg"})),
        ("mcp-mermaid", "generate_mermaid_diagram", json!({"code": "graph TD; A-->B"})),
        ("bash-docs", "lookup", json!({"text": "how to loop"})),
        ("git", "clone", json!({"uri": "ssh://git@example.org/r"})),
        ("prompts", "get", json!({"name": "report", "arguments": {"year": "2026"}})),
        ("aws-docs", "search_documentation", json!({"search_phrase": "run command", "limit": 5})),
        ("browserbase", "browserbase_session_close", json!({"sessionId": "x"})),
        (
            "homeassistant",
            "call_service",
            json!({"domain": "light", "service": "turn_on", "entity_id": "light.x"}),
        ),
    ] {
        for (id, read) in read(server, tool, &input) {
            assert_eq!(read, Input::NotAShell, "{id}: {server} {tool} {input}");
        }
    }
}

#[test]
fn calls_that_run_something_are_looked_at() {
    let evil = "./evil";
    for (server, tool, input) in [
        ("desktop-commander", "start_process", json!({"command": evil, "timeout_ms": 5})),
        ("desktop-commander", "interact_with_process", json!({"pid": 7, "input": evil})),
        (
            "puppeteer",
            "puppeteer_navigate",
            json!({"url": "u", "launchOptions": {"executablePath": "/tmp/evil", "args": ["-c", evil]}}),
        ),
        (
            "puppeteer",
            "puppeteer_navigate",
            json!({"url": "u", "launchOptions": {"args": ["--renderer-cmd-prefix=/tmp/evil"]}}),
        ),
        ("puppeteer", "puppeteer_evaluate", json!({"script": "x()"})),
        ("playwright", "browser_run_code", json!({"code": "async (page) => {}"})),
        (
            "jupyter",
            "insert_execute_code_cell",
            json!({"cell_index": 0, "cell_source": "import os; os.system('./evil')"}),
        ),
        (
            "jupyter",
            "overwrite_cell_source",
            json!({"cell_index": 0, "cell_source": "import os; os.system('./evil')"}),
        ),
        ("jupyter", "execute_ipython", json!({"code": "!./evil"})),
        ("XcodeBuildMCP", "launch_mac_app", json!({"appPath": "/tmp/x.app", "args": ["-c", evil]})),
        (
            "XcodeBuildMCP",
            "swift_package_run",
            json!({"packagePath": "/tmp", "executableName": "x", "arguments": ["a"]}),
        ),
        ("kubernetes", "exec_in_pod", json!({"name": "p", "namespace": "n", "command": ["sh", "-c", evil]})),
        ("kubernetes", "kubectl_generic", json!({"command": "delete", "args": ["x"]})),
        ("docker", "run_command", json!({"service": "x", "what": evil})),
        ("tmux", "send-keys", json!({"paneId": "%1", "keys": evil})),
        ("tmux", "execute-command", json!({"paneId": "%1", "command": evil})),
        ("iTerm", "write_to_terminal", json!({"command": evil})),
        ("iterm2", "write", json!({"text": evil})),
        ("applescript", "run", json!({"text": evil})),
        ("osascript", "x", json!({"text": evil})),
        ("wsl", "x", json!({"text": evil})),
        ("shells", "write", json!({"text": evil})),
        ("subprocess", "popen", json!({"text": evil})),
        ("ssh", "runRemote", json!({"text": evil})),
        ("x", "write", json!({"session_id": "a", "input": "./evil\n"})),
        ("x", "write", json!({"pty": 1, "data": "./evil\n"})),
        ("x", "write", json!({"process_id": 1, "value": "./evil\n"})),
        ("x", "send", json!({"uri": "tmux://pane/1", "text": evil})),
        ("x", "eval", json!({"expression": "system('./evil')"})),
        ("lldb", "evaluate", json!({"expression": "(int)system(\"./evil\")"})),
        ("x", "start", json!({"name": evil, "args": ["x"]})),
        ("x", "start", json!({"target": evil, "arguments": ["x"]})),
        ("x", "start", json!({"exe": evil, "flags": ["x"]})),
        ("cli", "run_command", json!({"text": evil})),
        ("manager", "act", json!({"action": "send_keys", "text": evil})),
        ("python", "run_python_code", json!({"python_code": "x"})),
        ("vscode", "execute_shell_command", json!({"text": evil})),
    ] {
        for (id, read) in read(server, tool, &input) {
            assert!(!matches!(read, Input::NotAShell), "{id}: {server} {tool} {input}");
        }
    }
}
