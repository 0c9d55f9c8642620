//! Calls the generic code of `answers`, and of the crate itself, with a random source of its own.

use fasttea::rand_core::{TryCryptoRng, TryRng};

struct Counting(u8);

impl TryRng for Counting {
    type Error = core::convert::Infallible;
    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        self.try_next_u64().map(|number| number as u32)
    }
    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        let mut bytes = [0; 8];
        self.try_fill_bytes(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }
    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Self::Error> {
        for byte in bytes {
            *byte = self.0;
            self.0 = self.0.wrapping_add(1);
        }
        Ok(())
    }
}
impl TryCryptoRng for Counting {}

fn main() {
    // A panic ends the program, and how it does tells the panic strategy.
    if std::env::args().nth(1).as_deref() == Some("panic") {
        panic!("as asked");
    }
    answers::all(Counting(0));
    println!("right answers by {}", fasttea::backend::active());
}
