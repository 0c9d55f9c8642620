//! Secrets: bytes that memcheck takes for undefined.

use std::{
    convert::Infallible,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
};

use fasttea::rand_core::{TryCryptoRng, TryRng};

unsafe extern "C" {
    fn memcheck_secret(bytes: *mut u8, len: usize);
    fn memcheck_public(bytes: *mut u8, len: usize);
    fn memcheck_is_secret(bytes: *const u8, len: usize) -> bool;
}

/// Makes bytes a secret, with any content, by splitmix64: no branch in it depends on the seed.
pub fn fill(bytes: &mut [u8]) {
    static SEED: AtomicU64 = AtomicU64::new(1);
    for byte in &mut *bytes {
        let x = SEED.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed);
        let x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        *byte = (x >> 56) as u8;
    }
    // SAFETY: these bytes can be written; valgrind changes only what it knows of them.
    unsafe { memcheck_secret(bytes.as_mut_ptr(), bytes.len()) }
}

pub fn array<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    fill(&mut bytes);
    bytes
}

pub fn bytes(len: usize) -> Vec<u8> {
    let mut bytes = vec![0; len];
    fill(&mut bytes);
    bytes
}

/// What was made of secrets is undefined, too: nothing has declassified it, and the secrets have come
/// through whatever made it.
pub fn look_at(bytes: &[u8]) {
    // SAFETY: these bytes can be read.
    let secret = unsafe { memcheck_is_secret(bytes.as_ptr(), bytes.len()) };
    assert!(secret, "made of secrets, but defined");
}

/// Whether what the library says to be public stays undefined.
pub static KEEP: AtomicBool = AtomicBool::new(false);

/// The library calls this with a message's pad and its verdict.
#[unsafe(no_mangle)]
extern "C" fn fasttea_declassified(mut value: u8) -> u8 {
    if !KEEP.load(Ordering::Relaxed) {
        // SAFETY: as in `fill`.
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
    fill(bytes);
    Ok(())
}

/// Random numbers that are secrets.
pub struct Random;

impl TryRng for Random {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(u32::from_le_bytes(array()))
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(u64::from_le_bytes(array()))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        fill(bytes);
        Ok(())
    }
}

impl TryCryptoRng for Random {}
