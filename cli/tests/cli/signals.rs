//! Runs that are interrupted.

use std::{
    fs,
    path::Path,
    process::{Child, ChildStdin, Command, Stdio},
};

use crate::program::*;

/// A run that waits for its input, with the file that it writes beside `old`. It starts with
/// hang-ups, interrupts and requests to end as `disposition` says, whatever it is in this process.
#[allow(unsafe_code)]
fn waiting_run(folder: &Path, disposition: libc::sighandler_t) -> (Child, ChildStdin) {
    use std::os::unix::{fs::PermissionsExt, process::CommandExt};

    let mut command = program();
    command
        .current_dir(folder)
        .args(["encrypt", "--cipher", "tea", "--mode", "ecb"])
        .args(["--key", KEY, "-o", "old"])
        .stdin(Stdio::piped());
    // SAFETY: `signal` may be called between fork and exec.
    unsafe {
        command.pre_exec(move || {
            for signal in [libc::SIGHUP, libc::SIGINT, libc::SIGTERM] {
                libc::signal(signal, disposition);
            }
            Ok(())
        });
    }
    fs::write(folder.join("old"), "old").unwrap();
    fs::set_permissions(folder.join("old"), fs::Permissions::from_mode(0o644)).unwrap();
    let mut child = command.spawn().unwrap();
    while names(folder).len() < 2 {
        assert_eq!(child.try_wait().unwrap(), None);
        std::thread::yield_now();
    }
    // Open until the caller drops it: waiting would close it, and the run would succeed.
    let stdin = child.stdin.take().unwrap();
    (child, stdin)
}

fn send(signal: &str, child: &Child) {
    let id = child.id().to_string();
    let kill = Command::new("sh")
        .args(["-c", r#"kill "$@""#, "sh", signal, &id])
        .status();
    assert!(kill.unwrap().success());
}

/// An interrupted run leaves no file, and the old one as it was. Until then nobody else reads it.
#[test]
fn interrupted() {
    use std::os::unix::{fs::PermissionsExt, process::ExitStatusExt};

    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (signal, number) in [("-HUP", 1), ("-INT", 2), ("-TERM", 15)] {
        // See `signals_to_handle`.
        if signal == "-HUP" && cfg!(not(target_os = "linux")) {
            continue;
        }
        let (mut child, stdin) = waiting_run(folder, libc::SIG_DFL);
        for name in names(folder).iter().filter(|name| *name != "old") {
            let permissions = fs::metadata(folder.join(name)).unwrap().permissions();
            assert_eq!(permissions.mode() & 0o777, 0o600);
        }
        send(signal, &child);
        assert_eq!(child.wait().unwrap().signal(), Some(number));
        drop(stdin);
        assert_eq!(names(folder), ["old"]);
        assert_eq!(fs::read(folder.join("old")).unwrap(), b"old");
    }
}

/// What is ignored when the program starts stays so: hang-ups under `nohup`, interrupts in the
/// background of a script.
#[cfg(target_os = "linux")]
#[test]
fn ignored_signals() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (mut child, stdin) = waiting_run(folder, libc::SIG_IGN);
    for signal in ["-HUP", "-INT", "-TERM"] {
        send(signal, &child);
    }
    // A program that handles them would end meanwhile.
    std::thread::sleep(core::time::Duration::from_millis(300));
    drop(stdin);
    assert!(child.wait().unwrap().success());
    assert_eq!(names(folder), ["old"]);
    assert_eq!(fs::read(folder.join("old")).unwrap().len(), 8);
}
