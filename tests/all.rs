//! The programs seen from outside. One binary; each module says what belongs there.

/// A small world with a witness in place of every tool.
mod stage;

/// Oracle 1: with the guard and without it, the same record.
mod transparent;

/// What must never run unattended.
mod attacks;

/// What must run without a question.
mod benign;

/// Promised numbers.
mod budget;

/// Every system call fails once.
mod faults;

/// A machine on which `sh` is busybox.
mod busybox;

/// What is exchanged between the judgement and the exec.
mod exchange;

/// A host that withholds something.
mod limits;

/// Which documents are believed.
mod trust;

/// The rules of the house.
mod tidy;

/// A peer's cases.
mod peers;

/// A person at the terminal.
mod approvals;

/// In a container: process 1, read-only, nobody's user.
mod containers;

/// An approver on a socket.
mod broker;

/// exec-guardctl: documents made, shown and edited.
mod ctl;

/// Put in the way, taken back, and found out where it is not.
mod install;

/// Hooks put into the settings of agents, and taken out again.
mod install_agents;
mod install_trust;

/// The doctor finds each layer that was taken out of the way.
mod doctor_layers;

/// Rules that somebody has with an agent, as entries.
mod import;

/// Real agents against a local model.
mod real_agents;

/// Oracle 2: the real shells.
mod oracle;

/// What an unattended run does not inherit.
mod environ;

/// One line a decision.
mod journal;

/// Commands that nobody waits for.
mod submit;

/// A person answers by exec-guardctl; an approver is started and stopped.
mod operator;

/// exec-guardctl: verdicts explained, policies tried out.
mod diagnose;

/// What a caller is told who is refused.
mod refusals;

/// The approver as it runs: real guards, other users, restarts.
mod approver;

/// A guard and an approver of which one is killed, lied to by whoever stands between them, or cannot write.
mod faults_protocol;

/// The approver's page in a real browser.
mod panel;

/// Whom that page lets in, and whose answer it takes.
mod panel_door;

/// What agents are told.
mod hooks;

/// Tools of agent gateways.
mod tools;

/// The ways to a tool: socket, port, terminal, browser; callers that go away or forge.
mod tools_door;

/// Many at the doors for tools: shares, and an end to what is held.
mod tools_shares;

/// The examples of settings that gateways begin with, as whole documents.
mod tools_examples;

/// What a command in the sandbox can and cannot do.
mod sandbox;

/// Text that agents put round a command.
mod scaffold;
