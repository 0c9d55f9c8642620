//! Batches against one message after the other.

#![allow(clippy::unwrap_used, clippy::cast_possible_truncation)]

mod common;

use common::{backends::backends, painted};
use fasttea::{
    Be, ByteOrder, Error, Key, Le, Order, Parameters, Sums, Tea, Xeta, Xtea,
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
        assert_eq!(job.result(), Some(Ok(message.len())), "{what}");
        assert_eq!(job.output(), message, "{what}");
    }
    drop(jobs);
    for output in &outputs {
        assert!(output.ends_with(&[0xee; 3]), "{what}");
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
        let len = text.as_ref().map(Vec::len).map_err(|error| *error);
        assert_eq!(job.result(), Some(len), "{what}");
        assert_eq!(job.output(), text.as_deref().unwrap_or_default(), "{what}");
    }
    drop(jobs);
    for ((output, message), text) in outputs.iter().zip(&messages).zip(&one_by_one) {
        let (output, behind) = output.split_at(message.len());
        match text {
            Ok(text) => assert!(output[text.len()..].iter().all(|&byte| byte == 0), "{what}"),
            // Zeroed, or never written.
            Err(_) => assert!(
                output.iter().all(|&byte| byte == 0 || byte == 0xee),
                "{what}"
            ),
        }
        assert_eq!(behind, [0xee; 3], "{what}");
    }
}

