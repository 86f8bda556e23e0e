//! Sorting by a number, with the sort itself there once: each type that the library's is used for adds five kilobytes to
//! the guard.

/// The items in the order of their keys; those of one key stay as they were.
pub fn by_key<T>(items: Vec<T>, key: impl Fn(&T) -> u64) -> Vec<T> {
    let mut order: Vec<(u64, usize)> = items.iter().enumerate().map(|(at, item)| (key(item), at)).collect();
    if order.is_sorted() {
        return items;
    }
    sort(&mut order);
    let mut items: Vec<Option<T>> = items.into_iter().map(Some).collect();
    order.into_iter().filter_map(|(_, at)| items.get_mut(at)?.take()).collect()
}

/// Sorts numbers with what they are of.
#[inline(never)]
pub fn sort(order: &mut [(u64, usize)]) {
    order.sort_unstable();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_the_library_s_stable_sort() {
        let items: Vec<(u64, usize)> = (0..500_usize).map(|i| ((i as u64 * 7919) % 23, i)).collect();
        let mut want = items.clone();
        want.sort_by_key(|i| i.0);
        assert_eq!(by_key(items, |i| i.0), want);
        assert_eq!(by_key(Vec::<u64>::new(), |i| *i), [0_u64; 0]);
    }
}
