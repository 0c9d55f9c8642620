//! CBC, cipher block chaining: NIST SP 800-38A.
//!
//! [`Encryptor`] and [`Decryptor`] have the names, the traits and the bytes of RustCrypto's crate
//! `cbc`: where code names one of the ciphers here, `use fasttea::cbc` can take the place of
//! `use cbc`. Code that is generic over any block cipher keeps that crate; it works with the ciphers
//! here, too, block by block.
//!
//! What is different is the speed. The chaining value stays in machine words, in the object from call
//! to call and in registers from block to block, and a buffer is one call of a kernel. Encryption is
//! serial: a block cannot begin before the one before it is done. Decryption is not, and runs at
//! nearly the speed of independent blocks; for many messages there is [`encrypt_batch`].
//!
//! An object is a session: it goes on where the last call ended, so that any split of a text into
//! whole blocks gives the same bytes, and starts anew with `reset`.
//!
//! # Examples
//!
//! ```
//! use fasttea::{Be, Xtea, cbc, cipher::KeyIvInit};
//! # #[cfg(all(feature = "alloc", feature = "block-padding"))] {
//! use fasttea::cipher::{BlockModeDecrypt, BlockModeEncrypt, block_padding::Pkcs7};
//!
//! let (key, iv) = ([0x42; 16], [0x24; 8]);
//! let message = cbc::Encryptor::<Xtea<Be>>::new(&key.into(), &iv.into())
//!     .encrypt_padded_vec::<Pkcs7>(b"a text of any length");
//! let text = cbc::Decryptor::<Xtea<Be>>::new(&key.into(), &iv.into())
//!     .decrypt_padded_vec::<Pkcs7>(&message)?;
//! assert_eq!(text, b"a text of any length");
//! # }
//! # Ok::<(), fasttea::cipher::block_padding::Error>(())
//! ```
//!
//! With another number of cycles, and piece by piece:
//!
//! ```
//! use fasttea::{Be, Tea, cbc};
//!
//! let tea = Tea::<Be>::with_cycles(&[0x42; 16], 16)?;
//! let mut encryptor = cbc::Encryptor::try_with_iv(tea, &[0x24; 8])?;
//! let mut text = *b"three blocks are made in pieces.";
//! for piece in text.chunks_mut(16) {
//!     encryptor.encrypt_slice(piece)?;
//! }
//! # Ok::<(), fasttea::Error>(())
//! ```

use core::fmt;

pub use cipher;
use cipher::{
    AlgorithmName, Array, Block, BlockCipherDecrypt, BlockModeDecBackend, BlockModeDecClosure,
    BlockModeDecrypt, BlockModeEncBackend, BlockModeEncClosure, BlockModeEncrypt, BlockSizeUser,
    InOut, InOutBuf, InnerIvInit, Iv, IvSizeUser, IvState, ParBlocks, ParBlocksSizeUser,
    SetIvState,
    common::InnerUser,
    consts::{U1, U64},
    inout::NotEqualError,
    typenum::Unsigned,
};

use crate::{
    Error, Order, Tea, Xeta, Xtea,
    backend::{self, wipe},
    batch,
    block::whole_blocks,
};

#[cfg(feature = "aes")]
mod aes;

/// Blocks that are decrypted at a time: their ciphertext is kept on the stack.
const CHUNK: usize = 128;

/// The same for short calls.
const SHORT: usize = 8;

/// A cipher for CBC: [`Tea`], [`Xtea`], [`Xeta`] or, with the feature `aes`, `aes::Aes128`, `Aes192` and
/// `Aes256`; or a reference to one, which sessions can share.
///
/// This trait is sealed.
pub trait CbcCipher: BlockCipherDecrypt + chain::Chain {}

mod chain {
    use cipher::{Block, BlockSizeUser, InOutBuf};

    pub trait Chain: BlockSizeUser {
        /// The chaining value.
        type Words: Clone;

