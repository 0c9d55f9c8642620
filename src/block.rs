//! What all three block ciphers have in common: constructors, byte slices, RustCrypto's traits.

use cipher::{
    Array, BlockCipherDecBackend, BlockCipherEncBackend, BlockSizeUser, InOut, InOutBuf, ParBlocks,
    ParBlocksSizeUser,
    array::ArraySize,
    consts::{U8, U64},
};

use crate::backend::{Block, Blocks, single};

/// A cipher that takes any number of blocks in one call.
pub(crate) trait BlockCipher {
    fn encrypt_all(&self, blocks: Blocks<'_, '_>);
    fn decrypt_all(&self, blocks: Blocks<'_, '_>);
}

/// The `cipher` crate's view of such a cipher.
///
/// The crate cuts what a mode hands over into groups of `ParBlocksSize` and one shorter tail: the
/// larger the group, the fewer kernel calls. 64 blocks are the 512 bytes that `ctr` keeps as key
/// stream. Whole buffers do not come this way: they are one kernel call.
pub(crate) struct View<'a, C>(pub(crate) &'a C);

impl<C> BlockSizeUser for View<'_, C> {
    type BlockSize = U8;
}

impl<C> ParBlocksSizeUser for View<'_, C> {
    type ParBlocksSize = U64;
}

impl<C: BlockCipher> BlockCipherEncBackend for View<'_, C> {
    #[inline]
    fn encrypt_block(&self, block: InOut<'_, '_, Block>) {
        self.0.encrypt_all(single(block));
    }

    #[inline]
    fn encrypt_par_blocks(&self, blocks: InOut<'_, '_, ParBlocks<Self>>) {
        self.0.encrypt_all(blocks.into_buf());
    }

    #[inline]
    fn encrypt_tail_blocks(&self, blocks: Blocks<'_, '_>) {
        self.0.encrypt_all(blocks);
    }
}

impl<C: BlockCipher> BlockCipherDecBackend for View<'_, C> {
    #[inline]
    fn decrypt_block(&self, block: InOut<'_, '_, Block>) {
        self.0.decrypt_all(single(block));
    }

    #[inline]
    fn decrypt_par_blocks(&self, blocks: InOut<'_, '_, ParBlocks<Self>>) {
        self.0.decrypt_all(blocks.into_buf());
    }

    #[inline]
    fn decrypt_tail_blocks(&self, blocks: Blocks<'_, '_>) {
        self.0.decrypt_all(blocks);
    }
}

