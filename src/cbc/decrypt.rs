//! Decryption, at nearly the speed of independent blocks.

use core::fmt;

use cipher::{
    AlgorithmName, Block, BlockModeDecBackend, BlockModeDecClosure, BlockModeDecrypt,
    BlockSizeUser, InOut, InOutBuf, InnerIvInit, Iv, IvSizeUser, IvState, ParBlocks,
    ParBlocksSizeUser, SetIvState, common::InnerUser, consts::U64, inout::NotEqualError,
};

use super::{
    chain::{CbcCipher, Value},
    session::{View, session},
};
use crate::{
    blocks::{single, whole_blocks},
    error::Error,
};

/// Decrypts in CBC mode.
#[derive(Clone)]
pub struct Decryptor<C: CbcCipher> {
    cipher: C,
    value: C::Value,
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
        self.0.unchain(single(block));
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