        fn load(block: &Block<Self>) -> Self::Words;
        fn store(words: &Self::Words) -> Block<Self>;
        fn wipe(words: &mut Self::Words);
        fn encrypt_chain(&self, words: &mut Self::Words, blocks: InOutBuf<'_, '_, Block<Self>>);
        fn decrypt_chain(&self, words: &mut Self::Words, blocks: InOutBuf<'_, '_, Block<Self>>);

        /// Encrypts with several sessions, of which there are at most `count`.
        fn encrypt_batch<'a>(sessions: impl Iterator<Item = Session<'a, Self>>, count: usize)
        where
            Self: Sized + 'a;
    }

    /// A session of a batch: its cipher, its chaining value and its blocks.
    pub(crate) type Session<'a, C> = (
        &'a C,
        &'a mut <C as Chain>::Words,
        InOutBuf<'a, 'a, Block<C>>,
    );
}

macro_rules! cbc_cipher {
    ($($Cipher:ident by $batch:path;)*) => {$(
        impl<O: Order> CbcCipher for $Cipher<O> {}

        impl<O: Order> chain::Chain for $Cipher<O> {
            type Words = [u32; 2];

            #[inline]
            fn load(block: &backend::Block) -> [u32; 2] {
                O::BLOCK.load(block.0)
            }

            #[inline]
            fn store(words: &[u32; 2]) -> backend::Block {
                Array(O::BLOCK.store(*words))
            }

            #[inline]
            fn wipe(words: &mut [u32; 2]) {
                wipe(words);
            }

            #[inline]
            fn encrypt_chain(&self, words: &mut [u32; 2], blocks: backend::Blocks<'_, '_>) {
                self.cbc_encrypt(words, blocks);
            }

            #[inline]
            fn decrypt_chain(&self, words: &mut [u32; 2], blocks: backend::Blocks<'_, '_>) {
                unchain(self, words, blocks);
            }

            fn encrypt_batch<'a>(
                sessions: impl Iterator<Item = chain::Session<'a, Self>>,
                count: usize,
            ) where
                Self: 'a,
            {
                $batch(sessions, count);
            }
        }
    )*};
}
cbc_cipher! {
    Tea by batch::cbc_encrypt;
    Xtea by batch::cbc_encrypt;
    Xeta by one_by_one;
}

impl<C: CbcCipher> CbcCipher for &C {}

impl<C: CbcCipher> chain::Chain for &C {
    type Words = C::Words;

    #[inline]
    fn load(block: &Block<C>) -> C::Words {
        C::load(block)
    }

    #[inline]
    fn store(words: &C::Words) -> Block<C> {
        C::store(words)
    }

    #[inline]
    fn wipe(words: &mut C::Words) {
        C::wipe(words);
    }

    #[inline]
    fn encrypt_chain(&self, words: &mut C::Words, blocks: InOutBuf<'_, '_, Block<C>>) {
        C::encrypt_chain(self, words, blocks);
    }

    #[inline]
    fn decrypt_chain(&self, words: &mut C::Words, blocks: InOutBuf<'_, '_, Block<C>>) {
        C::decrypt_chain(self, words, blocks);
    }

    fn encrypt_batch<'a>(sessions: impl Iterator<Item = chain::Session<'a, Self>>, count: usize)
    where
        Self: 'a,
    {
        let sessions = sessions.map(|(&cipher, words, blocks)| (cipher, words, blocks));
        C::encrypt_batch(sessions, count);
    }
}

fn unchain<C: CbcCipher>(cipher: &C, value: &mut C::Words, blocks: InOutBuf<'_, '_, Block<C>>) {
    // A short stack buffer for short calls, which it costs nothing to speak of to make.
    if blocks.len() <= SHORT {
        unchain_by::<C, SHORT>(cipher, value, blocks);
    } else {
        unchain_by::<C, CHUNK>(cipher, value, blocks);
    }
}

