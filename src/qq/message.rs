//! A message's parts, and where they are.

#[cfg(feature = "alloc")]
use alloc::{vec, vec::Vec};
use core::ops::Range;

use rand_core::TryCryptoRng;
use zeroize::Zeroize;

use crate::{backend::declassified, blocks::Block, error::Error};

/// The shortest message.
pub(super) const MIN_LEN: usize = 16;

/// The zeros at the end.
const TAIL_LEN: usize = 7;

/// The head without its pad.
const HEAD_LEN: usize = 3;

/// The bytes that fill up a message to whole blocks.
const fn pad_len(text_len: usize) -> usize {
    (14 - text_len % 8) % 8
}

/// The length of the random head before a text of `text_len` bytes: 3 to 10 bytes.
///
/// # Examples
///
/// ```
/// assert_eq!(fasttea::qq::fill_len(12), 5);
/// ```
#[must_use]
pub const fn fill_len(text_len: usize) -> usize {
    HEAD_LEN + pad_len(text_len)
}

/// The length of the message for a text of `text_len` bytes, or `None` where a `usize` overflows.
///
/// # Examples
///
/// ```
/// use fasttea::qq;
///
/// assert_eq!(qq::encrypted_len(0), Some(16));
/// assert_eq!(qq::encrypted_len(103), Some(120));
/// assert_eq!(qq::encrypted_len(usize::MAX - 3), None);
/// ```
#[must_use]
pub const fn encrypted_len(text_len: usize) -> Option<usize> {
    text_len.checked_add(fill_len(text_len) + TAIL_LEN)
}

/// A message's head, the pad and the random bytes, and some bytes more: as many as the shortest
/// message has, the first one lowest. The text then covers what is too much. As a number it stays in
/// registers on its way, where the first block waits for it.
#[derive(Clone, Copy)]
pub(super) struct Head(u128);

impl Head {
    pub(super) fn new(bytes: &[u8], text_len: usize) -> Result<Self, Error> {
        let (needed, len) = (fill_len(text_len), bytes.len());
        if len != needed {
            return Err(Error::FillLength { needed, len });
        }
        let mut head = [0; MIN_LEN];
        head[..len].copy_from_slice(bytes);
        Ok(Self::with_pad(u128::from_le_bytes(head), text_len))
    }

    #[inline]
    pub(super) fn random<R>(rng: &mut R, text_len: usize) -> Result<Self, Error>
    where
        R: TryCryptoRng + ?Sized,
    {
        let mut half = || {
            rng.try_next_u64()
                .map(u128::from)
                .map_err(|_| Error::Random)
        };
        let head = half()? | half()? << 64;
        Ok(Self::with_pad(head, text_len))
    }

    /// Writes itself, text and tail into a message.
    #[inline]
    pub(super) fn put(self, text: &[u8], message: &mut [u8]) {
        self.put_alone(message);
        put_text(text, message);
    }

    /// Writes itself, and zeros or random bytes where the text is to come.
    #[inline]
    pub(super) fn put_alone(self, message: &mut [u8]) {
        message[..MIN_LEN].copy_from_slice(&self.0.to_le_bytes());
    }

    /// The pad takes the first byte's low bits.
    #[inline]
    pub(super) fn with_pad(head: u128, text_len: usize) -> Self {
        Self(head & !7 | pad_len(text_len) as u128)
    }
}

/// Writes text and tail behind the head.
#[inline]
pub(super) fn put_text(text: &[u8], message: &mut [u8]) {
    let start = fill_len(text.len());
    let end = start + text.len();
    message[start..end].copy_from_slice(text);
    // Of a fixed size: a call for seven bytes would take longer than they do.
    message[end..].copy_from_slice(&[0; TAIL_LEN]);
}

/// What a message has to end in.
#[derive(Clone, Copy)]
pub(super) enum Tail {
    Zeros,
    #[cfg_attr(not(feature = "alloc"), allow(dead_code))]
    Any,
}

impl Tail {
    /// Looks at all seven bytes before it decides. `end` is the end of a message of `len` bytes.
    pub(super) fn check(self, end: &[u8], len: usize) -> Result<(), Error> {
        let tail = &end[end.len() - TAIL_LEN..];
        let nonzero = tail.iter().fold(0, |all, byte| all | byte);
        match self {
            Self::Zeros if declassified(u8::from(nonzero != 0)) != 0 => {
                Err(Error::ZeroCheck { len })
            }
            _ => Ok(()),
        }
    }
}

/// Where the text is in a decrypted message that begins with `first`.
pub(super) fn text_range(message_len: usize, first: u8) -> Result<Range<usize>, Error> {
    let start = HEAD_LEN + usize::from(declassified(first & 7));
    let end = message_len - TAIL_LEN;
    if start > end {
        return Err(Error::ImpossibleFill { len: message_len });
    }
    Ok(start..end)
}

/// Where the text is in a decrypted message, which is zeroed where there is none.
pub(super) fn opened(message: &mut [u8], tail: Tail) -> Result<Range<usize>, Error> {
    let len = message.len();
    text_range(len, message[0])
        .and_then(|range| tail.check(message, len).map(|()| range))
        .inspect_err(|_| message.zeroize())
}

/// Memory for a message. The bytes are not 0: where they have to be, allocation is slower than to
/// write them twice.
#[cfg(feature = "alloc")]
pub(super) fn unwritten(len: usize) -> Vec<u8> {
    vec![0xff; len]
}

/// Leaves of a decrypted message the text.
#[cfg(feature = "alloc")]
pub(super) fn keep(message: &mut Vec<u8>, text: Range<usize>) {
    message.truncate(text.end);
    message.drain(..text.start);
}

/// The blocks of what may be a message.
pub(super) fn message_blocks(message: &[u8]) -> Result<&[Block], Error> {
    let len = message.len();
    match Block::slice_as_chunks(message) {
        (_, [_, ..]) => Err(Error::NotBlockMultiple { block: 8, len }),
        _ if len < MIN_LEN => Err(Error::TooShort { len }),
        (blocks, []) => Ok(blocks),
    }
}

/// The length of a message. No slice and no `Vec` has more than `isize::MAX` bytes.
pub(super) fn message_len(text_len: usize) -> Result<usize, Error> {
    encrypted_len(text_len)
        .filter(|&len| isize::try_from(len).is_ok())
        .ok_or(Error::TooLong { len: text_len })
}

/// The first `needed` bytes of an output.
pub(super) fn output(needed: usize, dst: &mut [u8]) -> Result<&mut [u8], Error> {
    let len = dst.len();
    dst.get_mut(..needed)
        .ok_or(Error::OutputTooSmall { needed, len })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_as_long_as_its_parts() {
        for len in 0..200 {
            let total = encrypted_len(len).unwrap();
            assert_eq!(total % 8, 0);
            assert_eq!(total, len + fill_len(len) + TAIL_LEN);
            assert!((3..=10).contains(&fill_len(len)));
        }
    }

    #[test]
    fn a_text_is_too_long_where_its_message_would_pass_isize_max() {
        for len in usize::MAX - 20..=usize::MAX {
            assert_eq!(encrypted_len(len).is_none(), len > usize::MAX - 17, "{len}");
            assert_eq!(message_len(len), Err(Error::TooLong { len }));
        }
        const MAX: usize = isize::MAX.unsigned_abs();
        for len in MAX - 40..=MAX + 40 {
            assert_eq!(message_len(len).is_err(), len > MAX - 17, "{len}");
        }
    }
}
