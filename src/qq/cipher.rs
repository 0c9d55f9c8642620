//! One message.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use core::{fmt, ops::Range};

use rand_core::TryCryptoRng;
use zeroize::Zeroize;

use super::message::{Head, Tail, message_blocks, message_len, opened, output, text_range};
#[cfg(feature = "alloc")]
use super::message::{keep, unwritten};
use crate::{
    backend::{QQ_DECRYPT, QQ_ENCRYPT},
    batch::Message,
    blocks::{Block, Blocks, whole_blocks},
    byte_order::{Be, Order},
    chaining::State,
    error::Error,
    key::Key,
    parameters::{Parameters, Table},
    schedule::TEA_WORDS,
    tea::Tea,
};

/// Blocks that [`Cipher::decrypt_into`] decrypts at a time on the stack.
const CHUNK: usize = 64;

/// A key for QQ messages.
///
/// The byte order is big-endian unless you say otherwise, by [`From`] a [`Tea`]. A `Cipher` does not
/// change in use: share it between threads as you like.
///
/// # Examples
///
/// Without allocation, and with a generator of one's own:
///
/// ```
/// use fasttea::{Error, qq, rand_core::TryCryptoRng};
///
/// fn send<R: TryCryptoRng>(rng: &mut R, text: &[u8], packet: &mut [u8; 64]) -> Result<usize, Error> {
///     let cipher = qq::Cipher::new(b"0123456789ABCDEF");
///     cipher.encrypt_into(rng, text, packet)
/// }
/// ```
#[derive(Clone)]
pub struct Cipher<O = Be> {
    tea: Tea<O>,
}

impl Cipher {
    /// A cipher as QQ has it: 16 cycles, big-endian.
    #[inline]
    pub fn new(key: impl Into<Key<Be>>) -> Self {
        Self::from(Tea::from_parts(key, Parameters::QQ))
    }
}

/// Messages of any TEA: with other cycles, sums or byte order, or run by another backend.
///
/// # Examples
///
/// A message of gofastTEA's little-endian calls, whose tail is not zero:
///
/// ```
/// use fasttea::{Le64, Parameters, Tea, qq};
/// use hex_literal::hex;
///
/// let tea = Tea::<Le64>::from_parts(b"0123456789ABCDEF", Parameters::QQ);
/// let cipher = qq::Cipher::from(tea);
/// # #[cfg(feature = "alloc")] {
/// let text = cipher.decrypt_unchecked_tail(&hex!("000102030405060708090a0b0c0d0e0f"))?;
/// assert_eq!(text, hex!("60"));
/// # }
/// # Ok::<(), fasttea::Error>(())
/// ```
impl<O> From<Tea<O>> for Cipher<O> {
    #[inline]
    fn from(tea: Tea<O>) -> Self {
        Self { tea }
    }
}

impl<O: Order> Cipher<O> {
    /// Encrypts a text, with random fill from a generator that the operating system seeds.
    ///
    /// # Errors
    /// [`Error::Random`] if the operating system has no random bytes or the thread is ending,
    /// [`Error::TooLong`] for a text of more than `isize::MAX` − 17 bytes.
    #[cfg(feature = "rand")]
    pub fn encrypt(&self, text: &[u8]) -> Result<Vec<u8>, Error> {
        message_len(text.len())?;
        let head = Head::with_pad(crate::random::ThreadRandom::next_u128()?, text.len());
        self.seal_to_vec(head, text)
    }

    /// Encrypts a text, with random fill from `rng`.
    ///
    /// # Errors
    /// [`Error::Random`] if `rng` fails, [`Error::TooLong`] for a text of more than
    /// `isize::MAX` − 17 bytes.
    #[cfg(feature = "alloc")]
    pub fn encrypt_with_rng<R>(&self, rng: &mut R, text: &[u8]) -> Result<Vec<u8>, Error>
    where
        R: TryCryptoRng + ?Sized,
    {
        message_len(text.len())?;
        let head = Head::random(rng, text.len())?;
        self.seal_to_vec(head, text)
    }

    /// Encrypts a text into `dst`, with random fill from `rng`, and returns the message's length,
    /// [`encrypted_len`](super::encrypted_len). What `dst` holds beyond stays as it was.
    ///
    /// # Errors
    /// [`Error::OutputTooSmall`] with the length needed, [`Error::Random`] if `rng` fails,
    /// [`Error::TooLong`] for a text of more than `isize::MAX` − 17 bytes. Nothing is written then.
    pub fn encrypt_into<R>(&self, rng: &mut R, text: &[u8], dst: &mut [u8]) -> Result<usize, Error>
    where
        R: TryCryptoRng + ?Sized,
    {
        let message = output(message_len(text.len())?, dst)?;
        let head = Head::random(rng, text.len())?;
        self.seal(head, text, message)
    }

