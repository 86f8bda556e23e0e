//! Memory for a process that lives for a millisecond.
//!
//! The guard allocates a few hundred small things and then becomes something else. The C library asks the kernel
//! for each size class of its own, which was a third of all system calls before the exec (45 of 121, measured
//! with musl); here they lie one after the other in pages that exist from the start and are mapped when touched.
//! What does not fit goes to the system's allocator, and what that does not have ends the process by a word.
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::UnsafeCell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes of the arena: what a verdict on a script of 16 KB takes. What is not touched costs nothing.
const SIZE: usize = 4 << 20;

/// Bytes that are mapped at the start: what a judgement under a short document touches.
#[cfg(target_os = "linux")]
const WARM: usize = 36 << 10;

/// Size of a page; a larger one's calls fail, and nothing is lost.
#[cfg(target_os = "linux")]
const PAGE: usize = 4 << 10;

thread_local! {
    /// Its address tells threads apart.
    static HERE: u8 = const { 0 };
}

/// How a program ends that gets no memory: what it says on standard error, and its exit status.
#[derive(Clone, Copy, Debug)]
pub struct Last {
    /// A whole line.
    pub word: &'static str,
    /// The status.
    pub status: i32,
}

/// Apart from the arenas, which are nothing but zeros.
static LAST: OnceLock<Last> = OnceLock::new();

impl Last {
    /// Says the word and ends the process, allocating nothing. (Without it the standard library would abort, which
    /// looks like a crash.)
    fn leave(&self) -> ! {
        // SAFETY: writes bytes that live as long as the program; that nobody reads them changes nothing.
        unsafe { libc::write(2, self.word.as_ptr().cast(), self.word.len()) };
        // SAFETY: ends the process; nothing was begun that would have to be ended.
        unsafe { libc::_exit(self.status) }
    }
}

/// A bump allocator over one static area; set as `#[global_allocator]` by programs that end soon. Only the last
/// allocation can grow, shrink or be given back; everything else is freed by the exec, or together, when the last block
/// in use is given back: then it begins anew.
///
/// It serves the one thread that opened it, without the locked instructions that sharing takes (twice the price of the
/// rest). Any other has the system's allocator.
#[derive(Debug)]
#[repr(C)]
pub struct Arena {
    // In front of the area, so that both begin in one page.
    used: AtomicUsize,
    /// Blocks of the area that are in use. Only the owner's thread counts; a block that another one gives back stays.
    blocks: AtomicUsize,
    owner: AtomicUsize,
    area: UnsafeCell<[u8; SIZE]>,
}

// SAFETY: only the owner's thread takes and gives back bytes of the area (`place` and `shift` look), so every byte is
// handed out at most once at a time.
unsafe impl Sync for Arena {}

impl Arena {
    /// An empty arena. Nothing but zeros: else its whole size would lie in the program's file.
    #[expect(clippy::new_without_default, reason = "used in a static, which wants a const fn")]
    pub const fn new() -> Arena {
        Arena {
            used: AtomicUsize::new(0),
            blocks: AtomicUsize::new(0),
            owner: AtomicUsize::new(0),
            area: UnsafeCell::new([0; SIZE]),
        }
    }

    /// Opens it for this thread; nothing comes of it if another one has it. `last` is how the program ends if there is
    /// no memory left.
    ///
    /// Has the kernel map the first bytes of the area at once. Each page would cost a fault when it is first
    /// touched, and a judgement touches this much anyway. A kernel that cannot (before Linux 5.14) leaves it at that.
    pub fn open(&self, last: Last) {
        LAST.get_or_init(|| last);
        let _ = self.owner.compare_exchange(0, here(), Ordering::Relaxed, Ordering::Relaxed);
        #[cfg(target_os = "linux")]
        {
            // In whole pages of any size there is; what lies before in the same page are our own variables.
            let skip = self.base().addr() % PAGE;
            // SAFETY: the range lies inside the area but for the start of its first page, which is mapped and
            // writable as well; mapping it changes no byte.
            unsafe { libc::madvise(self.base().wrapping_sub(skip).cast(), WARM, libc::MADV_POPULATE_WRITE) };
        }
    }

    /// Start of the area.
    fn base(&self) -> *mut u8 {
        self.area.get().cast()
    }

    /// Where an allocation lies in the area; `None` if it came from the system.
    fn offset(&self, at: *mut u8) -> Option<usize> {
        at.addr().checked_sub(self.base().addr()).filter(|o| *o < SIZE)
    }

    /// True on the thread that opened it.
    fn mine(&self) -> bool {
        self.owner.load(Ordering::Relaxed) == here()
    }

    /// Moves the end from one place to another, if it is there and ours.
    fn shift(&self, from: usize, to: usize) -> bool {
        let there = self.mine() && self.used.load(Ordering::Relaxed) == from;
        if there {
            self.used.store(to, Ordering::Relaxed);
        }
        there
    }

