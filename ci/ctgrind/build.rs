//! Compiles `memcheck.c` for bin/ctgrind.rs, which runs on x86_64 alone.

fn main() {
    println!("cargo::rerun-if-changed=memcheck.c");
    if std::env::var("CARGO_CFG_TARGET_ARCH").as_deref() == Ok("x86_64") {
        cc::Build::new().file("memcheck.c").compile("memcheck");
    }
}
