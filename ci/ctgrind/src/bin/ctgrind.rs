//! Runs under valgrind's memcheck with every secret marked as undefined: memcheck then reports each
//! branch and each address that depends on one. `ci/ctgrind.sh` starts it.
//!
//! Without an argument it runs everything and prints the backends; with the name of a control it does
//! something that must be caught.
#![cfg(fasttea_ctgrind)]

use std::{
    env, process,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
};

use fasttea::{Be, Key, qq};
use fasttea_ctgrind::{Watch, leaks, messages, run, scramble};

unsafe extern "C" {
    fn memcheck_secret(bytes: *mut u8, len: usize);
    fn memcheck_public(bytes: *mut u8, len: usize);
    fn memcheck_is_secret(bytes: *const u8, len: usize) -> bool;
}

struct Memcheck;

impl Watch for Memcheck {
    fn secret(&self, bytes: &mut [u8]) {
        static SEED: AtomicU64 = AtomicU64::new(1);
        scramble(&SEED, bytes);
        // SAFETY: these bytes can be written; valgrind changes only what it knows of them.
        unsafe { memcheck_secret(bytes.as_mut_ptr(), bytes.len()) }
    }

    /// What was made of secrets is undefined, too: nothing has declassified it, and the secrets have
    /// come through whatever made it.
    fn look_at(&self, bytes: &[u8]) {
        // SAFETY: these bytes can be read.
        let secret = unsafe { memcheck_is_secret(bytes.as_ptr(), bytes.len()) };
        assert!(secret, "made of secrets, but defined");
    }
}

/// Whether what the library says to be public stays undefined.
static KEEP: AtomicBool = AtomicBool::new(false);

/// The library calls this with a message's pad and its verdict.
#[unsafe(no_mangle)]
extern "C" fn fasttea_declassified(mut value: u8) -> u8 {
    if !KEEP.load(Ordering::Relaxed) {
        // SAFETY: as above.
        unsafe { memcheck_public(&raw mut value, 1) }
    }
    value
}

/// In the place of the operating system.
#[unsafe(no_mangle)]
unsafe extern "Rust" fn __getrandom_v03_custom(
    bytes: *mut u8,
    len: usize,
) -> Result<(), getrandom::Error> {
    // SAFETY: so the crate getrandom promises.
    let bytes = unsafe {
        bytes.write_bytes(0, len);
        std::slice::from_raw_parts_mut(bytes, len)
    };
    Memcheck.secret(bytes);
    Ok(())
}

fn main() {
    let mut key = [0; 16];
    Memcheck.secret(&mut key);
    match env::args().nth(1).as_deref() {
        None => println!("{}", run(&Memcheck).join(" ")),
        Some("branch") => leaks::branch(&key),
        Some("address") => leaks::address(&key),
        Some("kept") => {
            KEEP.store(true, Ordering::Relaxed);
            messages(&Memcheck, |key: Key<Be>| qq::Cipher::new(key));
        }
        Some("defined") => Memcheck.look_at(b"no secret"),
        Some(_) => process::exit(2),
    }
}
