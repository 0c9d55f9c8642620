//! What a session is, in whatever direction.

use cipher::{Block, BlockSizeUser, typenum::Unsigned};

use crate::error::Error;

/// The `cipher` crate's view of a session, as `block::View` is of a cipher. A session that were its own
/// backend would have two methods of one name.
pub(super) struct View<'a, S>(pub(super) &'a mut S);

impl<S: BlockSizeUser> BlockSizeUser for View<'_, S> {
    type BlockSize = S::BlockSize;
}

pub(super) fn iv_block<C: BlockSizeUser>(iv: &[u8]) -> Result<&Block<C>, Error> {
    iv.try_into().map_err(|_| Error::IvLength {
        needed: C::BlockSize::USIZE,
        len: iv.len(),
    })
}

/// Implements for `$Session<C>` what both directions have.
///
/// A macro, since RustCrypto's traits have to be implemented for each type.
macro_rules! session {
    ($Session:ident, $name:literal) => {
        impl<C: CbcCipher> $Session<C> {
            /// A session with the initialisation vector `iv`.
            ///
            /// # Errors
            /// [`Error::IvLength`] unless it is one block.
            #[inline]
            pub fn start(cipher: C, iv: &[u8]) -> Result<Self, Error> {
                let iv = $crate::cbc::session::iv_block::<C>(iv)?;
                Ok(Self::inner_iv_init(cipher, iv))
            }

            /// Starts anew with another initialisation vector and the same key.
            ///
            /// # Errors
            /// [`Error::IvLength`] unless it is one block; the session goes on as it was.
            #[inline]
            pub fn reset(&mut self, iv: &[u8]) -> Result<(), Error> {
                self.set_iv($crate::cbc::session::iv_block::<C>(iv)?);
                Ok(())
            }
        }

        impl<C: CbcCipher> BlockSizeUser for $Session<C> {
            type BlockSize = C::BlockSize;
        }

        impl<C: CbcCipher> InnerUser for $Session<C> {
            type Inner = C;
        }

        impl<C: CbcCipher> IvSizeUser for $Session<C> {
            type IvSize = C::BlockSize;
        }

        impl<C: CbcCipher> InnerIvInit for $Session<C> {
            #[inline]
            fn inner_iv_init(cipher: C, iv: &Iv<Self>) -> Self {
                Self {
                    cipher,
                    value: C::Value::load(iv),
                }
            }
        }

        impl<C: CbcCipher> IvState for $Session<C> {
            #[inline]
            fn iv_state(&self) -> Iv<Self> {
                self.value.store()
            }
        }

        impl<C: CbcCipher> SetIvState for $Session<C> {
            #[inline]
            fn set_iv(&mut self, iv: &Iv<Self>) {
                self.value = C::Value::load(iv);
            }
        }

        impl<C: CbcCipher + AlgorithmName> AlgorithmName for $Session<C> {
            fn write_alg_name(f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!("cbc::", $name, "<"))?;
                C::write_alg_name(f)?;
                f.write_str(">")
            }
        }

        impl<C: CbcCipher + AlgorithmName> fmt::Debug for $Session<C> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                Self::write_alg_name(f)?;
                f.write_str(" { .. }")
            }
        }

        // The chaining value wipes itself.
        impl<C: CbcCipher + zeroize::ZeroizeOnDrop> zeroize::ZeroizeOnDrop for $Session<C> {}
    };
}
pub(super) use session;