    /// Encrypts a text into `dst` with the given head of [`fill_len`](super::fill_len) bytes, and returns the
    /// message's length. The low three bits of the head's first byte do not count: they become the
    /// pad. The same head and text make the same message: this is for known answers.
    ///
    /// # Errors
    /// [`Error::FillLength`] or [`Error::OutputTooSmall`] with the length needed,
    /// [`Error::TooLong`] for a text of more than `isize::MAX` − 17 bytes. Nothing is written then.
    ///
    /// # Examples
    ///
    /// ```
    /// use fasttea::qq;
    /// use hex_literal::hex;
    ///
    /// let cipher = qq::Cipher::new(b"12345678ABCDEFGH");
    /// let mut message = [0; 24];
    /// let len = cipher.encrypt_with_fill(&hex!("030102030405"), b"hello world", &mut message)?;
    /// assert_eq!(len, 24);
    /// assert_eq!(message, hex!("1db84d454191c81fea1f664912826c313ec0fd94975850df"));
    /// # Ok::<(), fasttea::Error>(())
    /// ```
    pub fn encrypt_with_fill(
        &self,
        head: &[u8],
        text: &[u8],
        dst: &mut [u8],
    ) -> Result<usize, Error> {
        let message = output(message_len(text.len())?, dst)?;
        let head = Head::new(head, text.len())?;
        self.seal(head, text, message)
    }

    /// Decrypts a message.
    ///
    /// # Errors
    /// [`Error::NotBlockMultiple`] and [`Error::TooShort`] for what cannot be a message;
    /// [`Error::ImpossibleFill`] and [`Error::ZeroCheck`] for a wrong key or damage.
    #[cfg(feature = "alloc")]
    pub fn decrypt(&self, message: &[u8]) -> Result<Vec<u8>, Error> {
        self.decrypt_to_vec(message, Tail::Zeros)
    }

    /// Decrypts a message without looking at the seven bytes at its end: gofastTEA leaves some of
    /// them random after texts of up to 6 bytes. Most wrong keys pass. There is only this form, which
    /// allocates.
    ///
    /// # Errors
    /// As for [`decrypt`](Self::decrypt), but never [`Error::ZeroCheck`].
    #[cfg(feature = "alloc")]
    pub fn decrypt_unchecked_tail(&self, message: &[u8]) -> Result<Vec<u8>, Error> {
        self.decrypt_to_vec(message, Tail::Any)
    }

    /// Decrypts a message into `dst`, which need only have room for the text, and returns the
    /// text's length, which is at most the message's less 10. What `dst` holds beyond stays as it
    /// was.
    ///
    /// # Errors
    /// As for [`decrypt`](Self::decrypt), and [`Error::OutputTooSmall`] with the text's length
    /// before anything is written. If the text turns out wrong at the end, what was written is
    /// zeroed.
    pub fn decrypt_into(&self, message: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        let message = message_blocks(message)?;
        let message_len = 8 * message.len();
        let mut state = State::default();
        let mut stack = [Block::default(); CHUNK];
        let mut range = 0..0;
        let mut result = Ok(());

        for (i, blocks) in message.chunks(CHUNK).enumerate() {
            let chunk = &mut stack[..blocks.len()];
            chunk.copy_from_slice(blocks);
            self.tea.chain(&QQ_DECRYPT, &mut state, chunk.into());
            let chunk = Block::slice_as_flattened(chunk);
            if i == 0 {
                result = text_range(message_len, chunk[0]).and_then(|text| {
                    range = text;
                    output(range.len(), dst).map(|_| ())
                });
                if result.is_err() {
                    range = 0..0;
                    break;
                }
            }
            // The part of the text that this chunk holds.
            let at = 8 * CHUNK * i;
            let from = range.start.max(at);
            let to = range.end.min(at + chunk.len());
            if from < to {
                dst[from - range.start..to - range.start]
                    .copy_from_slice(&chunk[from - at..to - at]);
            }
            if at + chunk.len() == message_len {
                result = Tail::Zeros.check(chunk, message_len);
            }
        }

        let used = message.len().min(CHUNK);
        Block::slice_as_flattened_mut(&mut stack[..used]).zeroize();
        let text = &mut dst[..range.len()];
        result.inspect_err(|_| text.zeroize())?;
        Ok(range.len())
    }

