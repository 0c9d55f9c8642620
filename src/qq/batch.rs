//! Many messages.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use core::fmt;

use cipher::InOutBuf;
use rand_core::TryCryptoRng;

#[cfg(feature = "alloc")]
use super::message::{keep, unwritten};
use super::{
    cipher::Cipher,
    message::{Head, Tail, message_blocks, message_len, opened, output, put_text},
};
#[cfg(feature = "alloc")]
use crate::backend::TeaChained;
use crate::{
    backend::{QQ_DECRYPT, QQ_ENCRYPT},
    batch,
    blocks::whole_blocks,
    byte_order::{Be, Order},
    error::Error,
};

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
/// assert_eq!(jobs[0].result(), Some(Ok(16)));
/// assert_eq!(bob.decrypt(jobs[1].output())?, b"hello, too");
/// # }
/// # Ok::<(), fasttea::Error>(())
/// ```
pub struct Job<'a, O = Be> {
    cipher: &'a Cipher<O>,
    input: &'a [u8],
    output: &'a mut [u8],
    result: Option<Result<usize, Error>>,
}

impl<'a, O> Job<'a, O> {
    /// A job that has not run: a text to encrypt or a message to decrypt, and where the message or the
    /// text goes.
    ///
    /// A message takes [`encrypted_len`](super::encrypted_len) bytes of the output. A text comes to
    /// stand at its begin, but decryption needs room for the whole message, and zeroes what the text
    /// leaves of it.
    pub fn new(cipher: &'a Cipher<O>, input: &'a [u8], output: &'a mut [u8]) -> Self {
        Self {
            cipher,
            input,
            output,
            result: None,
        }
    }

    /// The length of the message or text in bytes; `None` until the batch has run.
    ///
    /// # Errors
    /// Why there is none: see [`encrypt_batch_into`] and [`decrypt_batch_into`].
    #[must_use]
    pub fn result(&self) -> Option<Result<usize, Error>> {
        self.result
    }

    /// The message or text; empty where there is none.
    #[must_use]
    pub fn output(&self) -> &[u8] {
        match self.result {
            Some(Ok(len)) => &self.output[..len],
            _ => &[],
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
/// A backend [without lanes](crate::backend::Description::lanes) runs them one by one. A batch is run
/// in chunks of up to 256 messages. A message that differs from the first of its chunk in cycles, sums
/// or backend runs by itself.
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
    let assembled = |rng: &mut R, text: &[u8]| {
        let len = message_len(text.len())?;
        let head = Head::random(rng, text.len())?;
        let mut message = unwritten(len);
        head.put(text, &mut message);
        Ok(message)
    };
    let (ciphers, mut messages): (Vec<_>, Vec<_>) = texts
        .into_iter()
        .map(|(cipher, text)| (cipher, assembled(rng, text)))
        .unzip();
    run(&QQ_ENCRYPT, &ciphers, &mut messages);
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
    let (ciphers, mut texts): (Vec<_>, Vec<_>) = messages
        .into_iter()
        .map(|(cipher, message)| (cipher, message_blocks(message).map(|_| message.to_vec())))
        .unzip();
    run(&QQ_DECRYPT, &ciphers, &mut texts);
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

/// Runs the messages that have not failed, each with its cipher.
#[cfg(feature = "alloc")]
fn run<O>(kind: &TeaChained, ciphers: &[&Cipher<O>], messages: &mut [Result<Vec<u8>, Error>]) {
    let count = messages.len();
    let pairs = ciphers.iter().zip(messages);
    let messages = pairs.filter_map(|(cipher, message)| {
        let blocks = whole_blocks(message.as_deref_mut().ok()?).ok()?;
        Some(cipher.message(blocks))
    });
    batch::run(kind, count, messages);
}

/// With one key.
impl<O: Order> Cipher<O> {
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
        let len = job.input.len();
        let begun = message_len(len).and_then(|needed| {
            let message = output(needed, job.output)?;
            Head::random(rng, len)?.put_alone(message);
            Ok(needed)
        });
        job.result = Some(begun);
    }
    // No text stands in an output while somebody else's random source runs.
    for job in jobs.iter_mut() {
        if let Some(Ok(len)) = job.result {
            put_text(job.input, &mut job.output[..len]);
        }
    }
    let count = jobs.len();
    let messages = jobs.iter_mut().filter_map(|job| {
        let message = job.output.get_mut(..job.result?.ok()?)?;
        Some(job.cipher.message(whole_blocks(message).ok()?))
    });
    batch::run(&QQ_ENCRYPT, count, messages);
}

/// Decrypts messages into buffers, each with its own key. Allocates nothing.
///
/// # Errors
/// Each job's result may hold those of [`Cipher::decrypt`], and [`Error::OutputTooSmall`] with the
/// message's length before anything is written. Where a message turns out wrong, its part of the output
/// is zeroed.
pub fn decrypt_batch_into<O: Order>(jobs: &mut [Job<'_, O>]) {
    for job in jobs.iter_mut() {
        let len = job.input.len();
        let fits = message_blocks(job.input).and_then(|_| output(len, job.output).map(|_| len));
        job.result = Some(fits);
    }
    let count = jobs.len();
    let messages = jobs.iter_mut().filter_map(|job| {
        let output = job.output.get_mut(..job.result?.ok()?)?;
        let blocks = InOutBuf::new(job.input, output).ok()?.into_chunks().0;
        Some(job.cipher.message(blocks))
    });
    batch::run(&QQ_DECRYPT, count, messages);
    for job in jobs {
        if let Some(Ok(len)) = job.result {
            let message = &mut job.output[..len];
            let text = opened(message, Tail::Zeros).map(|range| {
                message.copy_within(range.clone(), 0);
                message[range.len()..].fill(0);
                range.len()
            });
            job.result = Some(text);
        }
    }
}
