//! Where the output goes.
//!
//! A file is written beside its place under a temporary name and moved there when all went well: a
//! failed run leaves the old file and no other. What is no regular file, as a pipe or a device, is
//! written through.

use std::{
    fs::{self, File, OpenOptions, Permissions},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use tempfile::NamedTempFile;

use crate::failure::Failure;

/// The exit code of a program that was interrupted, as shells count: 128 and the signal's number.
const INTERRUPTED: i32 = 130;

/// How many symbolic links to follow to a file that is not there yet.
const MAX_LINKS: usize = 40;

/// Standard output, or a file.
pub(crate) struct Output {
    target: Target,
    name: String,
    written: u64,
}

enum Target {
    Stdout(BufWriter<io::Stdout>),
    Through(File),
    Replace {
        file: NamedTempFile,
        path: PathBuf,
        permissions: Permissions,
    },
}

impl Output {
    /// Standard output for no path, and for `-`.
    pub(crate) fn create(path: Option<&Path>) -> Result<Self, Failure> {
        let (target, name) = match path {
            Some(path) if path != Path::new("-") => {
                let name = path.display().to_string();
                let target =
                    Target::file(path).map_err(|error| Failure::run(format!("{name}: {error}")))?;
                (target, name)
            }
            _ => (
                Target::Stdout(BufWriter::new(io::stdout())),
                "standard output".to_owned(),
            ),
        };
        Ok(Self {
            target,
            name,
            written: 0,
        })
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let result = match &mut self.target {
            Target::Stdout(stdout) => stdout.write_all(bytes),
            Target::Through(file) => file.write_all(bytes),
            Target::Replace { file, .. } => file.write_all(bytes),
        };
        result.map_err(|error| Failure::run(format!("{}: {error}", self.name)))?;
        self.written += bytes.len() as u64;
        Ok(())
    }

    /// Adds to a failure what of the output cannot be taken back.
    pub(crate) fn failed(mut self, failure: Failure) -> Failure {
        if self.written == 0 || matches!(self.target, Target::Replace { .. }) {
            return failure;
        }
        if let Target::Stdout(stdout) = &mut self.target {
            // What the message says is to be true; a second failure would say no more.
            let _ = stdout.flush();
        }
        failure.and(format!(
            "{} bytes were written to {} before",
            self.written, self.name
        ))
    }

    /// Puts the file in its place.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        let result = match self.target {
            Target::Stdout(mut stdout) => stdout.flush(),
            Target::Through(mut file) => file.flush(),
            Target::Replace {
                file,
                path,
                permissions,
            } => file
                .as_file()
                .set_permissions(permissions)
                .and_then(|()| file.persist(path).map(|_| ()).map_err(|error| error.error)),
        };
        result.map_err(|error| Failure::run(format!("{}: {error}", self.name)))
    }
}

impl Target {
    fn file(path: &Path) -> io::Result<Self> {
        let path = resolve(path)?;
        let old = match fs::metadata(&path) {
            Ok(metadata) if !metadata.is_file() => {
                return Ok(Self::Through(OpenOptions::new().write(true).open(&path)?));
            }
            Ok(metadata) => Some(metadata.permissions()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let folder = match path.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        };
        let permissions = match old {
            Some(permissions) => permissions,
            None => new_file_permissions(folder)?,
        };
        // Such files are readable by their owner alone until they are moved.
        let file = tempfile::Builder::new()
            .prefix(".fasttea-")
            .tempfile_in(folder)?;
        remove_when_interrupted(file.path().to_owned());
        Ok(Self::Replace {
            file,
            path,
            permissions,
        })
    }
}

/// An interrupted run is a failed run, and leaves no file either.
fn remove_when_interrupted(path: PathBuf) {
    let handler = move || {
        let _ = fs::remove_file(&path);
        std::process::exit(INTERRUPTED);
    };
    // Without a handler the file stays, which is no reason to stop now.
    let _ = ctrlc::set_handler(handler);
}

/// The file behind symbolic links, which need not exist.
fn resolve(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        match fs::read_link(&path) {
            Ok(link) => path = path.parent().unwrap_or(Path::new("")).join(link),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

/// What a new file's permissions are here: those of an empty file that is made to see.
fn new_file_permissions(folder: &Path) -> io::Result<Permissions> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".fasttea-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let permissions = builder
        .tempfile_in(folder)?
        .as_file()
        .metadata()?
        .permissions();
    Ok(permissions)
}
