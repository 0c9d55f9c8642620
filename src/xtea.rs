//! XTEA.

use core::marker::PhantomData;

use crate::{
    backend::{self, Backend, Job, XTEA_CBC_ENCRYPT, XTEA_DECRYPT, XTEA_ENCRYPT},
    batch::{self, Message},
    block::{BlockCipher, Chain, block_cipher},
    blocks::Blocks,
    byte_order::Order,
    chaining::State,
    error::Error,
    key::Key,
    parameters::Parameters,
    schedule::XteaSchedule,
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
    /// A cipher of 32 cycles.
    ///
    /// # Examples
    ///
    /// ```
    /// use fasttea::{Le, Xtea};
    ///
    /// let cipher = Xtea::<Le>::from_key(b"0123456789ABCDEF");
    /// ```
    #[inline]
    pub fn from_key(key: impl Into<Key<O>>) -> Self {
        Self::from_parts(key, Parameters::STANDARD)
    }

    /// A cipher with any [`Parameters`].
    ///
    /// # Examples
    ///
    /// ```
    /// use fasttea::{Le, Parameters, Xtea};
    ///
    /// let eight_cycles = Xtea::<Le>::from_parts(&[7; 16], Parameters::from_cycles(8)?);
    /// # Ok::<(), fasttea::Error>(())
    /// ```
    #[inline]
    pub fn from_parts(key: impl Into<Key<O>>, parameters: Parameters) -> Self {
        // First, so that the schedule is made where it stays.
        let backend = backend::active();
        Self {
            schedule: XteaSchedule::xtea(O::BYTE_ORDER, key.into().words(), parameters),
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

impl<O> BlockCipher for Xtea<O> {
    #[inline]
    fn encrypt_all(&self, blocks: Blocks<'_, '_>) {
        self.backend.blocks(&XTEA_ENCRYPT, &self.schedule, blocks);
    }

    #[inline]
    fn decrypt_all(&self, blocks: Blocks<'_, '_>) {
        self.backend.blocks(&XTEA_DECRYPT, &self.schedule, blocks);
    }

    #[inline]
    fn encrypt_chain(&self, state: &mut State, blocks: Blocks<'_, '_>) {
        self.backend
            .chain(&XTEA_CBC_ENCRYPT, &self.schedule, state, blocks);
    }

    fn encrypt_chains<'a>(chains: impl Iterator<Item = Chain<'a, Self>>, count: usize)
    where
        Self: 'a,
    {
        let messages = chains.map(|(xtea, state, blocks)| Message {
            backend: xtea.backend,
            job: Job::new(&xtea.schedule, Some(state), blocks),
        });
        batch::run(&XTEA_CBC_ENCRYPT, count, messages);
    }
}

block_cipher!(Xtea, "XTEA");
