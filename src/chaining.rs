//! The chaining state: what one block of a message leaves for the next.

use zeroize::Zeroize;

/// The words of the block before. Wiped on drop: with the message it tells the last block's text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct State {
    /// As the block stands in the message, encrypted. CBC's chaining value.
    pub(crate) ciphertext: [u32; 2],
    /// As it entered the cipher. QQ alone chains it.
    pub(crate) mixed: [u32; 2],
}

// asm/common.h has these numbers.
const _: () = {
    assert!(core::mem::offset_of!(State, ciphertext) == 0);
    assert!(core::mem::offset_of!(State, mixed) == 8);
};

impl State {
    /// The state at the begin of a CBC message.
    #[inline]
    pub(crate) fn from_iv(iv: [u32; 2]) -> Self {
        Self {
            ciphertext: iv,
            mixed: [0; 2],
        }
    }
}

impl Drop for State {
    #[inline]
    fn drop(&mut self) {
        self.ciphertext.as_mut_slice().zeroize();
        self.mixed.as_mut_slice().zeroize();
    }
}
