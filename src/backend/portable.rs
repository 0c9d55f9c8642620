//! The portable backend: the ciphers as their authors defined them. It is the oracle of the
//! differential tests, so it is written to be read, and what runs where there is no assembly, so it
//! is written for a compiler that makes vectors.

use cipher::InOutBuf;

use super::{Batch, Block, Blocks, BlocksKernels, ChainKernels, Kernels};
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
    batch: Batch::ONE_BY_ONE,
};

pub(super) const BLOCKS: BlocksKernels = BlocksKernels {
    tea_encrypt: tea_encrypt_blocks,
    tea_decrypt: tea_decrypt_blocks,
    xtea_encrypt: xtea_encrypt_blocks,
    xtea_decrypt: xtea_decrypt_blocks,
};

type SumTable = [u32; MAX_CYCLES];

/// Wheeler and Needham, "TEA, a Tiny Encryption Algorithm", 1994.
///
/// The words of blocks, all first ones and all second ones. One half-round runs through the blocks
/// before the next begins, so that the compiler makes vectors of them.
#[inline(always)]
fn tea_encrypt(key: &TeaSchedule, sums: &SumTable, x: &mut [u32], y: &mut [u32]) {
    let [k0, k1, k2, k3] = key.words;
    for &sum in &sums[..key.cycles()] {
        for (x, y) in x.iter_mut().zip(&*y) {
            *x = x.wrapping_add(tea_mix(*y, sum, k0, k1));
        }
        for (x, y) in x.iter().zip(&mut *y) {
            *y = y.wrapping_add(tea_mix(*x, sum, k2, k3));
        }
    }
}

#[inline(always)]
fn tea_decrypt(key: &TeaSchedule, sums: &SumTable, x: &mut [u32], y: &mut [u32]) {
    let [k0, k1, k2, k3] = key.words;
    for &sum in sums[..key.cycles()].iter().rev() {
        for (x, y) in x.iter().zip(&mut *y) {
            *y = y.wrapping_sub(tea_mix(*x, sum, k2, k3));
        }
        for (x, y) in x.iter_mut().zip(&*y) {
            *x = x.wrapping_sub(tea_mix(*y, sum, k0, k1));
        }
    }
}

#[inline(always)]
fn tea_mix(v: u32, sum: u32, a: u32, b: u32) -> u32 {
    (v << 4).wrapping_add(a) ^ v.wrapping_add(sum) ^ (v >> 5).wrapping_add(b)
}

/// Needham and Wheeler, "Tea extensions", 1997.
#[inline(always)]
fn xtea_encrypt(key: &XteaSchedule, x: &mut [u32], y: &mut [u32]) {
    for keys in key.words.chunks_exact(2).take(key.cycles()) {
        for (x, y) in x.iter_mut().zip(&*y) {
            *x = x.wrapping_add(xtea_mix(*y) ^ keys[0]);
        }
        for (x, y) in x.iter().zip(&mut *y) {
            *y = y.wrapping_add(xtea_mix(*x) ^ keys[1]);
        }
    }
}

#[inline(always)]
fn xtea_decrypt(key: &XteaSchedule, x: &mut [u32], y: &mut [u32]) {
    for keys in key.words.chunks_exact(2).take(key.cycles()).rev() {
        for (x, y) in x.iter().zip(&mut *y) {
            *y = y.wrapping_sub(xtea_mix(*x) ^ keys[1]);
        }
        for (x, y) in x.iter_mut().zip(&*y) {
            *x = x.wrapping_sub(xtea_mix(*y) ^ keys[0]);
        }
    }
}

#[inline(always)]
fn xtea_mix(v: u32) -> u32 {
    (v << 4 ^ v >> 5).wrapping_add(v)
}

/// One block by a function for several.
#[inline(always)]
fn one([x, y]: [u32; 2], f: impl FnOnce(&mut [u32], &mut [u32])) -> [u32; 2] {
    let (mut x, mut y) = ([x], [y]);
    f(&mut x, &mut y);
    [x[0], y[0]]
}

