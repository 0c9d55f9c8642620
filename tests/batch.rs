//! Batches against one message after the other.

#![allow(clippy::unwrap_used, clippy::cast_possible_truncation)]

mod common;

use common::{ORDERS, backends, painted};
use fasttea::{
    Be, Error, Key, Le, Order, Tea, Xeta, Xtea,
    backend::{self, Backend},
    cbc::{self, CbcCipher, Encryptor},
    cipher::{BlockCipherEncrypt, BlockModeEncrypt, IvState, KeyInit, consts::U8},
    qq,
};
use proptest::{collection::vec, prelude::*};
use rand_core::{TryCryptoRng, TryRng};

/// The most lanes of any backend.
const LANES: usize = 64;

/// Different numbers each time, and an end to them.
struct Counting {
    next: u64,
    left: usize,
}

impl Counting {
    fn new() -> Self {
        Self {
            next: 1,
            left: usize::MAX,
        }
    }
}

impl TryRng for Counting {
    type Error = std::io::Error;
    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        self.try_next_u64().map(|number| (number >> 32) as u32)
    }
    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        self.left = self.left.checked_sub(1).ok_or(std::io::ErrorKind::Other)?;
        self.next = self
            .next
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        Ok(self.next)
    }
    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Self::Error> {
        for byte in bytes {
            *byte = (self.try_next_u64()? >> 56) as u8;
        }
        Ok(())
    }
}
impl TryCryptoRng for Counting {}

fn key(i: usize) -> [u32; 4] {
    [i as u32, 0x0123_4567, !(i as u32), 0x89ab_cdef]
}

/// Checks all forms over texts, of which the ones at `damaged` are changed before decryption.
fn messages<O: Order>(ciphers: &[qq::Cipher<O>], texts: &[Vec<u8>], damaged: &[usize], what: &str) {
    let one_by_one: Vec<_> = {
        let mut rng = Counting::new();
        let pairs = ciphers.iter().zip(texts);
        pairs
            .map(|(cipher, text)| cipher.encrypt_with_rng(&mut rng, text))
            .collect()
    };
    let pairs = || ciphers.iter().zip(texts.iter().map(|text| &text[..]));
    let batch = qq::encrypt_batch_with_rng(&mut Counting::new(), pairs());
    assert_eq!(batch, one_by_one, "{what}");

    // Into buffers, with canaries behind.
    let mut outputs: Vec<Vec<u8>> = one_by_one
        .iter()
        .map(|message| vec![0xee; message.as_ref().unwrap().len() + 3])
        .collect();
    let mut jobs: Vec<_> = pairs()
        .zip(&mut outputs)
        .map(|((cipher, text), output)| qq::Job::new(cipher, text, output))
        .collect();
    qq::encrypt_batch_into(&mut Counting::new(), &mut jobs);
    for (job, message) in jobs.iter().zip(&one_by_one) {
        let message = message.as_ref().unwrap();
        assert_eq!(job.result, Ok(message.len()), "{what}");
        assert_eq!(&job.output[..message.len()], message, "{what}");
        assert_eq!(job.output[message.len()..], [0xee; 3], "{what}");
    }

    // And back, some of them damaged in every way there is.
    let mut messages: Vec<Vec<u8>> = one_by_one.into_iter().map(Result::unwrap).collect();
    for (i, &at) in damaged.iter().enumerate() {
        let message = &mut messages[at];
        match i % 4 {
            0 => message.truncate(message.len() - 1),
            1 => message.truncate(8),
            2 => *message.last_mut().unwrap() ^= 1,
            _ => message.fill(7),
        }
    }
    let pairs = || {
        ciphers
            .iter()
            .zip(messages.iter().map(|message| &message[..]))
    };
    let one_by_one: Vec<_> = pairs()
        .map(|(cipher, message)| cipher.decrypt(message))
        .collect();
    assert_eq!(qq::decrypt_batch(pairs()), one_by_one, "{what}");

    let mut outputs: Vec<Vec<u8>> = messages.iter().map(|m| vec![0xee; m.len() + 3]).collect();
    let mut jobs: Vec<_> = pairs()
        .zip(&mut outputs)
        .map(|((cipher, message), output)| qq::Job::new(cipher, message, output))
        .collect();
    qq::decrypt_batch_into(&mut jobs);
    for (job, text) in jobs.iter().zip(&one_by_one) {
        assert_eq!(
            job.result,
            text.as_ref().map(Vec::len).map_err(|error| *error),
            "{what}"
        );
        match text {
            Ok(text) => {
                let (front, rest) = job.output[..job.input.len()].split_at(text.len());
                assert_eq!(front, text, "{what}");
                assert!(rest.iter().all(|&byte| byte == 0), "{what}");
            }
            // Zeroed, or never written.
            Err(_) => assert!(
                job.output.iter().all(|&byte| byte == 0 || byte == 0xee),
                "{what}"
            ),
        }
        assert_eq!(job.output[job.input.len()..], [0xee; 3], "{what}");
    }
}

