//! Independent blocks (ECB): TEA with 16 cycles and XTEA with 32, by every backend, beside the crates
//! `tea-soft` and `xtea` and a plain loop that the compiler makes vectors of.
//!
//! `taskset -c 1 cargo bench --bench blocks`

// Criterion's macros make functions without documentation. tea-soft is older than the present
// generic-array.
#![allow(missing_docs, deprecated)]

use core::hint::black_box;

use criterion::{
    BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main,
    measurement::WallTime,
};
use fasttea::{
    Be, Le, Parameters, Tea, Xtea, backend,
    cipher::{Array, BlockCipherDecrypt, BlockCipherEncrypt, consts::U8},
};

const KEY: [u8; 16] = *b"0123456789ABCDEF";
const SIZES: [usize; 6] = [8, 64, 256, 1024, 16 * 1024, 1024 * 1024];

/// Measures `f` on a buffer of each size.
fn each_size(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, mut f: impl FnMut(&mut [u8])) {
    for size in SIZES {
        let mut bytes: Vec<u8> = (0..251).cycle().take(size).collect();
        group.throughput(Throughput::Bytes(size as u64));
        group.bench_function(BenchmarkId::new(name, size), |bencher| {
            bencher.iter(|| f(black_box(&mut bytes)));
        });
    }
}

fn blocks(bytes: &mut [u8]) -> &mut [Array<u8, U8>] {
    Array::slice_as_chunks_mut(bytes).0
}

fn tea(criterion: &mut Criterion) {
    use tea_soft::block_cipher::{BlockCipher, NewBlockCipher, generic_array::GenericArray};

    let new = || Tea::<Be>::from_parts(KEY, Parameters::QQ);
    let soft = tea_soft::Tea16::new(GenericArray::from_slice(&KEY));
    let mut check = ([1; 8], GenericArray::from([1; 8]));
    new().encrypt_slice(&mut check.0).expect("one block");
    soft.encrypt_block(&mut check.1);
    assert_eq!(check.0, *check.1, "tea-soft is another cipher");

    let mut group = criterion.benchmark_group("tea-16/encrypt");
    for backend in backend::available() {
        let cipher = new().with_backend(backend);
        each_size(&mut group, backend.name(), |bytes| {
            let _ = cipher.encrypt_slice(bytes);
        });
    }
    each_size(&mut group, "tea-soft", |bytes| {
        for block in bytes.chunks_exact_mut(8) {
            soft.encrypt_block(GenericArray::from_mut_slice(block));
        }
    });
    each_size(&mut group, "plain loop", |bytes| plain(bytes, tea_plain));
    group.finish();

    let mut group = criterion.benchmark_group("tea-16/decrypt");
    for backend in backend::available() {
        let cipher = new().with_backend(backend);
        each_size(&mut group, backend.name(), |bytes| {
            let _ = cipher.decrypt_slice(bytes);
        });
    }
    each_size(&mut group, "tea-soft", |bytes| {
        for block in bytes.chunks_exact_mut(8) {
            soft.decrypt_block(GenericArray::from_mut_slice(block));
        }
    });
}

fn xtea(criterion: &mut Criterion) {
    use xtea::cipher::KeyInit;

    let new = || Xtea::<Le>::from_key(KEY);
    let theirs = xtea::Xtea::new(&KEY.into());
    let mut check = ([1; 8], [1; 8]);
    new().encrypt_slice(&mut check.0).expect("one block");
    theirs.encrypt_blocks(blocks(&mut check.1));
    assert_eq!(check.0, check.1, "the crate xtea is another cipher");

    let mut group = criterion.benchmark_group("xtea-32/encrypt");
    for backend in backend::available() {
        let cipher = new().with_backend(backend);
        each_size(&mut group, backend.name(), |bytes| {
            let _ = cipher.encrypt_slice(bytes);
        });
    }
    let cipher = new();
    each_size(&mut group, "cipher traits", |bytes| {
        cipher.encrypt_blocks(blocks(bytes));
    });
    each_size(&mut group, "crate xtea", |bytes| {
        theirs.encrypt_blocks(blocks(bytes));
    });
    each_size(&mut group, "crate xtea, block by block", |bytes| {
        for block in blocks(bytes) {
            theirs.encrypt_block(black_box(block));
        }
    });
    each_size(&mut group, "plain loop", |bytes| plain(bytes, xtea_plain));
    group.finish();

    let mut group = criterion.benchmark_group("xtea-32/decrypt");
    for backend in backend::available() {
        let cipher = new().with_backend(backend);
        each_size(&mut group, backend.name(), |bytes| {
            let _ = cipher.decrypt_slice(bytes);
        });
    }
    each_size(&mut group, "cipher traits", |bytes| {
        cipher.decrypt_blocks(blocks(bytes));
    });
    each_size(&mut group, "crate xtea", |bytes| {
        theirs.decrypt_blocks(blocks(bytes));
    });
    each_size(&mut group, "crate xtea, block by block", |bytes| {
        for block in blocks(bytes) {
            theirs.decrypt_block(black_box(block));
        }
    });
}

/// Blocks of the plain loops, which take as many at a time.
const PLAIN: usize = 64;

/// What someone writes who wants the compiler to make vectors: rounds outside, blocks inside.
fn plain(bytes: &mut [u8], rounds: impl Fn(&mut [u32], &mut [u32])) {
    for bytes in bytes.chunks_mut(8 * PLAIN) {
        let (mut x, mut y) = ([0; PLAIN], [0; PLAIN]);
        let n = bytes.len() / 8;
        let word = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().expect("four bytes"));
        for (block, (x, y)) in bytes.chunks_exact(8).zip(x.iter_mut().zip(&mut y)) {
            (*x, *y) = (word(&block[..4]), word(&block[4..]));
        }
        rounds(&mut x[..n], &mut y[..n]);
        for (block, (x, y)) in bytes.chunks_exact_mut(8).zip(x.iter().zip(&y)) {
            block[..4].copy_from_slice(&x.to_le_bytes());
            block[4..].copy_from_slice(&y.to_le_bytes());
        }
    }
}

fn tea_plain(x: &mut [u32], y: &mut [u32]) {
    let key = black_box([1u32, 2, 3, 4]);
    let mix = |v: u32, sum: u32, a: u32, b: u32| {
        ((v << 4).wrapping_add(a)) ^ v.wrapping_add(sum) ^ ((v >> 5).wrapping_add(b))
    };
    let mut sum = 0u32;
    for _ in 0..16 {
        sum = sum.wrapping_add(0x9e37_79b9);
        for (x, y) in x.iter_mut().zip(&*y) {
            *x = x.wrapping_add(mix(*y, sum, key[0], key[1]));
        }
        for (x, y) in x.iter().zip(&mut *y) {
            *y = y.wrapping_add(mix(*x, sum, key[2], key[3]));
        }
    }
}

fn xtea_plain(x: &mut [u32], y: &mut [u32]) {
    let keys = black_box([7u32; 64]);
    let mix = |v: u32, key: u32| ((v << 4) ^ (v >> 5)).wrapping_add(v) ^ key;
    for pair in keys.chunks_exact(2) {
        for (x, y) in x.iter_mut().zip(&*y) {
            *x = x.wrapping_add(mix(*y, pair[0]));
        }
        for (x, y) in x.iter().zip(&mut *y) {
            *y = y.wrapping_add(mix(*x, pair[1]));
        }
    }
}

criterion_group!(benches, tea, xtea);
criterion_main!(benches);
