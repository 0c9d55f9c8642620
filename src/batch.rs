//! Batches: many independent messages at once, one in each lane of a vector.
//!
//! Messages that share all but their keys run together; others run one by one.

use core::cmp::Reverse;

use crate::{
    backend::{Backend, Chained, Job},
    schedule::{Schedule, SumTable},
};

/// The most messages that are sorted and run together: their jobs stand on the stack.
const LARGE: usize = 256;

/// The same for smaller batches, for which a large table does not pay.
const MEDIUM: usize = 64;
const SMALL: usize = 8;

/// Two messages repay the lanes' set-up from so many blocks on, by measurement.
const TWO_FROM: usize = 16;

/// A message, and who runs it.
pub(crate) struct Message<'a, const K: usize, S> {
    pub(crate) backend: Backend,
    pub(crate) job: Job<'a, K, S>,
}

/// Runs messages, of which there are at most `count`, through a chain.
pub(crate) fn run<'a, const K: usize, S: SumTable>(
    kind: &Chained<K, S>,
    count: usize,
    messages: impl Iterator<Item = Message<'a, K, S>>,
) {
    if count <= SMALL {
        run_by::<K, S, SMALL>(kind, count, messages);
    } else if count <= MEDIUM {
        run_by::<K, S, MEDIUM>(kind, count, messages);
    } else {
        run_by::<K, S, LARGE>(kind, count, messages);
    }
}

fn run_by<'a, const K: usize, S: SumTable, const N: usize>(
    kind: &Chained<K, S>,
    count: usize,
    mut messages: impl Iterator<Item = Message<'a, K, S>>,
) {
    loop {
        let mut jobs: [Option<Job<'a, K, S>>; N] = [const { None }; N];
        let mut len = 0;
        let mut first: Option<(Backend, &'a Schedule<K, S>)> = None;
        while len < N {
            let Some(Message { backend, job }) = messages.next() else {
                break;
            };
            let first = *first.get_or_insert((backend, job.schedule));
            if runs_alone(count, first, backend, &job) {
                backend.lanes(kind, &mut [Some(job)]);
            } else {
                jobs[len] = Some(job);
                len += 1;
            }
        }
        let Some((backend, _)) = first else {
            break;
        };
        let jobs = &mut jobs[..len];
        sort(jobs);
        backend.lanes(kind, jobs);
    }
}

/// Whether a message runs for itself, that is one of `count`: two short ones do not repay the lanes'
/// set-up, and what differs from the first message cannot share its lanes.
fn runs_alone<const K: usize, S: SumTable>(
    count: usize,
    (first_backend, first): (Backend, &Schedule<K, S>),
    backend: Backend,
    job: &Job<'_, K, S>,
) -> bool {
    count == 1
        || count == 2 && job.blocks.len() < TWO_FROM
        || backend != first_backend
        || !first.fits(job.schedule)
}

/// The longest first: then the lanes end together.
fn sort<const K: usize, S: SumTable>(jobs: &mut [Option<Job<'_, K, S>>]) {
    let len = |job: &Option<Job<'_, K, S>>| job.as_ref().map_or(0, |job| job.blocks.len());
    if !jobs.is_sorted_by_key(|job| Reverse(len(job))) {
        jobs.sort_unstable_by_key(|job| Reverse(len(job)));
    }
}
