//! XETA.

use core::marker::PhantomData;

use crate::{
    Error, Key, Order,
    backend::Blocks,
    block::{BlockCipher, block_cipher},
    schedule::{Cycles, DELTA, TeaSchedule},
};

/// XETA, XTEA with its brackets in the wrong place: blocks of 8 bytes, a key of 16.
///
/// An early Linux kernel had it as XTEA, and so had BASCOM-AVR and version 5.2 of the Delphi
/// Encryption Compendium; Linux keeps it under the name `xeta`. It is here to read what they wrote,
/// and runs as portable code only.
///
/// # Examples
///
/// ```
/// use fasttea::{Le, Xeta, cipher::{BlockCipherEncrypt, KeyInit}};
/// use hex_literal::hex;
///
/// let cipher = Xeta::<Le>::new(&[0; 16].into());
/// let mut block = [0; 8].into();
/// cipher.encrypt_block(&mut block);
/// assert_eq!(block, hex!("aa2296e56c61f345"));
/// ```
#[derive(Clone)]
pub struct Xeta<O> {
    schedule: TeaSchedule,
    delta: u32,
    last_sum: u32,
    order: PhantomData<O>,
}

impl<O: Order> Xeta<O> {
    #[inline]
    fn build(key: &Key<O>, cycles: Cycles, delta: u32) -> Self {
        Self {
            schedule: TeaSchedule::new(cycles, O::BLOCK, *key.words()),
            delta,
            last_sum: delta.wrapping_mul(cycles.get()),
            order: PhantomData,
        }
    }
}

impl<O> Xeta<O> {
    fn encrypt_words(&self, [mut x, mut y]: [u32; 2]) -> [u32; 2] {
        let mut sum = 0u32;
        for _ in 0..self.schedule.cycles() {
            x = x.wrapping_add(self.mix(y, sum, sum));
            sum = sum.wrapping_add(self.delta);
            y = y.wrapping_add(self.mix(x, sum, sum >> 11));
        }
        [x, y]
    }

    fn decrypt_words(&self, [mut x, mut y]: [u32; 2]) -> [u32; 2] {
        let mut sum = self.last_sum;
        for _ in 0..self.schedule.cycles() {
            y = y.wrapping_sub(self.mix(x, sum, sum >> 11));
            sum = sum.wrapping_sub(self.delta);
            x = x.wrapping_sub(self.mix(y, sum, sum));
        }
        [x, y]
    }

    /// XTEA has `((v << 4 ^ v >> 5) + v) ^ (sum + key)`.
    #[inline]
    fn mix(&self, v: u32, sum: u32, index: u32) -> u32 {
        (v << 4 ^ v >> 5)
            .wrapping_add(v ^ sum)
            .wrapping_add(self.schedule.words[(index & 3) as usize])
    }
}

impl<O> Xeta<O> {
    /// Encrypts blocks that are chained to the one before.
    #[inline]
    pub(crate) fn cbc_encrypt(&self, value: &mut [u32; 2], blocks: Blocks<'_, '_>) {
        self.schedule.for_each(blocks, |p| {
            *value = self.encrypt_words([p[0] ^ value[0], p[1] ^ value[1]]);
            *value
        });
    }
}

impl<O> BlockCipher for Xeta<O> {
    fn encrypt_all(&self, blocks: Blocks<'_, '_>) {
        self.schedule
            .for_each(blocks, |words| self.encrypt_words(words));
    }

    fn decrypt_all(&self, blocks: Blocks<'_, '_>) {
        self.schedule
            .for_each(blocks, |words| self.decrypt_words(words));
    }
}

block_cipher!(Xeta, "XETA");
