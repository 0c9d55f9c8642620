//! The commands `backends` and `bench`.

use crate::program::*;

#[test]
fn backends() {
    let text = String::from_utf8(ok("backends", "")).unwrap();
    let lines: Vec<Vec<_>> = text
        .lines()
        .map(|line| line.splitn(2, ' ').collect())
        .collect();
    let names: Vec<_> = lines.iter().map(|line| line[0]).collect();
    // The same everywhere.
    let all = [
        "portable", "scalar", "ssse3", "avx2", "avx512", "neon", "sha3",
    ];
    assert_eq!(names, all);
    let state = |wanted: &str| lines.iter().filter(|line| line[1].trim() == wanted).count();
    assert_eq!(state("active"), 1);

    // Each gives the same, or says that it is not there.
    for line in &lines {
        let arguments = format!("decrypt --key {KEY} --backend {}", line[0]);
        let message = unhex(MESSAGE);
        if line[1].trim() == "not available" {
            assert!(fails(1, &arguments, message).contains("is not available here"));
        } else {
            assert_eq!(ok(&arguments, message), b"MiraiGO Here");
        }
    }
}

#[test]
fn bench() {
    let text = ok("bench --json --backend portable --filter xtea-32", "");
    let rows: Vec<serde_json::Value> = serde_json::from_slice(&text).unwrap();
    assert_eq!(rows.len(), 2 * (4 + 1));
    for row in &rows {
        assert_eq!(row["backend"], "portable");
        assert_eq!(row["cipher"], "xtea");
        assert_eq!(row["cycles"], 32);
        assert_eq!(row["messages"], 1);
        assert_eq!(row["ratio_to_portable"], 1.0);
        for number in ["mb_per_s", "bytes_per_clock", "clocks_per_block"] {
            assert!(row[number].as_f64().unwrap() > 0.0);
        }
        let clocks = row["clocks_per_block"].as_f64().unwrap();
        let bytes = row["bytes_per_clock"].as_f64().unwrap();
        assert!((clocks * bytes - 8.0).abs() < 1e-6);
    }
    let table = String::from_utf8(ok("bench --filter qq-16 --backend portable", "")).unwrap();
    assert_eq!(
        table
            .lines()
            .filter(|line| line.contains("portable  "))
            .count(),
        2 * (4 + 4)
    );
    // The last line names the processor.
    assert!(table.lines().last().unwrap().contains("limit"), "{table}");
    assert!(fails(1, "bench --filter nothing", "").contains("no row has the text"));
    #[cfg(target_arch = "x86_64")]
    if fasttea::backend::by_name("scalar").is_some() {
        let text = ok("bench --json --backend scalar --filter qq-16", "");
        let rows: Vec<serde_json::Value> = serde_json::from_slice(&text).unwrap();
        for row in rows.iter().filter(|row| row["op"] == "qq") {
            let long = row["bytes"].as_u64().unwrap() >= 1024;
            let percent = row.get("percent_of_limit").map(|of| of.as_f64().unwrap());
            assert_eq!(percent.is_some(), long, "{row}");
            assert!(percent.is_none_or(|percent| percent > 0.0), "{row}");
        }
    }
    let text = ok("bench --json --backend portable --filter mixed", "");
    let rows: Vec<serde_json::Value> = serde_json::from_slice(&text).unwrap();
    assert_eq!(rows.len(), 2);
    for row in rows {
        assert_eq!(
            (&row["op"], &row["cipher"]),
            (&"batch".into(), &"qq".into())
        );
        assert_eq!(row["messages"], 256);
        assert!(row["ratio_to_one_by_one"].as_f64().unwrap() > 0.0);
    }
}
