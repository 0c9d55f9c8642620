//! The portable backend: the ciphers as their authors defined them. It is the oracle of the
//! differential tests, so it is written to be read. It is also what runs where there is no assembly,
//! so it is written for a compiler that makes vectors.

use cipher::InOutBuf;

use super::{
    abi::convention,
    description,
    table::{BlocksKernels, ChainKernels, Kernels},
};
use crate::{
    blocks::{Block, Blocks},
    byte_order::{little_endian_block, little_endian_words},
    chaining::State,
    schedule::{Schedule, SumTable, TeaSchedule, XteaSchedule},
};

pub(super) static KERNELS: Kernels = Kernels {
    description: description::PORTABLE,
    detect: || true,
    few: &[],
    many: BLOCKS,
    chain: ChainKernels {
        qq_encrypt,
        qq_decrypt,
        tea_cbc_encrypt: cbc_encrypt,
        xtea_cbc_encrypt: cbc_encrypt,
    },
    wide: None,
    narrow: None,
};

pub(super) const BLOCKS: BlocksKernels = BlocksKernels {
    tea_encrypt: encrypt_blocks,
    tea_decrypt: decrypt_blocks,
    xtea_encrypt: encrypt_blocks,
    xtea_decrypt: decrypt_blocks,
};

/// A cipher's rounds, for the words of any number of blocks, all first ones and all second ones. One
/// half-round runs through the blocks before the next begins, so that the compiler makes vectors of
/// them.
trait Rounds {
    fn encrypt(&self, x: &mut [u32], y: &mut [u32]);
    fn decrypt(&self, x: &mut [u32], y: &mut [u32]);
}

/// Wheeler and Needham, "TEA, a Tiny Encryption Algorithm", 1994.
impl Rounds for TeaSchedule {
    #[inline(always)]
    fn encrypt(&self, x: &mut [u32], y: &mut [u32]) {
        let &[k0, k1, k2, k3] = self.key() else {
            return;
        };
        for &sum in &self.sums()[..self.cycles()] {
            for (x, y) in x.iter_mut().zip(&*y) {
                *x = x.wrapping_add(tea_mix(*y, sum, k0, k1));
            }
            for (x, y) in x.iter().zip(&mut *y) {
                *y = y.wrapping_add(tea_mix(*x, sum, k2, k3));
            }
        }
    }

    #[inline(always)]
    fn decrypt(&self, x: &mut [u32], y: &mut [u32]) {
        let &[k0, k1, k2, k3] = self.key() else {
            return;
        };
        for &sum in self.sums()[..self.cycles()].iter().rev() {
            for (x, y) in x.iter().zip(&mut *y) {
                *y = y.wrapping_sub(tea_mix(*x, sum, k2, k3));
            }
            for (x, y) in x.iter_mut().zip(&*y) {
                *x = x.wrapping_sub(tea_mix(*y, sum, k0, k1));
            }
        }
    }
}

#[inline(always)]
fn tea_mix(v: u32, sum: u32, a: u32, b: u32) -> u32 {
    (v << 4).wrapping_add(a) ^ v.wrapping_add(sum) ^ (v >> 5).wrapping_add(b)
}

/// Needham and Wheeler, "Tea extensions", 1997.
impl Rounds for XteaSchedule {
    #[inline(always)]
    fn encrypt(&self, x: &mut [u32], y: &mut [u32]) {
        for keys in self.key().chunks_exact(2) {
            for (x, y) in x.iter_mut().zip(&*y) {
                *x = x.wrapping_add(xtea_mix(*y) ^ keys[0]);
            }
            for (x, y) in x.iter().zip(&mut *y) {
                *y = y.wrapping_add(xtea_mix(*x) ^ keys[1]);
            }
        }
    }

    #[inline(always)]
    fn decrypt(&self, x: &mut [u32], y: &mut [u32]) {
        for keys in self.key().chunks_exact(2).rev() {
            for (x, y) in x.iter().zip(&mut *y) {
                *y = y.wrapping_sub(xtea_mix(*x) ^ keys[1]);
            }
            for (x, y) in x.iter_mut().zip(&*y) {
                *x = x.wrapping_sub(xtea_mix(*y) ^ keys[0]);
            }
        }
    }
}

#[inline(always)]
fn xtea_mix(v: u32) -> u32 {
    (v << 4 ^ v >> 5).wrapping_add(v)
}

