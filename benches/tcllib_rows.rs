//! The rows of the benchmark of Tcllib's `aes` package, for AES with each key size and for our ciphers: one
//! block with and without the key schedule, and the key schedules alone. Beside them CBC, where ours and
//! RustCrypto's `cbc` chain the same cipher.
//!
//! `taskset -c 1 cargo bench --bench tcllib_rows --features aes`

// Criterion's macros make functions without documentation.
#![allow(missing_docs)]

use core::hint::black_box;

use criterion::{
    BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main,
    measurement::WallTime,
};
use fasttea::{
    Be, Parameters, Tea, Xtea,
    aes::{Aes128, Aes192, Aes256},
    cbc::{CbcCipher, Decryptor, Encryptor},
    cipher::{
        Array, Block, BlockCipherEncrypt, BlockModeDecrypt, BlockModeEncrypt, InnerIvInit, KeyInit,
    },
};

const KEY: [u8; 32] = *b"0123456789ABCDEF0123456789ABCDEF";
const LONG: usize = 16 * 1024;

/// A row, as `cargo bench` names it.
fn row<R>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    bytes: usize,
    mut f: impl FnMut() -> R,
) {
    group.throughput(Throughput::Bytes(bytes as u64));
    group.bench_function(BenchmarkId::new(name, bytes), |bencher| {
        bencher.iter(&mut f);
    });
}

/// `new` sets up the key.
fn rows<C>(criterion: &mut Criterion, name: &str, new: impl Fn(&[u8; 32]) -> C)
where
    C: CbcCipher + BlockCipherEncrypt + Clone,
{
    let size = C::block_size();
    let mut group = criterion.benchmark_group(format!("tcllib/{name}"));
    let mut block = Block::<C>::default();
    let key = || black_box(&KEY);
    let iv = Array::default();

    row(&mut group, "ECB encryption", size, || {
        new(key()).encrypt_block(black_box(&mut block));
    });
    let cipher = new(&KEY);
    row(&mut group, "ECB encryption core", size, || {
        cipher.encrypt_block(black_box(&mut block));
    });
    row(&mut group, "ECB decryption", size, || {
        new(key()).decrypt_block(black_box(&mut block));
    });
    row(&mut group, "ECB decryption core", size, || {
        cipher.decrypt_block(black_box(&mut block));
    });
    row(&mut group, "ECB key schedule", size, || {
        black_box(new(key()));
    });
    row(&mut group, "CBC key schedule", size, || {
        black_box(Encryptor::inner_iv_init(new(key()), black_box(&iv)));
    });
    row(&mut group, "CBC key schedule, crate cbc", size, || {
        black_box(cbc::Encryptor::inner_iv_init(new(key()), black_box(&iv)));
    });

    let mut encrypt = Encryptor::inner_iv_init(cipher.clone(), &iv);
    let mut decrypt = Decryptor::inner_iv_init(cipher.clone(), &iv);
    let mut their_encrypt = cbc::Encryptor::inner_iv_init(cipher.clone(), &iv);
    let mut their_decrypt = cbc::Decryptor::inner_iv_init(cipher.clone(), &iv);
    for len in [size, LONG] {
        let mut blocks = vec![Block::<C>::default(); len / size];
        row(&mut group, "CBC encryption", len, || {
            encrypt.encrypt_blocks(black_box(&mut blocks));
        });
        row(&mut group, "CBC encryption, crate cbc", len, || {
            their_encrypt.encrypt_blocks(black_box(&mut blocks));
        });
        row(&mut group, "CBC decryption", len, || {
            decrypt.decrypt_blocks(black_box(&mut blocks));
        });
        row(&mut group, "CBC decryption, crate cbc", len, || {
            their_decrypt.decrypt_blocks(black_box(&mut blocks));
        });
    }
    group.finish();
}

/// AES with a key of as many bytes as it has.
fn aes<C: KeyInit>(key: &[u8; 32]) -> C {
    C::new_from_slice(&key[..C::key_size()]).expect("as long as it is")
}

fn tea(parameters: Parameters) -> impl Fn(&[u8; 32]) -> Tea<Be> {
    move |key| {
        let key: &[u8; 16] = key.first_chunk().expect("16 of 32");
        Tea::from_parts(key, parameters)
    }
}

fn all(criterion: &mut Criterion) {
    rows::<Aes128>(criterion, "aes-128", aes);
    rows::<Aes192>(criterion, "aes-192", aes);
    rows::<Aes256>(criterion, "aes-256", aes);
    rows(criterion, "tea-16", tea(Parameters::QQ));
    rows(criterion, "tea-32", tea(Parameters::STANDARD));
    rows(criterion, "xtea-32", |key| {
        Xtea::<Be>::new(key.first_chunk().expect("16 of 32").into())
    });
}

criterion_group!(benches, all);
criterion_main!(benches);
