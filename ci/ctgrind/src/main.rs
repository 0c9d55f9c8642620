//! Runs under valgrind's memcheck with every secret marked as undefined: memcheck then reports each
//! branch and each address that depends on one. `ci/ctgrind.sh` starts it.
//!
//! Without an argument it runs everything and prints the backends; with the name of a control it does
//! something that must be caught.

mod leaks;
mod run;
mod secrets;

use std::{env, process, sync::atomic::Ordering};

use fasttea::qq;

fn main() {
    match env::args().nth(1).as_deref() {
        None => println!("{}", run::everything().join(" ")),
        Some("branch") => leaks::branch(&secrets::array()),
        Some("address") => leaks::address(&secrets::array()),
        Some("kept") => {
            secrets::KEEP.store(true, Ordering::Relaxed);
            run::messages(qq::Cipher::new);
        }
        Some("defined") => secrets::look_at(b"no secret"),
        Some(_) => process::exit(2),
    }
}
