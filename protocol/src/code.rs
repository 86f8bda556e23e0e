//! Why the other side will not: one table for both sockets.

macro_rules! codes {
    ($($variant:ident $word:literal $what:literal;)*) => {
        /// Why a message was not accepted. Words are stable.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Code { $(#[doc = $what] $variant,)* }

        impl Code {
            /// Every code, for the manual and the tests.
            pub const ALL: &'static [Code] = &[$(Code::$variant,)*];

            /// The word on the wire.
            pub fn word(self) -> &'static str { match self { $(Code::$variant => $word,)* } }

            /// One clause for a person.
            pub fn meaning(self) -> &'static str { match self { $(Code::$variant => $what,)* } }

            /// The code with that word.
            pub fn of(word: &str) -> Option<Code> {
                Code::ALL.iter().copied().find(|c| c.word() == word)
            }
        }
    };
}

codes! {
    Malformed "malformed" "the message was not understood";
    Version "version" "the versions do not fit";
    Peer "peer" "this user may not speak here";
    Mac "mac" "the token is not the same at both ends";
    Stale "stale" "the message came too late after its challenge";
    Replayed "replayed" "the message was sent before";
    TooLong "too-long-to-ask" "the question is too long to be shown whole";
    RateLimited "rate-limited" "too many questions of this agent";
    Full "full" "too many questions are waiting";
    Unattended "unattended" "nobody is there to answer";
    Duplicate "duplicate-id" "another question has that id";
    Unknown "unknown" "no question has that id";
    Expired "expired" "the question has expired";
    Answered "already-answered" "the question was answered already";
    Withdrawn "withdrawn" "whoever asked is gone";
    Ambiguous "ambiguous" "several questions begin with that id";
    OwnQuestion "own-question" "whoever asks may not answer";
    Marked "agent-mark" "an agent may not answer";
    Confined "confined" "a process that is traced or confined may not answer";
    NotOffered "not-offered" "that answer is not offered for this question";
    Unwritten "unwritten" "the policy document could not be written";
    Floor "below-floor" "the system's policy does not let it be that loose";
    Stopping "stopping" "the approver is shutting down";
    Internal "internal" "the approver itself could not work";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_all_different_and_read_back() {
        for code in Code::ALL {
            assert_eq!(Code::of(code.word()), Some(*code));
            assert!(!code.meaning().is_empty());
        }
        assert_eq!(Code::of("allow"), None);
    }
}
