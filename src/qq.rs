//! QQ messages: Tencent's format on top of TEA, also called oicq TEA or TC-TEA.
//!
//! A message is encrypted under 16-cycle TEA with big-endian words. Before encryption it is
//!
//! | bytes | |
//! |---|---|
//! | 1 | `pad` in the low three bits, random bits above, which reading ignores |
//! | `pad` + 2 | random |
//! | n | the text |
//! | 7 | zeros |
//!
//! where `pad` = (8 − (n + 10) mod 8) mod 8 makes the whole a multiple of 8. Texts of 0 to 6 bytes
//! take 16 bytes, of 7 to 14 bytes 24, and so on: see [`encrypted_len`].
//!
//! Each block is chained to the one before twice: with m the block that enters the cipher,
//! m = p ⊕ c′ and c = E(m) ⊕ m′, where c′ and m′ are of the block before and start as 0. Neither
//! direction can work on two blocks of a message at once, only on several messages: [`encrypt_batch`],
//! [`decrypt_batch`].
//!
//! # What it does not do
//!
//! The seven zeros tell a wrong key or a damaged message with a chance of error of 2⁻⁵⁶. They do
//! not authenticate: whoever can change messages may find changes that pass. Answer all messages
//! that fail alike, whatever [`Error`] says.
//!
//! # Examples
//!
//! ```
//! use fasttea::qq;
//!
//! let cipher = qq::Cipher::new(b"0123456789ABCDEF");
//! # #[cfg(feature = "rand")] {
//! let message = cipher.encrypt(b"MiraiGO Here")?;
//! assert_eq!(message.len(), 24);
//! assert_eq!(cipher.decrypt(&message)?, b"MiraiGO Here");
//! # }
//! # Ok::<(), fasttea::Error>(())
//! ```

#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use core::{fmt, marker::PhantomData, ops::Range};

use cipher::InOutBuf;
use rand_core::TryCryptoRng;

use crate::{
    Be, Error, Key, Order,
    backend::{self, Backend, Block, Blocks, declassified, wipe},
    batch,
    block::whole_blocks,
    schedule::{Cycles, Sums, TeaSchedule},
};

/// The shortest message.
const MIN_LEN: usize = 16;

/// The zeros at the end.
const TAIL_LEN: usize = 7;

/// The head without its pad.
const HEAD_LEN: usize = 3;

/// Blocks that [`Cipher::decrypt_into`] decrypts at a time on the stack.
const CHUNK: usize = 64;

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

/// The chaining state: the words of the block before, as it stands in the message and as it
/// entered the cipher.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct State {
    pub(crate) ciphertext: [u32; 2],
    pub(crate) mixed: [u32; 2],
}

impl State {
    /// After decryption it tells, with the message, the end of the text.
    fn wipe(&mut self) {
        wipe(&mut self.ciphertext);
        wipe(&mut self.mixed);
    }
}

// asm/common.h has these numbers.
const _: () = {
    assert!(core::mem::offset_of!(State, ciphertext) == 0);
    assert!(core::mem::offset_of!(State, mixed) == 8);
};

/// A key for QQ messages.
///
/// The word order is big-endian unless you say otherwise with [`Cipher::with_order`]. A `Cipher`
/// does not change in use: share it between threads as you like.
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
    schedule: TeaSchedule,
    sums: Sums,
    backend: Backend,
    order: PhantomData<O>,
}

impl Cipher {
    /// A cipher as QQ has it: 16 cycles, big-endian.
    #[inline]
    pub fn new(key: impl Into<Key<Be>>) -> Self {
        Self::with_order(key)
    }

    /// A cipher as QQ has it, with a key of unsure length.
    ///
    /// # Errors
    /// [`Error::KeyLength`] unless the key is 16 bytes.
    #[inline]
    pub fn try_from_key(key: &[u8]) -> Result<Self, Error> {
        Ok(Self::new(Key::try_from(key)?))
    }
}