/// Every number of messages, of all the same and of different lengths.
#[test]
fn every_batch_size() {
    for backend in backends() {
        for order in ORDERS {
            with_order!(order, O => for n in (0..=3 * LANES + 1).chain([255, 256, 257, 600]) {
                let ciphers: Vec<_> = (0..n)
                    .map(|i| qq::Cipher::<O>::with_order(key(i)).with_backend(backend))
                    .collect();
                for mixed in [false, true] {
                    let len = |i: usize| if mixed { i * 37 % 211 } else { 61 };
                    let texts: Vec<_> = (0..n).map(|i| painted(len(i) + i).split_off(i)).collect();
                    let damaged: Vec<_> = (0..n).skip(1).step_by(5).collect();
                    messages(&ciphers, &texts, &damaged, &format!("{backend} {order} {n} {mixed}"));
                }
            });
        }
    }
}

/// One long message beside short ones, which end at every step.
#[test]
fn stragglers() {
    for backend in backends() {
        for long in 1..=5 {
            let texts: Vec<_> = (0..70)
                .map(|i| painted(if i < long { 5000 + i } else { 8 * i }))
                .collect();
            let ciphers: Vec<_> = (0..70)
                .map(|i| qq::Cipher::new(key(i)).with_backend(backend))
                .collect();
            messages(&ciphers, &texts, &[], &format!("{backend} {long}"));
        }
    }
}

/// Ciphers that cannot share a kernel call are right all the same.
#[test]
fn different_ciphers() {
    let sums: Vec<u32> = (1..=20).map(|i| i * 77).collect();
    let portable = backend::by_name("portable").unwrap();
    for backend in backends() {
        let ciphers: Vec<_> = (0..100)
            .map(|i| match i % 4 {
                0 => qq::Cipher::<Be>::with_order(key(i)).with_backend(backend),
                1 => qq::Cipher::with_sums(key(i), &sums[..16])
                    .unwrap()
                    .with_backend(backend),
                2 => qq::Cipher::with_sums(key(i), &sums)
                    .unwrap()
                    .with_backend(backend),
                _ => qq::Cipher::with_order(key(i)).with_backend(portable),
            })
            .collect();
        let texts: Vec<_> = (0..100).map(|i| painted(3 * i)).collect();
        messages(&ciphers, &texts, &[3, 4, 5, 6], backend.name());
    }
}

/// The default random source makes every message another one.
#[test]
fn random_fill() {
    let cipher = qq::Cipher::new(key(1));
    let mut batch: Vec<_> = qq::encrypt_batch([(&cipher, &b"same"[..]); 100])
        .into_iter()
        .map(Result::unwrap)
        .collect();
    for message in &batch {
        assert_eq!(cipher.decrypt(message).unwrap(), b"same");
    }
    batch.sort_unstable();
    batch.dedup();
    assert_eq!(batch.len(), 100);

    // All with one key.
    let texts: Vec<_> = (0..100).map(painted).collect();
    let messages: Vec<_> = cipher
        .encrypt_batch(&texts)
        .into_iter()
        .map(Result::unwrap)
        .collect();
    let again: Vec<_> = cipher
        .decrypt_batch(&messages)
        .into_iter()
        .map(Result::unwrap)
        .collect();
    assert_eq!(again, texts);
}

/// The iterator is gone through once, so that one with a source shared by its clones loses nothing.
#[test]
fn iterators_that_share() {
    let cipher = qq::Cipher::new(key(1));
    let all: Vec<_> = (0..20).map(painted).collect();
    let slices =
        core::cell::RefCell::new(all.iter().rev().map(|text| &text[..]).collect::<Vec<_>>());
    let shared = core::iter::from_fn(|| slices.borrow_mut().pop().map(|text| (&cipher, text)));
    let messages: Vec<_> = qq::encrypt_batch(shared)
        .into_iter()
        .map(Result::unwrap)
        .collect();
    assert_eq!(messages.len(), 20);
    for (message, text) in messages.iter().zip(&all) {
        assert_eq!(&cipher.decrypt(message).unwrap(), text);
    }
}

