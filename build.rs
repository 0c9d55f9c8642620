//! Assembles `asm/<arch>/*.S` and says so with `--cfg fasttea_asm`. Nothing else.
//!
//! The feature `asm` is soft: on a target without kernels, or without a C compiler, the crate is
//! built without them. `FASTTEA_REQUIRE_ASM=1` turns that into an error.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=asm");
    println!("cargo::rerun-if-env-changed=FASTTEA_REQUIRE_ASM");
    println!("cargo::rerun-if-env-changed=DOCS_RS");

    let prefix = prefix();
    println!("cargo::rustc-env=FASTTEA_PREFIX={prefix}");

    let required = env::var("FASTTEA_REQUIRE_ASM").is_ok_and(|value| !matches!(&*value, "" | "0"));
    match assemble(&prefix) {
        Ok(()) => println!("cargo::rustc-cfg=fasttea_asm"),
        Err(reason) if required => {
            println!("cargo::error=FASTTEA_REQUIRE_ASM is set, but there is no assembly: {reason}");
        }
        // Silent where nothing is wrong: the feature is off, or the target has no kernels.
        Err(Missing::Unsupported(_)) => {}
        Err(reason @ Missing::Failed(_)) => {
            println!("cargo::warning=fasttea is built without its assembly: {reason}");
            rerun_always();
        }
    }
    // What `--cfg fasttea_backend` names, or "". src/backend knows whether there is one of that name.
    let forced = env::var("CARGO_CFG_FASTTEA_BACKEND").unwrap_or_default();
    println!("cargo::rustc-env=FASTTEA_FORCED_BACKEND={forced}");
}

/// Nothing that cargo watches changes when a compiler is installed: it takes a file that never exists for
/// changed, so that the next build tries again.
fn rerun_always() {
    let out = env::var("OUT_DIR").expect("cargo sets it");
    println!("cargo::rerun-if-changed={out}/no_assembly");
}

/// What every symbol starts with: it holds the version, so that two versions of the crate in one
/// program do not run each other's kernels. The manifest's `links` key says the same to cargo.
fn prefix() -> String {
    let version = env::var("CARGO_PKG_VERSION").expect("cargo sets it");
    let (version, _build) = version.split_once('+').unwrap_or((&version, ""));
    let prefix = format!("fasttea_{}", version.replace(['.', '-'], "_"));
    assert_eq!(
        env::var("CARGO_MANIFEST_LINKS").as_ref(),
        Ok(&prefix),
        "the key `links` in Cargo.toml must hold the version"
    );
    prefix
}

/// Why there is no assembly.
enum Missing {
    Unsupported(&'static str),
    #[cfg_attr(not(feature = "asm"), allow(dead_code))]
    Failed(String),
}

impl core::fmt::Display for Missing {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Unsupported(reason) => f.write_str(reason),
            Self::Failed(reason) => f.write_str(reason),
        }
    }
}

#[cfg(not(feature = "asm"))]
fn assemble(_prefix: &str) -> Result<(), Missing> {
    Err(Missing::Unsupported("the feature `asm` is off"))
}

#[cfg(feature = "asm")]
fn assemble(prefix: &str) -> Result<(), Missing> {
    let failed = |error: &dyn core::fmt::Display| Missing::Failed(error.to_string());

    let arch = target_arch()?;
    // docs.rs documents other targets than the one that its compiler assembles for.
    if env::var_os("DOCS_RS").is_some() {
        return Err(Missing::Unsupported("built by docs.rs"));
    }
    rerun_if_compiler_changes();

    let mut sources: Vec<_> = std::path::Path::new("asm")
        .join(arch)
        .read_dir()
        .map_err(|error| failed(&error))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "S"))
        .collect();
    sources.sort();

    let mut build = cc::Build::new();
    build
        .files(sources)
        .define("FASTTEA_PREFIX", prefix)
        .cargo_warnings(false)
        .emit_rerun_if_env_changed(false)
        .prefer_clang_cl_over_msvc(true);
    let compiler = build.try_get_compiler().map_err(|error| failed(&error))?;
    if compiler.is_like_msvc() && !compiler.is_like_clang_cl() {
        return Err(Missing::Failed(
            "cl.exe does not assemble these files, clang-cl does".to_owned(),
        ));
    }
    if compiler.is_like_clang_cl() {
        // Else it leaves the preprocessed sources in the current directory.
        build.flag(format!(
            "-Fa{}/",
            env::var("OUT_DIR").map_err(|error| failed(&error))?
        ));
    }
    build.try_compile(prefix).map_err(|error| failed(&error))
}

/// The folder of `asm` that holds the target's kernels.
#[cfg(feature = "asm")]
fn target_arch() -> Result<&'static str, Missing> {
    let target = |what: &str| env::var(format!("CARGO_CFG_TARGET_{what}")).unwrap_or_default();
    // Kernels take pointers and `usize` as 64-bit values, which leaves out x32, and words as
    // little-endian lanes.
    let is = |arch| {
        target("ARCH") == arch && target("POINTER_WIDTH") == "64" && target("ENDIAN") == "little"
    };
    if is("x86_64") {
        return Ok("x86_64");
    }
    // Every aarch64 has NEON but those that do without floating point, in kernels of systems.
    if is("aarch64")
        && target("FEATURE")
            .split(',')
            .any(|feature| feature == "neon")
    {
        return Ok("aarch64");
    }
    Err(Missing::Unsupported("no kernels for this target"))
}

/// Named here, since some versions of `cc` name `PATH` too, which rebuilds for nothing.
#[cfg(feature = "asm")]
fn rerun_if_compiler_changes() {
    let target = env::var("TARGET").unwrap_or_default();
    for variable in ["CC", "CFLAGS", "AR", "ARFLAGS"] {
        for name in [
            variable.to_owned(),
            format!("TARGET_{variable}"),
            format!("HOST_{variable}"),
            format!("{variable}_{target}"),
            format!("{variable}_{}", target.replace('-', "_")),
        ] {
            println!("cargo::rerun-if-env-changed={name}");
        }
    }
    println!("cargo::rerun-if-env-changed=CROSS_COMPILE");
    println!("cargo::rerun-if-env-changed=CRATE_CC_NO_DEFAULTS");
}
