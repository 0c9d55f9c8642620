//! The kernels: assembles `asm/<arch>/*.S` as the crate's build script does, and reads the functions out of the
//! objects.

use std::path::Path;

use object::{Object as _, ObjectSection as _, ObjectSymbol as _};

/// What every symbol begins with. Any prefix will do; the build script's holds the version.
const PREFIX: &str = "fasttea";

/// The architectures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arch {
    /// `x86_64`.
    X86,
    /// `aarch64`.
    Arm,
}

impl Arch {
    /// Both.
    pub const ALL: [Self; 2] = [Self::X86, Self::Arm];

    /// The folder of `asm`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::X86 => "x86_64",
            Self::Arm => "aarch64",
        }
    }
}

/// A function as it is assembled.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name without the prefix.
    pub name: String,
    /// Its code.
    pub code: Vec<u8>,
}

/// The compiler for an architecture.
///
/// # Errors
/// If there is none.
pub fn compiler(arch: Arch) -> Result<cc::Tool, cc::Error> {
    cc::Build::new()
        .target(&format!("{}-unknown-linux-gnu", arch.name()))
        .host(&format!("{}-unknown-linux-gnu", std::env::consts::ARCH))
        .opt_level(0)
        .cargo_metadata(false)
        .try_get_compiler()
}

/// Assembles all kernels of an architecture.
///
/// # Errors
/// If there is no compiler, or the sources or objects are wrong.
pub fn assemble(arch: Arch) -> Result<Vec<Function>, Box<dyn core::error::Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../asm")
        .join(arch.name());
    let out = tempfile::tempdir()?;
    let mut sources = Vec::new();
    for entry in folder.read_dir()? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "S") {
            sources.push(path);
        }
    }
    sources.sort();
    let compiler = compiler(arch)?;
    let mut functions = Vec::new();
    for source in sources {
        let object = out.path().join("object.o");
        let status = compiler
            .to_command()
            .arg(format!("-DFASTTEA_PREFIX={PREFIX}"))
            .arg("-c")
            .arg(&source)
            .arg("-o")
            .arg(&object)
            .status()
            .map_err(|error| format!("{}: {error}", compiler.path().display()))?;
        if !status.success() {
            return Err(format!("{} is not assembled", source.display()).into());
        }
        functions.extend(read(&std::fs::read(&object)?)?);
    }
    Ok(functions)
}

/// The functions of an object, which may not have relocations in its code.
fn read(object: &[u8]) -> Result<Vec<Function>, Box<dyn core::error::Error>> {
    let file = object::File::parse(object)?;
    let mut functions = Vec::new();
    for symbol in file.symbols() {
        let Some(name) = symbol.name()?.strip_prefix(PREFIX) else {
            continue;
        };
        let section =
            file.section_by_index(symbol.section_index().ok_or("a symbol without section")?)?;
        if section.relocations().next().is_some() {
            return Err(format!("{name}: relocations").into());
        }
        let start = usize::try_from(symbol.address())?;
        let end = start + usize::try_from(symbol.size())?;
        functions.push(Function {
            name: name.trim_start_matches('_').to_owned(),
            code: section
                .data()?
                .get(start..end)
                .ok_or("a symbol beyond its section")?
                .to_vec(),
        });
    }
    Ok(functions)
}

/// Decoded instructions and where they stand.
#[derive(Clone, Debug)]
pub struct Program<I> {
    /// One after the other.
    pub instructions: Vec<I>,
    /// The number of the instruction that begins at each byte, or `usize::MAX`.
    at: Vec<usize>,
}

impl<I> Program<I> {
    /// From instructions and their lengths.
    pub fn new(decoded: impl IntoIterator<Item = (I, usize)>) -> Self {
        let mut program = Self {
            instructions: Vec::new(),
            at: Vec::new(),
        };
        for (instruction, len) in decoded {
            program.at.push(program.instructions.len());
            program.at.resize(program.at.len() + len - 1, usize::MAX);
            program.instructions.push(instruction);
        }
        program
    }

    /// The number of the instruction that begins at an address.
    #[must_use]
    pub fn find(&self, offset: u64) -> Option<usize> {
        let number = *self.at.get(usize::try_from(offset).ok()?)?;
        (number != usize::MAX).then_some(number)
    }
}

/// What a run does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// The next instruction.
    Follow,
    /// That at an offset in the function.
    Jump(u64),
    /// It is over.
    Return,
}
