//! Batches: many independent messages at once, one in each lane of a vector.
//!
//! What of the messages is not the same goes one by one: a batch shares cycles, word order, sums and
//! backend, and the keys are each message's own.

use core::cmp::Reverse;

use crate::{
    backend::{Blocks, Job},
    qq::State,
    schedule::Schedule,
};

/// The most messages that are sorted and run together: their jobs stand on the stack.
pub(crate) const CHUNK: usize = 256;

/// The same for small batches, for which a large table does not pay.
pub(crate) const SMALL: usize = 8;
pub(crate) const MEDIUM: usize = 64;

/// Batches of so few messages are no batches.
const ALONE: usize = 1;

/// Two messages repay the lanes' set-up from so many blocks on, by measurement.
const TWO_FROM: usize = 16;

/// Whether a message goes one by one, that is one of `count` in its batch and has so many blocks.
pub(crate) fn is_alone(count: usize, blocks: usize) -> bool {
    count <= ALONE || (count == 2 && blocks < TWO_FROM)
}

/// Whether it is known that these are so few.
#[cfg(feature = "alloc")]
pub(crate) fn is_none(messages: &impl Iterator) -> bool {
    messages.size_hint().1.is_some_and(|count| count <= ALONE)
}

/// Collects jobs that can run together.
pub(crate) struct Jobs<'a, const K: usize, const N: usize> {
    jobs: [Option<Job<'a, K>>; N],
    len: usize,
}

impl<'a, const K: usize, const N: usize> Jobs<'a, K, N> {
    pub(crate) fn new() -> Self {
        Self {
            jobs: [const { None }; N],
            len: 0,
        }
    }

    pub(crate) fn push(&mut self, job: Job<'a, K>) {
        if let Some(slot) = self.jobs.get_mut(self.len) {
            *slot = Some(job);
            self.len += 1;
        }
    }

    pub(crate) fn is_full(&self) -> bool {
        self.len == N
    }

    /// The jobs, the longest first: then the lanes end together.
    pub(crate) fn sorted(&mut self) -> &mut [Option<Job<'a, K>>] {
        let jobs = &mut self.jobs[..self.len];
        let len = |job: &Option<Job<'_, K>>| job.as_ref().map_or(0, |job| job.blocks.len());
        if !jobs.is_sorted_by_key(|job| Reverse(len(job))) {
            jobs.sort_unstable_by_key(|job| Reverse(len(job)));
        }
        jobs
    }
}

/// A cipher that has lanes for CBC.
pub(crate) trait BatchCipher<const K: usize> {
    fn schedule(&self) -> &Schedule<K>;
    /// Whether both can share the lanes of one kernel call.
    fn runs_with(&self, other: &Self) -> bool;
    fn encrypt_alone(&self, value: &mut [u32; 2], blocks: Blocks<'_, '_>);
    fn encrypt_jobs(&self, jobs: &mut [Option<Job<'_, K>>]);
}

/// Encrypts with several CBC sessions, of which there are at most `count`: cipher, chaining value and
/// blocks.
pub(crate) fn cbc_encrypt<'a, C, const K: usize>(
    sessions: impl Iterator<Item = (&'a C, &'a mut [u32; 2], Blocks<'a, 'a>)>,
    count: usize,
) where
    C: BatchCipher<K> + 'a,
{
    if count <= SMALL {
        cbc_encrypt_by::<C, K, SMALL>(sessions);
    } else if count <= MEDIUM {
        cbc_encrypt_by::<C, K, MEDIUM>(sessions);
    } else {
        cbc_encrypt_by::<C, K, CHUNK>(sessions);
    }
}

fn cbc_encrypt_by<'a, C, const K: usize, const N: usize>(
    mut sessions: impl Iterator<Item = (&'a C, &'a mut [u32; 2], Blocks<'a, 'a>)>,
) where
    C: BatchCipher<K> + 'a,
{
    loop {
        let mut jobs = Jobs::<K, N>::new();
        let mut values = [const { None }; N];
        let mut first: Option<&C> = None;
        while !jobs.is_full() {
            let Some((cipher, value, blocks)) = sessions.next() else {
                break;
            };
            let first = *first.get_or_insert(cipher);
            if !first.runs_with(cipher) {
                cipher.encrypt_alone(value, blocks);
                continue;
            }
            let state = State {
                ciphertext: *value,
                mixed: [0; 2],
            };
            values[jobs.len] = Some(value);
            jobs.push(Job {
                key: cipher.schedule(),
                state,
                blocks,
                id: jobs.len,
            });
        }
        let Some(first) = first else {
            break;
        };
        let jobs = jobs.sorted();
        first.encrypt_jobs(jobs);
        for job in jobs.iter().flatten() {
            if let Some(value) = &mut values[job.id] {
                **value = job.state.ciphertext;
            }
        }
    }
}
