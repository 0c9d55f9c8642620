//! Encryption, which is serial.

use core::fmt;

use cipher::{
    AlgorithmName, Block, BlockModeEncBackend, BlockModeEncClosure, BlockModeEncrypt,
    BlockSizeUser, InOut, InOutBuf, InnerIvInit, Iv, IvSizeUser, IvState, ParBlocksSizeUser,
    SetIvState, common::InnerUser, consts::U1, inout::NotEqualError,
};

use super::{
    chain::{CbcCipher, Value},
    session::{View, session},
};
use crate::{
    blocks::{single, whole_blocks},
    error::Error,
};

/// Encrypts in CBC mode.
#[derive(Clone)]
pub struct Encryptor<C: CbcCipher> {
    pub(super) cipher: C,
    pub(super) value: C::Value,
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
        self.0.chain(single(block));
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
