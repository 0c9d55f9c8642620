//! The kernels of `asm/x86_64`.

use super::Kernels;
use crate::{
    qq::State,
    schedule::{TeaSchedule, XteaSchedule},
};

pub(super) static BACKENDS: [&Kernels; 1] = [&SCALAR];

/// The last of `BACKENDS` that this processor can run.
#[inline]
pub(super) fn fastest() -> &'static Kernels {
    &SCALAR
}

// Declarations of kernels, by shape. Only the statics below name them.
macro_rules! tea_blocks {
    ($isa:literal, $($name:ident),*) => {
        unsafe extern "sysv64" {$(
            #[link_name = concat!(env!("FASTTEA_PREFIX"), "_", stringify!($name), "_", $isa)]
            fn $name(
                key: *const TeaSchedule, sums: *const u32, src: *const u8, dst: *mut u8, n: usize
            );
        )*}
    };
}
macro_rules! xtea_blocks {
    ($isa:literal, $($name:ident),*) => {
        unsafe extern "sysv64" {$(
            #[link_name = concat!(env!("FASTTEA_PREFIX"), "_", stringify!($name), "_", $isa)]
            fn $name(key: *const XteaSchedule, src: *const u8, dst: *mut u8, n: usize);
        )*}
    };
}
macro_rules! qq_chain {
    ($isa:literal, $($name:ident),*) => {
        unsafe extern "sysv64" {$(
            #[link_name = concat!(env!("FASTTEA_PREFIX"), "_", stringify!($name), "_", $isa)]
            fn $name(
                key: *const TeaSchedule, sums: *const u32, state: *mut State,
                src: *const u8, dst: *mut u8, n: usize
            );
        )*}
    };
}

/// General-purpose registers alone, which every x86_64 processor has.
static SCALAR: Kernels = {
    tea_blocks!("scalar", tea_encrypt_blocks, tea_decrypt_blocks);
    xtea_blocks!("scalar", xtea_encrypt_blocks, xtea_decrypt_blocks);
    qq_chain!("scalar", qq_encrypt, qq_decrypt);
    Kernels {
        name: "scalar",
        detect: || true,
        tea_encrypt_blocks,
        tea_decrypt_blocks,
        xtea_encrypt_blocks,
        xtea_decrypt_blocks,
        qq_encrypt,
        qq_decrypt,
    }
};