    /// Decrypts a message where it stands and returns the part that is the text.
    ///
    /// # Errors
    /// As for [`decrypt`](Self::decrypt). If the text turns out wrong, the whole message is zeroed.
    pub fn decrypt_in_place<'a>(&self, message: &'a mut [u8]) -> Result<&'a mut [u8], Error> {
        let range = self.open(message, Tail::Zeros)?;
        Ok(&mut message[range])
    }

    #[cfg(feature = "alloc")]
    fn decrypt_to_vec(&self, message: &[u8], tail: Tail) -> Result<Vec<u8>, Error> {
        // Before the copy, since lengths come from the network.
        message_blocks(message)?;
        let mut text = message.to_vec();
        let range = self.open(&mut text, tail)?;
        keep(&mut text, range);
        Ok(text)
    }

    #[cfg(feature = "alloc")]
    fn seal_to_vec(&self, head: Head, text: &[u8]) -> Result<Vec<u8>, Error> {
        let mut message = unwritten(message_len(text.len())?);
        self.seal(head, text, &mut message)?;
        Ok(message)
    }

    /// Puts a message together and encrypts it in place.
    fn seal(&self, head: Head, text: &[u8], message: &mut [u8]) -> Result<usize, Error> {
        head.put(text, message);
        let blocks = whole_blocks(message)?;
        self.tea.chain(&QQ_ENCRYPT, &mut State::default(), blocks);
        Ok(message.len())
    }

    /// Decrypts a message in place and tells where its text is. Zeroes it where there is none.
    fn open(&self, message: &mut [u8], tail: Tail) -> Result<Range<usize>, Error> {
        message_blocks(message)?;
        let blocks = whole_blocks(message)?;
        self.tea.chain(&QQ_DECRYPT, &mut State::default(), blocks);
        opened(message, tail)
    }
}

impl<O> Cipher<O> {
    /// A message of a batch.
    #[inline]
    pub(super) fn message<'a>(&'a self, blocks: Blocks<'a, 'a>) -> Message<'a, TEA_WORDS, Table> {
        self.tea.message(None, blocks)
    }
}

impl<O: Order> fmt::Debug for Cipher<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "qq::Cipher<{}> {{ .. }}", O::BYTE_ORDER)
    }
}

// The key is the cipher's.
impl<O> zeroize::ZeroizeOnDrop for Cipher<O> {}

#[cfg(test)]
mod tests {
    use hex_literal::hex;

    use super::*;
    use crate::{backend, byte_order::Le64};

    /// gofastTEA's own known answer, which is no message: its tail is not zero.
    #[test]
    fn decryption_gives_gofasttea_s_bytes_before_their_tail_is_checked() {
        for backend in backend::available() {
            let tea = Tea::<Le64>::from_parts(b"0123456789ABCDEF", Parameters::QQ);
            let mut bytes = hex!("000102030405060708090a0b0c0d0e0f");
            let blocks = whole_blocks(&mut bytes).unwrap();
            tea.with_backend(backend)
                .chain(&QQ_DECRYPT, &mut State::default(), blocks);
            assert_eq!(bytes, hex!("dde94912a1083fd2607743bab382d570"), "{backend}");
        }
    }

    #[test]
    fn a_chain_goes_on_after_any_split() {
        let mut text = [0; 80];
        for (byte, value) in text.iter_mut().zip((0..=255).step_by(3)) {
            *byte = value;
        }
        for backend in backend::available() {
            let tea =
                Tea::<Be>::from_parts(b"0123456789ABCDEF", Parameters::QQ).with_backend(backend);
            let run = |kind, splits: &[usize], bytes: &mut [u8]| {
                let mut state = State::default();
                let mut rest = bytes;
                for &blocks in splits {
                    let (now, later) = rest.split_at_mut(8 * blocks);
                    tea.chain(kind, &mut state, whole_blocks(now).unwrap());
                    rest = later;
                }
                assert!(rest.is_empty());
                state
            };
            let mut whole = text;
            let state = run(&QQ_ENCRYPT, &[10], &mut whole);
            let mut split = text;
            let again = run(&QQ_ENCRYPT, &[1, 0, 2, 3, 0, 4], &mut split);
            assert_eq!((again, split), (state.clone(), whole), "{backend}");
            let back = run(&QQ_DECRYPT, &[4, 3, 0, 2, 1], &mut split);
            assert_eq!((back, split), (state, text), "{backend}");
        }
    }
}
