//! Protected pages, and handlers of the signals that stop who touches them.

use core::{
    ffi::{c_int, c_void},
    mem, ptr,
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};
use std::{
    io::{Write, stderr},
    sync::Mutex,
};

pub use rustix::mm::MprotectFlags;
use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, mprotect};

use super::running;

/// At least a page, on all systems.
pub const PAGE: usize = 64 * 1024;

pub const OPEN: MprotectFlags = MprotectFlags::READ.union(MprotectFlags::WRITE);
pub const CLOSED: MprotectFlags = MprotectFlags::empty();

/// So many closed pages.
pub fn map(count: usize) -> *mut u8 {
    let none = ProtFlags::empty();
    // SAFETY: a fresh mapping.
    let begin = unsafe { mmap_anonymous(ptr::null_mut(), count * PAGE, none, MapFlags::PRIVATE) };
    begin.unwrap().cast()
}

/// # Safety
/// The page is of `map`, and nothing refers to what is in it.
pub unsafe fn protect(page: *mut u8, flags: MprotectFlags) {
    // SAFETY: as above.
    unsafe { mprotect(page.cast(), PAGE, flags).unwrap() };
}

/// The closed page that `open` waits for.
pub static GUARD: AtomicUsize = AtomicUsize::new(0);
/// How often it was touched.
static TOUCHED: AtomicUsize = AtomicUsize::new(0);

pub type Handler = extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void);

/// Opens the guard, so that who touched it goes on.
pub extern "C" fn open(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    let guard = GUARD.load(Relaxed);
    // SAFETY: a handler is given its information; the guard is of `map`.
    unsafe {
        if ((*info).si_addr() as usize).wrapping_sub(guard) < PAGE {
            TOUCHED.fetch_add(1, Relaxed);
            protect(ptr::with_exposed_provenance_mut(guard), OPEN);
        } else {
            tell(signal, info, context);
        }
    }
}

/// Tells the case in which a kernel touched what it may not, which ends the process.
pub extern "C" fn tell(signal: c_int, info: *mut libc::siginfo_t, _: *mut c_void) {
    // SAFETY: a handler is given its information. The signal comes again, since nothing is changed.
    unsafe {
        let _ = writeln!(stderr(), "fault at {:?}: {}", (*info).si_addr(), running());
        libc::signal(signal, libc::SIG_DFL);
    }
}

/// A handler of the signals of protected pages: macOS has SIGBUS where others have SIGSEGV.
pub const fn handlers(handler: Handler) -> [(c_int, Handler); 2] {
    [(libc::SIGSEGV, handler), (libc::SIGBUS, handler)]
}

/// Does something while the guard opens, and tells how often it was touched.
pub fn touches(run: impl FnOnce()) -> usize {
    handling(&handlers(open), || {
        let before = TOUCHED.load(Relaxed);
        run();
        TOUCHED.load(Relaxed) - before
    })
}

/// Does something with handlers of signals, one at a time.
pub fn handling<T>(handlers: &[(c_int, Handler)], run: impl FnOnce() -> T) -> T {
    static LOCK: Mutex<()> = Mutex::new(());
    let _lock = LOCK.lock();
    let set = |&(signal, handler): &(c_int, Handler)| {
        // SAFETY: handlers that last, and do nothing that the interrupted kernels would notice.
        unsafe {
            let mut before = mem::zeroed();
            let mut action: libc::sigaction = mem::zeroed();
            action.sa_sigaction = handler as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO;
            assert_eq!(
                libc::sigaction(signal, &raw const action, &raw mut before),
                0
            );
            (signal, before)
        }
    };
    let before: Vec<_> = handlers.iter().map(set).collect();
    let result = run();
    for (signal, before) in &before {
        // SAFETY: as it was.
        unsafe { libc::sigaction(*signal, before, ptr::null_mut()) };
    }
    result
}
