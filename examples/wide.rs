#![allow(missing_docs, clippy::all)]
#[path = "../benches/clock/mod.rs"]
mod clock;
use fasttea::{cipher::*, *};
use std::hint::black_box;
fn main() {
    println!(
        "{:>9} {:>5} {:>3} | bytes/clock at sizes 8 16 32 64 128 256 1024 16384",
        "backend", "", ""
    );
    for b in backend::available() {
        let tea = Tea::<Be>::with_cycles(&[7; 16], 16)
            .unwrap()
            .with_backend(b);
        let xtea = Xtea::<Be>::with_cycles(&[7; 16], 32)
            .unwrap()
            .with_backend(b);
        for (name, dec) in [
            ("tea", false),
            ("tea", true),
            ("xtea", false),
            ("xtea", true),
        ] {
            print!(
                "{:>9} {name:>5} {} |",
                b.name(),
                if dec { "dec" } else { "enc" }
            );
            for size in [8usize, 16, 32, 64, 128, 256, 1024, 16384] {
                let mut buf = vec![3u8; size];
                let reps = (65536 / size).max(4);
                let c = clock::clocks(|| {
                    for _ in 0..reps {
                        let buf = black_box(&mut buf[..]);
                        match (name, dec) {
                            ("tea", false) => tea.encrypt_slice(buf),
                            ("tea", _) => tea.decrypt_slice(buf),
                            (_, false) => xtea.encrypt_slice(buf),
                            _ => xtea.decrypt_slice(buf),
                        }
                        .unwrap()
                    }
                });
                print!(" {:.3}", (size * reps) as f64 / c);
            }
            println!();
        }
    }
}
