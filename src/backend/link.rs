//! The extern kernels, by the names that the assembly gives them.
//!
//! They are named in the tables' constants alone, never in generic or inline functions: their symbols
//! are hidden, and what names them must not be compiled into another library.

/// `kernel!(blocks TeaSchedule, "tea_encrypt_blocks", "avx2")` is that function, and in the same way
/// `chain` and `lanes`.
///
/// A macro, since a symbol's name has to be a literal.
macro_rules! kernel {
    (blocks $Schedule:ty, $work:literal, $isa:literal) => {
        kernel!(@ $work, $isa, (
            schedule: *const $Schedule, src: *const u8, dst: *mut u8, n: usize
        ))
    };
    (chain $Schedule:ty, $work:literal, $isa:literal) => {
        kernel!(@ $work, $isa, (
            schedule: *const $Schedule, state: *mut State, src: *const u8, dst: *mut u8, n: usize
        ))
    };
    (lanes $Lanes:ty, $work:literal, $isa:literal) => {
        kernel!(@ $work, $isa, (lanes: *mut $Lanes, steps: usize, groups: usize))
    };
    (@ $work:literal, $isa:literal, ($($parameters:tt)*)) => {{
        convention!(unsafe {
            #[link_name = concat!(env!("FASTTEA_PREFIX"), "_", $work, "_", $isa)]
            fn kernel($($parameters)*);
        });
        kernel
    }};
}
pub(super) use kernel;

/// All kernels of a kind and an instruction set.
///
/// A macro for the same reason.
macro_rules! kernels {
    (blocks $isa:literal) => {
        BlocksKernels {
            tea_encrypt: kernel!(blocks TeaSchedule, "tea_encrypt_blocks", $isa),
            tea_decrypt: kernel!(blocks TeaSchedule, "tea_decrypt_blocks", $isa),
            xtea_encrypt: kernel!(blocks XteaSchedule, "xtea_encrypt_blocks", $isa),
            xtea_decrypt: kernel!(blocks XteaSchedule, "xtea_decrypt_blocks", $isa),
        }
    };
    (chain $isa:literal) => {
        ChainKernels {
            qq_encrypt: kernel!(chain TeaSchedule, "qq_encrypt", $isa),
            qq_decrypt: kernel!(chain TeaSchedule, "qq_decrypt", $isa),
            tea_cbc_encrypt: kernel!(chain TeaSchedule, "tea_cbc_encrypt", $isa),
            xtea_cbc_encrypt: kernel!(chain XteaSchedule, "xtea_cbc_encrypt", $isa),
        }
    };
    (lanes $isa:literal, $lanes:ident, $description:expr) => {
        match $description.lanes {
            Some(groups) if groups.width == $lanes => LanesKernels {
                groups,
                qq_encrypt: kernel!(lanes Lanes<$lanes, TEA_WORDS>, "qq_encrypt_lanes", $isa),
                qq_decrypt: kernel!(lanes Lanes<$lanes, TEA_WORDS>, "qq_decrypt_lanes", $isa),
                tea_cbc_encrypt: kernel!(
                    lanes Lanes<$lanes, TEA_WORDS>, "tea_cbc_encrypt_lanes", $isa
                ),
                xtea_cbc_encrypt: kernel!(
                    lanes Lanes<$lanes, XTEA_WORDS>, "xtea_cbc_encrypt_lanes", $isa
                ),
            },
            _ => panic!("the description has another number of lanes"),
        }
    };
}
pub(super) use kernels;
