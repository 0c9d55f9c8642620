//! What may be known of secrets.

/// A value that is no secret although it was made of secrets. The constant-time check under
/// valgrind, in `ci/`, is told so; in every other build this is nothing.
#[inline(always)]
pub(crate) fn declassified(value: u8) -> u8 {
    #[cfg(fasttea_ctgrind)]
    let value = {
        unsafe extern "C" {
            // SAFETY: the check defines it in safe code.
            safe fn fasttea_declassified(value: u8) -> u8;
        }
        fasttea_declassified(value)
    };
    value
}