/// Implements everything for the cipher `$Cipher<O>`, which has `BlockCipher` and
/// `fn build(key: &Key<O>, cycles: Cycles, delta: u32) -> Self`.
macro_rules! block_cipher {
    ($Cipher:ident, $name:literal) => {
        impl<O: $crate::Order> $Cipher<O> {
            /// A cipher with the given number of cycles, each of which is two rounds.
            ///
            /// # Errors
            /// [`Error::Cycles`] unless `cycles` is 1 to 64.
            ///
            /// # Examples
            ///
            /// ```
            #[doc = concat!("use fasttea::{Be, ", stringify!($Cipher), "};")]
            ///
            #[doc = concat!(
                        "let cipher = ", stringify!($Cipher), "::<Be>::with_cycles(&[7; 16], 8)?;"
                    )]
            /// let mut text = *b"16 bytes of text";
            /// cipher.encrypt_slice(&mut text)?;
            /// cipher.decrypt_slice(&mut text)?;
            /// assert_eq!(&text, b"16 bytes of text");
            /// # Ok::<(), fasttea::Error>(())
            /// ```
            #[inline]
            pub fn with_cycles(
                key: impl Into<$crate::Key<O>>,
                cycles: u32,
            ) -> Result<Self, Error> {
                let cycles = Cycles::new(cycles)?;
                Ok(Self::build(&key.into(), cycles, DELTA))
            }

            /// A cipher with half as many cycles as the given number of rounds: for code that
            /// counts as Go's `x/crypto` does.
            ///
            /// # Errors
            /// [`Error::OddRounds`] for an odd number, [`Error::Cycles`] unless it is 2 to 128.
            #[inline]
            pub fn from_rounds(
                key: impl Into<$crate::Key<O>>,
                rounds: u32,
            ) -> Result<Self, Error> {
                let cycles = Cycles::from_rounds(rounds)?;
                Ok(Self::build(&key.into(), cycles, DELTA))
            }

            /// A cipher whose sum grows by another constant than `0x9e3779b9` each cycle, as in
            /// modified ciphers of firmware and games.
            ///
            /// # Errors
            /// [`Error::Cycles`] unless `cycles` is 1 to 64, [`Error::ZeroDelta`] for a delta of 0.
            #[inline]
            pub fn with_delta(
                key: impl Into<$crate::Key<O>>,
                cycles: u32,
                delta: u32,
            ) -> Result<Self, Error> {
                let cycles = Cycles::new(cycles)?;
                if delta == 0 {
                    return Err(Error::ZeroDelta);
                }
                Ok(Self::build(&key.into(), cycles, delta))
            }

            /// A cipher of 32 cycles with a key of unsure length.
            ///
            /// # Errors
            /// [`Error::KeyLength`] unless the key is 16 bytes.
            #[inline]
            pub fn try_from_key(key: &[u8]) -> Result<Self, Error> {
                Ok(Self::build(&key.try_into()?, Cycles::STANDARD, DELTA))
            }

            /// Encrypts whole blocks in place, each for itself (ECB).
            ///
            /// # Errors
            /// [`Error::NotBlockMultiple`] unless the length is a multiple of 8; the bytes stay
            /// as they were.
            #[inline]
            pub fn encrypt_slice(&self, bytes: &mut [u8]) -> Result<(), Error> {
                self.encrypt_all($crate::block::whole_blocks(bytes)?);
                Ok(())
            }

            /// Decrypts whole blocks in place, each for itself (ECB).
            ///
            /// # Errors
            /// [`Error::NotBlockMultiple`] unless the length is a multiple of 8; the bytes stay
            /// as they were.
            #[inline]
            pub fn decrypt_slice(&self, bytes: &mut [u8]) -> Result<(), Error> {
                self.decrypt_all($crate::block::whole_blocks(bytes)?);
                Ok(())
            }
        }

        impl<O> cipher::KeySizeUser for $Cipher<O> {
            type KeySize = cipher::consts::U16;
        }

        /// 32 cycles.
        impl<O: $crate::Order> cipher::KeyInit for $Cipher<O> {
            #[inline]
            fn new(key: &cipher::Key<Self>) -> Self {
                Self::build(&key.into(), Cycles::STANDARD, DELTA)
            }
        }

        impl<O> cipher::BlockSizeUser for $Cipher<O> {
            type BlockSize = cipher::consts::U8;
        }

        impl<O: $crate::Order> cipher::BlockCipherEncrypt for $Cipher<O> {
            #[inline]
            fn encrypt_with_backend(
                &self,
                f: impl cipher::BlockCipherEncClosure<BlockSize = Self::BlockSize>,
            ) {
                f.call(&$crate::block::View(self));
            }

            #[inline]
            fn encrypt_blocks_inout(&self, blocks: $crate::backend::Blocks<'_, '_>) {
                self.encrypt_all(blocks);
            }

            #[inline]
            fn encrypt_blocks(&self, blocks: &mut [cipher::Block<Self>]) {
                self.encrypt_all(blocks.into());
            }

            #[inline]
            fn encrypt_blocks_b2b(
                &self,
                in_blocks: &[cipher::Block<Self>],
                out_blocks: &mut [cipher::Block<Self>],
            ) -> Result<(), cipher::inout::NotEqualError> {
                self.encrypt_all(cipher::InOutBuf::new(in_blocks, out_blocks)?);
                Ok(())
            }
        }

        impl<O: $crate::Order> cipher::BlockCipherDecrypt for $Cipher<O> {
            #[inline]
            fn decrypt_with_backend(
                &self,
                f: impl cipher::BlockCipherDecClosure<BlockSize = Self::BlockSize>,
            ) {
                f.call(&$crate::block::View(self));
            }

            #[inline]
            fn decrypt_blocks_inout(&self, blocks: $crate::backend::Blocks<'_, '_>) {
                self.decrypt_all(blocks);
            }

            #[inline]
            fn decrypt_blocks(&self, blocks: &mut [cipher::Block<Self>]) {
                self.decrypt_all(blocks.into());
            }

            #[inline]
            fn decrypt_blocks_b2b(
                &self,
                in_blocks: &[cipher::Block<Self>],
                out_blocks: &mut [cipher::Block<Self>],
            ) -> Result<(), cipher::inout::NotEqualError> {
                self.decrypt_all(cipher::InOutBuf::new(in_blocks, out_blocks)?);
                Ok(())
            }
        }

        impl<O> cipher::AlgorithmName for $Cipher<O> {
            fn write_alg_name(f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str($name)
            }
        }

        impl<O: $crate::Order> core::fmt::Debug for $Cipher<O> {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                write!(f, concat!(stringify!($Cipher), "<{}> {{ .. }}"), O::NAME)
            }
        }

        // What holds the key is wiped when it is dropped, whatever the features.
        #[cfg(feature = "zeroize")]
        impl<O> cipher::zeroize::ZeroizeOnDrop for $Cipher<O> {}
    };
}
pub(crate) use block_cipher;

/// The blocks of a slice.
#[inline]
pub(crate) fn whole_blocks<N: ArraySize>(
    bytes: &mut [u8],
) -> Result<InOutBuf<'_, '_, Array<u8, N>>, crate::Error> {
    let len = bytes.len();
    match Array::slice_as_chunks_mut(bytes) {
        (blocks, []) => Ok(blocks.into()),
        _ => Err(crate::Error::NotBlockMultiple {
            block: N::USIZE,
            len,
        }),
    }
}
