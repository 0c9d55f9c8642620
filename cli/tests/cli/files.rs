//! Where the output goes.

use std::fs;
#[cfg(unix)]
use std::process::Command;

use crate::program::*;

#[test]
fn output_files() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let path = |name: &str| folder.join(name);
    let cipher = format!("--cipher xtea --mode cbc --iv 0011223344556677 --key {KEY}");
    let text = painted(1000);
    fs::write(path("text"), &text).unwrap();

    // Into a new file, and over an old one.
    let encrypt = format!("encrypt {cipher} -o message text");
    for _ in 0..2 {
        assert_eq!(run_in(folder, &encrypt, b"").status.code(), Some(0));
        assert_eq!(names(folder), ["message", "text"]);
    }

    // Over the input itself, in each of the ways to read it.
    let line = hex(&text) + "\n";
    for (options, text) in [
        ("--lines --input-format hex --key", line.as_bytes()),
        ("--key", &text),
        (
            "--cipher xtea --mode cbc --iv 0011223344556677 --key",
            &text,
        ),
    ] {
        fs::write(path("message"), text).unwrap();
        for direction in ["encrypt", "decrypt"] {
            let arguments = format!("{direction} {options} {KEY} --output message message");
            let output = run_in(folder, &arguments, b"");
            let errors = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(0), "{arguments}: {errors}");
            assert_eq!(output.stdout, b"", "{arguments}");
        }
        assert_eq!(fs::read(path("message")).unwrap(), text, "{options}");
    }

    // A failed run leaves the old file and no other.
    for (input, missing) in [("message", "old"), ("message", "new")] {
        fs::write(path("old"), "old").unwrap();
        let arguments = format!("decrypt {cipher} -o {missing} {input}");
        let line = failure(1, &arguments, &run_in(folder, &arguments, b""));
        assert!(!line.contains("written"), "{line}");
        assert_eq!(fs::read(path("old")).unwrap(), b"old");
        assert_eq!(names(folder), ["message", "old", "text"]);
    }

    // `-` is standard input and output.
    let output = run_in(folder, &format!("encrypt --key {KEY} -o - -"), b"text");
    assert_eq!(output.stdout.len(), 16);

    for (arguments, words) in [
        ("-o none/there", "none/there: "),
        ("none", "none: "),
        ("-o .", ".: "),
    ] {
        let arguments = format!("encrypt --key {KEY} {arguments}");
        let line = failure(1, &arguments, &run_in(folder, &arguments, b""));
        assert!(line.starts_with(words), "{line}");
    }
}

#[cfg(unix)]
#[test]
fn permissions_links_and_pipes_are_kept() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let path = |name: &str| folder.join(name);
    let mode = |name: &str| fs::metadata(path(name)).unwrap().permissions().mode() & 0o777;
    let encrypt = |name: &str| {
        let arguments = format!("encrypt --key {KEY} -o {name}");
        let output = run_in(folder, &arguments, b"text");
        assert_eq!(
            output.status.code(),
            Some(0),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    };

    // A new file's mode is that of any new file, an old file keeps its own.
    encrypt("new");
    fs::write(path("plain"), "").unwrap();
    assert_eq!(mode("new"), mode("plain"));
    for bits in [0o600, 0o640, 0o755] {
        fs::set_permissions(path("plain"), fs::Permissions::from_mode(bits)).unwrap();
        encrypt("plain");
        assert_eq!(mode("plain"), bits);
        assert_eq!(fs::read(path("plain")).unwrap().len(), 16);
    }

    // Links stay links, to what is there and to what is not.
    fs::create_dir(path("elsewhere")).unwrap();
    for target in ["plain", "elsewhere/absent"] {
        symlink(target, path("link")).unwrap();
        encrypt("link");
        assert!(fs::symlink_metadata(path("link")).unwrap().is_symlink());
        assert_eq!(fs::read(path(target)).unwrap().len(), 16);
        fs::remove_file(path("link")).unwrap();
    }

    // What is no regular file is written through.
    encrypt("/dev/null");
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
    assert!(
        Command::new("mkfifo")
            .arg(path("pipe"))
            .status()
            .unwrap()
            .success()
    );
    let reader = std::thread::spawn({
        let pipe = path("pipe");
        move || fs::read(pipe).unwrap()
    });
    encrypt("pipe");
    assert_eq!(reader.join().unwrap().len(), 16);
}

/// Standard output under its other names, and other descriptors, are written through.
#[cfg(target_os = "linux")]
#[test]
fn descriptors() {
    let folder = tempfile::tempdir().unwrap();
    let run = |script: &str| {
        let status = Command::new("sh")
            .args(["-ec", script, "sh"])
            .args(words())
            .args(["encrypt", "--key", KEY])
            .env_remove("FASTTEA_KEY")
            .current_dir(folder.path())
            .status()
            .unwrap();
        assert!(status.success(), "{script}");
        fs::read(folder.path().join("out")).unwrap().len()
    };
    assert_eq!(run(r#"echo a | "$@" -o /dev/stdout | cat >out"#), 16);
    let script = r#"(echo head; echo a | "$@" -o /dev/stdout; echo tail) >out"#;
    assert_eq!(run(script), 5 + 16 + 5);
    assert_eq!(run(r#"echo a | "$@" -o /dev/fd/3 3>out"#), 16);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}