/// Each text has its own result where the random source ends midway.
#[test]
fn random_source_fails() {
    let cipher = qq::Cipher::new(key(1));
    let texts = vec![painted(40); 50];
    for good in 0..=50 {
        let mut rng = Counting {
            next: 1,
            // Two numbers a message.
            left: 2 * good,
        };
        let pairs = texts.iter().map(|text| (&cipher, &text[..]));
        for (i, message) in qq::encrypt_batch_with_rng(&mut rng, pairs)
            .into_iter()
            .enumerate()
        {
            match message {
                Ok(message) if i < good => assert_eq!(cipher.decrypt(&message).unwrap(), texts[i]),
                Err(Error::Random) if i >= good => {}
                other => panic!("{i} of {good}: {other:?}"),
            }
        }
    }
}

/// A buffer that is too small is its own message's failure, with the length that is needed.
#[test]
fn small_outputs() {
    let cipher = qq::Cipher::new(key(1));
    let text = painted(50);
    let message = cipher.encrypt(&text).unwrap();
    let needed = message.len();
    let mut outputs: Vec<Vec<u8>> = (0..40)
        .map(|i| vec![0xee; if i % 3 == 0 { needed - 1 } else { needed }])
        .collect();
    for decrypt in [false, true] {
        let mut jobs: Vec<_> = outputs
            .iter_mut()
            .map(|output| qq::Job::new(&cipher, if decrypt { &message } else { &text }, output))
            .collect();
        if decrypt {
            qq::decrypt_batch_into(&mut jobs);
        } else {
            qq::encrypt_batch_into(&mut Counting::new(), &mut jobs);
        }
        for (i, job) in jobs.iter().enumerate() {
            let wanted = match (i % 3, decrypt) {
                (0, _) => Err(Error::OutputTooSmall {
                    needed,
                    len: needed - 1,
                }),
                (_, false) => Ok(needed),
                (_, true) => Ok(text.len()),
            };
            assert_eq!(job.result, wanted);
            if i % 3 == 0 {
                assert_eq!(job.output, vec![0xee; needed - 1]);
            }
            assert!(!format!("{job:?}").contains("238"));
        }
    }
}

fn sessions<C>(new: impl Fn(usize) -> C, lens: &[usize], what: &str)
where
    C: CbcCipher<BlockSize = U8> + BlockCipherEncrypt + Clone,
{
    let start = |i: usize| Encryptor::try_with_iv(new(i), &[i as u8; 8]).unwrap();
    let mut one_by_one: Vec<_> = (0..lens.len()).map(start).collect();
    let mut batch: Vec<_> = (0..lens.len()).map(start).collect();
    // Sessions go on from batch to batch.
    for round in 0..3 {
        let texts: Vec<Vec<u8>> = lens
            .iter()
            .map(|len| painted(len + round).split_off(round))
            .collect();
        let mut bytes = texts.clone();
        let mut jobs: Vec<_> = batch
            .iter_mut()
            .zip(&mut bytes)
            .map(|(session, bytes)| cbc::Job::new(session, bytes))
            .collect();
        cbc::encrypt_batch(&mut jobs);
        let results: Vec<_> = jobs.iter().map(|job| job.result).collect();
        for (i, session) in one_by_one.iter_mut().enumerate() {
            let mut wanted = texts[i].clone();
            assert_eq!(results[i], session.encrypt_slice(&mut wanted), "{what} {i}");
            assert_eq!(bytes[i], wanted, "{what} {i}");
            assert_eq!(batch[i].iv_state(), session.iv_state(), "{what} {i}");
        }
    }
}

