//! Where the output goes.
//!
//! A file is written beside its place under a temporary name and moved there when all went well: a
//! failed run leaves the old file and no other. What is no regular file, as a pipe or a device, is
//! written through, and so is whatever is named by a file descriptor.

use std::{
    fs::{self, File, OpenOptions, Permissions},
    io::{self, BufWriter, IntoInnerError, Write},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tempfile::NamedTempFile;

use crate::failure::Failure;

/// Names of standard output. A program that opens `/dev/stdout` starts at the file's begin.
const STDOUT: [&str; 4] = ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];

/// What stands here is no file of its own: a device, or another name for an open file.
const THROUGH: [&str; 2] = ["/dev", "/proc"];

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
    Through(BufWriter<File>),
    Replace {
        file: BufWriter<NamedTempFile>,
        path: PathBuf,
        permissions: Permissions,
    },
}

impl Output {
    /// Standard output for no path, and for `-`.
    pub(crate) fn create(path: Option<&Path>) -> Result<Self, Failure> {
        let (target, name) = match path {
            Some(path) if !STDOUT.iter().any(|stdout| path == Path::new(stdout)) => {
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
        let flushed = match &mut self.target {
            Target::Stdout(stdout) => stdout.flush(),
            Target::Through(file) => file.flush(),
            Target::Replace { .. } => Ok(()),
        };
        if flushed.is_err() {
            return failure;
        }
        failure.and(format!(
            "{} bytes were written to {} before",
            self.written, self.name
        ))
    }

    /// Puts the file in its place. The input, which may be the same file, has to be closed before:
    /// Windows does not replace a file that is open.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        let result = match self.target {
            Target::Stdout(mut stdout) => stdout.flush(),
            Target::Through(mut file) => file.flush(),
            Target::Replace {
                file,
                path,
                permissions,
            } => file
                .into_inner()
                .map_err(IntoInnerError::into_error)
                .and_then(|file| {
                    file.as_file().set_permissions(permissions)?;
                    file.persist(path).map(|_| ()).map_err(|error| error.error)
                }),
        };
        result.map_err(|error| Failure::run(format!("{}: {error}", self.name)))
    }
}

impl Target {
    fn file(path: &Path) -> io::Result<Self> {
        if THROUGH.iter().any(|folder| path.starts_with(folder)) {
            let file = OpenOptions::new().append(true).open(path)?;
            return Ok(Self::Through(BufWriter::new(file)));
        }
        let path = resolve(path)?;
        let old = match fs::metadata(&path) {
            Ok(metadata) if !metadata.is_file() => {
                let file = OpenOptions::new().write(true).open(&path)?;
                return Ok(Self::Through(BufWriter::new(file)));
            }
            Ok(metadata) => Some(metadata.permissions()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let folder = match path.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        };
        // Before there is a file to be left behind.
        let unfinished = remove_when_interrupted()?;
        let permissions = match old {
            Some(permissions) => without_setuid(permissions),
            None => new_file_permissions(&unfinished, folder)?,
        };
        // Readable by its owner alone until it is moved.
        let file = unfinished.create(&mut tempfile::Builder::new(), folder)?;
        Ok(Self::Replace {
            file: BufWriter::new(file),
            path,
            permissions,
        })
    }
}

/// The file that an interrupted run, which is a failed run, has to remove.
#[derive(Clone, Default)]
struct Unfinished(Arc<Mutex<Option<PathBuf>>>);

impl Unfinished {
    /// Makes a file, which is known here from its first moment.
    fn create(
        &self,
        builder: &mut tempfile::Builder<'_, '_>,
        folder: &Path,
    ) -> io::Result<NamedTempFile> {
        let mut path = self.lock();
        let file = builder.prefix(".fasttea-").tempfile_in(folder)?;
        *path = Some(file.path().to_owned());
        Ok(file)
    }

    /// While the result is held, no other file is made.
    #[cfg(unix)]
    fn remove(&self) -> MutexGuard<'_, Option<PathBuf>> {
        let mut path = self.lock();
        if let Some(path) = path.take() {
            let _ = fs::remove_file(path);
        }
        path
    }

    fn lock(&self) -> MutexGuard<'_, Option<PathBuf>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// From here on a hang-up, an interrupt or a request to end removes the file that is set, and then ends
/// the program as it would have without.
#[cfg(unix)]
fn remove_when_interrupted() -> io::Result<Unfinished> {
    use signal_hook::{iterator::Signals, low_level::emulate_default_handler};

    let unfinished = Unfinished::default();
    let mut signals = Signals::new(signals_to_handle())?;
    let to_remove = unfinished.clone();
    std::thread::spawn(move || {
        for signal in signals.forever() {
            let _until_the_end = to_remove.remove();
            let _ = emulate_default_handler(signal);
        }
    });
    Ok(unfinished)
}

/// Those that are not ignored: `nohup` has hang-ups ignored, and a script interrupts of what runs in its
/// background. Safe code learns this on Linux alone; elsewhere hang-ups end the program as they are.
#[cfg(unix)]
fn signals_to_handle() -> Vec<i32> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

    let Some(ignored) = ignored_signals() else {
        return vec![SIGINT, SIGTERM];
    };
    [SIGHUP, SIGINT, SIGTERM]
        .into_iter()
        .filter(|signal| (ignored >> (signal - 1)) & 1 == 0)
        .collect()
}

/// A bit for each signal, the lowest for signal 1.
#[cfg(unix)]
fn ignored_signals() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let digits = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))?;
    u64::from_str_radix(digits.trim(), 16).ok()
}

#[cfg(not(unix))]
fn remove_when_interrupted() -> io::Result<Unfinished> {
    Ok(Unfinished::default())
}

/// The new file may have another owner than the old one.
fn without_setuid(permissions: Permissions) -> Permissions {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        Permissions::from_mode(permissions.mode() & 0o777)
    }
    #[cfg(not(unix))]
    permissions
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

/// What a new file's permissions are here: those of an empty file that is made to find out.
fn new_file_permissions(unfinished: &Unfinished, folder: &Path) -> io::Result<Permissions> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let permissions = unfinished
        .create(&mut builder, folder)?
        .as_file()
        .metadata()?
        .permissions();
    Ok(permissions)
}
