//! What no code of this project may do.

use std::hint::black_box;

#[unsafe(export_name = "fasttea_control_branch")]
#[inline(never)]
pub extern "C" fn branch(key: &[u8; 16]) {
    if key[0] & 1 == 1 {
        other();
    }
}

#[inline(never)]
fn other() {
    black_box(());
}

#[unsafe(export_name = "fasttea_control_address")]
#[inline(never)]
pub extern "C" fn address(key: &[u8; 16]) {
    static TABLE: [u8; 256] = [7; 256];
    black_box(black_box(&TABLE)[usize::from(key[0])]);
}
