//! XETA.

use crate::{
    block::{BlockCipher, block_cipher},
    blocks::Blocks,
    byte_order::Order,
    chaining::State,
    error::Error,
    key::Key,
    parameters::Parameters,
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
    key: Key<O>,
    parameters: Parameters,
}

impl<O: Order> Xeta<O> {
    /// A cipher of 32 cycles.
    ///
    /// # Examples
    ///
    /// ```
    /// use fasttea::{Le, Xeta};
    ///
    /// let cipher = Xeta::<Le>::from_key(b"0123456789ABCDEF");
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
    /// use fasttea::{Le, Parameters, Xeta};
    ///
    /// let eight_cycles = Xeta::<Le>::from_parts(&[7; 16], Parameters::from_cycles(8)?);
    /// # Ok::<(), fasttea::Error>(())
    /// ```
    #[inline]
    pub fn from_parts(key: impl Into<Key<O>>, parameters: Parameters) -> Self {
        Self {
            key: key.into(),
            parameters,
        }
    }

    fn encrypt_words(&self, [mut x, mut y]: [u32; 2]) -> [u32; 2] {
        let mut sum = 0u32;
        for _ in 0..self.parameters.cycles() {
            x = x.wrapping_add(self.mix(y, sum, sum));
            sum = sum.wrapping_add(self.parameters.delta());
            y = y.wrapping_add(self.mix(x, sum, sum >> 11));
        }
        [x, y]
    }

    fn decrypt_words(&self, [mut x, mut y]: [u32; 2]) -> [u32; 2] {
        let (cycles, delta) = (self.parameters.cycles(), self.parameters.delta());
        let mut sum = delta.wrapping_mul(cycles);
        for _ in 0..cycles {
            y = y.wrapping_sub(self.mix(x, sum, sum >> 11));
            sum = sum.wrapping_sub(delta);
            x = x.wrapping_sub(self.mix(y, sum, sum));
        }
        [x, y]
    }

    /// XTEA has `((v << 4 ^ v >> 5) + v) ^ (sum + key)`.
    #[inline]
    fn mix(&self, v: u32, sum: u32, index: u32) -> u32 {
        (v << 4 ^ v >> 5)
            .wrapping_add(v ^ sum)
            .wrapping_add(self.key.words()[(index & 3) as usize])
    }
}

impl<O: Order> BlockCipher for Xeta<O> {
    fn encrypt_all(&self, blocks: Blocks<'_, '_>) {
        O::BYTE_ORDER
            .shuffle()
            .for_each(blocks, |words| self.encrypt_words(words));
    }

    fn decrypt_all(&self, blocks: Blocks<'_, '_>) {
        O::BYTE_ORDER
            .shuffle()
            .for_each(blocks, |words| self.decrypt_words(words));
    }

    fn encrypt_chain(&self, state: &mut State, blocks: Blocks<'_, '_>) {
        O::BYTE_ORDER.shuffle().for_each(blocks, |p| {
            let [x, y] = state.ciphertext;
            state.ciphertext = self.encrypt_words([p[0] ^ x, p[1] ^ y]);
            state.ciphertext
        });
    }
}

block_cipher!(Xeta, "XETA");