/// QQ chaining: `m` enters the cipher, `c` leaves the message; both chain into the next block.
fn qq_encrypt_block(
    key: &TeaSchedule,
    sums: &SumTable,
    state: &mut State,
    p: [u32; 2],
) -> [u32; 2] {
    let m = xor(p, state.ciphertext);
    let c = xor(one(m, |x, y| tea_encrypt(key, sums, x, y)), state.mixed);
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
    let m = one(xor(c, state.mixed), |x, y| tea_decrypt(key, sums, x, y));
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
    encrypt: impl FnOnce(&mut [u32], &mut [u32]),
) -> [u32; 2] {
    *chaining_value = one(xor(p, *chaining_value), encrypt);
    *chaining_value
}

fn xor(a: [u32; 2], b: [u32; 2]) -> [u32; 2] {
    [a[0] ^ b[0], a[1] ^ b[1]]
}

/// The most blocks that are taken together.
const GROUP: usize = 64;

/// The most blocks that are quicker one by one.
const FEW: usize = 3;

/// Independent blocks, in groups.
#[inline(always)]
fn independent<const WORDS: usize>(
    key: &Schedule<WORDS>,
    mut blocks: Blocks<'_, '_>,
    f: impl Fn(&mut [u32], &mut [u32]),
) {
    while blocks.len() > FEW {
        let n = blocks.len().min(GROUP);
        let (mut group, rest) = blocks.split_at(n);
        let (mut x, mut y) = ([0; GROUP], [0; GROUP]);
        // Slices of a length that the compiler does not know: it would unroll the loops over arrays
        // and run out of registers.
        let (x, y) = (&mut x[..n], &mut y[..n]);
        for (block, (x, y)) in group.get_in().iter().zip(x.iter_mut().zip(&mut *y)) {
            [*x, *y] = ByteOrder::LE.load(block.0);
        }
        key.order.convert(x, y);
        f(x, y);
        key.order.convert(x, y);
        for (block, (x, y)) in group.get_out().iter_mut().zip(x.iter().zip(&*y)) {
            block.0 = ByteOrder::LE.store([*x, *y]);
        }
        blocks = rest;
    }
    key.for_each(blocks, |words| one(words, &f));
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
        independent(key, blocks, |x, y| tea_encrypt(key, &*sums.cast(), x, y));
    fn tea_decrypt_blocks(key: TeaSchedule, sums: *const u32), blocks =>
        independent(key, blocks, |x, y| tea_decrypt(key, &*sums.cast(), x, y));
    fn xtea_encrypt_blocks(key: XteaSchedule), blocks =>
        independent(key, blocks, |x, y| xtea_encrypt(key, x, y));
    fn xtea_decrypt_blocks(key: XteaSchedule), blocks =>
        independent(key, blocks, |x, y| xtea_decrypt(key, x, y));
    fn qq_encrypt(key: TeaSchedule, sums: *const u32, state: *mut State), blocks =>
        key.for_each(blocks, |p| qq_encrypt_block(key, &*sums.cast(), &mut *state, p));
    fn qq_decrypt(key: TeaSchedule, sums: *const u32, state: *mut State), blocks =>
        key.for_each(blocks, |c| qq_decrypt_block(key, &*sums.cast(), &mut *state, c));
    fn tea_cbc_encrypt(key: TeaSchedule, sums: *const u32, value: *mut [u32; 2]), blocks =>
        key.for_each(blocks, |p| {
            cbc_encrypt_block(&mut *value, p, |x, y| tea_encrypt(key, &*sums.cast(), x, y))
        });
    fn xtea_cbc_encrypt(key: XteaSchedule, value: *mut [u32; 2]), blocks =>
        key.for_each(blocks, |p| cbc_encrypt_block(&mut *value, p, |x, y| xtea_encrypt(key, x, y)));
}
