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
use crate::backend::wipe;

type Block = Array<u8, U16>;

/// A block as it stands in memory: AES has no words whose order would have to be kept.
type Word = u128;

macro_rules! aes_cipher {
    ($($Cipher:ident)*) => {$(
        impl CbcCipher for $Cipher {}

        impl chain::Chain for $Cipher {
            type Words = Word;

            #[inline]
            fn load(block: &Block) -> Word {
                word(block)
            }

            #[inline]
            fn store(value: &Word) -> Block {
                Array(value.to_ne_bytes())
            }

            #[inline]
            fn wipe(value: &mut Word) {
                wipe(slice::from_mut(value));
            }

            #[inline]
            fn encrypt_chain(&self, value: &mut Word, blocks: InOutBuf<'_, '_, Block>) {
                self.encrypt_with_backend(Encrypt { value, blocks });
            }

            #[inline]
            fn decrypt_chain(&self, value: &mut Word, blocks: InOutBuf<'_, '_, Block>) {
                self.decrypt_with_backend(Decrypt { value, blocks });
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
fn word(block: &Block) -> Word {
    Word::from_ne_bytes(block.0)
}

#[inline(always)]
fn xor(block: &Block, with: Word) -> Block {
    Array((word(block) ^ with).to_ne_bytes())
}

struct Encrypt<'a, 'inp, 'out> {
    value: &'a mut Word,
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
            let mut next = xor(block.get_in(), value);
            backend.encrypt_block(InOut::from(&mut next));
            value = word(&next);
            *block.get_out() = next;
        }
        *self.value = value;
    }
}

struct Decrypt<'a, 'inp, 'out> {
    value: &'a mut Word,
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
            // A copy: the text may take the ciphertext's place.
            let ciphertext = group.clone_in();
            let mut text = ciphertext.clone();
            backend.decrypt_par_blocks(InOut::from(&mut text));
            text[0] = xor(&text[0], value);
            for i in 1..text.len() {
                text[i] = xor(&text[i], word(&ciphertext[i - 1]));
            }
            value = word(&ciphertext[text.len() - 1]);
            *group.get_out() = text;
        }
        for mut block in tail {
            let ciphertext = block.clone_in();
            let mut text = ciphertext;
            backend.decrypt_block(InOut::from(&mut text));
            *block.get_out() = xor(&text, value);
            value = word(&ciphertext);
        }
        *self.value = value;
    }
}
