//! TEA.

use core::marker::PhantomData;

use crate::{
    Error, Key, Order,
    backend::{self, Backend, Blocks, Job},
    batch::BatchCipher,
    block::{BlockCipher, block_cipher},
    schedule::{Cycles, DELTA, Schedule, Sums, TeaSchedule},
};

/// TEA, the Tiny Encryption Algorithm: blocks of 8 bytes, a key of 16.
///
/// The cipher of David Wheeler and Roger Needham, "TEA, a Tiny Encryption Algorithm", Fast Software
/// Encryption 1994. 32 cycles are usual, 16 make QQ's, 8 kcptun's; what others call 64 rounds are
/// 32 cycles.
///
/// Two keys that differ in the top bits of their first two words, or of their last two, encrypt
/// alike: each key has three such twins. That is the cipher's doing.
///
/// # Examples
///
/// ```
/// use fasttea::{Be, Tea, cipher::{BlockCipherEncrypt, KeyInit}};
/// use hex_literal::hex;
///
/// let cipher = Tea::<Be>::new(&hex!("80000000000000000000000000000000").into());
/// let mut block = [0; 8].into();
/// cipher.encrypt_block(&mut block);
/// assert_eq!(block, hex!("9327c49731b08bbe"));
/// ```
#[derive(Clone)]
pub struct Tea<O> {
    schedule: TeaSchedule,
    sums: Sums,
    backend: Backend,
    order: PhantomData<O>,
}

impl<O: Order> Tea<O> {
    #[inline]
    fn build(key: &Key<O>, cycles: Cycles, delta: u32) -> Self {
        Self::from_parts(key, cycles, Sums::from_delta(delta))
    }

    #[inline]
    fn from_parts(key: &Key<O>, cycles: Cycles, sums: Sums) -> Self {
        Self {
            schedule: TeaSchedule::new(cycles, O::BLOCK, *key.words()),
            sums,
            backend: backend::active(),
            order: PhantomData,
        }
    }

    /// A cipher with any sums instead of the multiples of a delta, one for each cycle.
    ///
    /// # Errors
    /// [`Error::SumsLength`] unless there are 1 to 64.
    ///
    /// # Examples
    ///
    /// ```
    /// use fasttea::{Be, Tea};
    ///
    /// let three_cycles = Tea::<Be>::with_sums(&[7; 16], &[0x11223344, 0x55667788, 0x99aabbcc])?;
    /// # Ok::<(), fasttea::Error>(())
    /// ```
    pub fn with_sums(key: impl Into<Key<O>>, sums: &[u32]) -> Result<Self, Error> {
        let (sums, cycles) = Sums::from_table(sums)?;
        Ok(Self::from_parts(&key.into(), cycles, sums))
    }

    /// The same cipher, run by another backend.
    #[must_use]
    pub fn with_backend(mut self, backend: Backend) -> Self {
        self.backend = backend;
        self
    }
}

impl<O> Tea<O> {
    /// Encrypts blocks that are chained to the one before.
    #[inline]
    pub(crate) fn cbc_encrypt(&self, value: &mut [u32; 2], blocks: Blocks<'_, '_>) {
        self.backend
            .tea_cbc_encrypt(&self.schedule, &self.sums, value, blocks);
    }
}

impl<O: Order> BatchCipher<4> for Tea<O> {
    fn schedule(&self) -> &Schedule<4> {
        &self.schedule
    }

    fn runs_with(&self, other: &Self) -> bool {
        self.schedule.cycles() == other.schedule.cycles()
            && self.sums == other.sums
            && self.backend == other.backend
    }

    fn encrypt_alone(&self, value: &mut [u32; 2], blocks: Blocks<'_, '_>) {
        self.cbc_encrypt(value, blocks);
    }

    fn encrypt_jobs(&self, jobs: &mut [Option<Job<'_, 4>>]) {
        let cycles = self.schedule.cycles();
        self.backend
            .tea_cbc_encrypt_batch(cycles, O::BLOCK, &self.sums, jobs);
    }
}

impl<O> BlockCipher for Tea<O> {
    #[inline]
    fn encrypt_all(&self, blocks: Blocks<'_, '_>) {
        self.backend.tea_encrypt(&self.schedule, &self.sums, blocks);
    }

    #[inline]
    fn decrypt_all(&self, blocks: Blocks<'_, '_>) {
        self.backend.tea_decrypt(&self.schedule, &self.sums, blocks);
    }
}

block_cipher!(Tea, "TEA");
