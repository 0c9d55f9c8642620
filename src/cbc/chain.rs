//! The ciphers that CBC takes, and how each chains its blocks.

use core::marker::PhantomData;

use cipher::{Array, Block, BlockCipherDecrypt, InOutBuf, typenum::Unsigned};

use crate::{
    block::{BlockCipher, Chain as Words},
    blocks,
    byte_order::Order,
    chaining::State,
    tea::Tea,
    xeta::Xeta,
    xtea::Xtea,
};

/// A cipher for CBC: [`Tea`], [`Xtea`], [`Xeta`] or, with the feature `aes`, `aes::Aes128`, `Aes192` and
/// `Aes256`; or a reference to one, which sessions can share.
///
/// This trait is sealed.
pub trait CbcCipher: Chain {}

/// How a cipher chains its blocks.
pub trait Chain: BlockCipherDecrypt + Sized {
    /// The chaining value.
    type Value: Value<Block<Self>>;

    fn encrypt_chain(&self, value: &mut Self::Value, blocks: InOutBuf<'_, '_, Block<Self>>);

    fn decrypt_chain(&self, value: &mut Self::Value, blocks: InOutBuf<'_, '_, Block<Self>>) {
        unchain(self, value, blocks);
    }

    /// Encrypts with several sessions, of which there are at most `count`.
    fn encrypt_chains<'a>(sessions: impl Iterator<Item = Session<'a, Self>>, _count: usize)
    where
        Self: 'a,
    {
        for (cipher, value, blocks) in sessions {
            cipher.encrypt_chain(value, blocks);
        }
    }
}

/// A cipher, a chaining value, and the blocks to go on with.
pub(crate) type Session<'a, C> = (
    &'a C,
    &'a mut <C as Chain>::Value,
    InOutBuf<'a, 'a, Block<C>>,
);

/// A chaining value, which wipes itself on drop.
pub trait Value<Block>: Clone {
    fn load(block: &Block) -> Self;
    fn store(&self) -> Block;
}

/// Two machine words, read in byte order `O`.
// Secret, so without `Debug`.
#[allow(missing_debug_implementations)]
#[derive(Clone)]
pub struct TwoWords<O> {
    state: State,
    order: PhantomData<O>,
}

impl<O: Order> Value<blocks::Block> for TwoWords<O> {
    #[inline]
    fn load(block: &blocks::Block) -> Self {
        Self {
            state: State::from_iv(O::BYTE_ORDER.shuffle().load(block.0)),
            order: PhantomData,
        }
    }

    #[inline]
    fn store(&self) -> blocks::Block {
        Array(O::BYTE_ORDER.shuffle().store(self.state.ciphertext))
    }
}

impl<O: Order> CbcCipher for Tea<O> {}
impl<O: Order> CbcCipher for Xtea<O> {}
impl<O: Order> CbcCipher for Xeta<O> {}
impl<C: CbcCipher> CbcCipher for &C {}

/// Implements the chain of a cipher of this crate by its `BlockCipher`.
///
/// A macro, since a blanket implementation would overlap with that for references.
macro_rules! words {
    ($($Cipher:ident)*) => {$(
        impl<O: Order> Chain for $Cipher<O> {
            type Value = TwoWords<O>;

            #[inline]
            fn encrypt_chain(&self, value: &mut TwoWords<O>, blocks: blocks::Blocks<'_, '_>) {
                BlockCipher::encrypt_chain(self, &mut value.state, blocks);
            }

            fn encrypt_chains<'a>(
                sessions: impl Iterator<Item = Session<'a, Self>>,
                count: usize,
            ) where
                Self: 'a,
            {
                let chains = sessions.map(|(cipher, value, blocks)| -> Words<'_, Self> {
                    (cipher, &mut value.state, blocks)
                });
                BlockCipher::encrypt_chains(chains, count);
            }
        }
    )*};
}
words! { Tea Xtea Xeta }

impl<C: CbcCipher> Chain for &C {
    type Value = C::Value;

    #[inline]
    fn encrypt_chain(&self, value: &mut C::Value, blocks: InOutBuf<'_, '_, Block<C>>) {
        C::encrypt_chain(self, value, blocks);
    }

    #[inline]
    fn decrypt_chain(&self, value: &mut C::Value, blocks: InOutBuf<'_, '_, Block<C>>) {
        C::decrypt_chain(self, value, blocks);
    }

    fn encrypt_chains<'a>(sessions: impl Iterator<Item = Session<'a, Self>>, count: usize)
    where
        Self: 'a,
    {
        let sessions = sessions.map(|(&cipher, value, blocks)| (cipher, value, blocks));
        C::encrypt_chains(sessions, count);
    }
}

/// Blocks that are decrypted at a time: their ciphertext is kept on the stack.
const CHUNK: usize = 128;

/// The same for short calls.
const SHORT: usize = 8;

fn unchain<C: Chain>(cipher: &C, value: &mut C::Value, blocks: InOutBuf<'_, '_, Block<C>>) {
    // A short call makes a short stack buffer, which costs next to nothing.
    if blocks.len() <= SHORT {
        unchain_by::<C, SHORT>(cipher, value, blocks);
    } else {
        unchain_by::<C, CHUNK>(cipher, value, blocks);
    }
}

/// Decrypts every block for itself, and then combines it with the ciphertext before it. That
/// ciphertext is kept, since the text may take its place.
#[inline(always)]
fn unchain_by<C: Chain, const N: usize>(
    cipher: &C,
    value: &mut C::Value,
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
        xor(first, &value.store());
        xor(others, Array::slice_as_flattened(&kept[..n - 1]));
        *value = C::Value::load(&kept[n - 1]);
        blocks = rest;
    }
}

fn xor(bytes: &mut [u8], with: &[u8]) {
    for (byte, with) in bytes.iter_mut().zip(with) {
        *byte ^= with;
    }
}
