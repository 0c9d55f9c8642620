//! How kernels are called. The convention is System V's on every x86_64 system, so that the assembly
//! is the same everywhere: rustc saves what Windows wants. Everywhere else it is C's.

/// Puts the convention into the type of a function, into its definition, or before extern functions.
///
/// A macro, since no alias can stand for the name of a convention.
#[cfg(target_arch = "x86_64")]
macro_rules! convention {
    (unsafe fn $($function:tt)*) => { unsafe extern "sysv64" fn $($function)* };
    (unsafe { $($functions:tt)* }) => { unsafe extern "sysv64" { $($functions)* } };
}
#[cfg(not(target_arch = "x86_64"))]
macro_rules! convention {
    (unsafe fn $($function:tt)*) => { unsafe extern "C" fn $($function)* };
    (unsafe { $($functions:tt)* }) => { unsafe extern "C" { $($functions)* } };
}
pub(super) use convention;
