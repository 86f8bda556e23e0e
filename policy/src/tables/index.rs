//! Rows by the beginning of their names: most programs are in no table, and each table is asked about each of them.

/// How many buckets there are.
const BUCKETS: usize = 64;

/// For each beginning of a name, the rows that have a name which begins so, in order. `NAMES` is [`count`] of the rows.
pub struct Index<const NAMES: usize> {
    /// Where each bucket begins.
    starts: [u16; BUCKETS + 1],
    rows: [u16; NAMES],
}

/// How many names there are.
#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler: out of bounds does not build")]
pub const fn count(rows: &[&[&str]]) -> usize {
    let (mut names, mut row) = (0, 0);
    while row < rows.len() {
        names += rows[row].len();
        row += 1;
    }
    names
}

/// The names of each row of a constant table of so many.
macro_rules! names {
    ($rows:expr, $count:expr) => {{
        let mut names: [&[&str]; $count] = [&[]; $count];
        let mut at = 0;
        while at < $count {
            names[at] = $rows[at].names;
            at += 1;
        }
        names
    }};
}
pub(crate) use names;

impl<const NAMES: usize> Index<NAMES> {
    /// The index of rows of which these are the names.
    #[expect(clippy::indexing_slicing, reason = "evaluated by the compiler: out of bounds does not build")]
    pub const fn new(rows: &[&[&str]]) -> Index<NAMES> {
        let mut index = Index { starts: [0; BUCKETS + 1], rows: [0; NAMES] };
        let (mut at, mut to) = (0, 0);
        while at < BUCKETS {
            index.starts[at] = to as u16;
            let mut row = 0;
            while row < rows.len() {
                let mut name = 0;
                while name < rows[row].len() {
                    if bucket(rows[row][name].as_bytes()) == at {
                        index.rows[to] = row as u16;
                        to += 1;
                    }
                    name += 1;
                }
                row += 1;
            }
            at += 1;
        }
        assert!(to == NAMES, "`count` of the same rows");
        index.starts[BUCKETS] = to as u16;
        index
    }

    /// The rows that may have this name: they have one that begins like it.
    pub fn of(&self, name: &[u8]) -> impl Iterator<Item = usize> + '_ {
        let at = bucket(name);
        let from = self.starts.get(at).copied().unwrap_or_default();
        let to = self.starts.get(at + 1).copied().unwrap_or_default();
        let rows = self.rows.get(usize::from(from)..usize::from(to)).unwrap_or_default();
        rows.iter().map(|row| usize::from(*row))
    }
}

/// The bucket of a name, by its first two bytes and its length.
const fn bucket(name: &[u8]) -> usize {
    let hash = match name {
        [a, b, ..] => a.wrapping_mul(7) ^ b.wrapping_mul(5) ^ (name.len() as u8).wrapping_mul(29),
        [a] => a.wrapping_mul(7),
        [] => 0,
    };
    hash as usize % BUCKETS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_where_it_is() {
        const ROWS: &[&[&str]] = &[&["a", "bash"], &[], &["bc", "bash", ""]];
        static INDEX: Index<{ count(ROWS) }> = Index::new(ROWS);
        let of = |name: &str| INDEX.of(name.as_bytes()).collect::<Vec<_>>();
        assert_eq!(of("bash"), [0, 2]);
        assert!(of("a").contains(&0) && of("").contains(&2) && of("bc").contains(&2));
    }
}
