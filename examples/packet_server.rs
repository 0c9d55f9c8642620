//! A burst of packets for many connections, each with its own key: message by message, as a batch on
//! one core, and as batches over all cores.
//!
//! `cargo run --release --example packet_server`

use core::time::Duration;
use std::time::Instant;

use fasttea::{Error, qq};
use rayon::prelude::*;

const CONNECTIONS: usize = 1024;

/// How long each way is repeated.
const TIME: Duration = Duration::from_millis(500);

struct Connection {
    cipher: qq::Cipher,
    packet: Vec<u8>,
}

fn main() -> Result<(), Error> {
    // What a socket would have given: packets of 16 bytes to half a KiB.
    let burst: Vec<_> = (0u32..)
        .take(CONNECTIONS)
        .map(|i| {
            let cipher = qq::Cipher::new([i, 0x0123_4567, 0x89ab_cdef, !i]);
            let text = vec![b'.'; 16 + i as usize * 37 % 497];
            let packet = cipher.encrypt(&text)?;
            Ok(Connection { cipher, packet })
        })
        .collect::<Result<_, Error>>()?;

    let one_by_one = |burst: &[Connection]| -> Vec<Result<Vec<u8>, Error>> {
        let each = burst.iter();
        each.map(|connection| connection.cipher.decrypt(&connection.packet))
            .collect()
    };
    let batch = |burst: &[Connection]| -> Vec<Result<Vec<u8>, Error>> {
        let each = burst.iter();
        qq::decrypt_batch(each.map(|connection| (&connection.cipher, &connection.packet[..])))
    };
    // A batch for each part, whose results stay in order. A part fills the lanes a few times.
    let over_cores = |burst: &[Connection]| -> Vec<Result<Vec<u8>, Error>> {
        burst.par_chunks(128).flat_map_iter(batch).collect()
    };

    assert_eq!(batch(&burst), one_by_one(&burst));
    assert_eq!(over_cores(&burst), one_by_one(&burst));

    let base = rate(&burst, one_by_one);
    println!("message by message:     {base:>10.0} messages/s");
    let one_core = rate(&burst, batch);
    println!(
        "batch on one core:      {one_core:>10.0} messages/s, {:.1} times as many",
        one_core / base
    );
    let all_cores = rate(&burst, over_cores);
    println!(
        "batches over {} cores:   {all_cores:>10.0} messages/s, {:.1} times as many",
        rayon::current_num_threads(),
        all_cores / base
    );
    Ok(())
}

/// Messages a second.
fn rate<T>(burst: &[Connection], run: impl Fn(&[Connection]) -> T) -> f64 {
    let begin = Instant::now();
    let mut bursts = 0u32;
    while begin.elapsed() < TIME {
        core::hint::black_box(run(burst));
        bursts += 1;
    }
    f64::from(bursts) * burst.len() as f64 / begin.elapsed().as_secs_f64()
}
