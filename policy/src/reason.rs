//! Every ground there is: a stable code, one sentence, one piece of advice.

macro_rules! reasons {
    ($($variant:ident $code:literal $what:literal $advice:literal;)*) => {
        /// A ground for a decision. Codes are stable: scripts and tests may rely on them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Reason { $(#[doc = $what] $variant,)* }

        impl Reason {
            /// Every reason, for the manual and the tests that hold it to account.
            pub const ALL: &'static [Reason] = &[$(Reason::$variant,)*];

            /// The stable code, as in `exec-guard: denied [allowlist-miss] …`.
            pub fn code(self) -> &'static str { match self { $(Reason::$variant => $code,)* } }

            /// One sentence for the manual: what the ground means.
            pub fn meaning(self) -> &'static str { match self { $(Reason::$variant => $what,)* } }

            /// What a person can do about it; empty if nothing.
            pub fn advice(self) -> &'static str { match self { $(Reason::$variant => $advice,)* } }
        }
    };
}

reasons! {
    SecurityDeny "security-deny" "the policy's security is deny: nothing runs" "change `security` in exec-approvals.json";
    AskAlways "ask-always" "the policy asks about every command" "";
    Denylisted "denylist" "an entry of the denylist matches" "remove the entry if it is wrong";
    Asklisted "asklist" "an entry of the asklist matches" "answer the question, or remove the entry";
    AllowlistMiss "allowlist-miss" "no entry, safe bin or skill covers this program" "exec-guardctl approvals allowlist add PATH";
    ArgsMiss "args-miss" "an entry covers the program but not these arguments or this folder" "add an entry with these arguments, or run it as the entry says";
    Expired "entry-expired" "the entry that covers the program has expired" "renew its expiresAt";
    NotFound "not-found" "the program does not exist or is not executable" "check the name and PATH";
    Unresolved "unresolved" "the name does not resolve to a program now" "install the program, or name it by its path";
    Loop "guard-loop" "the guard would call itself without end" "look at PATH, and at the links to exec-guard in it";
    DynamicName "dynamic-name" "the command's name is known only at run time" "write the name out";
    DynamicArgument "dynamic-argument" "an argument that a rule has to look at is known only at run time" "write the argument out";
    DynamicOption "dynamic-option" "a word that could become an option is known only at run time" "put `--` or a literal in front, or write it out";
    SafeBin "safe-bin" "a safe bin was called in a way that is not limited to its standard input" "pipe the data in, or add an entry for the program";
    Untrusted "untrusted-folder" "a safe bin's name, but its file lies outside the trusted folders" "add an entry for the path, or the folder to safeBinTrustedDirs";
    Builtin "builtin" "a builtin of the shell that is not free, or with arguments its profile does not list" "run it by hand, or write it otherwise";
    Function "function" "a call of a function, or its definition, that cannot be followed" "write the commands out";
    Redirection "redirection" "a redirection opens a file" "let the program write its file itself, or answer the question";
    Substitution "substitution" "a command runs inside a word" "run it first, on a line of its own";
    Compound "compound" "a compound command of the shell" "write simple commands, or set tools.exec.shell.accept to checked";
    Background "background" "a command is put into the background" "run it in the foreground";
    HereDocument "here-document" "a here-document or here-string" "pipe the data in";
    Construct "construct" "a construct of the shell that is never satisfied without a person" "write it otherwise";
    Syntax "syntax" "the text does not parse to its end as the shell's language" "mend the text";
    Limit "too-complex" "the text exceeds a limit of the analysis" "split it";
    Control "control-characters" "control characters or invalid UTF-8 outside quotes" "remove them";
    Assignment "assignment" "an assignment of a variable that changes what runs" "leave it out, or answer the question";
    Environment "environment" "an inherited variable changes what runs" "unset it, or list it in tools.exec.env.trusted";
    Wrapper "wrapper" "a program that runs another one, used in a way that cannot be judged" "run the inner command itself";
    WrapperEntry "wrapper-entry" "a program that carries another one needs an entry of its own besides" "add an entry for the carrier";
    Remote "remote" "what it carries runs elsewhere or is not known here" "give its entry `args` or `carries`";
    Code "code-on-stdin" "a shell or interpreter would read code that was not judged" "save it, look at it, and run it as a script that an entry covers";
    ScriptEntry "script-entry" "a script given to a shell is judged as a program of its own" "add an entry for the script";
    InlineCode "inline-code" "code on the command line of an interpreter" "put it in a file that is allowed, or turn strictInlineEval off";
    Hazard "hazard" "an allowed program would run, load, write, delete or send something its name does not announce" "leave the option out, or set the hazard to allow";
    SelfProtection "self-protection" "the command touches the guard's own files or another agent's hook" "do it by hand at a terminal";
    AgentSwitch "agent-switch" "the text names exec-guard with another agent" "leave --agent and EXEC_GUARD_* out";
    Probe "probe" "a probe of exec-guardctl doctor, which every policy denies" "";
    EntryWritable "entry-writable" "the entry covers a file that its caller, or an earlier command of the text, can write" "move the program to a folder only its owner can write, or run the steps one by one";
    EntryIgnored "entry-ignored" "an entry without a slash is ignored on the allowlist" "write the program's path";
    CwdUnknown "cwd-unknown" "the working folder is not known here" "use `cd DIR &&`, or an absolute path";
    NobodyToAsk "nobody-to-ask" "a person would have to say yes and none can be reached" "run it in a terminal, or add an entry";
    UserDenied "user-denied" "a person said no" "";
    Timeout "approval-timeout" "no answer came in time" "ask again";
    RateLimited "rate-limited" "too many questions are waiting for an answer" "answer those, or wait";
    Approver "approver-error" "the approver refused the question, or its answer cannot be believed" "look at the approver, and at socket.token in exec-approvals.json";
    TooLongToAsk "too-long-to-ask" "the command is too long to be shown whole" "split it";
    PolicyUnreadable "policy-unreadable" "a policy document is missing, unsafe or wrong" "mend it as the message says; exec-guardctl approvals get tells when it is";
    Internal "internal" "the guard itself could not work" "report it";
    Changed "changed" "the file changed between the judgement and the exec" "run it again";
    Exec "exec-failed" "the kernel refused to start the program" "";
    Journal "journal" "the journal could not be written" "free the disk or mend the folder, or set journal.required to false";
    HookCall "hook-call" "a call of an agent's hook that cannot be read or judged" "";
    Usage "usage" "wrong use of exec-guard" "exec-guard --help";
}
