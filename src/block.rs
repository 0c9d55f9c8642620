//! What the block ciphers have in common: byte slices, and RustCrypto's traits.

use cipher::{
    BlockCipherDecBackend, BlockCipherEncBackend, BlockSizeUser, InOut, ParBlocks,
    ParBlocksSizeUser,
    consts::{U8, U64},
};

use crate::{
    blocks::{Block, Blocks, single},
    chaining::State,
};

/// A cipher that takes any number of blocks in one call.
pub(crate) trait BlockCipher {
    fn encrypt_all(&self, blocks: Blocks<'_, '_>);
    fn decrypt_all(&self, blocks: Blocks<'_, '_>);

    /// Encrypts blocks that are chained by the ciphertext.
    fn encrypt_chain(&self, state: &mut State, blocks: Blocks<'_, '_>);

    /// Encrypts the blocks of many chains, of which there are at most `count`.
    fn encrypt_chains<'a>(chains: impl Iterator<Item = Chain<'a, Self>>, _count: usize)
    where
        Self: Sized + 'a,
    {
        for (cipher, state, blocks) in chains {
            cipher.encrypt_chain(state, blocks);
        }
    }
}

/// A cipher, a chaining state, and the blocks to go on with.
pub(crate) type Chain<'a, C> = (&'a C, &'a mut State, Blocks<'a, 'a>);

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

/// Implements for `$Cipher<O>` what all block ciphers have: it has `BlockCipher` and `from_key`.
///
/// A macro, since RustCrypto's traits have to be implemented for each type.
macro_rules! block_cipher {
    ($Cipher:ident, $name:literal) => {
        impl<O: $crate::byte_order::Order> $Cipher<O> {
            /// Encrypts whole blocks in place, each for itself (ECB).
            ///
            /// # Errors
            /// [`Error::NotBlockMultiple`] unless the length is a multiple of 8; the bytes stay
            /// as they were.
            ///
            /// # Examples
            ///
            /// ```
            #[doc = concat!("use fasttea::{Be, ", stringify!($Cipher), "};")]
            ///
            #[doc = concat!("let cipher = ", stringify!($Cipher), "::<Be>::from_key(&[7; 16]);")]
            /// let mut text = *b"16 bytes of text";
            /// cipher.encrypt_slice(&mut text)?;
            /// cipher.decrypt_slice(&mut text)?;
            /// assert_eq!(&text, b"16 bytes of text");
            /// # Ok::<(), fasttea::Error>(())
            /// ```
            #[inline]
            pub fn encrypt_slice(&self, bytes: &mut [u8]) -> Result<(), Error> {
                self.encrypt_all($crate::blocks::whole_blocks(bytes)?);
                Ok(())
            }

            /// Decrypts whole blocks in place, each for itself (ECB).
            ///
            /// # Errors
            /// [`Error::NotBlockMultiple`] unless the length is a multiple of 8; the bytes stay
            /// as they were.
            #[inline]
            pub fn decrypt_slice(&self, bytes: &mut [u8]) -> Result<(), Error> {
                self.decrypt_all($crate::blocks::whole_blocks(bytes)?);
                Ok(())
            }
        }

        impl<O> cipher::KeySizeUser for $Cipher<O> {
            type KeySize = cipher::consts::U16;
        }

        /// 32 cycles.
        impl<O: $crate::byte_order::Order> cipher::KeyInit for $Cipher<O> {
            #[inline]
            fn new(key: &cipher::Key<Self>) -> Self {
                Self::from_key(key)
            }
        }

        impl<O> cipher::BlockSizeUser for $Cipher<O> {
            type BlockSize = cipher::consts::U8;
        }

        impl<O: $crate::byte_order::Order> cipher::BlockCipherEncrypt for $Cipher<O> {
            #[inline]
            fn encrypt_with_backend(
                &self,
                f: impl cipher::BlockCipherEncClosure<BlockSize = Self::BlockSize>,
            ) {
                f.call(&$crate::block::View(self));
            }

            #[inline]
            fn encrypt_blocks_inout(&self, blocks: $crate::blocks::Blocks<'_, '_>) {
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

        impl<O: $crate::byte_order::Order> cipher::BlockCipherDecrypt for $Cipher<O> {
            #[inline]
            fn decrypt_with_backend(
                &self,
                f: impl cipher::BlockCipherDecClosure<BlockSize = Self::BlockSize>,
            ) {
                f.call(&$crate::block::View(self));
            }

            #[inline]
            fn decrypt_blocks_inout(&self, blocks: $crate::blocks::Blocks<'_, '_>) {
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

        impl<O: $crate::byte_order::Order> core::fmt::Debug for $Cipher<O> {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                write!(
                    f,
                    concat!(stringify!($Cipher), "<{}> {{ .. }}"),
                    O::BYTE_ORDER
                )
            }
        }

        // What holds the key is wiped when it is dropped.
        impl<O> zeroize::ZeroizeOnDrop for $Cipher<O> {}
    };
}
pub(crate) use block_cipher;