/// Every block is decrypted for itself and then combined with the ciphertext before it, of which a copy
/// is kept, since the plaintext may take its place.
#[inline(always)]
fn unchain_by<C: CbcCipher, const N: usize>(
    cipher: &C,
    value: &mut C::Words,
    mut blocks: InOutBuf<'_, '_, Block<C>>,
) {
    let mut kept: [Block<C>; N] = core::array::from_fn(|_| Array::default());
    while !blocks.is_empty() {
        let n = blocks.len().min(N);
        let (mut chunk, rest) = blocks.split_at(n);
        Array::slice_as_flattened_mut(&mut kept[..n])
            .copy_from_slice(Array::slice_as_flattened(chunk.get_in()));
        cipher.decrypt_blocks_inout(chunk.reborrow());
        let (first, others) =
            Array::slice_as_flattened_mut(chunk.get_out()).split_at_mut(C::BlockSize::USIZE);
        xor(first, &C::store(value));
        xor(others, Array::slice_as_flattened(&kept[..n - 1]));
        *value = C::load(&kept[n - 1]);
        blocks = rest;
    }
}

fn xor(bytes: &mut [u8], with: &[u8]) {
    for (byte, with) in bytes.iter_mut().zip(with) {
        *byte ^= with;
    }
}

/// For what has no lanes.
fn one_by_one<'a, C: CbcCipher + 'a>(
    sessions: impl Iterator<Item = chain::Session<'a, C>>,
    _count: usize,
) {
    for (cipher, value, blocks) in sessions {
        cipher.encrypt_chain(value, blocks);
    }
}

/// What both directions have in common.
macro_rules! session {
    ($Session:ident, $name:literal) => {
        impl<C: CbcCipher> $Session<C> {
            /// A session with an initialisation vector of unsure length.
            ///
            /// # Errors
            /// [`Error::IvLength`] unless it is one block.
            #[inline]
            pub fn try_with_iv(cipher: C, iv: &[u8]) -> Result<Self, Error> {
                let iv = iv_block::<C>(iv)?;
                Ok(Self::inner_iv_init(cipher, iv))
            }

            /// Starts anew with another initialisation vector and the same key.
            ///
            /// # Errors
            /// [`Error::IvLength`] unless it is one block; the session goes on as it was.
            #[inline]
            pub fn reset(&mut self, iv: &[u8]) -> Result<(), Error> {
                self.set_iv(iv_block::<C>(iv)?);
                Ok(())
            }
        }

        impl<C: CbcCipher> BlockSizeUser for $Session<C> {
            type BlockSize = C::BlockSize;
        }

        impl<C: CbcCipher> InnerUser for $Session<C> {
            type Inner = C;
        }

        impl<C: CbcCipher> IvSizeUser for $Session<C> {
            type IvSize = C::BlockSize;
        }

        impl<C: CbcCipher> InnerIvInit for $Session<C> {
            #[inline]
            fn inner_iv_init(cipher: C, iv: &Iv<Self>) -> Self {
                Self {
                    cipher,
                    value: C::load(iv),
                }
            }
        }

        impl<C: CbcCipher> IvState for $Session<C> {
            #[inline]
            fn iv_state(&self) -> Iv<Self> {
                C::store(&self.value)
            }
        }

        impl<C: CbcCipher> SetIvState for $Session<C> {
            #[inline]
            fn set_iv(&mut self, iv: &Iv<Self>) {
                self.value = C::load(iv);
            }
        }

        impl<C: CbcCipher + AlgorithmName> AlgorithmName for $Session<C> {
            fn write_alg_name(f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!("cbc::", $name, "<"))?;
                C::write_alg_name(f)?;
                f.write_str(">")
            }
        }

        impl<C: CbcCipher + AlgorithmName> fmt::Debug for $Session<C> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                Self::write_alg_name(f)?;
                f.write_str(" { .. }")
            }
        }

        impl<C: CbcCipher> Drop for $Session<C> {
            #[inline]
            fn drop(&mut self) {
                C::wipe(&mut self.value);
            }
        }

        #[cfg(feature = "zeroize")]
        impl<C: CbcCipher + cipher::zeroize::ZeroizeOnDrop> cipher::zeroize::ZeroizeOnDrop
            for $Session<C>
        {
        }
    };
}

