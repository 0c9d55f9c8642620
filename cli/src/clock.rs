//! Time in the processor's clocks, without a counter: beside additions that depend on each other, of
//! which every processor does one a clock.

use core::hint::black_box;
use std::time::Instant;

const ADDITIONS: u32 = 100_000;

/// One measurement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Time {
    pub(crate) seconds: f64,
    pub(crate) clocks: f64,
}

/// The median time of one call of `f`, which is called for about so many seconds.
pub(crate) fn measure(budget: f64, mut f: impl FnMut()) -> Time {
    // As many calls as take a tenth of a millisecond or more.
    let mut calls = 1;
    while seconds(&mut || repeat(calls, &mut f)) < 1e-4 {
        calls *= 2;
    }
    let mut samples = Vec::new();
    let begin = Instant::now();
    while samples.len() < 5 || begin.elapsed().as_secs_f64() < budget {
        let of_calls = seconds(&mut || repeat(calls, &mut f)) / f64::from(calls);
        let of_addition = seconds(&mut additions) / f64::from(ADDITIONS);
        samples.push(Time {
            seconds: of_calls,
            clocks: of_calls / of_addition,
        });
    }
    Time {
        seconds: median(samples.iter().map(|sample| sample.seconds).collect()),
        clocks: median(samples.iter().map(|sample| sample.clocks).collect()),
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn repeat(calls: u32, f: &mut impl FnMut()) {
    for _ in 0..calls {
        f();
    }
}

fn seconds<T>(f: &mut impl FnMut() -> T) -> f64 {
    let start = Instant::now();
    black_box(f());
    start.elapsed().as_secs_f64()
}

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
