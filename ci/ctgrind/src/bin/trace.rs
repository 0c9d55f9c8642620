//! Runs everything with secrets that the first argument tells, for `ci/trace.sh`: whatever they are, the
//! trace of program counters and addresses must be the same.
//!
//! `00000` and `fffff` are secrets of all bits 0 or 1, other numbers are seeds; the length of the arguments
//! moves the stack. The second one may name a control.

use std::{
    env, process,
    sync::atomic::{AtomicU8, AtomicU64, Ordering},
};

use fasttea_ctgrind::{Watch, leaks, run, scramble};

static SEED: AtomicU64 = AtomicU64::new(0);
/// Which bits of a secret come from the seed, and which are 1 in any case.
static FREE: AtomicU8 = AtomicU8::new(0);
static SET: AtomicU8 = AtomicU8::new(0);

struct Seeded;

impl Watch for Seeded {
    fn secret(&self, bytes: &mut [u8]) {
        scramble(&SEED, bytes);
        let (free, set) = (FREE.load(Ordering::Relaxed), SET.load(Ordering::Relaxed));
        bytes.iter_mut().for_each(|byte| *byte = *byte & free | set);
    }

    fn look_at(&self, _: &[u8]) {}
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
    Seeded.secret(bytes);
    Ok(())
}

/// Where the trace begins.
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn trace_begin() {
    std::hint::black_box(());
}

fn main() {
    let secrets = env::args().nth(1).unwrap_or_default();
    match &*secrets {
        "00000" => {}
        "fffff" => SET.store(0xff, Ordering::Relaxed),
        seed => {
            FREE.store(0xff, Ordering::Relaxed);
            SEED.store(seed.parse().expect("a number"), Ordering::Relaxed);
        }
    }
    let mut key = [0; 16];
    Seeded.secret(&mut key);
    trace_begin();
    match env::args().nth(2).as_deref() {
        None => println!("{}", run(&Seeded).join(" ")),
        Some("branch") => leaks::branch(&key),
        Some("address") => leaks::address(&key),
        Some(_) => process::exit(2),
    }
}
