//! TEA.

use core::marker::PhantomData;

use crate::{
    backend::{self, Backend, Job, TEA_CBC_ENCRYPT, TEA_DECRYPT, TEA_ENCRYPT, TeaChained},
    batch::{self, Message},
    block::{BlockCipher, Chain, block_cipher},
    blocks::Blocks,
    byte_order::Order,
    chaining::State,
    error::Error,
    key::Key,
    parameters::{Parameters, Sums, Table},
    schedule::{TEA_WORDS, TeaSchedule},
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
    backend: Backend,
    order: PhantomData<O>,
}

impl<O: Order> Tea<O> {
    /// A cipher of 32 cycles.
    ///
    /// # Examples
    ///
    /// ```
    /// use fasttea::{Be, Key, Tea};
    ///
    /// let by_words = Tea::<Be>::from_key([1, 2, 3, 4]);
    ///
    /// // From a slice, which may have another length.
    /// let slice: &[u8] = b"0123456789ABCDEF";
    /// let by_slice = Tea::<Be>::from_key(Key::try_from(slice)?);
    /// # Ok::<(), fasttea::Error>(())
    /// ```
    #[inline]
    pub fn from_key(key: impl Into<Key<O>>) -> Self {
        Self::from_parts(key, Parameters::STANDARD)
    }

    /// A cipher with any [`Parameters`], or with any [`Sums`].
    ///
    /// # Examples
    ///
    /// ```
    /// use fasttea::{Be, Parameters, Tea};
    ///
    /// let eight_cycles = Tea::<Be>::from_parts(&[7; 16], Parameters::from_cycles(8)?);
    /// # Ok::<(), fasttea::Error>(())
    /// ```
    #[inline]
    pub fn from_parts(key: impl Into<Key<O>>, sums: impl Into<Sums>) -> Self {
        // First, so that the schedule is made where it stays.
        let backend = backend::active();
        Self {
            schedule: TeaSchedule::tea(O::BYTE_ORDER, key.into().words(), sums.into()),
            backend,
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

impl<O> Tea<O> {
    /// Runs blocks of one message through a chain.
    #[inline]
    pub(crate) fn chain(&self, kind: &TeaChained, state: &mut State, blocks: Blocks<'_, '_>) {
        self.backend.chain(kind, &self.schedule, state, blocks);
    }

    /// A message of a batch, which begins with its session's state, or else with zeros.
    #[inline]
    pub(crate) fn message<'a>(
        &'a self,
        session: Option<&'a mut State>,
        blocks: Blocks<'a, 'a>,
    ) -> Message<'a, TEA_WORDS, Table> {
        Message {
            backend: self.backend,
            job: Job::new(&self.schedule, session, blocks),
        }
    }
}

impl<O> BlockCipher for Tea<O> {
    #[inline]
    fn encrypt_all(&self, blocks: Blocks<'_, '_>) {
        self.backend.blocks(&TEA_ENCRYPT, &self.schedule, blocks);
    }

    #[inline]
    fn decrypt_all(&self, blocks: Blocks<'_, '_>) {
        self.backend.blocks(&TEA_DECRYPT, &self.schedule, blocks);
    }

    #[inline]
    fn encrypt_chain(&self, state: &mut State, blocks: Blocks<'_, '_>) {
        self.chain(&TEA_CBC_ENCRYPT, state, blocks);
    }

    fn encrypt_chains<'a>(chains: impl Iterator<Item = Chain<'a, Self>>, count: usize)
    where
        Self: 'a,
    {
        let messages = chains.map(|(tea, state, blocks)| tea.message(Some(state), blocks));
        batch::run(&TEA_CBC_ENCRYPT, count, messages);
    }
}

block_cipher!(Tea, "TEA");
