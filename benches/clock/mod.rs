//! Time in the processor's clocks, without a counter: against additions that depend on each other,
//! of which every processor does one a clock.

use core::hint::black_box;
use std::time::Instant;

const ADDITIONS: u32 = 100_000;

/// Fibonacci numbers: each addition needs the one before, and no compiler knows a shortcut.
fn additions() -> u32 {
    let (mut a, mut b) = (black_box(0u32), black_box(1u32));
    for _ in 0..ADDITIONS / 8 {
        for _ in 0..4 {
            a = a.wrapping_add(b);
            b = b.wrapping_add(a);
        }
    }
    b
}

fn seconds<T>(f: &mut impl FnMut() -> T) -> f64 {
    let start = Instant::now();
    black_box(f());
    start.elapsed().as_secs_f64()
}

/// The clocks that `f` takes: the median over runs, each beside a run of the additions.
pub(crate) fn clocks<T>(mut f: impl FnMut() -> T) -> f64 {
    let mut ratios: Vec<f64> = (0..101)
        .map(|_| seconds(&mut f) / seconds(&mut additions) * f64::from(ADDITIONS))
        .collect();
    ratios.sort_by(f64::total_cmp);
    ratios[ratios.len() / 2]
}