/// The `cipher` crate's view of a session, as `block::View` is of a cipher. A session that were its own
/// backend would have two methods of one name.
struct View<'a, S>(&'a mut S);

impl<S: BlockSizeUser> BlockSizeUser for View<'_, S> {
    type BlockSize = S::BlockSize;
}

fn iv_block<C: BlockSizeUser>(iv: &[u8]) -> Result<&Block<C>, Error> {
    iv.try_into().map_err(|_| Error::IvLength {
        needed: C::BlockSize::USIZE,
        len: iv.len(),
    })
}

/// Encrypts in CBC mode.
#[derive(Clone)]
pub struct Encryptor<C: CbcCipher> {
    cipher: C,
    value: C::Words,
}

session!(Encryptor, "Encryptor");

impl<C: CbcCipher> Encryptor<C> {
    /// Encrypts whole blocks in place.
    ///
    /// # Errors
    /// [`Error::NotBlockMultiple`] unless the length is a multiple of the block size; bytes and
    /// session stay as they were.
    #[inline]
    pub fn encrypt_slice(&mut self, bytes: &mut [u8]) -> Result<(), Error> {
        self.chain(whole_blocks(bytes)?);
        Ok(())
    }

    #[inline]
    fn chain(&mut self, blocks: InOutBuf<'_, '_, Block<C>>) {
        self.cipher.encrypt_chain(&mut self.value, blocks);
    }
}

/// Single blocks; whole buffers do not come this way.
impl<C: CbcCipher> ParBlocksSizeUser for View<'_, Encryptor<C>> {
    type ParBlocksSize = U1;
}

impl<C: CbcCipher> BlockModeEncBackend for View<'_, Encryptor<C>> {
    #[inline]
    fn encrypt_block(&mut self, block: InOut<'_, '_, Block<C>>) {
        self.0.chain(backend::single(block));
    }
}

impl<C: CbcCipher> BlockModeEncrypt for Encryptor<C> {
    #[inline]
    fn encrypt_with_backend(&mut self, f: impl BlockModeEncClosure<BlockSize = C::BlockSize>) {
        f.call(&mut View(self));
    }

    #[inline]
    fn encrypt_blocks_inout(&mut self, blocks: InOutBuf<'_, '_, Block<C>>) {
        self.chain(blocks);
    }

    #[inline]
    fn encrypt_blocks(&mut self, blocks: &mut [Block<C>]) {
        self.chain(blocks.into());
    }

    #[inline]
    fn encrypt_blocks_b2b(
        &mut self,
        in_blocks: &[Block<C>],
        out_blocks: &mut [Block<C>],
    ) -> Result<(), NotEqualError> {
        self.chain(InOutBuf::new(in_blocks, out_blocks)?);
        Ok(())
    }
}

/// Decrypts in CBC mode.
#[derive(Clone)]
pub struct Decryptor<C: CbcCipher> {
    cipher: C,
    value: C::Words,
}

session!(Decryptor, "Decryptor");

impl<C: CbcCipher> Decryptor<C> {
    /// Decrypts whole blocks in place.
    ///
    /// # Errors
    /// [`Error::NotBlockMultiple`] unless the length is a multiple of the block size; bytes and
    /// session stay as they were.
    #[inline]
    pub fn decrypt_slice(&mut self, bytes: &mut [u8]) -> Result<(), Error> {
        self.unchain(whole_blocks(bytes)?);
        Ok(())
    }

    #[inline]
    fn unchain(&mut self, blocks: InOutBuf<'_, '_, Block<C>>) {
        self.cipher.decrypt_chain(&mut self.value, blocks);
    }
}

/// As many blocks as `block::View` has.
impl<C: CbcCipher> ParBlocksSizeUser for View<'_, Decryptor<C>> {
    type ParBlocksSize = U64;
}

