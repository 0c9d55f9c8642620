//! The extern kernels, by the names that the assembly gives them.
//!
//! They are named in the tables' constants alone, never in generic or inline functions: their symbols
//! are hidden, and what names them must not be compiled into another library.

#[cfg(target_arch = "x86_64")]
macro_rules! kernels {
    ($($declaration:tt)*) => { unsafe extern "sysv64" { $($declaration)* } };
}
#[cfg(not(target_arch = "x86_64"))]
macro_rules! kernels {
    ($($declaration:tt)*) => { unsafe extern "C" { $($declaration)* } };
}

/// `linked!("tea_encrypt_blocks", "avx2", (key: *const TeaSchedule, …))` is that function.
macro_rules! linked {
    ($name:literal, $isa:literal, ($($parameter:ident: $type:ty),* $(,)?)) => {{
        kernels! {
            #[link_name = concat!(env!("FASTTEA_PREFIX"), "_", $name, "_", $isa)]
            fn kernel($($parameter: $type),*);
        }
        kernel
    }};
}

macro_rules! tea_blocks {
    ($name:literal, $isa:literal) => {
        linked!($name, $isa, (
            key: *const TeaSchedule, sums: *const u32, src: *const u8, dst: *mut u8, n: usize
        ))
    };
}

macro_rules! xtea_blocks {
    ($name:literal, $isa:literal) => {
        linked!($name, $isa, (key: *const XteaSchedule, src: *const u8, dst: *mut u8, n: usize))
    };
}

macro_rules! tea_chain {
    ($name:literal, $isa:literal, $State:ty) => {
        linked!($name, $isa, (
            key: *const TeaSchedule, sums: *const u32, state: *mut $State,
            src: *const u8, dst: *mut u8, n: usize
        ))
    };
}

macro_rules! tea_lanes {
    ($name:literal, $isa:literal, $lanes:literal) => {
        linked!($name, $isa, (
            lanes: *mut Lanes<$lanes, 4>, sums: *const u32, steps: usize, groups: usize
        ))
    };
}

macro_rules! xtea_lanes {
    ($name:literal, $isa:literal, $lanes:literal) => {
        linked!($name, $isa, (
            lanes: *mut Lanes<$lanes, { 2 * MAX_CYCLES }>, steps: usize, groups: usize
        ))
    };
}

/// All blocks kernels of an instruction set.
macro_rules! blocks_kernels {
    ($isa:literal) => {
        BlocksKernels {
            tea_encrypt: tea_blocks!("tea_encrypt_blocks", $isa),
            tea_decrypt: tea_blocks!("tea_decrypt_blocks", $isa),
            xtea_encrypt: xtea_blocks!("xtea_encrypt_blocks", $isa),
            xtea_decrypt: xtea_blocks!("xtea_decrypt_blocks", $isa),
        }
    };
}

/// The chain kernels, which every processor of an architecture can run.
macro_rules! chain_kernels {
    () => {
        ChainKernels {
            qq_encrypt: tea_chain!("qq_encrypt", "scalar", State),
            qq_decrypt: tea_chain!("qq_decrypt", "scalar", State),
            tea_cbc_encrypt: tea_chain!("tea_cbc_encrypt", "scalar", [u32; 2]),
            xtea_cbc_encrypt: linked!("xtea_cbc_encrypt", "scalar", (
                key: *const XteaSchedule, value: *mut [u32; 2],
                src: *const u8, dst: *mut u8, n: usize
            )),
        }
    };
}

/// All lanes kernels of an instruction set.
macro_rules! lanes_kernels {
    ($isa:literal, $lanes:literal by $group:literal, $groups:expr, few up to $few:literal) => {
        LanesKernels {
            group: $group,
            groups: &$groups,
            few: $few,
            qq_encrypt: tea_lanes!("qq_encrypt_lanes", $isa, $lanes),
            qq_decrypt: tea_lanes!("qq_decrypt_lanes", $isa, $lanes),
            tea_cbc_encrypt: tea_lanes!("tea_cbc_encrypt_lanes", $isa, $lanes),
            xtea_cbc_encrypt: xtea_lanes!("xtea_cbc_encrypt_lanes", $isa, $lanes),
        }
    };
}
