//! Compiles `memcheck.c`.

fn main() {
    println!("cargo::rerun-if-changed=memcheck.c");
    cc::Build::new().file("memcheck.c").compile("memcheck");
}
