//! The files in `tests/data`.

use fasttea::ByteOrder;
use serde::{Deserialize, de::DeserializeOwned};

/// A known answer.
#[derive(Deserialize)]
pub struct Vector {
    pub id: String,
    pub cipher: String,
    #[serde(default)]
    pub cycles: u32,
    #[serde(default, rename = "endian")]
    byte_order: String,
    pub mode: String,
    #[serde(with = "hex")]
    pub key: Vec<u8>,
    #[serde(with = "hex")]
    pub iv: Vec<u8>,
    #[serde(with = "hex")]
    pub plaintext: Vec<u8>,
    #[serde(with = "hex")]
    pub ciphertext: Vec<u8>,
    /// Where in the key stream a counter-mode vector begins.
    #[serde(default)]
    pub seek: u64,
}

impl Vector {
    pub fn key(&self) -> [u8; 16] {
        self.key.as_slice().try_into().unwrap()
    }

    pub fn byte_order(&self) -> ByteOrder {
        self.byte_order.parse().unwrap()
    }
}

/// Published and generated known answers of the TEA family.
pub fn vectors() -> Vec<Vector> {
    [
        include_str!("../data/public.json"),
        include_str!("../data/generated.json"),
    ]
    .into_iter()
    .flat_map(|text| list(text, "vectors"))
    .collect()
}

/// NIST's known answers of AES, without cycles and byte orders.
pub fn aes_vectors() -> Vec<Vector> {
    list(include_str!("../data/aes.json"), "vectors")
}

/// A bad or unusual input, and what has to come of it.
#[derive(Deserialize)]
pub struct BadInput {
    pub id: String,
    pub area: String,
    pub outcome: String,
    /// A QQ message to decrypt, with its key and, if there is one, its text.
    pub hex: Option<String>,
    #[serde(default)]
    pub key: String,
    pub plaintext: Option<String>,
}

pub fn bad_inputs() -> Vec<BadInput> {
    list(include_str!("../data/bad_inputs.json"), "cases")
}

/// What stands under a name in a file.
fn list<T: DeserializeOwned>(text: &str, name: &str) -> Vec<T> {
    let mut file: serde_json::Value = serde_json::from_str(text).unwrap();
    serde_json::from_value(file[name].take()).unwrap()
}