    /// A free place of this layout; `None` if there is none left.
    fn place(&self, layout: Layout) -> Option<usize> {
        if !self.mine() {
            return None;
        }
        // Addresses are aligned, not offsets.
        let base = self.base().addr();
        let free = base + self.used.load(Ordering::Relaxed);
        // Alignments are powers of two: no division.
        let start = (free.checked_add(layout.align() - 1)? & !(layout.align() - 1)) - base;
        let end = start.checked_add(layout.size()).filter(|e| *e <= SIZE)?;
        self.used.store(end, Ordering::Relaxed);
        self.blocks.store(self.blocks.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        Some(start)
    }

    /// Takes a block back.
    fn back(&self, start: usize, size: usize) {
        if !self.mine() {
            return;
        }
        let left = self.blocks.load(Ordering::Relaxed).saturating_sub(1);
        self.blocks.store(left, Ordering::Relaxed);
        if left == 0 {
            self.used.store(0, Ordering::Relaxed);
        } else if self.used.load(Ordering::Relaxed) == start + size {
            self.used.store(start, Ordering::Relaxed);
        }
    }
}

/// What the system gave, if it gave any.
fn had(block: *mut u8) -> *mut u8 {
    match LAST.get() {
        Some(last) if block.is_null() => last.leave(),
        _ => block,
    }
}

/// Which thread this is: no two that run at once have the same number, and none has 0.
fn here() -> usize {
    HERE.with(|h| std::ptr::from_ref(h).addr())
}

// SAFETY: every block handed out lies inside the area, is aligned and as large as asked for, and overlaps no other
// that is in use; blocks of the system go back to the system.
unsafe impl GlobalAlloc for Arena {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match self.place(layout) {
            // SAFETY: `place` returned an offset inside the area.
            Some(start) => unsafe { self.base().add(start) },
            // SAFETY: the caller's layout, unchanged.
            None => had(unsafe { System.alloc(layout) }),
        }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        match self.offset(at) {
            Some(start) => self.back(start, layout.size()),
            // SAFETY: it is not from the area, so it is the system's, with the caller's layout.
            None => unsafe { System.dealloc(at, layout) },
        }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let Some(start) = self.offset(at) else {
            // SAFETY: it is not from the area, so it is the system's, with the caller's layout.
            return had(unsafe { System.realloc(at, layout, size) });
        };
        let fits = start.checked_add(size).is_some_and(|end| end <= SIZE);
        if fits && self.shift(start + layout.size(), start + size) || size <= layout.size() {
            return at;
        }
        let Ok(wanted) = Layout::from_size_align(size, layout.align()) else { return std::ptr::null_mut() };
        // SAFETY: the size is not zero, as the caller promises for `realloc`.
        let new = unsafe { self.alloc(wanted) };
        if !new.is_null() {
            // SAFETY: both blocks are at least as long as the old one, and the new one was just made.
            unsafe { std::ptr::copy_nonoverlapping(at, new, layout.size()) };
            self.back(start, layout.size());
        }
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORD: Last = Last { word: "no memory\n", status: 125 };

    #[test]
    fn blocks_are_aligned_apart_and_reused_only_at_the_end() {
        static ARENA: Arena = Arena::new();
        let arena = &ARENA;
        arena.open(WORD);
        let layout = |size, align| Layout::from_size_align(size, align).unwrap();
        let (a, b) = (arena.place(layout(3, 1)).unwrap(), arena.place(layout(8, 64)).unwrap());
        assert_eq!((a, (arena.base().addr() + b) % 64), (0, 0));
        assert!(b >= 3);
        // SAFETY: a block of the arena with its layout, used by nobody.
        unsafe { arena.dealloc(arena.base().wrapping_add(a), layout(3, 1)) };
        assert_eq!(arena.used.load(Ordering::Relaxed), b + 8);
        // SAFETY: as above, and the last one.
        unsafe { arena.dealloc(arena.base().wrapping_add(b), layout(8, 64)) };
        // Nothing is in use any more.
        assert_eq!(arena.used.load(Ordering::Relaxed), 0);
        let (a, b) = (arena.place(layout(8, 1)).unwrap(), arena.place(layout(8, 1)).unwrap());
        // SAFETY: the last block of the arena with its layout, used by nobody.
        unsafe { arena.dealloc(arena.base().wrapping_add(b), layout(8, 1)) };
        assert_eq!((a, arena.used.load(Ordering::Relaxed)), (0, b));
        assert_eq!(arena.place(layout(SIZE, 1)), None);
    }

    #[test]
    fn another_thread_has_none_of_it() {
        static ARENA: Arena = Arena::new();
        let arena = &ARENA;
        let layout = Layout::from_size_align(8, 8).unwrap();
        assert_eq!(arena.place(layout), None);
        arena.open(WORD);
        assert!(arena.place(layout).is_some());
        std::thread::scope(|s| {
            s.spawn(|| {
                arena.open(WORD);
                assert_eq!(arena.place(layout), None);
                assert!(!arena.shift(8, 0));
            });
        });
        assert_eq!(arena.used.load(Ordering::Relaxed) % 8, 0);
        assert!(arena.place(layout).is_some());
    }

    #[test]
    fn growing_keeps_the_content() {
        static ARENA: Arena = Arena::new();
        let arena = &ARENA;
        arena.open(WORD);
        let layout = Layout::from_size_align(4, 1).unwrap();
        // SAFETY: a layout of four bytes.
        let a = unsafe { arena.alloc(layout) };
        // SAFETY: four bytes that are ours.
        unsafe { a.copy_from(b"abcd".as_ptr(), 4) };
        // SAFETY: the block of above, the last of the arena: it grows in place.
        let b = unsafe { arena.realloc(a, layout, 8) };
        assert_eq!(a, b);
        // SAFETY: one more block, so that the first is not the last any more.
        unsafe { arena.alloc(layout) };
        let layout = Layout::from_size_align(8, 1).unwrap();
        // SAFETY: the block of above with its layout; larger than the arena, so it moves to the system.
        let c = unsafe { arena.realloc(b, layout, SIZE + 1) };
        assert!(arena.offset(c).is_none());
        // SAFETY: at least four bytes were copied.
        assert_eq!(unsafe { std::slice::from_raw_parts(c, 4) }, b"abcd");
        // SAFETY: the system's block with its layout.
        unsafe { arena.dealloc(c, Layout::from_size_align(SIZE + 1, 1).unwrap()) };
    }
}
