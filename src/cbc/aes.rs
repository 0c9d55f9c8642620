//! AES in CBC mode: the cipher is RustCrypto's, the chaining is ours.
//!
//! The crate `aes` finds out once a call what the processor has; a call is one closure here, so that this
//! is once for all blocks, and the compiler keeps the chaining value in a register between them.

use core::slice;

use aes::{Aes128, Aes192, Aes256};
use cipher::{
    Array, BlockCipherDecBackend, BlockCipherDecClosure, BlockCipherDecrypt, BlockCipherEncBackend,
    BlockCipherEncClosure, BlockCipherEncrypt, BlockSizeUser, InOut, InOutBuf, consts::U16,
};

use super::{CbcCipher, chain, one_by_one};

type Block = Array<u8, U16>;

/// The four words of a block as they stand in memory: AES has no words of its own order to keep.
type Words = [u32; 4];

macro_rules! aes_cipher {
    ($($Cipher:ident)*) => {$(
        impl CbcCipher for $Cipher {}

        impl chain::Chain for $Cipher {
            type Words = Words;

            #[inline]
            fn load(block: &Block) -> Words {
                let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = block.0;
                [[a, b, c, d], [e, f, g, h], [i, j, k, l], [m, n, o, p]].map(u32::from_ne_bytes)
            }

            #[inline]
            fn store(words: &Words) -> Block {
                let mut block = Block::default();
                for (bytes, word) in block.chunks_exact_mut(4).zip(words) {
                    bytes.copy_from_slice(&word.to_ne_bytes());
                }
                block
            }

            #[inline]
            fn encrypt_chain(&self, words: &mut Words, blocks: InOutBuf<'_, '_, Block>) {
                let mut value = Self::store(words);
                self.encrypt_with_backend(Encrypt { value: &mut value, blocks });
                *words = Self::load(&value);
            }

            #[inline]
            fn decrypt_chain(&self, words: &mut Words, blocks: InOutBuf<'_, '_, Block>) {
                let mut value = Self::store(words);
                self.decrypt_with_backend(Decrypt { value: &mut value, blocks });
                *words = Self::load(&value);
            }

            fn encrypt_batch<'a>(
                sessions: impl Iterator<Item = chain::Session<'a, Self>>,
                count: usize,
            ) where
                Self: 'a,
            {
                one_by_one(sessions, count);
            }
        }
    )*};
}
aes_cipher! { Aes128 Aes192 Aes256 }

#[inline(always)]
fn xor(block: &mut Block, with: &Block) {
    for (byte, with) in block.iter_mut().zip(with) {
        *byte ^= with;
    }
}

/// Turns independently decrypted blocks into text, where `ciphertext` is a copy of what they were.
#[inline(always)]
fn unchain(value: &mut Block, ciphertext: &[Block], text: &mut [Block]) {
    for (block, before) in text.iter_mut().zip([&*value].into_iter().chain(ciphertext)) {
        xor(block, before);
    }
    if let Some(last) = ciphertext.last() {
        *value = *last;
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
        let mut value = *self.value;
        let (groups, tail) = self.blocks.into_chunks::<B::ParBlocksSize>();
        for mut group in groups {
            let ciphertext = group.clone_in();
            backend.decrypt_par_blocks(group.reborrow());
            unchain(&mut value, &ciphertext, group.get_out());
        }
        for mut block in tail {
            let ciphertext = [block.clone_in()];
            backend.decrypt_block(block.reborrow());
            unchain(&mut value, &ciphertext, slice::from_mut(block.get_out()));
        }
        *self.value = value;
    }
}
