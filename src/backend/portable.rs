//! The portable backend: the ciphers as their authors defined them, one block at a time. It is the
//! oracle of the differential tests, so it is written to be read.

use cipher::InOutBuf;

use super::{Block, Blocks, BlocksKernels, ChainKernels, Kernels};
use crate::{
    qq::State,
    schedule::{MAX_CYCLES, TeaSchedule, XteaSchedule},
};

pub(super) static KERNELS: Kernels = Kernels {
    name: "portable",
    detect: || true,
    few: BLOCKS,
    tea_few: 0,
    xtea_few: 0,
    many: BLOCKS,
    chain: ChainKernels {
        qq_encrypt,
        qq_decrypt,
    },
};

pub(super) const BLOCKS: BlocksKernels = BlocksKernels {
    tea_encrypt: tea_encrypt_blocks,
    tea_decrypt: tea_decrypt_blocks,
    xtea_encrypt: xtea_encrypt_blocks,
    xtea_decrypt: xtea_decrypt_blocks,
};

type SumTable = [u32; MAX_CYCLES];

/// Wheeler and Needham, "TEA, a Tiny Encryption Algorithm", 1994.
fn tea_encrypt(key: &TeaSchedule, sums: &SumTable, [mut x, mut y]: [u32; 2]) -> [u32; 2] {
    let [k0, k1, k2, k3] = key.words;
    for &sum in &sums[..key.cycles()] {
        x = x.wrapping_add(tea_mix(y, sum, k0, k1));
        y = y.wrapping_add(tea_mix(x, sum, k2, k3));
    }
    [x, y]
}

fn tea_decrypt(key: &TeaSchedule, sums: &SumTable, [mut x, mut y]: [u32; 2]) -> [u32; 2] {
    let [k0, k1, k2, k3] = key.words;
    for &sum in sums[..key.cycles()].iter().rev() {
        y = y.wrapping_sub(tea_mix(x, sum, k2, k3));
        x = x.wrapping_sub(tea_mix(y, sum, k0, k1));
    }
    [x, y]
}

#[inline(always)]
fn tea_mix(v: u32, sum: u32, a: u32, b: u32) -> u32 {
    (v << 4).wrapping_add(a) ^ v.wrapping_add(sum) ^ (v >> 5).wrapping_add(b)
}

/// Needham and Wheeler, "Tea extensions", 1997.
fn xtea_encrypt(key: &XteaSchedule, [mut x, mut y]: [u32; 2]) -> [u32; 2] {
    for keys in key.words.chunks_exact(2).take(key.cycles()) {
        x = x.wrapping_add(xtea_mix(y) ^ keys[0]);
        y = y.wrapping_add(xtea_mix(x) ^ keys[1]);
    }
    [x, y]
}

fn xtea_decrypt(key: &XteaSchedule, [mut x, mut y]: [u32; 2]) -> [u32; 2] {
    for keys in key.words.chunks_exact(2).take(key.cycles()).rev() {
        y = y.wrapping_sub(xtea_mix(x) ^ keys[1]);
        x = x.wrapping_sub(xtea_mix(y) ^ keys[0]);
    }
    [x, y]
}

#[inline(always)]
fn xtea_mix(v: u32) -> u32 {
    (v << 4 ^ v >> 5).wrapping_add(v)
}

/// QQ chaining: `m` enters the cipher, `c` leaves the message; both chain into the next block.
fn qq_encrypt_block(
    key: &TeaSchedule,
    sums: &SumTable,
    state: &mut State,
    p: [u32; 2],
) -> [u32; 2] {
    let m = xor(p, state.ciphertext);
    let c = xor(tea_encrypt(key, sums, m), state.mixed);
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
    let m = tea_decrypt(key, sums, xor(c, state.mixed));
    let p = xor(m, state.ciphertext);
    *state = State {
        ciphertext: c,
        mixed: m,
    };
    p
}

fn xor(a: [u32; 2], b: [u32; 2]) -> [u32; 2] {
    [a[0] ^ b[0], a[1] ^ b[1]]
}

/// The blocks of a kernel's arguments.
///
/// # Safety
/// As for a kernel: see [`Kernels`].
unsafe fn blocks<'a>(src: *const u8, dst: *mut u8, n: usize) -> Blocks<'a, 'a> {
    // SAFETY: `n` blocks are readable and writable there, and the same or disjoint.
    unsafe { InOutBuf::from_raw(src.cast::<Block>(), dst.cast(), n) }
}

/// The functions of the table, from those above.
macro_rules! kernels {
    ($(fn $name:ident($key:ident: $schedule:ty $(, $more:ident: $pointer:ty)*) = $f:expr;)*) => {$(
        kernel!(fn $name(
            key: *const $schedule $(, $more: $pointer)*, src: *const u8, dst: *mut u8, n: usize
        ) {
            // SAFETY: the caller brings what `Kernels` says. The table of sums is whole.
            unsafe {
                let $key = &*key;
                $key.for_each(blocks(src, dst, n), $f);
            }
        });
    )*};
}

kernels! {
    fn tea_encrypt_blocks(key: TeaSchedule, sums: *const u32) =
        |words| tea_encrypt(key, &*sums.cast(), words);
    fn tea_decrypt_blocks(key: TeaSchedule, sums: *const u32) =
        |words| tea_decrypt(key, &*sums.cast(), words);
    fn xtea_encrypt_blocks(key: XteaSchedule) = |words| xtea_encrypt(key, words);
    fn xtea_decrypt_blocks(key: XteaSchedule) = |words| xtea_decrypt(key, words);
    fn qq_encrypt(key: TeaSchedule, sums: *const u32, state: *mut State) =
        |words| qq_encrypt_block(key, &*sums.cast(), &mut *state, words);
    fn qq_decrypt(key: TeaSchedule, sums: *const u32, state: *mut State) =
        |words| qq_decrypt_block(key, &*sums.cast(), &mut *state, words);
}
