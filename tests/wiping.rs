//! Nothing secret is left in memory: a test that looks, in what has been dropped and in the stack below.
//!
//! On the stack it is the hand-written backends that are looked after: the portable one is Rust, whose
//! compiler may put a word anywhere.

#![allow(unsafe_code, clippy::unwrap_used)]

mod common;

use core::{
    hint::black_box,
    mem::{MaybeUninit, size_of},
    ptr,
};

use common::painted;
use fasttea::{
    Be, Key, Sums, Tea, Xeta, Xtea, backend,
    cbc::{self, Decryptor, Encryptor},
    qq,
};

/// Words that occur nowhere else.
const KEY: [u32; 4] = [0x9b3f_61c7, 0x02d8_4ea5, 0x5c1f_7e83, 0xa6d2_0b94];
const IV: [u8; 8] = [0xd1, 0x5e, 0x83, 0x2f, 0x9c, 0x47, 0xb6, 0xea];

const SUMS: [u32; 64] = [0x9e37_79b9; 64];

/// Zeroes the stack below, where what other calls left would count. Tests get the stack of a thread
/// that ended.
#[inline(never)]
fn clear_stack() {
    let mut below = [0u8; 256 * 1024];
    // SAFETY: the array is ours.
    unsafe { ptr::write_volatile(&raw mut below, [0; 256 * 1024]) };
    black_box(&mut below);
}

/// Made in a frame of its own, so that nothing of it stays in registers that calls save.
#[inline(never)]
fn boxed<T>(make: impl FnOnce() -> T) -> Box<T> {
    Box::new(make())
}

/// The bytes of a value, before and after it is dropped.
///
/// All of them should be initialised: a move may fill the others with what is on the stack. Where that
/// cannot be, the stack is at least zero when `make` begins.
fn dropped<T>(make: impl FnOnce() -> T) -> [Vec<u8>; 2] {
    clear_stack();
    let mut slot = boxed(|| MaybeUninit::new(make()));
    let bytes = |slot: &MaybeUninit<T>| {
        // SAFETY: the slot is `size_of` bytes long; padding is read as what happens to be there.
        (0..size_of::<T>())
            .map(|i| unsafe { slot.as_ptr().cast::<u8>().add(i).read_volatile() })
            .collect()
    };
    let before = bytes(&slot);
    // SAFETY: the value is there, and is not used again.
    unsafe { slot.assume_init_drop() };
    [before, bytes(&slot)]
}

/// TEA with sums of its own: with the standard ones most of the object is uninitialised.
fn initialised_tea() -> Tea<Be> {
    Tea::from_parts(KEY, Sums::new(&SUMS).unwrap())
}

fn has(bytes: &[u8], secret: &[u8]) -> bool {
    bytes.windows(secret.len()).any(|window| window == secret)
}

// Not inlined, lest the tests keep the words in registers, which the calls under test would save.
#[inline(never)]
fn has_key(bytes: &[u8]) -> bool {
    KEY.iter().any(|word| has(bytes, &word.to_ne_bytes()))
}

#[test]
fn dropped_ciphers_leave_no_key() {
    let objects = [
        ("Key", dropped(|| Key::<Be>::from(KEY))),
        ("Tea", dropped(initialised_tea)),
        ("Xtea", dropped(|| Xtea::<Be>::from_key(KEY))),
        ("Xeta", dropped(|| Xeta::<Be>::from_key(KEY))),
        ("qq", dropped(|| qq::Cipher::from(initialised_tea()))),
    ];
    for (name, [before, after]) in objects {
        // XTEA's first round key is the first key word.
        assert!(
            has_key(&before),
            "{name}: the test looks at the wrong bytes"
        );
        assert!(!has_key(&after), "{name}");
    }
}

#[test]
fn dropped_sessions_leave_neither_key_nor_chaining_value() {
    fn check(name: &str, [before, after]: [Vec<u8>; 2]) {
        let value = |bytes: &[u8]| {
            let words = IV
                .as_chunks::<4>()
                .0
                .iter()
                .map(|word| u32::from_be_bytes(*word));
            words
                .into_iter()
                .any(|word| has(bytes, &word.to_ne_bytes()))
        };
        assert!(
            has_key(&before) && value(&before),
            "{name}: the test looks at the wrong bytes"
        );
        assert!(!has_key(&after) && !value(&after), "{name}");
    }
    let tea = initialised_tea;
    let xtea = || Xtea::<Be>::from_key(KEY);
    let encryptor = dropped(|| Encryptor::start(tea(), &IV).unwrap());
    check("Encryptor<Tea>", encryptor);
    let decryptor = dropped(|| Decryptor::start(tea(), &IV).unwrap());
    check("Decryptor<Tea>", decryptor);
    let encryptor = dropped(|| Encryptor::start(xtea(), &IV).unwrap());
    check("Encryptor<Xtea>", encryptor);
    let decryptor = dropped(|| Decryptor::start(xtea(), &IV).unwrap());
    check("Decryptor<Xtea>", decryptor);
}

#[cfg(feature = "aes")]
#[test]
fn dropped_aes_sessions_leave_neither_key_nor_chaining_value() {
    use fasttea::{aes::Aes128, cipher::KeyInit};

    let mut key = [0; 16];
    for (bytes, word) in key.chunks_exact_mut(4).zip(KEY) {
        bytes.copy_from_slice(&word.to_ne_bytes());
    }
    let iv = [IV, IV.map(|byte| byte ^ 0x55)].concat();
    // Not in the calls below, which would leave it on the stack where part of the cipher is not
    // initialised.
    let key = key.into();
    let aes = || Aes128::new(&key);
    for [before, after] in [
        dropped(|| Encryptor::start(aes(), &iv).unwrap()),
        dropped(|| Decryptor::start(aes(), &iv).unwrap()),
    ] {
        assert!(has(&before, &iv), "the test looks at the wrong bytes");
        // The key stands there in some form, which is the crate's.
        assert!(!has(&after, &iv[..8]) && !has(&after, &iv[8..]));
        assert!(!has_key(&after));
    }
}

