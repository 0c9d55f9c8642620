//! The portable backend: the ciphers as their authors defined them. It is the oracle of the
//! differential tests, so it is written to be read, and what runs where there is no assembly, so it
//! is written for a compiler that makes vectors.

use cipher::InOutBuf;

use super::{Block, Blocks, BlocksKernels, ChainKernels, Kernels};
use crate::{
    qq::State,
    schedule::{ByteOrder, MAX_CYCLES, Schedule, TeaSchedule, XteaSchedule},
};

pub(super) static KERNELS: Kernels = Kernels {
    name: "portable",
    detect: || true,
    few: &[],
    many: BLOCKS,
    chain: ChainKernels {
        qq_encrypt,
        qq_decrypt,
        tea_cbc_encrypt,
        xtea_cbc_encrypt,
    },
};

pub(super) const BLOCKS: BlocksKernels = BlocksKernels {
    tea_encrypt: tea_encrypt_blocks,
    tea_decrypt: tea_decrypt_blocks,
    xtea_encrypt: xtea_encrypt_blocks,
    xtea_decrypt: xtea_decrypt_blocks,
};

type SumTable = [u32; MAX_CYCLES];

/// The words of `N` blocks: all first ones, all second ones. One half-round runs through the blocks
/// before the next begins, so that the compiler makes vectors of them.
type Words<const N: usize> = [[u32; N]; 2];

/// Wheeler and Needham, "TEA, a Tiny Encryption Algorithm", 1994.
#[inline(always)]
fn tea_encrypt<const N: usize>(
    key: &TeaSchedule,
    sums: &SumTable,
    [mut x, mut y]: Words<N>,
) -> Words<N> {
    let [k0, k1, k2, k3] = key.words;
    for &sum in &sums[..key.cycles()] {
        for (x, y) in x.iter_mut().zip(&y) {
            *x = x.wrapping_add(tea_mix(*y, sum, k0, k1));
        }
        for (x, y) in x.iter().zip(&mut y) {
            *y = y.wrapping_add(tea_mix(*x, sum, k2, k3));
        }
    }
    [x, y]
}

#[inline(always)]
fn tea_decrypt<const N: usize>(
    key: &TeaSchedule,
    sums: &SumTable,
    [mut x, mut y]: Words<N>,
) -> Words<N> {
    let [k0, k1, k2, k3] = key.words;
    for &sum in sums[..key.cycles()].iter().rev() {
        for (x, y) in x.iter().zip(&mut y) {
            *y = y.wrapping_sub(tea_mix(*x, sum, k2, k3));
        }
        for (x, y) in x.iter_mut().zip(&y) {
            *x = x.wrapping_sub(tea_mix(*y, sum, k0, k1));
        }
    }
    [x, y]
}

#[inline(always)]
fn tea_mix(v: u32, sum: u32, a: u32, b: u32) -> u32 {
    (v << 4).wrapping_add(a) ^ v.wrapping_add(sum) ^ (v >> 5).wrapping_add(b)
}

/// Needham and Wheeler, "Tea extensions", 1997.
#[inline(always)]
fn xtea_encrypt<const N: usize>(key: &XteaSchedule, [mut x, mut y]: Words<N>) -> Words<N> {
    for keys in key.words.chunks_exact(2).take(key.cycles()) {
        for (x, y) in x.iter_mut().zip(&y) {
            *x = x.wrapping_add(xtea_mix(*y) ^ keys[0]);
        }
        for (x, y) in x.iter().zip(&mut y) {
            *y = y.wrapping_add(xtea_mix(*x) ^ keys[1]);
        }
    }
    [x, y]
}

#[inline(always)]
fn xtea_decrypt<const N: usize>(key: &XteaSchedule, [mut x, mut y]: Words<N>) -> Words<N> {
    for keys in key.words.chunks_exact(2).take(key.cycles()).rev() {
        for (x, y) in x.iter().zip(&mut y) {
            *y = y.wrapping_sub(xtea_mix(*x) ^ keys[1]);
        }
        for (x, y) in x.iter_mut().zip(&y) {
            *x = x.wrapping_sub(xtea_mix(*y) ^ keys[0]);
        }
    }
    [x, y]
}

#[inline(always)]
fn xtea_mix(v: u32) -> u32 {
    (v << 4 ^ v >> 5).wrapping_add(v)
}

/// One block by a function for several.
#[inline(always)]
fn one([x, y]: [u32; 2], f: impl FnOnce(Words<1>) -> Words<1>) -> [u32; 2] {
    let [[x], [y]] = f([[x], [y]]);
    [x, y]
}

/// QQ chaining: `m` enters the cipher, `c` leaves the message; both chain into the next block.
fn qq_encrypt_block(
    key: &TeaSchedule,
    sums: &SumTable,
    state: &mut State,
    p: [u32; 2],
) -> [u32; 2] {
    let m = xor(p, state.ciphertext);
    let c = xor(one(m, |m| tea_encrypt(key, sums, m)), state.mixed);
    *state = State {
        ciphertext: c,
        mixed: m,
    };
    c
}