impl<O: Order> Cipher<O> {
    /// A cipher of 16 cycles with another word order.
    ///
    /// # Examples
    ///
    /// A message of gofastTEA's little-endian calls, whose tail is not zero:
    ///
    /// ```
    /// use fasttea::{Le64, qq};
    /// use hex_literal::hex;
    ///
    /// let cipher = qq::Cipher::<Le64>::with_order(b"0123456789ABCDEF");
    /// # #[cfg(feature = "alloc")] {
    /// let text = cipher.decrypt_unchecked_tail(&hex!("000102030405060708090a0b0c0d0e0f"))?;
    /// assert_eq!(text, hex!("60"));
    /// # }
    /// # Ok::<(), fasttea::Error>(())
    /// ```
    #[inline]
    pub fn with_order(key: impl Into<Key<O>>) -> Self {
        Self::from_parts(&key.into(), Cycles::QQ, Sums::Standard)
    }

    /// A cipher with any sums instead of the multiples of a delta, one for each cycle.
    ///
    /// # Errors
    /// [`Error::SumsLength`] unless there are 1 to 64.
    pub fn with_sums(key: impl Into<Key<O>>, sums: &[u32]) -> Result<Self, Error> {
        let (sums, cycles) = Sums::from_table(sums)?;
        Ok(Self::from_parts(&key.into(), cycles, sums))
    }

    #[inline]
    fn from_parts(key: &Key<O>, cycles: Cycles, sums: Sums) -> Self {
        Self {
            schedule: TeaSchedule::new(cycles, O::BLOCK, *key.words()),
            sums,
            backend: backend::active(),
            order: PhantomData,
        }
    }

    /// The same cipher, run by another backend.
    #[must_use]
    pub fn with_backend(mut self, backend: Backend) -> Self {
        self.backend = backend;
        self
    }

    /// Encrypts a text, with random fill from a generator that the operating system seeds.
    ///
    /// # Errors
    /// [`Error::Random`] if the operating system has no random bytes or the thread is ending,
    /// [`Error::TooLong`] for a text of more than `isize::MAX` − 17 bytes.
    #[cfg(feature = "rand")]
    pub fn encrypt(&self, text: &[u8]) -> Result<Vec<u8>, Error> {
        self.encrypt_with_rng(&mut crate::random::ThreadRandom, text)
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
        let mut message = assemble(rng, text)?;
        self.encrypt_blocks(&mut message)?;
        Ok(message)
    }

    /// Encrypts a text into `dst`, with random fill from `rng`, and returns the message's length,
    /// [`encrypted_len`]. What `dst` holds beyond stays as it was.
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
        self.seal(&head, text, message)
    }

    /// Encrypts a text into `dst` with the given head of [`fill_len`] bytes, and returns the
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
        self.seal(&head, text, message)
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
            self.unchain(&mut state, chunk.into());
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

        state.wipe();
        let used = message.len().min(CHUNK);
        wipe(Block::slice_as_flattened_mut(&mut stack[..used]));
        let text = &mut dst[..range.len()];
        result.inspect_err(|_| wipe(text))?;
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

    /// Encrypts texts with this key, as [`encrypt_batch`] does with a key for each.
    ///
    /// # Errors
    /// Each result may hold those of [`encrypt`](Self::encrypt).
    ///
    /// # Examples
    ///
    /// ```
    /// use fasttea::qq;
    ///
    /// let cipher = qq::Cipher::new(b"0123456789ABCDEF");
    /// let messages = cipher.encrypt_batch(&["one", "two", "three"]);
    /// assert_eq!(cipher.decrypt(messages[1].as_ref().unwrap()).as_deref(), Ok(&b"two"[..]));
    /// ```
    #[cfg(feature = "rand")]
    pub fn encrypt_batch<T: AsRef<[u8]>>(&self, texts: &[T]) -> Vec<Result<Vec<u8>, Error>> {
        encrypt_batch(texts.iter().map(|text| (self, text.as_ref())))
    }

    /// Decrypts messages with this key, as [`decrypt_batch`] does with a key for each.
    ///
    /// # Errors
    /// Each result may hold those of [`decrypt`](Self::decrypt).
    #[cfg(feature = "alloc")]
    pub fn decrypt_batch<T: AsRef<[u8]>>(&self, messages: &[T]) -> Vec<Result<Vec<u8>, Error>> {
        decrypt_batch(messages.iter().map(|message| (self, message.as_ref())))
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

    /// Puts a message together and encrypts it in place.
    fn seal(&self, head: &Head, text: &[u8], message: &mut [u8]) -> Result<usize, Error> {
        head.put(text, message);
        self.encrypt_blocks(message)?;
        Ok(message.len())
    }

    fn encrypt_blocks(&self, message: &mut [u8]) -> Result<(), Error> {
        self.chain(&mut State::default(), whole_blocks(message)?);
        Ok(())
    }

    fn chain(&self, state: &mut State, blocks: Blocks<'_, '_>) {
        self.backend
            .qq_encrypt(&self.schedule, &self.sums, state, blocks);
    }

    fn unchain(&self, state: &mut State, blocks: Blocks<'_, '_>) {
        self.backend
            .qq_decrypt(&self.schedule, &self.sums, state, blocks);
    }

    /// Decrypts a message in place and tells where its text is. Zeroes it where there is none.
    fn open(&self, message: &mut [u8], tail: Tail) -> Result<Range<usize>, Error> {
        message_blocks(message)?;
        let mut state = State::default();
        self.unchain(&mut state, whole_blocks(message)?);
        state.wipe();
        opened(message, tail)
    }

    /// Whether both can share the lanes of one kernel call.
    fn runs_with(&self, other: &Self) -> bool {
        self.schedule.cycles() == other.schedule.cycles()
            && self.sums == other.sums
            && self.backend == other.backend
    }
}