/// Of messages that are all as long, and of others.
#[test]
fn a_batch_of_any_size_is_as_one_by_one() {
    for backend in backends() {
        for order in ByteOrder::ALL {
            with_order!(order, O => for n in (0..=3 * LANES + 1).chain([255, 256, 257, 600]) {
                let ciphers: Vec<_> = (0..n)
                    .map(|i| common::qq::<O>(key(i), backend))
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

/// Which end at every step.
#[test]
fn long_messages_run_beside_short_ones() {
    for backend in backends() {
        for long in 1..=5 {
            let texts: Vec<_> = (0..70)
                .map(|i| painted(if i < long { 5000 + i } else { 8 * i }))
                .collect();
            let ciphers: Vec<_> = (0..70).map(|i| common::qq::<Be>(key(i), backend)).collect();
            messages(&ciphers, &texts, &[], &format!("{backend} {long}"));
        }
    }
}

/// They cannot share a kernel call.
#[test]
fn different_ciphers_in_one_batch_are_right() {
    let sums: Vec<u32> = (1..=20).map(|i| i * 77).collect();
    let portable = backend::by_name("portable").unwrap();
    for backend in backends() {
        let ciphers: Vec<_> = (0..100)
            .map(|i| {
                let (sums, backend) = match i % 4 {
                    0 => (Parameters::QQ.into(), backend),
                    1 => (Sums::new(&sums[..16]).unwrap(), backend),
                    2 => (Sums::new(&sums).unwrap(), backend),
                    _ => (Parameters::QQ.into(), portable),
                };
                qq::Cipher::from(Tea::<Be>::from_parts(key(i), sums).with_backend(backend))
            })
            .collect();
        let texts: Vec<_> = (0..100).map(|i| painted(3 * i)).collect();
        messages(&ciphers, &texts, &[3, 4, 5, 6], backend.name());
    }
}

/// By the default random source.
#[test]
fn no_two_messages_of_a_batch_are_the_same() {
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

/// One with a source shared by its clones would lose messages.
#[test]
fn an_iterator_is_gone_through_once() {
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

#[test]
fn each_text_has_its_own_result_where_the_random_source_ends() {
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

/// With the length that is needed.
#[test]
fn a_small_output_fails_its_own_message_alone() {
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
            assert_eq!(job.result(), Some(wanted));
            assert!(!format!("{job:?}").contains("238"));
        }
        drop(jobs);
        for output in outputs.iter().step_by(3) {
            assert_eq!(*output, vec![0xee; needed - 1]);
        }
    }
}

fn sessions<C>(new: impl Fn(usize) -> C, lens: &[usize], what: &str)
where
    C: CbcCipher<BlockSize = U8> + BlockCipherEncrypt + Clone,
{
    let start = |i: usize| Encryptor::start(new(i), &[i as u8; 8]).unwrap();
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
        let results: Vec<_> = jobs.iter().map(|job| job.result().unwrap()).collect();
        for (i, session) in one_by_one.iter_mut().enumerate() {
            let mut wanted = texts[i].clone();
            assert_eq!(results[i], session.encrypt_slice(&mut wanted), "{what} {i}");
            assert_eq!(bytes[i], wanted, "{what} {i}");
            assert_eq!(batch[i].iv_state(), session.iv_state(), "{what} {i}");
        }
    }
}

#[test]
fn a_batch_of_sessions_is_as_one_by_one() {
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
            let tea = |i| Tea::<Be>::from_key(key(i)).with_backend(backend);
            sessions(tea, &lens, &format!("tea {what}"));
            let xtea = |i| Xtea::<Le>::from_key(key(i)).with_backend(backend);
            sessions(xtea, &lens, &format!("xtea {what}"));
        }
        // Numbers of cycles that cannot share lanes.
        let mixed = |i: usize| {
            let cycles = 1 + (i % 3) as u32 * 20;
            Xtea::<Be>::from_parts(key(i), Parameters::from_cycles(cycles).unwrap())
                .with_backend(backend)
        };
        sessions(mixed, &[80; 70], backend.name());
    }
    sessions(|i| Xeta::<Le>::from_key(key(i)), &[80; 70], "xeta");
    let shared = Tea::<Be>::new(&[1; 16].into());
    sessions(|_| &shared, &[80; 70], "a cipher that is shared");
    // Whole-buffer calls and batches are the same session.
    let mut session = Encryptor::start(Tea::<Be>::new(&[1; 16].into()), &[2; 8]).unwrap();
    let mut other = session.clone();
    let mut bytes = painted(64);
    cbc::encrypt_batch(&mut [cbc::Job::new(&mut session, &mut bytes)]);
    let mut wanted = painted(64);
    other.encrypt_blocks(common::blocks_mut(&mut wanted));
    assert_eq!(bytes, wanted);
}

/// The outputs end where a page does.
#[cfg(unix)]
#[test]
#[allow(unsafe_code)]
fn nothing_behind_an_output_is_touched() {
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
            .map(|i| common::qq::<Be>(key(i), backend))
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
        for ((job, cipher), text) in jobs.iter().zip(&ciphers).zip(&texts) {
            assert_eq!(&cipher.decrypt(job.output()).unwrap(), text, "{backend}");
        }
    }
}

proptest! {
    #[test]
    fn any_mix_is_as_one_by_one(
        texts in vec(vec(any::<u8>(), 0..700), 0..90),
        long in vec(any::<u8>(), 0..5000),
        keys in vec(any::<[u8; 16]>(), 1..5),
        damaged in vec(0usize..90, 0..8),
        order in prop::sample::select(ByteOrder::ALL.to_vec()),
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
                    .map(|key| common::qq(key, backend))
                    .collect();
                messages(&ciphers, &texts, &damaged, backend.name());
            }
        });
    }
}

#[test]
fn jobs_that_have_not_run_have_no_result() {
    let cipher = qq::Cipher::new(key(1));
    let mut output = [0xee; 32];
    let job = qq::Job::new(&cipher, b"a text", &mut output);
    assert_eq!((job.result(), job.output()), (None, &[][..]));

    let mut session = Encryptor::start(Tea::<Be>::from_key(key(1)), &[7; 8]).unwrap();
    let mut bytes = [0; 16];
    let job = cbc::Job::new(&mut session, &mut bytes);
    assert_eq!(job.result(), None);
}
