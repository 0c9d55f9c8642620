//! AES in CBC mode: the cipher is RustCrypto's, the chaining is ours.
//!
//! The crate `aes` finds out once a call what the processor has; a call is one closure here, so that this
//! is once for all blocks, and the compiler keeps the chaining value in a register between them.

use aes::{Aes128, Aes192, Aes256};
use cipher::{
    Array, BlockCipherDecBackend, BlockCipherDecClosure, BlockCipherDecrypt, BlockCipherEncBackend,
    BlockCipherEncClosure, BlockCipherEncrypt, BlockSizeUser, InOut, InOutBuf, consts::U16,
};

use zeroize::Zeroize;

use super::chain::{CbcCipher, Chain, Value};

type Block = Array<u8, U16>;

/// A block as it stands in memory: AES has no words whose order would have to be kept.
// Secret, so without `Debug`.
#[allow(missing_debug_implementations)]
#[derive(Clone)]
pub struct OneBlock(Block);

impl Value<Block> for OneBlock {
    #[inline]
    fn load(block: &Block) -> Self {
        Self(*block)
    }

    #[inline]
    fn store(&self) -> Block {
        self.0
    }
}

impl Drop for OneBlock {
    #[inline]
    fn drop(&mut self) {
        self.0.as_mut_slice().zeroize();
    }
}

/// Implements the chain for one of the crate `aes`'s ciphers.
///
/// A macro, since a blanket implementation would overlap with that for references.
macro_rules! aes {
    ($($Cipher:ident)*) => {$(
        impl CbcCipher for $Cipher {}

        impl Chain for $Cipher {
            type Value = OneBlock;

            #[inline]
            fn encrypt_chain(&self, value: &mut OneBlock, blocks: InOutBuf<'_, '_, Block>) {
                self.encrypt_with_backend(Encrypt { value: &mut value.0, blocks });
            }

            #[inline]
            fn decrypt_chain(&self, value: &mut OneBlock, blocks: InOutBuf<'_, '_, Block>) {
                self.decrypt_with_backend(Decrypt { value: &mut value.0, blocks });
            }
        }
    )*};
}
aes! { Aes128 Aes192 Aes256 }

#[inline(always)]
fn xor(block: &mut Block, with: &Block) {
    for (byte, with) in block.iter_mut().zip(with) {
        *byte ^= with;
    }
}

struct Encrypt<'a, 'inp, 'out> {
    value: &'a mut Block,
    blocks: InOutBuf<'inp, 'out, Block>,
}

impl BlockSizeUser for Encrypt<'_, '_, '_> {
    type BlockSize = U16;
}

impl BlockCipherEncClosure for Encrypt<'_, '_, '_> {
    #[inline(always)]
    fn call<B: BlockCipherEncBackend<BlockSize = U16>>(self, backend: &B) {
        let mut value = *self.value;
        for mut block in self.blocks {
            xor(&mut value, block.get_in());
            backend.encrypt_block(InOut::from(&mut value));
            *block.get_out() = value;
        }
        *self.value = value;
    }
}

struct Decrypt<'a, 'inp, 'out> {
    value: &'a mut Block,
    blocks: InOutBuf<'inp, 'out, Block>,
}

impl BlockSizeUser for Decrypt<'_, '_, '_> {
    type BlockSize = U16;
}

impl BlockCipherDecClosure for Decrypt<'_, '_, '_> {
    #[inline(always)]
    fn call<B: BlockCipherDecBackend<BlockSize = U16>>(self, backend: &B) {
        let value = self.value;
        let (groups, tail) = self.blocks.into_chunks::<B::ParBlocksSize>();
        for mut group in groups {
            // A copy: the text may take the ciphertext's place.
            let ciphertext = group.clone_in();
            let mut text = group.clone_in();
            backend.decrypt_par_blocks(InOut::from(&mut text));
            let last = text.len() - 1;
            xor(&mut text[0], value);
            for i in 1..text.len() {
                xor(&mut text[i], &ciphertext[i - 1]);
            }
            // In this order: the other one cost 2 % with 128 bits.
            *group.get_out() = text;
            *value = ciphertext[last];
        }
        for mut block in tail {
            let ciphertext = block.clone_in();
            let mut text = ciphertext;
            backend.decrypt_block(InOut::from(&mut text));
            xor(&mut text, value);
            *block.get_out() = text;
            *value = ciphertext;
        }
    }
}