/// What is left on the stack below the caller.
#[inline(never)]
fn stack() -> Vec<u8> {
    const DEPTH: usize = 192 * 1024;
    let below = MaybeUninit::<[u8; DEPTH]>::uninit();
    let begin = black_box(&below).as_ptr().cast::<u8>();
    // SAFETY: the array is there, and has the bytes that other frames left.
    (0..DEPTH)
        .map(|i| unsafe { begin.add(i).read_volatile() })
        .collect()
}

/// Runs `call` in a frame of its own and looks at what it left.
fn after(call: impl FnOnce()) -> Vec<u8> {
    #[inline(never)]
    fn run(call: impl FnOnce()) {
        black_box(call)();
    }
    clear_stack();
    run(call);
    stack()
}

/// A text of which every eight bytes are looked for.
const TEXT: &[u8] =
    b"Some words that are nobody's business, of 64 bytes in all, and a few bytes more";

fn has_text(bytes: &[u8]) -> bool {
    TEXT.chunks_exact(8).any(|part| has(bytes, part))
}

#[test]
fn what_is_left_on_the_stack_is_seen() {
    let left = after(|| {
        let (mut key, mut text) = ([0; 4], [0; 64]);
        key.copy_from_slice(black_box(&KEY));
        text.copy_from_slice(&TEXT[..64]);
        black_box((&mut key, &mut text));
    });
    assert!(has_key(&left) && has_text(&left));
}

#[test]
fn calls_leave_nothing_on_the_stack() {
    for backend in backend::available().filter(|backend| backend.name() != "portable") {
        let qq = boxed(|| common::qq::<Be>(KEY, backend));
        let message = qq.encrypt(TEXT).unwrap();
        let mut damaged = message.clone();
        damaged[0] ^= 0x80;
        damaged.rotate_left(8);
        let mut buffer = vec![0; 256];
        let check = |name: &str, left: Vec<u8>| {
            assert!(!has_key(&left), "{backend} {name}: key");
            assert!(!has_text(&left), "{backend} {name}: text");
        };

        check("encrypt", after(|| drop(black_box(qq.encrypt(TEXT)))));
        check("decrypt", after(|| drop(black_box(qq.decrypt(&message)))));
        check(
            "decrypt damaged",
            after(|| drop(black_box(qq.decrypt(&damaged)))),
        );
        let left = after(|| {
            let _ = black_box(qq.decrypt_into(&message, &mut buffer));
        });
        check("decrypt_into", left);
        let mut in_place = message.clone();
        let left = after(|| drop(black_box(qq.decrypt_in_place(&mut in_place))));
        check("decrypt_in_place", left);
        in_place.copy_from_slice(&damaged);
        let left = after(|| {
            let failed = qq.decrypt_in_place(&mut in_place).is_err();
            assert!(failed);
        });
        check("decrypt_in_place damaged", left);
        assert!(!has_text(&in_place));

        let tea = boxed(|| Tea::<Be>::from_key(KEY).with_backend(backend));
        let xtea = boxed(|| Xtea::<Be>::from_key(KEY).with_backend(backend));
        for count in [1, 3, 9, 64] {
            // That is left to the portable code.
            if backend.name() == "scalar" && count > 3 {
                continue;
            }
            let mut blocks = painted(8 * count);
            blocks[..8].copy_from_slice(&TEXT[..8]);
            let left = after(|| tea.encrypt_slice(&mut blocks).unwrap());
            check("tea encrypt_slice", left);
            let left = after(|| tea.decrypt_slice(&mut blocks).unwrap());
            check("tea decrypt_slice", left);
            let left = after(|| xtea.encrypt_slice(&mut blocks).unwrap());
            check("xtea encrypt_slice", left);
            let left = after(|| xtea.decrypt_slice(&mut blocks).unwrap());
            check("xtea decrypt_slice", left);
        }

        let mut sessions = [
            boxed(|| Encryptor::start((*tea).clone(), &IV).unwrap()),
            boxed(|| Encryptor::start((*tea).clone(), &IV).unwrap()),
        ];
        // As above, more is left to the portable code.
        let len = if backend.name() == "scalar" { 24 } else { 64 };
        let mut text = TEXT[..len].to_vec();
        let left = after(|| sessions[0].encrypt_slice(&mut text).unwrap());
        check("cbc", left);
        let mut decryptor = boxed(|| Decryptor::start((*tea).clone(), &IV).unwrap());
        let left = after(|| decryptor.decrypt_slice(&mut text).unwrap());
        check("cbc decrypt", left);

        for count in [2, 3, 20, 70] {
            let texts = vec![TEXT; count];
            let left = after(|| drop(black_box(qq.encrypt_batch(&texts))));
            check("encrypt_batch", left);
            let messages = vec![&message[..]; count];
            let left = after(|| drop(black_box(qq.decrypt_batch(&messages))));
            check("decrypt_batch", left);

            let mut sessions = boxed(|| -> Vec<_> {
                (0..count)
                    .map(|_| Encryptor::start((*xtea).clone(), &IV).unwrap())
                    .collect()
            });
            let mut texts = vec![TEXT[..64].to_vec(); count];
            let mut jobs: Vec<_> = sessions
                .iter_mut()
                .zip(&mut texts)
                .map(|(session, text)| cbc::Job::new(session, text))
                .collect();
            let left = after(|| cbc::encrypt_batch(&mut jobs));
            check("cbc::encrypt_batch", left);
        }
    }
}
