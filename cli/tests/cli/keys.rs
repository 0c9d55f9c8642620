//! Where the key comes from, and where it stays.

use std::fs;

use crate::program::*;

#[test]
fn keys() {
    let folder = tempfile::tempdir().unwrap();
    let file = |text: &str| {
        fs::write(folder.path().join("key"), text).unwrap();
    };
    let message = unhex(MESSAGE);
    let with_file = || run_in(folder.path(), "decrypt --key-file key", &message);
    let with_variable = |value: &str, arguments: &str| {
        assert_cmd::Command::from_std(program())
            .env("FASTTEA_KEY", value)
            .args(arguments.split_whitespace())
            .write_stdin(&*message)
            .output()
            .unwrap()
    };

    assert_eq!(
        ok(&format!("decrypt --key {KEY}"), &message),
        b"MiraiGO Here"
    );
    for end in ["", "\n", "\r\n"] {
        file(&format!("{KEY}{end}"));
        assert_eq!(with_file().stdout, b"MiraiGO Here", "{end:?}");
    }
    assert_eq!(with_variable(KEY, "decrypt").stdout, b"MiraiGO Here");

    // No key, and more than one.
    assert!(fails(2, "decrypt", &message).starts_with("no key: one of --key,"));
    let two = format!("decrypt --key {KEY} --key-text 0123456789ABCDEF");
    assert!(fails(2, &two, &message).starts_with("more than one key: --key, --key-text"));
    let output = with_variable(KEY, &format!("decrypt --key {KEY}"));
    assert!(failure(2, "", &output).starts_with("more than one key: --key, FASTTEA_KEY"));

    // Wrong ones, of which no character is shown.
    for (arguments, words) in [
        (
            "decrypt --key 7071727",
            "--key has an odd number of hex digits, 7",
        ),
        ("decrypt --key 70717273", "--key has 4 bytes instead of 16"),
        (
            "decrypt --key 70717273747576777879zz7b7c7d7e7f",
            "character 21 of --key is not a hex",
        ),
        (
            "decrypt --key-text zzzz",
            "--key-text has 4 bytes instead of 16",
        ),
        (
            "decrypt --key-text zzzzzzzzzzzzzzzzz",
            "--key-text has 17 bytes instead of 16",
        ),
    ] {
        let line = fails(2, arguments, &message);
        assert!(line.contains(words), "{line}");
        assert!(!line.contains("zz") && !line.contains("7071"), "{line}");
    }
    let output = with_variable("7071", "decrypt");
    assert!(failure(2, "", &output).starts_with("FASTTEA_KEY has 2 bytes instead of 16"));
    for (text, words) in [
        (
            format!("{KEY}\n\n"),
            "character 33 of the key is not a hex digit",
        ),
        (format!("{KEY}\n\n\n"), "more than 34 bytes"),
        (
            format!(" {KEY}"),
            "character 1 of the key is not a hex digit",
        ),
        (String::new(), "the key has 0 bytes instead of 16"),
    ] {
        file(&text);
        let line = failure(1, "--key-file", &with_file());
        assert!(
            line.starts_with("key file key: ") && line.contains(words),
            "{line}"
        );
    }
    let output = run_in(folder.path(), "decrypt --key-file none", &message);
    assert!(failure(1, "", &output).starts_with("key file none: "));
}

/// While a run waits for input, the key is in memory as the cipher's words alone, and where the system
/// put the argument or the environment.
#[cfg(all(target_os = "linux", target_endian = "little"))]
#[test]
fn key_is_wiped() {
    use std::{
        io::{self, Read, Seek, SeekFrom, Write},
        process::{Command, Stdio},
    };

    /// How often the process has the bytes in memory that it can write.
    fn count(process: u32, bytes: &[u8]) -> io::Result<usize> {
        let mut count = 0;
        let mut memory = fs::File::open(format!("/proc/{process}/mem"))?;
        for line in fs::read_to_string(format!("/proc/{process}/maps"))?.lines() {
            let mut fields = line.split(' ');
            let (range, rights) = (fields.next().unwrap(), fields.next().unwrap());
            if !rights.starts_with("rw") {
                continue;
            }
            let (begin, end) = range.split_once('-').unwrap();
            let [begin, end] = [begin, end].map(|at| u64::from_str_radix(at, 16).unwrap());
            let mut region = vec![0; usize::try_from(end - begin).unwrap()];
            memory.seek(SeekFrom::Start(begin))?;
            if memory.read_exact(&mut region).is_ok() {
                count += region
                    .windows(bytes.len())
                    .filter(|window| window == &bytes)
                    .count();
            }
        }
        Ok(count)
    }

    let folder = tempfile::tempdir().unwrap();
    let digits = "9b3f61c702d84ea55c1f7e83a6d20b94";
    fs::write(folder.path().join("key"), digits).unwrap();
    let raw = unhex(digits);
    let words: Vec<u8> = raw
        .chunks(4)
        .flat_map(|word| word.iter().rev().copied())
        .collect();
    for (option, value, copies) in [
        ("--key-file", "key", 0..=0),
        ("--key", digits, 1..=usize::MAX),
        ("FASTTEA_KEY", digits, 1..=1),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fasttea"));
        command.args(["encrypt", "--cipher", "tea", "--mode", "ecb"]);
        if option.starts_with('-') {
            command.args([option, value]).env_remove("FASTTEA_KEY");
        } else {
            command.env(option, value);
        }
        let mut child = command
            .current_dir(folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        // The key is read when some of the output is there.
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(&painted(65536)).unwrap();
        child
            .stdout
            .as_mut()
            .unwrap()
            .read_exact(&mut [0; 8])
            .unwrap();
        // An allocator writes on the begin of what is given back.
        let found = [&words, &digits.as_bytes()[16..], &raw].map(|bytes| count(child.id(), bytes));
        child.kill().unwrap();
        child.wait().unwrap();
        if let [Err(error), ..] = &found {
            if error.kind() == io::ErrorKind::PermissionDenied {
                eprintln!("not tested: this system does not let processes be looked at");
                return;
            }
        }
        let [words, digits, raw] = found.map(Result::unwrap);
        // What stays where the system put it shows that the test looks.
        assert!(words > 0 && raw == 0, "{option}");
        assert!(copies.contains(&digits), "{option}: {digits} copies");
    }
}