impl<C: CbcCipher> BlockModeDecBackend for View<'_, Decryptor<C>> {
    #[inline]
    fn decrypt_block(&mut self, block: InOut<'_, '_, Block<C>>) {
        self.0.unchain(backend::single(block));
    }

    #[inline]
    fn decrypt_par_blocks(&mut self, blocks: InOut<'_, '_, ParBlocks<Self>>) {
        self.0.unchain(blocks.into_buf());
    }

    #[inline]
    fn decrypt_tail_blocks(&mut self, blocks: InOutBuf<'_, '_, Block<C>>) {
        self.0.unchain(blocks);
    }
}

impl<C: CbcCipher> BlockModeDecrypt for Decryptor<C> {
    #[inline]
    fn decrypt_with_backend(&mut self, f: impl BlockModeDecClosure<BlockSize = C::BlockSize>) {
        f.call(&mut View(self));
    }

    #[inline]
    fn decrypt_blocks_inout(&mut self, blocks: InOutBuf<'_, '_, Block<C>>) {
        self.unchain(blocks);
    }

    #[inline]
    fn decrypt_blocks(&mut self, blocks: &mut [Block<C>]) {
        self.unchain(blocks.into());
    }

    #[inline]
    fn decrypt_blocks_b2b(
        &mut self,
        in_blocks: &[Block<C>],
        out_blocks: &mut [Block<C>],
    ) -> Result<(), NotEqualError> {
        self.unchain(InOutBuf::new(in_blocks, out_blocks)?);
        Ok(())
    }
}

/// One session of a batch: whole blocks to encrypt in place, and what came of it.
pub struct Job<'a, C: CbcCipher> {
    /// The session, which goes on behind these blocks.
    pub session: &'a mut Encryptor<C>,
    /// Whole blocks.
    pub bytes: &'a mut [u8],
    /// [`Error::NotBlockMultiple`] unless the length is a multiple of the block size; bytes and session
    /// stay as they were.
    pub result: Result<(), Error>,
}

impl<'a, C: CbcCipher> Job<'a, C> {
    /// A job that has not run.
    pub fn new(session: &'a mut Encryptor<C>, bytes: &'a mut [u8]) -> Self {
        Self {
            session,
            bytes,
            result: Ok(()),
        }
    }
}

/// The length, and neither key nor text.
impl<C: CbcCipher + AlgorithmName> fmt::Debug for Job<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("cbc::Job")
            .field("session", &self.session)
            .field("bytes", &self.bytes.len())
            .field("result", &self.result)
            .finish()
    }
}

/// Encrypts with many sessions at once, each with its own key. Allocates nothing.
///
/// CBC encryption is serial for one message. Many of them run side by side in vectors: with AVX-512 up
/// to eighteen times as fast as one after the other. (Decryption needs no batch.)
///
/// [`Xeta`] and AES run one by one, and so does every cipher by the backends `portable`, `scalar` and
/// `ssse3`. A batch is run in chunks of up to 256 jobs, and a job that differs from the first of its
/// chunk in cycles, backend or [`Tea`]'s sums goes singly.
///
/// # Examples
///
/// ```
/// use fasttea::{Le, Xtea, cbc, cipher::KeyIvInit};
///
/// let mut sessions = [1u8, 2, 3].map(|key| {
///     cbc::Encryptor::<Xtea<Le>>::new(&[key; 16].into(), &[7; 8].into())
/// });
/// let mut packets = [[0; 16], [1; 16], [2; 16]];
/// let mut jobs: Vec<_> = sessions
///     .iter_mut()
///     .zip(&mut packets)
///     .map(|(session, packet)| cbc::Job::new(session, packet))
///     .collect();
/// cbc::encrypt_batch(&mut jobs);
/// assert!(jobs.iter().all(|job| job.result.is_ok()));
/// ```
pub fn encrypt_batch<C: CbcCipher>(jobs: &mut [Job<'_, C>]) {
    let count = jobs.len();
    C::encrypt_batch(
        jobs.iter_mut()
            .filter_map(|job| match whole_blocks(job.bytes) {
                Ok(blocks) => {
                    job.result = Ok(());
                    Some((&job.session.cipher, &mut job.session.value, blocks))
                }
                Err(error) => {
                    job.result = Err(error);
                    None
                }
            }),
        count,
    );
}
