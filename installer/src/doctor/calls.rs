//! The call of a tool as each agent writes it to its hook's standard input: the fields that are read, in the shape that
//! was measured (docs/agents.md says of which version).
use serde_json::{Value, json};

/// The call by which this agent would have `command` run in `cwd`.
pub fn call(agent: &str, command: &str, cwd: &str) -> Value {
    let session = "exec-guardctl-doctor";
    match agent {
        "copilot" => json!({"sessionId": session, "timestamp": 0, "cwd": cwd, "toolName": "bash",
            "toolArgs": {"command": command}}),
        "cursor" => json!({"conversation_id": session, "hook_event_name": "beforeShellExecution",
            "workspace_roots": [cwd], "command": command, "cwd": cwd}),
        "opencode" => json!({"tool": "bash", "sessionID": session, "callID": "probe",
            "args": {"command": command}, "cwd": cwd}),
        "openclaw" => json!({"event": {"toolName": "exec", "params": {"command": command}},
            "ctx": {"agentId": "main", "sessionKey": session}, "cwd": cwd}),
        "goose" => {
            json!({"event": "PreToolUse", "session_id": session, "matcher_context": "developer__shell",
            "tool_name": "developer__shell", "tool_input": {"command": command}, "working_dir": cwd})
        }
        "crush" => json!({"event": "PreToolUse", "session_id": session, "cwd": cwd, "tool_name": "bash",
            "tool_input": {"command": command}}),
        "cline" => json!({"clineVersion": "", "taskId": session, "workspaceRoots": [cwd],
            "workspaceInfo": {"rootPath": cwd}, "hookName": "tool_call",
            "tool_call": {"id": "probe", "name": "run_commands", "input": {"commands": [command]}},
            "preToolUse": {"toolName": "run_commands", "parameters": {"commands": json!([command]).to_string()}}}),
        "pi" => json!({"type": "tool_call", "toolName": "bash", "toolCallId": "probe",
            "input": {"command": command}, "cwd": cwd}),
        _ => {
            let (event, tool) = match agent {
                "gemini" => ("BeforeTool", "run_shell_command"),
                "qwen" => ("PreToolUse", "run_shell_command"),
                _ => ("PreToolUse", "Bash"),
            };
            json!({"session_id": session, "cwd": cwd, "hook_event_name": event, "permission_mode": "default",
                "tool_name": tool, "tool_input": {"command": command}, "tool_use_id": "probe"})
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::hook::{AGENTS, Input};

    #[test]
    fn every_hook_reads_its_call() {
        for agent in AGENTS {
            let bytes = call(agent.id, ": x", "/tmp").to_string();
            let Input::Call(read) = agent.read(bytes.as_bytes()) else { panic!("{}: {bytes}", agent.id) };
            assert_eq!(
                (read.commands, read.cwd),
                (vec![": x".to_owned()], "/tmp".to_owned()),
                "{}",
                agent.id
            );
        }
    }
}
