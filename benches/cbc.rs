//! CBC with TEA and XTEA of 32 cycles, by every backend, beside RustCrypto's `cbc` over the crate
//! `xtea` and over our own cipher.
//!
//! `taskset -c 1 cargo bench --bench cbc`

// Criterion's macros make functions without documentation.
#![allow(missing_docs)]

use core::hint::black_box;

use criterion::{
    BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main,
    measurement::WallTime,
};
use fasttea::{
    Le, Tea, Xtea, backend,
    cbc::{Decryptor, Encryptor},
    cipher::{Array, BlockModeDecrypt, BlockModeEncrypt, KeyInit, KeyIvInit, consts::U8},
};

const KEY: [u8; 16] = *b"0123456789ABCDEF";
const IV: [u8; 8] = [7; 8];
const SIZES: [usize; 6] = [8, 64, 256, 1024, 16 * 1024, 1024 * 1024];

/// Measures `f` on a buffer of each size.
fn each_size(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    mut f: impl FnMut(&mut [Array<u8, U8>]),
) {
    for size in SIZES {
        let mut bytes: Vec<u8> = (0..251).cycle().take(size).collect();
        let blocks = Array::slice_as_chunks_mut(&mut bytes).0;
        group.throughput(Throughput::Bytes(size as u64));
        group.bench_function(BenchmarkId::new(name, size), |bencher| {
            bencher.iter(|| f(black_box(blocks)));
        });
    }
}

fn encrypt(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("cbc-tea-32/encrypt");
    for backend in backend::available() {
        let tea = Tea::<Le>::new(&KEY.into()).with_backend(backend);
        let mut ours = Encryptor::start(tea, &IV).expect("eight bytes");
        each_size(&mut group, backend.name(), |blocks| {
            ours.encrypt_blocks(blocks);
        });
    }
    group.finish();

    let mut group = criterion.benchmark_group("cbc-xtea-32/encrypt");
    for backend in backend::available() {
        let xtea = Xtea::<Le>::new(&KEY.into()).with_backend(backend);
        let mut ours = Encryptor::start(xtea, &IV).expect("eight bytes");
        each_size(&mut group, backend.name(), |blocks| {
            ours.encrypt_blocks(blocks);
        });
    }
    let mut theirs = cbc::Encryptor::<xtea::Xtea>::new(&KEY.into(), &IV.into());
    each_size(&mut group, "cbc + xtea", |blocks| {
        theirs.encrypt_blocks(blocks);
    });
    let mut mixed = cbc::Encryptor::<Xtea<Le>>::new(&KEY.into(), &IV.into());
    each_size(&mut group, "cbc + fasttea", |blocks| {
        mixed.encrypt_blocks(blocks);
    });
}

fn decrypt(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("cbc-tea-32/decrypt");
    for backend in backend::available() {
        let tea = Tea::<Le>::new(&KEY.into()).with_backend(backend);
        let mut ours = Decryptor::start(tea, &IV).expect("eight bytes");
        each_size(&mut group, backend.name(), |blocks| {
            ours.decrypt_blocks(blocks);
        });
    }
    group.finish();

    let mut group = criterion.benchmark_group("cbc-xtea-32/decrypt");
    for backend in backend::available() {
        let xtea = Xtea::<Le>::new(&KEY.into()).with_backend(backend);
        let mut ours = Decryptor::start(xtea, &IV).expect("eight bytes");
        each_size(&mut group, backend.name(), |blocks| {
            ours.decrypt_blocks(blocks);
        });
    }
    let mut theirs = cbc::Decryptor::<xtea::Xtea>::new(&KEY.into(), &IV.into());
    each_size(&mut group, "cbc + xtea", |blocks| {
        theirs.decrypt_blocks(blocks);
    });
    let mut mixed = cbc::Decryptor::<Xtea<Le>>::new(&KEY.into(), &IV.into());
    each_size(&mut group, "cbc + fasttea", |blocks| {
        mixed.decrypt_blocks(blocks);
    });
}

criterion_group!(benches, encrypt, decrypt);
criterion_main!(benches);