/// One block by a function for several.
#[inline(always)]
fn one([x, y]: [u32; 2], rounds: impl FnOnce(&mut [u32], &mut [u32])) -> [u32; 2] {
    let (mut x, mut y) = ([x], [y]);
    rounds(&mut x, &mut y);
    [x[0], y[0]]
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
fn independent<const K: usize, S: SumTable>(
    schedule: &Schedule<K, S>,
    mut blocks: Blocks<'_, '_>,
    rounds: impl Fn(&mut [u32], &mut [u32]),
) {
    while blocks.len() > FEW {
        let n = blocks.len().min(GROUP);
        let (mut group, rest) = blocks.split_at(n);
        let (mut x, mut y) = ([0; GROUP], [0; GROUP]);
        // Slices of a length that the compiler does not know: it would unroll the loops over arrays
        // and run out of registers.
        let (x, y) = (&mut x[..n], &mut y[..n]);
        for (block, (x, y)) in group.get_in().iter().zip(x.iter_mut().zip(&mut *y)) {
            [*x, *y] = little_endian_words(block.0);
        }
        schedule.shuffle().convert(x, y);
        rounds(x, y);
        schedule.shuffle().convert(x, y);
        for (block, (x, y)) in group.get_out().iter_mut().zip(x.iter().zip(&*y)) {
            block.0 = little_endian_block([*x, *y]);
        }
        blocks = rest;
    }
    schedule
        .shuffle()
        .for_each(blocks, |words| one(words, &rounds));
}

/// The blocks of a kernel's arguments.
///
/// # Safety
/// As for a kernel: see [`super::table::BlocksKernel`].
unsafe fn blocks<'a>(src: *const u8, dst: *mut u8, n: usize) -> Blocks<'a, 'a> {
    // SAFETY: `n` blocks are readable and writable there, and the same or disjoint.
    unsafe { InOutBuf::from_raw(src.cast::<Block>(), dst.cast(), n) }
}

convention! { unsafe fn encrypt_blocks<const K: usize, S: SumTable>(
    schedule: *const Schedule<K, S>, src: *const u8, dst: *mut u8, n: usize,
) where Schedule<K, S>: Rounds {
    // SAFETY: the caller brings what a kernel asks for.
    let (schedule, blocks) = unsafe { (&*schedule, blocks(src, dst, n)) };
    independent(schedule, blocks, |x, y| schedule.encrypt(x, y));
}}

convention! { unsafe fn decrypt_blocks<const K: usize, S: SumTable>(
    schedule: *const Schedule<K, S>, src: *const u8, dst: *mut u8, n: usize,
) where Schedule<K, S>: Rounds {
    // SAFETY: the caller brings what a kernel asks for.
    let (schedule, blocks) = unsafe { (&*schedule, blocks(src, dst, n)) };
    independent(schedule, blocks, |x, y| schedule.decrypt(x, y));
}}

// QQ: m is the block that enters the cipher. m = p ^ c_prev, c = E(m) ^ m_prev.
convention! { unsafe fn qq_encrypt<const K: usize, S: SumTable>(
    schedule: *const Schedule<K, S>, state: *mut State, src: *const u8, dst: *mut u8, n: usize,
) where Schedule<K, S>: Rounds {
    // SAFETY: the caller brings what a kernel asks for.
    let (schedule, state, blocks) = unsafe { (&*schedule, &mut *state, blocks(src, dst, n)) };
    schedule.shuffle().for_each(blocks, |p| {
        let m = xor(p, state.ciphertext);
        let c = xor(one(m, |x, y| schedule.encrypt(x, y)), state.mixed);
        (state.ciphertext, state.mixed) = (c, m);
        c
    });
}}

// Back: m = D(c ^ m_prev), p = m ^ c_prev.
convention! { unsafe fn qq_decrypt<const K: usize, S: SumTable>(
    schedule: *const Schedule<K, S>, state: *mut State, src: *const u8, dst: *mut u8, n: usize,
) where Schedule<K, S>: Rounds {
    // SAFETY: the caller brings what a kernel asks for.
    let (schedule, state, blocks) = unsafe { (&*schedule, &mut *state, blocks(src, dst, n)) };
    schedule.shuffle().for_each(blocks, |c| {
        let m = one(xor(c, state.mixed), |x, y| schedule.decrypt(x, y));
        let p = xor(m, state.ciphertext);
        (state.ciphertext, state.mixed) = (c, m);
        p
    });
}}

// CBC: c = E(p ^ c_prev).
convention! { unsafe fn cbc_encrypt<const K: usize, S: SumTable>(
    schedule: *const Schedule<K, S>, state: *mut State, src: *const u8, dst: *mut u8, n: usize,
) where Schedule<K, S>: Rounds {
    // SAFETY: the caller brings what a kernel asks for, of the state the ciphertext alone.
    let (schedule, ciphertext, blocks) =
        unsafe { (&*schedule, &mut (*state).ciphertext, blocks(src, dst, n)) };
    schedule.shuffle().for_each(blocks, |p| {
        *ciphertext = one(xor(p, *ciphertext), |x, y| schedule.encrypt(x, y));
        *ciphertext
    });
}}