impl<O: Order> fmt::Debug for Cipher<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "qq::Cipher<{}> {{ .. }}", O::NAME)
    }
}

#[cfg(feature = "zeroize")]
impl<O> cipher::zeroize::ZeroizeOnDrop for Cipher<O> {}

/// One message of a batch without allocation, and what came of it.
///
/// # Examples
///
/// ```
/// use fasttea::qq;
///
/// let (alice, bob) = (qq::Cipher::new(&[1; 16]), qq::Cipher::new(&[2; 16]));
/// # #[cfg(feature = "alloc")] {
/// # use fasttea::rand_core::{TryCryptoRng, TryRng};
/// # struct Rng;
/// # impl TryRng for Rng {
/// #     type Error = core::convert::Infallible;
/// #     fn try_next_u32(&mut self) -> Result<u32, Self::Error> { Ok(7) }
/// #     fn try_next_u64(&mut self) -> Result<u64, Self::Error> { Ok(7) }
/// #     fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Self::Error> { Ok(()) }
/// # }
/// # impl TryCryptoRng for Rng {}
/// # let mut rng = Rng;
/// let (mut to_alice, mut to_bob) = ([0; 64], [0; 64]);
/// let mut jobs = [
///     qq::Job::new(&alice, b"hello", &mut to_alice),
///     qq::Job::new(&bob, b"hello, too", &mut to_bob),
/// ];
/// qq::encrypt_batch_into(&mut rng, &mut jobs);
/// assert_eq!(jobs[0].result, Ok(16));
/// assert_eq!(jobs[1].result, Ok(24));
/// assert_eq!(bob.decrypt(&to_bob[..24])?, b"hello, too");
/// # }
/// # Ok::<(), fasttea::Error>(())
/// ```
pub struct Job<'a, O = Be> {
    /// The message's key.
    pub cipher: &'a Cipher<O>,
    /// The text to encrypt, or the message to decrypt.
    pub input: &'a [u8],
    /// Where the message or the text goes. A message takes [`encrypted_len`] bytes; a text comes to
    /// stand at the begin, but decryption needs room for the whole message, and zeroes what the text
    /// leaves of it.
    pub output: &'a mut [u8],
    /// The length of the output in bytes, when the batch has run, or why there is none: see
    /// [`encrypt_batch_into`] and [`decrypt_batch_into`].
    pub result: Result<usize, Error>,
}

impl<'a, O> Job<'a, O> {
    /// A job that has not run: its result is an empty output.
    pub fn new(cipher: &'a Cipher<O>, input: &'a [u8], output: &'a mut [u8]) -> Self {
        Self {
            cipher,
            input,
            output,
            result: Ok(0),
        }
    }
}

