//! Long-running programs: memory does not grow, and threads can share a key.

#![allow(unsafe_code, clippy::unwrap_used)]

mod common;

use core::{
    alloc::{GlobalAlloc, Layout},
    hint::black_box,
    sync::atomic::{AtomicUsize, Ordering},
};
use std::{alloc::System, thread};

use common::{backends::backends, painted};
use fasttea::{
    Be, Le, Tea, Xtea,
    cbc::{Decryptor, Encryptor},
    qq,
};

/// The system's allocator, which counts the bytes that are in use.
struct Counting;

static IN_USE: AtomicUsize = AtomicUsize::new(0);

/// What the harness, in another thread, may take meanwhile. A leak in a loop is larger.
const HARNESS: usize = 4096;

// SAFETY: everything is the system allocator's.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        IN_USE.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn key(i: u32) -> [u32; 4] {
    [i, !i, i.rotate_left(7), 1]
}

/// One of everything, with its own key.
fn short_lived(i: u32) {
    let text = b"sixteen bytes 16";
    let qq = qq::Cipher::new(key(i));
    let message = qq.encrypt(text).unwrap();
    assert_eq!(qq.decrypt(&message).unwrap(), text);
    assert!(qq.decrypt(&message[8..]).is_err());

    let mut bytes = *text;
    let tea = Tea::<Be>::from_key(key(i));
    let mut session = Encryptor::start(tea.clone(), &[7; 8]).unwrap();
    session.encrypt_slice(&mut bytes).unwrap();
    let mut session = Decryptor::start(tea, &[7; 8]).unwrap();
    session.decrypt_slice(&mut bytes).unwrap();
    let xtea = Xtea::<Le>::from_key(key(i));
    xtea.encrypt_slice(&mut bytes).unwrap();
    xtea.decrypt_slice(&mut bytes).unwrap();
    assert_eq!(bytes, *text);
}

// One test, since the count is of the whole process.
#[test]
fn memory_does_not_grow_and_threads_share_keys() {
    short_lived(0);
    let before = IN_USE.load(Ordering::Relaxed);
    for i in 0..100_000 {
        short_lived(i);
    }
    let grown = || IN_USE.load(Ordering::Relaxed).saturating_sub(before);
    assert!(grown() < HARNESS);
    // The count sees what is not given back.
    let kept = black_box(vec![0u8; 2 * HARNESS]);
    assert!(grown() > HARNESS);
    drop(kept);

    // Each thread has its own generator, which ends with it.
    let run = || thread::spawn(|| short_lived(1)).join().unwrap();
    run();
    let before = IN_USE.load(Ordering::Relaxed);
    for _ in 0..200 {
        run();
    }
    assert!(IN_USE.load(Ordering::Relaxed) < before + HARNESS);

    for backend in backends() {
        let qq = common::qq::<Be>(key(3), backend);
        let xtea = Xtea::<Le>::from_key(key(3)).with_backend(backend);
        let text = painted(1000);
        thread::scope(|scope| {
            for thread in 0..2 {
                let (qq, xtea, text) = (&qq, &xtea, &text);
                scope.spawn(move || {
                    for i in 0..300 {
                        let text = &text[thread + i..][..8 * (1 + i % 80)];
                        let message = qq.encrypt(text).unwrap();
                        assert_eq!(qq.decrypt(&message).unwrap(), text);
                        let batch = qq.encrypt_batch(&vec![text; 1 + i % 20]);
                        let batch: Vec<_> = batch.into_iter().map(Result::unwrap).collect();
                        for decrypted in qq.decrypt_batch(&batch) {
                            assert_eq!(decrypted.unwrap(), text);
                        }
                        let mut bytes = text.to_vec();
                        xtea.encrypt_slice(&mut bytes).unwrap();
                        assert_ne!(bytes, text);
                        xtea.decrypt_slice(&mut bytes).unwrap();
                        assert_eq!(bytes, text);
                    }
                });
            }
        });
    }
}
