//! QQ messages: gofastTEA's table of sizes, by every backend and by the crate `tc_tea`.
//!
//! `taskset -c 1 cargo bench --bench qq`
//!
//! Every figure is of one whole call: key set-up, allocation, fill. Before the table stand, in the
//! processor's clocks, the latency of one block, which is what decides the rest, and the parts of a
//! message of 16 bytes.

// Criterion's macros make functions without documentation.
#![allow(missing_docs)]

mod clock;

use core::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use fasttea::{
    Be, Parameters, Tea,
    backend::{self, Backend},
    qq,
};

const KEY: &[u8; 16] = b"0123456789ABCDEF";
const SALT: &[u8; 10] = b"0123456789";
const SIZES: [usize; 4] = [16, 256, 4096, 32768];

fn text(len: usize) -> Vec<u8> {
    (0..251).cycle().take(len).collect()
}

fn cipher(backend: Backend) -> qq::Cipher {
    let tea = Tea::<Be>::from_parts(black_box(KEY), Parameters::QQ);
    qq::Cipher::from(tea.with_backend(backend))
}

/// Clocks of one block in a chain, beside a chain of dependent additions.
fn latency(criterion: &mut Criterion) {
    // Criterion's own figures follow; `--test` wants none.
    let _ = criterion;
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let text = text(32768);
    let head = [0; 10];
    let mut message = vec![0; 32768 + 16];
    for backend in backend::available() {
        let cipher = cipher(backend);
        let len = cipher
            .encrypt_with_fill(&head[..qq::fill_len(text.len())], &text, &mut message)
            .expect("the buffer is large enough");
        let message = &message[..len];
        let blocks = len / 8;

        let mut out = vec![0; len];
        let encrypt = clock::clocks(|| {
            let head = black_box(&head[..qq::fill_len(text.len())]);
            cipher.encrypt_with_fill(head, &text, &mut out)
        });
        let decrypt = clock::clocks(|| cipher.decrypt_into(black_box(message), &mut out));
        println!(
            "{backend:>10}: {:6.1} clocks a block to encrypt, {:6.1} to decrypt",
            encrypt / blocks as f64,
            decrypt / blocks as f64
        );
    }
}

/// Clocks of the parts of a short message.
fn short(criterion: &mut Criterion) {
    let _ = criterion;
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    const TIMES: usize = 1000;
    let text = text(16);
    let ready = qq::Cipher::new(KEY);
    let message = ready.encrypt(&text).expect("random bytes");
    let row = |what: &str, f: &mut dyn FnMut()| {
        let clocks = clock::clocks(|| (0..TIMES).for_each(|_| f())) / TIMES as f64;
        println!("16 bytes, {what}: {clocks:6.1} clocks");
    };
    row("encrypt", &mut || {
        let _ = black_box(ready.encrypt(black_box(&text)));
    });
    row("encrypt, with the key's set-up", &mut || {
        let _ = black_box(qq::Cipher::new(black_box(KEY)).encrypt(black_box(&text)));
    });
    row("decrypt", &mut || {
        let _ = black_box(ready.decrypt(black_box(&message)));
    });
    row("decrypt, with the key's set-up", &mut || {
        let _ = black_box(qq::Cipher::new(black_box(KEY)).decrypt(black_box(&message)));
    });
    row("the key's set-up", &mut || {
        black_box(qq::Cipher::new(black_box(KEY)));
    });
}

fn encrypt(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("qq/encrypt");
    for size in SIZES {
        let text = text(size);
        group.throughput(Throughput::Bytes(size as u64));
        for backend in backend::available() {
            if backend != backend::active() {
                group.bench_function(BenchmarkId::new(backend.name(), size), |bencher| {
                    bencher.iter(|| cipher(backend).encrypt(black_box(&text)));
                });
            }
        }
        let id = BenchmarkId::new(backend::active().name(), size);
        group.bench_function(id, |bencher| {
            bencher.iter(|| qq::Cipher::new(black_box(KEY)).encrypt(black_box(&text)));
        });
        group.bench_function(BenchmarkId::new("tc_tea, fixed salt", size), |bencher| {
            bencher.iter(|| tc_tea::encrypt_with_salt(black_box(&text), black_box(KEY), SALT));
        });
        group.bench_function(BenchmarkId::new("tc_tea", size), |bencher| {
            bencher.iter(|| tc_tea::encrypt(black_box(&text), black_box(KEY)));
        });
    }
}

fn decrypt(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("qq/decrypt");
    for size in SIZES {
        let message = tc_tea::encrypt_with_salt(text(size), KEY, SALT).expect("a valid key");
        group.throughput(Throughput::Bytes(size as u64));
        for backend in backend::available() {
            assert_eq!(
                cipher(backend).decrypt(&message).as_deref(),
                Ok(&*text(size))
            );
            if backend != backend::active() {
                group.bench_function(BenchmarkId::new(backend.name(), size), |bencher| {
                    bencher.iter(|| cipher(backend).decrypt(black_box(&message)));
                });
            }
        }
        let id = BenchmarkId::new(backend::active().name(), size);
        group.bench_function(id, |bencher| {
            bencher.iter(|| qq::Cipher::new(black_box(KEY)).decrypt(black_box(&message)));
        });
        group.bench_function(BenchmarkId::new("tc_tea", size), |bencher| {
            bencher.iter(|| tc_tea::decrypt(black_box(&message), black_box(KEY)));
        });
    }
}

criterion_group!(benches, latency, short, encrypt, decrypt);
criterion_main!(benches);