/// The lengths, and neither key nor text.
impl<O> fmt::Debug for Job<'_, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("qq::Job")
            .field("input", &self.input.len())
            .field("output", &self.output.len())
            .field("result", &self.result)
            .finish_non_exhaustive()
    }
}

/// Encrypts texts, each with its own key, with random fill from a generator that the operating system
/// seeds. The results are in the order of the texts.
///
/// Many messages at once run side by side in vectors: with AVX-512 up to eleven times as fast as one
/// after the other. There are no threads in it.
///
/// The backends `portable`, `scalar` and `ssse3` run them one by one. A batch is run in chunks of up to
/// 256 messages, and a message that differs from the first of its chunk in cycles, sums or backend goes
/// singly.
///
/// # Errors
/// Each result may hold those of [`Cipher::encrypt`], [`Error::Random`] and [`Error::TooLong`].
///
/// # Examples
///
/// ```
/// use fasttea::qq;
///
/// let ciphers = [qq::Cipher::new(&[1; 16]), qq::Cipher::new(&[2; 16])];
/// let messages = qq::encrypt_batch(ciphers.iter().map(|cipher| (cipher, &b"to all of you"[..])));
/// for (cipher, message) in ciphers.iter().zip(messages) {
///     assert_eq!(cipher.decrypt(&message?)?, b"to all of you");
/// }
/// # Ok::<(), fasttea::Error>(())
/// ```
#[cfg(feature = "rand")]
pub fn encrypt_batch<'a, O, I>(texts: I) -> Vec<Result<Vec<u8>, Error>>
where
    O: Order,
    I: IntoIterator<Item = (&'a Cipher<O>, &'a [u8])>,
{
    encrypt_batch_with_rng(&mut crate::random::ThreadRandom, texts)
}

/// Encrypts texts, each with its own key, with random fill from `rng`. The results are in the order of
/// the texts; a failure of `rng` is that of the text it was called for.
///
/// # Errors
/// Each result may hold those of [`Cipher::encrypt_with_rng`], [`Error::Random`] and
/// [`Error::TooLong`].
#[cfg(feature = "alloc")]
pub fn encrypt_batch_with_rng<'a, O, I, R>(rng: &mut R, texts: I) -> Vec<Result<Vec<u8>, Error>>
where
    O: Order,
    I: IntoIterator<Item = (&'a Cipher<O>, &'a [u8])>,
    R: TryCryptoRng + ?Sized,
{
    let texts = texts.into_iter();
    if batch::is_none(&texts) {
        return texts
            .map(|(cipher, text)| cipher.encrypt_with_rng(rng, text))
            .collect();
    }
    let (ciphers, mut messages): (Vec<_>, Vec<_>) = texts
        .map(|(cipher, text)| (cipher, assemble(rng, text)))
        .unzip();
    run_owned(Direction::Encrypt, &ciphers, &mut messages);
    messages
}

/// Decrypts messages, each with its own key. The results are in the order of the messages, and one bad
/// message does nothing to the others. Messages run side by side as those of [`encrypt_batch`] do.
///
/// # Errors
/// Each result may hold those of [`Cipher::decrypt`].
///
/// # Examples
///
/// ```
/// use fasttea::{Error, qq};
/// use hex_literal::hex;
///
/// let cipher = qq::Cipher::new(b"0123456789ABCDEF");
/// let messages = [&hex!("b7b2e52af7f5b1fbf37fc3d5546ac7569aecd01bbacf09bf")[..], &[0; 7]];
/// let texts = qq::decrypt_batch(messages.map(|message| (&cipher, message)));
/// assert_eq!(texts[0].as_deref(), Ok(&b"MiraiGO Here"[..]));
/// assert_eq!(texts[1], Err(Error::NotBlockMultiple { block: 8, len: 7 }));
/// ```
#[cfg(feature = "alloc")]
pub fn decrypt_batch<'a, O, I>(messages: I) -> Vec<Result<Vec<u8>, Error>>
where
    O: Order,
    I: IntoIterator<Item = (&'a Cipher<O>, &'a [u8])>,
{
    let messages = messages.into_iter();
    if batch::is_none(&messages) {
        return messages
            .map(|(cipher, message)| cipher.decrypt(message))
            .collect();
    }
    let (ciphers, mut texts): (Vec<_>, Vec<_>) = messages
        .map(|(cipher, message)| (cipher, message_blocks(message).map(|_| message.to_vec())))
        .unzip();
    run_owned(Direction::Decrypt, &ciphers, &mut texts);
    for text in &mut texts {
        if let Ok(bytes) = text {
            match opened(bytes, Tail::Zeros) {
                Ok(range) => keep(bytes, range),
                Err(error) => *text = Err(error),
            }
        }
    }
    texts
}

