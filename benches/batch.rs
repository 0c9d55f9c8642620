//! Many messages at once: QQ and XTEA CBC batches of each size, by every backend that has lanes, beside
//! the loop that takes one message after the other. Each function has its batch size as its parameter.
//!
//! `taskset -c 1 cargo bench --bench batch`

// Criterion's macros make functions without documentation.
#![allow(missing_docs)]

use core::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use fasttea::{
    Be, Le, Parameters, Tea, Xtea,
    backend::{self, Backend},
    cbc, qq,
};

/// Numbers of messages.
const COUNTS: [u32; 8] = [1, 2, 3, 8, 16, 32, 64, 256];

fn ciphers(count: u32, backend: Backend) -> Vec<qq::Cipher> {
    (0..count)
        .map(|i| Tea::<Be>::from_parts([i, 2, 3, 4], Parameters::QQ).with_backend(backend))
        .map(qq::Cipher::from)
        .collect()
}

/// QQ messages of so many bytes.
fn messages(criterion: &mut Criterion, len: usize) {
    let text = vec![7; len];
    let mut encrypt = criterion.benchmark_group(format!("batch-{len}/encrypt"));
    for count in COUNTS {
        encrypt.throughput(Throughput::Bytes(len as u64 * u64::from(count)));
        for backend in backend::available() {
            let ciphers = ciphers(count, backend);
            encrypt.bench_function(BenchmarkId::new(backend.name(), count), |bencher| {
                let texts = ciphers.iter().map(|cipher| (cipher, black_box(&text[..])));
                bencher.iter(|| qq::encrypt_batch(texts.clone()));
            });
        }
        let ciphers = ciphers(count, backend::active());
        encrypt.bench_function(BenchmarkId::new("one by one", count), |bencher| {
            bencher.iter(|| -> Vec<_> {
                let each = ciphers.iter();
                each.map(|cipher| cipher.encrypt(black_box(&text)))
                    .collect()
            });
        });
    }
    encrypt.finish();

    let mut decrypt = criterion.benchmark_group(format!("batch-{len}/decrypt"));
    for count in COUNTS {
        decrypt.throughput(Throughput::Bytes(len as u64 * u64::from(count)));
        for backend in backend::available() {
            let ciphers = ciphers(count, backend);
            let messages: Vec<_> = ciphers
                .iter()
                .map(|cipher| cipher.encrypt(&text).expect("random bytes"))
                .collect();
            decrypt.bench_function(BenchmarkId::new(backend.name(), count), |bencher| {
                let pairs = ciphers
                    .iter()
                    .zip(messages.iter().map(|message| &message[..]));
                bencher.iter(|| qq::decrypt_batch(black_box(pairs.clone())));
            });
            if backend == backend::active() {
                decrypt.bench_function(BenchmarkId::new("one by one", count), |bencher| {
                    bencher.iter(|| -> Vec<_> {
                        let pairs = ciphers.iter().zip(&messages);
                        pairs
                            .map(|(cipher, message)| cipher.decrypt(black_box(message)))
                            .collect()
                    });
                });
            }
        }
    }
}

fn qq(criterion: &mut Criterion) {
    for len in [32, 256, 4096] {
        messages(criterion, len);
    }
}

fn xtea_cbc(criterion: &mut Criterion) {
    const LEN: usize = 4096;
    let mut group = criterion.benchmark_group("batch-cbc-xtea-32/encrypt");
    for count in COUNTS {
        group.throughput(Throughput::Bytes(LEN as u64 * u64::from(count)));
        for backend in backend::available() {
            let mut sessions: Vec<_> = (0..count)
                .map(|i| {
                    let xtea = Xtea::<Le>::from_key([i, 2, 3, 4]);
                    cbc::Encryptor::start(xtea.with_backend(backend), &[7; 8]).expect("eight bytes")
                })
                .collect();
            let mut buffers = vec![vec![1; LEN]; sessions.len()];
            group.bench_function(BenchmarkId::new(backend.name(), count), |bencher| {
                bencher.iter(|| {
                    let pairs = sessions.iter_mut().zip(&mut buffers);
                    let mut jobs: Vec<_> = pairs
                        .map(|(session, bytes)| cbc::Job::new(session, bytes))
                        .collect();
                    cbc::encrypt_batch(black_box(&mut jobs));
                });
            });
            if backend == backend::active() {
                group.bench_function(BenchmarkId::new("one by one", count), |bencher| {
                    bencher.iter(|| {
                        for (session, bytes) in sessions.iter_mut().zip(&mut buffers) {
                            let _ = session.encrypt_slice(black_box(bytes));
                        }
                    });
                });
            }
        }
    }
}

criterion_group!(benches, qq, xtea_cbc);
criterion_main!(benches);
