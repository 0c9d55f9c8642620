//! The generator behind [`qq::Cipher::encrypt`](crate::qq::Cipher::encrypt).
//!
//! One ChaCha12 generator for each thread, seeded by the operating system and reseeded after
//! 64 KiB: some ten nanoseconds a message, where a system call costs hundreds. Unlike rand's, it
//! reports a failing system source as an error.
//!
//! A process that is forked, or a machine restored from a snapshot, goes on with the same fill as
//! its twin until the next reseeding. QQ's fill is no nonce, so this shows equal texts as equal
//! messages and nothing more.

use core::cell::RefCell;

use chacha20::ChaCha12Rng;
use rand_core::{Rng, SeedableRng, TryCryptoRng, TryRng};
use zeroize::Zeroize;

use crate::error::Error;

/// Bytes from one seed.
const RESEED_AFTER: usize = 64 * 1024;

std::thread_local! {
    static GENERATOR: RefCell<Option<Generator>> = const { RefCell::new(None) };
}

struct Generator {
    rng: ChaCha12Rng,
    left: usize,
}

impl Generator {
    fn seeded() -> Result<Self, Error> {
        let mut seed = [0; 32];
        system(&mut seed)?;
        let rng = ChaCha12Rng::from_seed(seed);
        seed.as_mut_slice().zeroize();
        Ok(Self {
            rng,
            left: RESEED_AFTER,
        })
    }
}

fn system(bytes: &mut [u8]) -> Result<(), Error> {
    getrandom::fill(bytes).map_err(|_| Error::Random)
}

/// This thread's generator.
pub(crate) struct ThreadRandom;

impl ThreadRandom {
    /// Runs `f` with the generator, which has `len` bytes left at least.
    #[inline]
    fn with<T>(len: usize, f: impl FnOnce(&mut ChaCha12Rng) -> T) -> Result<T, Error> {
        GENERATOR
            .try_with(|cell| {
                let mut slot = cell.borrow_mut();
                let generator = match &mut *slot {
                    Some(generator) if generator.left >= len => generator,
                    slot => slot.insert(Generator::seeded()?),
                };
                generator.left = generator.left.saturating_sub(len);
                Ok(f(&mut generator.rng))
            })
            // The thread is ending and its generator is gone.
            .map_err(|_| Error::Random)?
    }
}

impl ThreadRandom {
    /// Sixteen bytes, for one look at the thread's generator.
    #[inline]
    pub(crate) fn next_u128() -> Result<u128, Error> {
        Self::with(16, |rng| {
            u128::from(rng.next_u64()) | u128::from(rng.next_u64()) << 64
        })
    }
}

impl TryRng for ThreadRandom {
    type Error = Error;

    #[inline]
    fn try_next_u32(&mut self) -> Result<u32, Error> {
        Self::with(4, Rng::next_u32)
    }

    #[inline]
    fn try_next_u64(&mut self) -> Result<u64, Error> {
        Self::with(8, Rng::next_u64)
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Error> {
        Self::with(bytes.len(), |rng| rng.fill_bytes(bytes))
    }
}

impl TryCryptoRng for ThreadRandom {}

#[cfg(test)]
mod tests {
    use super::*;

    fn left() -> Option<usize> {
        GENERATOR.with(|cell| cell.borrow().as_ref().map(|generator| generator.left))
    }

    #[test]
    fn reseeds() {
        std::thread::spawn(|| {
            assert_eq!(left(), None);
            ThreadRandom.try_next_u64().unwrap();
            assert_eq!(left(), Some(RESEED_AFTER - 8));
            let seed = |cell: &RefCell<Option<Generator>>| {
                cell.borrow()
                    .as_ref()
                    .map(|generator| generator.rng.get_seed())
            };
            let first = GENERATOR.with(seed);
            let mut bytes = [0; 1000];
            while left() >= Some(bytes.len()) {
                ThreadRandom.try_fill_bytes(&mut bytes).unwrap();
                assert_eq!(GENERATOR.with(seed), first);
            }
            ThreadRandom.try_fill_bytes(&mut bytes).unwrap();
            assert_eq!(left(), Some(RESEED_AFTER - bytes.len()));
            assert_ne!(GENERATOR.with(seed), first);
            assert_ne!(bytes, [0; 1000]);
        })
        .join()
        .unwrap();
    }
}