/// Encrypts texts into buffers, each with its own key, with random fill from `rng`. Allocates nothing.
///
/// # Errors
/// Each job's result may hold those of [`Cipher::encrypt_into`], [`Error::OutputTooSmall`],
/// [`Error::Random`] and [`Error::TooLong`]. Nothing is written to its output then.
pub fn encrypt_batch_into<O: Order, R>(rng: &mut R, jobs: &mut [Job<'_, O>])
where
    R: TryCryptoRng + ?Sized,
{
    for job in jobs.iter_mut() {
        job.result = message_len(job.input.len()).and_then(|len| {
            let message = output(len, job.output)?;
            let head = Head::random(rng, job.input.len())?;
            message[..MIN_LEN].copy_from_slice(&head.0);
            Ok(len)
        });
    }
    // No text stands in an output while somebody else's random source runs.
    for job in jobs.iter_mut() {
        if let Ok(len) = job.result {
            put_text(job.input, &mut job.output[..len]);
        }
    }
    let count = jobs.len();
    let messages = jobs.iter_mut().filter_map(|job| {
        let message = job.output.get_mut(..job.result.ok()?)?;
        Some((job.cipher, whole_blocks(message).ok()?))
    });
    run(Direction::Encrypt, count, messages);
}

/// Decrypts messages into buffers, each with its own key. Allocates nothing.
///
/// # Errors
/// Each job's result may hold those of [`Cipher::decrypt`], and [`Error::OutputTooSmall`] with the
/// message's length before anything is written. Where a message turns out wrong, its part of the output
/// is zeroed.
pub fn decrypt_batch_into<O: Order>(jobs: &mut [Job<'_, O>]) {
    for job in jobs.iter_mut() {
        job.result = message_blocks(job.input).and_then(|_| {
            let len = job.input.len();
            output(len, job.output).map(|_| len)
        });
    }
    let count = jobs.len();
    let messages = jobs.iter_mut().filter_map(|job| {
        let output = job.output.get_mut(..job.result.ok()?)?;
        let blocks = InOutBuf::new(job.input, output).ok()?.into_chunks().0;
        Some((job.cipher, blocks))
    });
    run(Direction::Decrypt, count, messages);
    for job in jobs {
        if let Ok(len) = job.result {
            let message = &mut job.output[..len];
            job.result = opened(message, Tail::Zeros).map(|range| {
                message.copy_within(range.clone(), 0);
                message[range.len()..].fill(0);
                range.len()
            });
        }
    }
}

/// Runs the messages that have not failed, each with its cipher.
#[cfg(feature = "alloc")]
fn run_owned<O: Order>(
    direction: Direction,
    ciphers: &[&Cipher<O>],
    messages: &mut [Result<Vec<u8>, Error>],
) {
    let count = messages.len();
    let pairs = ciphers.iter().zip(messages);
    let messages = pairs.filter_map(|(cipher, message)| {
        let blocks = whole_blocks(message.as_deref_mut().ok()?).ok()?;
        Some((*cipher, blocks))
    });
    run(direction, count, messages);
}

#[derive(Clone, Copy)]
enum Direction {
    Encrypt,
    Decrypt,
}

/// Encrypts or decrypts whole messages, `count` of them at most.
fn run<'a, O: Order>(
    direction: Direction,
    count: usize,
    messages: impl Iterator<Item = (&'a Cipher<O>, Blocks<'a, 'a>)>,
) {
    if count <= batch::SMALL {
        run_by::<{ batch::SMALL }, O>(direction, count, messages);
    } else if count <= batch::MEDIUM {
        run_by::<{ batch::MEDIUM }, O>(direction, count, messages);
    } else {
        run_by::<{ batch::CHUNK }, O>(direction, count, messages);
    }
}

fn run_by<'a, const N: usize, O: Order>(
    direction: Direction,
    count: usize,
    mut messages: impl Iterator<Item = (&'a Cipher<O>, Blocks<'a, 'a>)>,
) {
    loop {
        let mut jobs = batch::Jobs::<4, N>::new();
        let mut first: Option<&Cipher<O>> = None;
        while !jobs.is_full() {
            let Some((cipher, blocks)) = messages.next() else {
                break;
            };
            let first = *first.get_or_insert(cipher);
            let mut state = State::default();
            if first.runs_with(cipher) && !batch::is_alone(count, blocks.len()) {
                jobs.push(backend::Job {
                    key: &cipher.schedule,
                    state,
                    blocks,
                    id: 0,
                });
            } else {
                match direction {
                    Direction::Encrypt => cipher.chain(&mut state, blocks),
                    Direction::Decrypt => cipher.unchain(&mut state, blocks),
                }
                state.wipe();
            }
        }
        let Some(first) = first else {
            break;
        };
        let run = match direction {
            Direction::Encrypt => Backend::qq_encrypt_batch,
            Direction::Decrypt => Backend::qq_decrypt_batch,
        };
        let cycles = first.schedule.cycles();
        let jobs = jobs.sorted();
        run(first.backend, cycles, O::BLOCK, &first.sums, jobs);
        // What was handed from kernel to kernel has left its state. To look whether would be a branch
        // on secrets.
        for job in jobs.iter_mut().flatten() {
            job.state.wipe();
        }
    }
}

/// A message's head, the pad and the random bytes, and some bytes more: as many as the shortest
/// message has. Its size is fixed, so that writing it is one instruction, and the text then covers
/// what is too much.
struct Head([u8; MIN_LEN]);

impl Head {
    fn new(bytes: &[u8], text_len: usize) -> Result<Self, Error> {
        let (needed, len) = (fill_len(text_len), bytes.len());
        if len != needed {
            return Err(Error::FillLength { needed, len });
        }
        let mut head = [0; MIN_LEN];
        head[..len].copy_from_slice(bytes);
        Ok(Self::with_pad(u128::from_le_bytes(head), text_len))
    }

    #[inline]
    fn random<R>(rng: &mut R, text_len: usize) -> Result<Self, Error>
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

    /// Writes head, text and tail.
    #[inline]
    fn put(&self, text: &[u8], message: &mut [u8]) {
        message[..MIN_LEN].copy_from_slice(&self.0);
        put_text(text, message);
    }

    /// The pad takes the first byte's low bits.
    #[inline]
    fn with_pad(head: u128, text_len: usize) -> Self {
        Self((head & !7 | pad_len(text_len) as u128).to_le_bytes())
    }
}

/// Writes text and tail behind the head.
#[inline]
fn put_text(text: &[u8], message: &mut [u8]) {
    let start = fill_len(text.len());
    let end = start + text.len();
    message[start..end].copy_from_slice(text);
    message[end..].fill(0);
}

/// What a message has to end in.
#[derive(Clone, Copy)]
enum Tail {
    Zeros,
    #[cfg_attr(not(feature = "alloc"), allow(dead_code))]
    Any,
}

impl Tail {
    /// Looks at all seven bytes before it decides. `end` is the end of a message of `len` bytes.
    fn check(self, end: &[u8], len: usize) -> Result<(), Error> {
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
fn text_range(message_len: usize, first: u8) -> Result<Range<usize>, Error> {
    let start = HEAD_LEN + usize::from(declassified(first & 7));
    let end = message_len - TAIL_LEN;
    if start > end {
        return Err(Error::ImpossibleFill { len: message_len });
    }
    Ok(start..end)
}

/// Where the text is in a decrypted message, which is zeroed where there is none.
fn opened(message: &mut [u8], tail: Tail) -> Result<Range<usize>, Error> {
    let len = message.len();
    text_range(len, message[0])
        .and_then(|range| tail.check(message, len).map(|()| range))
        .inspect_err(|_| wipe(message))
}

/// Leaves this part of a decrypted message, its text.
#[cfg(feature = "alloc")]
fn keep(message: &mut Vec<u8>, text: Range<usize>) {
    message.truncate(text.end);
    message.drain(..text.start);
}

/// A message before encryption, in memory that need not be zeroed first.
#[cfg(feature = "alloc")]
fn assemble<R>(rng: &mut R, text: &[u8]) -> Result<Vec<u8>, Error>
where
    R: TryCryptoRng + ?Sized,
{
    let len = message_len(text.len())?;
    let head = Head::random(rng, text.len())?;
    let mut message = Vec::with_capacity(len);
    message.extend_from_slice(&head.0);
    message.truncate(fill_len(text.len()));
    message.extend_from_slice(text);
    message.extend_from_slice(&[0; TAIL_LEN]);
    Ok(message)
}

/// The blocks of what may be a message.
fn message_blocks(message: &[u8]) -> Result<&[Block], Error> {
    let len = message.len();
    match Block::slice_as_chunks(message) {
        (_, [_, ..]) => Err(Error::NotBlockMultiple { block: 8, len }),
        _ if len < MIN_LEN => Err(Error::TooShort { len }),
        (blocks, []) => Ok(blocks),
    }
}

/// The length of a message. No slice and no `Vec` has more than `isize::MAX` bytes.
fn message_len(text_len: usize) -> Result<usize, Error> {
    encrypted_len(text_len)
        .filter(|&len| isize::try_from(len).is_ok())
        .ok_or(Error::TooLong { len: text_len })
}

/// The first `needed` bytes of an output.
fn output(needed: usize, dst: &mut [u8]) -> Result<&mut [u8], Error> {
    let len = dst.len();
    dst.get_mut(..needed)
        .ok_or(Error::OutputTooSmall { needed, len })
}

#[cfg(test)]
mod tests {
    use hex_literal::hex;

    use super::*;
    use crate::Le64;

    /// gofastTEA's own known answer, which is no message: its tail is not zero.
    #[test]
    fn le64_before_the_tail_check() {
        for backend in backend::available() {
            let cipher = Cipher::<Le64>::with_order(b"0123456789ABCDEF").with_backend(backend);
            let mut bytes = hex!("000102030405060708090a0b0c0d0e0f");
            backend.qq_decrypt(
                &cipher.schedule,
                &cipher.sums,
                &mut State::default(),
                whole_blocks(&mut bytes).unwrap(),
            );
            assert_eq!(bytes, hex!("dde94912a1083fd2607743bab382d570"), "{backend}");
        }
    }

    /// The state continues across calls, for any split of a message.
    #[test]
    fn chaining_continues() {
        let cipher = Cipher::new(b"0123456789ABCDEF");
        let mut text = [0; 80];
        for (byte, value) in text.iter_mut().zip((0..=255).step_by(3)) {
            *byte = value;
        }
        for backend in backend::available() {
            let run = |splits: &[usize], decrypt: bool, bytes: &mut [u8]| {
                let mut state = State::default();
                let mut rest = bytes;
                for &blocks in splits {
                    let (now, later) = rest.split_at_mut(8 * blocks);
                    let kernel = if decrypt {
                        Backend::qq_decrypt
                    } else {
                        Backend::qq_encrypt
                    };
                    kernel(
                        backend,
                        &cipher.schedule,
                        &cipher.sums,
                        &mut state,
                        whole_blocks(now).unwrap(),
                    );
                    rest = later;
                }
                assert!(rest.is_empty());
                state
            };
            let mut whole = text;
            let state = run(&[10], false, &mut whole);
            let mut split = text;
            assert_eq!(
                run(&[1, 0, 2, 3, 0, 4], false, &mut split),
                state,
                "{backend}"
            );
            assert_eq!(split, whole, "{backend}");
            assert_eq!(run(&[4, 3, 0, 2, 1], true, &mut split), state, "{backend}");
            assert_eq!(split, text, "{backend}");
        }
    }

    #[test]
    fn lengths() {
        for len in 0..200 {
            let total = encrypted_len(len).unwrap();
            assert_eq!(total % 8, 0);
            assert_eq!(total, len + fill_len(len) + TAIL_LEN);
            assert!((3..=10).contains(&fill_len(len)));
        }
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
