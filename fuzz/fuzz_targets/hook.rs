//! An agent's call is read to its end whatever it holds, and every answer to it is one that the agent understands.
#![no_main]

use libfuzzer_sys::fuzz_target;
use protocol::hook::{AGENTS, Answer, DENIED, Input};

fuzz_target!(|data: &[u8]| {
    for agent in AGENTS {
        let answer = match agent.read(data) {
            Input::Call(call) => {
                assert!(!call.commands.is_empty() && call.cwd.starts_with('/'));
                let command = &call.commands[0];
                let out = agent.answer(&Answer::Rewrite { command, input: &call.input });
                assert!(out.code == 0);
                agent.answer(&Answer::Deny(command))
            }
            Input::NotAShell => {
                // Only a whole call of a tool with a name is none of our business.
                assert!(serde_json::from_slice::<serde_json::Value>(data).is_ok_and(|v| v.is_object()));
                continue;
            }
            Input::Unknown(why) | Input::Broken(why) => agent.answer(&Answer::Deny(&why)),
        };
        assert!(answer.code == DENIED);
        let said: serde_json::Value = serde_json::from_str(&answer.stdout).expect("JSON");
        assert!(said.is_object() && answer.stdout.len() < 10_000);
    }
});
