//! Hex and base64.

use crate::program::*;

#[test]
fn formats() {
    // No line end on raw output, one on the others, whatever the length.
    for len in [0, 1, 2, 3, 100, 600_000] {
        let text = painted(len);
        let key = format!("--cipher xtea --mode ctr --iv 0102030405060708 --key {KEY}");
        let raw = ok(&format!("encrypt {key}"), &text);
        assert_eq!(raw.len(), len);
        for format in ["hex", "base64"] {
            let written = ok(&format!("encrypt {key} --output-format {format}"), &text);
            assert_eq!(
                written.iter().filter(|&&byte| byte == b'\n').count(),
                1,
                "{format}"
            );
            assert_eq!(written.last(), Some(&b'\n'));
            let read = ok(&format!("decrypt {key} --input-format {format}"), &written);
            assert_eq!(read, text, "{format} {len}");
            if format == "hex" {
                assert_eq!(written, format!("{}\n", hex(&raw)).as_bytes());
                let upper = written.to_ascii_uppercase();
                assert_eq!(
                    ok(&format!("decrypt {key} --input-format hex"), upper),
                    text
                );
            }
        }
    }
    // Base64 in lines, as other programs write it.
    let key = format!("decrypt --key {KEY} --input-format base64");
    assert_eq!(
        ok(&key, "t7LlKvf1sfvzf8PV\r\nVGrHVprs0Bu6zwm/\r\n"),
        b"MiraiGO Here"
    );

    for (format, input, words) in [
        ("hex", "abc\r\n", "odd number of hex digits, 3"),
        ("hex", "ab\r", "ends in half a line end"),
        ("hex", "abcx", "character 4 of the input is not a hex digit"),
        (
            "hex",
            "ab cd",
            "character 3 of the input is not a hex digit",
        ),
        (
            "hex",
            "ab\n\n",
            "goes on after its line end, at character 4",
        ),
        (
            "hex",
            "ab\ncd",
            "goes on after its line end, at character 4",
        ),
        (
            "hex",
            "ab\rcd",
            "goes on after its line end, at character 4",
        ),
        (
            "base64",
            "AAA",
            "ends in a group of 3 characters instead of 4",
        ),
        (
            "base64",
            "AA==AAAA",
            "goes on after its padding, at character 5",
        ),
        ("base64", "A=AA", "not base64"),
        ("base64", "AA*A", "character 3 of the input is not base64"),
        ("base64", "AB==", "not base64"),
    ] {
        let line = fails(
            1,
            &format!("decrypt --key {KEY} --input-format {format}"),
            input,
        );
        assert!(line.contains(words), "{format} {input:?}: {line}");
    }
}
