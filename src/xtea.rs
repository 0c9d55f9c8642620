//! XTEA.

use core::marker::PhantomData;

use crate::{
    Error, Key, Order,
    backend::{self, Backend, Blocks, Job},
    batch::BatchCipher,
    block::{BlockCipher, block_cipher},
    schedule::{Cycles, DELTA, MAX_CYCLES, Schedule, XteaSchedule},
};

/// XTEA, the extended TEA: blocks of 8 bytes, a key of 16.
///
/// The cipher of Roger Needham and David Wheeler, "Tea extensions", 1997. 32 cycles are usual; what
/// others call 64 rounds are 32 cycles.
///
/// # Examples
///
/// ```
/// use fasttea::{Be, Xtea, cipher::{BlockCipherEncrypt, KeyInit}};
/// use hex_literal::hex;
///
/// let cipher = Xtea::<Be>::new(&hex!("00010203 04050607 08090a0b 0c0d0e0f").into());
/// let mut block = hex!("4142434445464748").into();
/// cipher.encrypt_block(&mut block);
/// assert_eq!(block, hex!("497df3d072612cb5"));
/// ```
#[derive(Clone)]
pub struct Xtea<O> {
    schedule: XteaSchedule,
    backend: Backend,
    order: PhantomData<O>,
}

impl<O: Order> Xtea<O> {
    #[inline]
    fn build(key: &Key<O>, cycles: Cycles, delta: u32) -> Self {
        Self {
            schedule: XteaSchedule::xtea(cycles, O::BLOCK, key.words(), delta),
            backend: backend::active(),
            order: PhantomData,
        }
    }

    /// The same cipher, run by another backend.
    #[must_use]
    pub fn with_backend(mut self, backend: Backend) -> Self {
        self.backend = backend;
        self
    }
}

impl<O> Xtea<O> {
    /// Encrypts blocks that are chained to the one before.
    #[inline]
    pub(crate) fn cbc_encrypt(&self, value: &mut [u32; 2], blocks: Blocks<'_, '_>) {
        self.backend.xtea_cbc_encrypt(&self.schedule, value, blocks);
    }
}

impl<O: Order> BatchCipher<{ 2 * MAX_CYCLES }> for Xtea<O> {
    fn schedule(&self) -> &Schedule<{ 2 * MAX_CYCLES }> {
        &self.schedule
    }

    fn runs_with(&self, other: &Self) -> bool {
        self.schedule.cycles() == other.schedule.cycles() && self.backend == other.backend
    }

    fn encrypt_alone(&self, value: &mut [u32; 2], blocks: Blocks<'_, '_>) {
        self.cbc_encrypt(value, blocks);
    }

    fn encrypt_jobs(&self, jobs: &mut [Option<Job<'_, { 2 * MAX_CYCLES }>>]) {
        let cycles = self.schedule.cycles();
        self.backend.xtea_cbc_encrypt_batch(cycles, O::BLOCK, jobs);
    }
}

impl<O> BlockCipher for Xtea<O> {
    #[inline]
    fn encrypt_all(&self, blocks: Blocks<'_, '_>) {
        self.backend.xtea_encrypt(&self.schedule, blocks);
    }

    #[inline]
    fn decrypt_all(&self, blocks: Blocks<'_, '_>) {
        self.backend.xtea_decrypt(&self.schedule, blocks);
    }
}

block_cipher!(Xtea, "XTEA");
