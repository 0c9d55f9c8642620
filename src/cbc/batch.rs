//! Many sessions at once.

use core::fmt;

use cipher::AlgorithmName;

use super::{chain::CbcCipher, encrypt::Encryptor};
use crate::{blocks::whole_blocks, error::Error};

/// One session of a batch: whole blocks to encrypt in place, and what came of it.
pub struct Job<'a, C: CbcCipher> {
    session: &'a mut Encryptor<C>,
    bytes: &'a mut [u8],
    result: Option<Result<(), Error>>,
}

impl<'a, C: CbcCipher> Job<'a, C> {
    /// A job that has not run: it encrypts `bytes`, which are whole blocks, in place. The session
    /// then goes on behind them.
    pub fn new(session: &'a mut Encryptor<C>, bytes: &'a mut [u8]) -> Self {
        Self {
            session,
            bytes,
            result: None,
        }
    }

    /// `None` until the batch has run.
    ///
    /// # Errors
    /// [`Error::NotBlockMultiple`] unless the length is a multiple of the block size; bytes and session
    /// are as they were.
    #[must_use]
    pub fn result(&self) -> Option<Result<(), Error>> {
        self.result
    }
}

/// The length, and neither key nor text.
impl<C: CbcCipher + AlgorithmName> fmt::Debug for Job<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("cbc::Job")
            .field("session", &self.session)
            .field("bytes", &self.bytes.len())
            .field("result", &self.result)
            .finish()
    }
}

/// Encrypts with many sessions at once, each with its own key. Allocates nothing.
///
/// CBC encryption is serial for one message. Many of them run side by side in vectors: with AVX-512 up
/// to eighteen times as fast as one after the other. (Decryption needs no batch.)
///
/// [`Xeta`](crate::Xeta) and AES run one by one, and so does every cipher by a backend
/// [without lanes](crate::backend::Description::lanes). A batch is run in chunks of up to 256 jobs. A
/// job that differs from the first of its chunk in cycles, backend or [`Tea`](crate::Tea)'s sums runs
/// by itself.
///
/// # Examples
///
/// ```
/// use fasttea::{Le, Xtea, cbc, cipher::KeyIvInit};
///
/// let mut sessions = [1u8, 2, 3].map(|key| {
///     cbc::Encryptor::<Xtea<Le>>::new(&[key; 16].into(), &[7; 8].into())
/// });
/// let mut packets = [[0; 16], [1; 16], [2; 16]];
/// let mut jobs: Vec<_> = sessions
///     .iter_mut()
///     .zip(&mut packets)
///     .map(|(session, packet)| cbc::Job::new(session, packet))
///     .collect();
/// cbc::encrypt_batch(&mut jobs);
/// assert!(jobs.iter().all(|job| job.result() == Some(Ok(()))));
/// ```
pub fn encrypt_batch<C: CbcCipher>(jobs: &mut [Job<'_, C>]) {
    let count = jobs.len();
    let sessions = jobs.iter_mut().filter_map(|job| {
        let blocks = whole_blocks(job.bytes);
        job.result = Some(blocks.as_ref().map(|_| ()).map_err(|&error| error));
        let Encryptor { cipher, value } = &mut *job.session;
        Some((&*cipher, value, blocks.ok()?))
    });
    C::encrypt_chains(sessions, count);
}