#[test]
fn cbc_sessions() {
    for backend in backends() {
        for n in (0..=3 * LANES + 1)
            .step_by(3)
            .chain([1, 2, 31, 32, 64, 65, 300])
        {
            // A bad length now and then.
            let lens: Vec<_> = (0..n)
                .map(|i| 8 * (i * 29 % 61) + usize::from(i % 11 == 7))
                .collect();
            let what = format!("{backend} {n}");
            let tea = |i| {
                Tea::<Be>::with_cycles(key(i), 32)
                    .unwrap()
                    .with_backend(backend)
            };
            sessions(tea, &lens, &format!("tea {what}"));
            let xtea = |i| {
                Xtea::<Le>::with_cycles(key(i), 32)
                    .unwrap()
                    .with_backend(backend)
            };
            sessions(xtea, &lens, &format!("xtea {what}"));
        }
        // Numbers of cycles that cannot share lanes.
        let mixed = |i: usize| {
            let cycles = 1 + (i % 3) as u32 * 20;
            Xtea::<Be>::with_cycles(key(i), cycles)
                .unwrap()
                .with_backend(backend)
        };
        sessions(mixed, &[80; 70], backend.name());
    }
    sessions(
        |i| Xeta::<Le>::with_cycles(key(i), 32).unwrap(),
        &[80; 70],
        "xeta",
    );
    let shared = Tea::<Be>::new(&[1; 16].into());
    sessions(|_| &shared, &[80; 70], "a cipher that is shared");
    // Whole-buffer calls and batches are the same session.
    let mut session = Encryptor::try_with_iv(Tea::<Be>::new(&[1; 16].into()), &[2; 8]).unwrap();
    let mut other = session.clone();
    let mut bytes = painted(64);
    cbc::encrypt_batch(&mut [cbc::Job::new(&mut session, &mut bytes)]);
    let mut wanted = painted(64);
    other.encrypt_blocks(common::blocks_mut(&mut wanted));
    assert_eq!(bytes, wanted);
}

/// Messages that end where a page does, of which nothing beyond may be touched.
#[cfg(unix)]
#[test]
#[allow(unsafe_code)]
fn protected_pages() {
    use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap_anonymous, mprotect};

    const PAGE: usize = 64 * 1024;
    let count = 2 * LANES + 3;
    // SAFETY: fresh anonymous memory, of which every second page is made inaccessible; the slices are
    // of the others, each of one message, and the mapping is never undone.
    let pages: Vec<&'static mut [u8]> = unsafe {
        let flags = MapFlags::PRIVATE;
        let all = ProtFlags::READ | ProtFlags::WRITE;
        let begin = mmap_anonymous(core::ptr::null_mut(), 2 * count * PAGE, all, flags).unwrap();
        (0..count)
            .map(|i| {
                let page = begin.cast::<u8>().add(2 * i * PAGE);
                mprotect(page.add(PAGE).cast(), PAGE, MprotectFlags::empty()).unwrap();
                core::slice::from_raw_parts_mut(page, PAGE)
            })
            .collect()
    };
    for backend in backends() {
        let ciphers: Vec<_> = (0..count)
            .map(|i| qq::Cipher::new(key(i)).with_backend(backend))
            .collect();
        let texts: Vec<_> = (0..count).map(|i| painted(i * 17)).collect();
        let mut rest: Vec<_> = pages.iter().map(|page| page.as_ptr()).collect();
        rest.dedup();
        assert_eq!(rest.len(), count);
        let mut jobs = Vec::new();
        for ((cipher, text), page) in ciphers.iter().zip(&texts).zip(&pages) {
            let len = qq::encrypted_len(text.len()).unwrap();
            // SAFETY: the end of the page, which nothing else uses while these jobs live.
            let output = unsafe {
                core::slice::from_raw_parts_mut(page.as_ptr().cast_mut().add(PAGE - len), len)
            };
            jobs.push(qq::Job::new(cipher, text, output));
        }
        qq::encrypt_batch_into(&mut Counting::new(), &mut jobs);
        for (job, text) in jobs.iter().zip(&texts) {
            assert_eq!(&job.cipher.decrypt(job.output).unwrap(), text, "{backend}");
        }
    }
}

proptest! {
    #[test]
    fn random_mixes(
        texts in vec(vec(any::<u8>(), 0..700), 0..90),
        long in vec(any::<u8>(), 0..5000),
        keys in vec(any::<[u8; 16]>(), 1..5),
        damaged in vec(0usize..90, 0..8),
        order in prop::sample::select(ORDERS.to_vec()),
    ) {
        let mut texts = texts;
        texts.push(long);
        let mut damaged: Vec<_> = damaged.into_iter().filter(|&i| i < texts.len()).collect();
        damaged.sort_unstable();
        damaged.dedup();
        with_order!(order, O => {
            let backends: Vec<Backend> = backend::available().collect();
            for backend in backends {
                let ciphers: Vec<_> = (0..texts.len())
                    .map(|i| Key::<O>::from(keys[i % keys.len()]))
                    .map(|key| qq::Cipher::with_order(key).with_backend(backend))
                    .collect();
                messages(&ciphers, &texts, &damaged, backend.name());
            }
        });
    }
}