fn qq_decrypt_block(
    key: &TeaSchedule,
    sums: &SumTable,
    state: &mut State,
    c: [u32; 2],
) -> [u32; 2] {
    let m = one(xor(c, state.mixed), |m| tea_decrypt(key, sums, m));
    let p = xor(m, state.ciphertext);
    *state = State {
        ciphertext: c,
        mixed: m,
    };
    p
}

/// CBC: each block is combined with the ciphertext before it.
fn cbc_encrypt_block(
    chaining_value: &mut [u32; 2],
    p: [u32; 2],
    encrypt: impl FnOnce(Words<1>) -> Words<1>,
) -> [u32; 2] {
    *chaining_value = one(xor(p, *chaining_value), encrypt);
    *chaining_value
}

fn xor(a: [u32; 2], b: [u32; 2]) -> [u32; 2] {
    [a[0] ^ b[0], a[1] ^ b[1]]
}

/// Blocks in a group.
const GROUP: usize = 32;

/// The most blocks that are quicker one by one than as a group with empty places.
const FEW: usize = 4;

/// Runs `$f` over independent blocks, in groups.
macro_rules! independent {
    ($schedule:expr, $blocks:expr, $f:expr) => {{
        let mut rest = $blocks;
        while rest.len() > FEW {
            let n = rest.len().min(GROUP);
            let (group, others) = rest.split_at(n);
            together($schedule, group, $f);
            rest = others;
        }
        $schedule.for_each(rest, |words| one(words, $f));
    }};
}

/// Up to a group in one go; what is missing is computed and forgotten.
#[inline(always)]
fn together<const WORDS: usize>(
    key: &Schedule<WORDS>,
    mut blocks: Blocks<'_, '_>,
    f: impl Fn(Words<GROUP>) -> Words<GROUP>,
) {
    let [mut x, mut y] = [[0; GROUP]; 2];
    for (block, (x, y)) in blocks.get_in().iter().zip(x.iter_mut().zip(&mut y)) {
        [*x, *y] = ByteOrder::LE.load(block.0);
    }
    let [x, y] = key.order.convert(f(key.order.convert([x, y])));
    for (block, (x, y)) in blocks.get_out().iter_mut().zip(x.into_iter().zip(y)) {
        block.0 = ByteOrder::LE.store([x, y]);
    }
}

/// The blocks of a kernel's arguments.
///
/// # Safety
/// As for a kernel: see [`Kernels`].
unsafe fn blocks<'a>(src: *const u8, dst: *mut u8, n: usize) -> Blocks<'a, 'a> {
    // SAFETY: `n` blocks are readable and writable there, and the same or disjoint.
    unsafe { InOutBuf::from_raw(src.cast::<Block>(), dst.cast(), n) }
}

/// The functions of the tables, from those above.
macro_rules! kernels {
    ($(
        fn $name:ident($key:ident: $schedule:ty $(, $more:ident: $pointer:ty)*), $blocks:ident =>
            $body:expr;
    )*) => {$(
        kernel!(fn $name(
            key: *const $schedule $(, $more: $pointer)*, src: *const u8, dst: *mut u8, n: usize
        ) {
            // SAFETY: the caller brings what the tables ask for. The table of sums is whole.
            unsafe {
                let $key = &*key;
                let $blocks = blocks(src, dst, n);
                $body
            }
        });
    )*};
}

kernels! {
    fn tea_encrypt_blocks(key: TeaSchedule, sums: *const u32), blocks =>
        independent!(key, blocks, |words| tea_encrypt(key, &*sums.cast(), words));
    fn tea_decrypt_blocks(key: TeaSchedule, sums: *const u32), blocks =>
        independent!(key, blocks, |words| tea_decrypt(key, &*sums.cast(), words));
    fn xtea_encrypt_blocks(key: XteaSchedule), blocks =>
        independent!(key, blocks, |words| xtea_encrypt(key, words));
    fn xtea_decrypt_blocks(key: XteaSchedule), blocks =>
        independent!(key, blocks, |words| xtea_decrypt(key, words));
    fn qq_encrypt(key: TeaSchedule, sums: *const u32, state: *mut State), blocks =>
        key.for_each(blocks, |p| qq_encrypt_block(key, &*sums.cast(), &mut *state, p));
    fn qq_decrypt(key: TeaSchedule, sums: *const u32, state: *mut State), blocks =>
        key.for_each(blocks, |c| qq_decrypt_block(key, &*sums.cast(), &mut *state, c));
    fn tea_cbc_encrypt(key: TeaSchedule, sums: *const u32, value: *mut [u32; 2]), blocks =>
        key.for_each(blocks, |p| {
            cbc_encrypt_block(&mut *value, p, |m| tea_encrypt(key, &*sums.cast(), m))
        });
    fn xtea_cbc_encrypt(key: XteaSchedule, value: *mut [u32; 2]), blocks =>
        key.for_each(blocks, |p| cbc_encrypt_block(&mut *value, p, |m| xtea_encrypt(key, m)));
}
