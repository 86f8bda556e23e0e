//! Confinement of a safe bin by the kernel, put on right before the exec.
//!
//! The seam is here and the lock is not yet: nothing is enforced, and who demands that it is gets a refusal.
use policy::document::Confinement;

/// What took hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enforced {
    /// No confinement was wanted.
    NotWanted,
    /// It was wanted and none took hold.
    Nothing,
}

impl Enforced {
    /// The word in the journal.
    pub fn word(self) -> &'static str {
        match self {
            Enforced::NotWanted => "no",
            Enforced::Nothing => "not-enforced",
        }
    }
}

/// What confinement would take hold of a process started now: for the journal, which is written before the
/// exec.
pub fn foresee(wanted: Option<(&str, Confinement)>) -> Enforced {
    match wanted {
        None | Some((_, Confinement::Off)) => Enforced::NotWanted,
        Some((_, Confinement::BestEffort | Confinement::Require)) => Enforced::Nothing,
    }
}

/// Confines this process and what it becomes.
///
/// # Errors
///
/// `Err(())` if confinement is required and did not take hold.
pub(crate) fn confine(wanted: Option<(&str, Confinement)>) -> Result<Enforced, ()> {
    match (foresee(wanted), wanted) {
        (Enforced::Nothing, Some((_, Confinement::Require))) => Err(()),
        (enforced, _) => Ok(enforced),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_enforced_and_is_required_is_refused() {
        let cases = [
            (None, Ok(Enforced::NotWanted)),
            (Some(("jq", Confinement::Off)), Ok(Enforced::NotWanted)),
            (Some(("jq", Confinement::BestEffort)), Ok(Enforced::Nothing)),
            (Some(("jq", Confinement::Require)), Err(())),
        ];
        for (wanted, want) in cases {
            assert_eq!(confine(wanted), want);
        }
    }
}
