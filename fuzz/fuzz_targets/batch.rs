//! Batches of any number of messages, of any lengths, with keys, cycles and backends mixed, against one
//! after the other by the portable code.

#![no_main]

use arbitrary::Arbitrary;
use fasttea::{
    Be, Error, Le, Le64, Order,
    backend::{self, Backend},
    cbc::{self, Encryptor},
    cipher::{BlockSizeUser, InnerIvInit, IvState},
    qq,
};
use fasttea_fuzz::{Build, ByteOrder, Cipher, Numbers, Options, Sums, Visit, backends, planted};
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
struct Input {
    what: What,
    seed: u64,
    groups: Vec<Group>,
}

#[derive(Arbitrary, Debug)]
enum What {
    Qq {
        order: ByteOrder,
        sums: [Sums; 2],
        /// How many random numbers there are, if they end.
        numbers: Option<u8>,
    },
    Cbc {
        cipher: Cipher,
        options: [Options; 2],
    },
}

/// Messages of similar lengths.
#[derive(Arbitrary, Clone, Debug)]
struct Group {
    count: u8,
    len: u8,
    /// By how much each is longer than the one before.
    step: u8,
    /// Which sums or options.
    other: bool,
    /// By a backend of their own.
    backend: Option<u8>,
    /// Every so many is damaged, and what is damaged: the message's length or its bytes.
    bad: u8,
    /// The output is longer than needed by so much.
    room: i8,
}

/// One of the messages.
struct Message {
    group: Group,
    key: [u8; 32],
    iv: [u8; 16],
    text: Vec<u8>,
    bad: bool,
}

impl Message {
    fn backend(&self, all: &[Backend], default: Backend) -> Backend {
        match self.group.backend {
            Some(n) => all[usize::from(n) % all.len()],
            None => default,
        }
    }

    fn output(&self, needed: usize) -> Vec<u8> {
        vec![0xee; needed.saturating_add_signed((self.group.room % 8).into())]
    }
}

/// The most messages and bytes of one input.
const MOST_MESSAGES: usize = 600;
const MOST_BYTES: usize = 16 * 1024;

fuzz_target!(|input: Input| {
    let mut numbers = Numbers::new(input.seed);
    let mut messages = Vec::new();
    let mut bytes = 0;
    'all: for group in &input.groups {
        for i in 0..usize::from(group.count) {
            // What is longer than a chunk of the output is seldom.
            let len = usize::from(group.len) + i * usize::from(group.step % 20);
            bytes += len;
            if bytes > MOST_BYTES || messages.len() == MOST_MESSAGES {
                break 'all;
            }
            messages.push(Message {
                group: group.clone(),
                key: numbers.array(),
                iv: numbers.array(),
                text: numbers.bytes(len),
                bad: group.bad > 0 && i % usize::from(group.bad) == 0,
            });
        }
    }
    match input.what {
        What::Qq {
            order,
            sums,
            numbers: left,
        } => {
            let run = Qq {
                messages: &messages,
                sums,
                random: Numbers::ending(input.seed, left.map_or(usize::MAX, usize::from)),
            };
            match order {
                ByteOrder::Be => run.run::<Be>(),
                ByteOrder::Le => run.run::<Le>(),
                ByteOrder::Le64 => run.run::<Le64>(),
            }
        }
        What::Cbc { cipher, options } => cipher.visit(Cbc {
            messages: &messages,
            options,
        }),
    }
});

fn portable() -> Backend {
    backend::by_name("portable").expect("always there")
}

struct Qq<'a> {
    messages: &'a [Message],
    sums: [Sums; 2],
    random: Numbers,
}

impl Qq<'_> {
    fn run<O: Order>(&self) {
        let all = backends();
        let teas: Option<Vec<_>> = self
            .messages
            .iter()
            .map(|message| {
                let sums = self.sums[usize::from(message.group.other)];
                sums.tea::<O>(message.key.first_chunk().expect("16 of 32"))
            })
            .collect();
        let Some(teas) = teas else { return };
        let with = |backend: &dyn Fn(&Message) -> Backend| -> Vec<_> {
            let pairs = teas.iter().zip(self.messages);
            pairs
                .map(|(tea, message)| qq::Cipher::from(tea.clone().with_backend(backend(message))))
                .collect()
        };

        let ciphers = with(&|_| portable());
        let mut random = self.random.clone();
        let pairs = ciphers.iter().zip(self.messages);
        let encrypted: Vec<_> = pairs
            .map(|(cipher, message)| cipher.encrypt_with_rng(&mut random, &message.text))
            .collect();
        let received: Vec<_> = encrypted
            .iter()
            .zip(self.messages)
            .map(|(encrypted, message)| {
                // Where there were no random numbers: something that is no message.
                let mut bytes = encrypted.clone().unwrap_or_else(|_| message.text.clone());
                if message.bad {
                    if message.group.bad % 2 == 0 {
                        bytes.pop();
                    } else if let Some(byte) = bytes.last_mut() {
                        *byte ^= 1;
                    }
                }
                bytes
            })
            .collect();
        let decrypted: Vec<_> = ciphers
            .iter()
            .zip(&received)
            .map(|(cipher, bytes)| cipher.decrypt(bytes))
            .collect();

        for &backend in &all {
            let mixed = with(&|message| message.backend(&all, backend));
            self.encrypt(&mixed, &encrypted);
            self.encrypt_into(&mixed, &ciphers);
            self.decrypt(&mixed, &received, &decrypted);
            self.decrypt_into(&mixed, &received, &decrypted);
        }
    }

    fn encrypt<O: Order>(&self, ciphers: &[qq::Cipher<O>], expected: &[Result<Vec<u8>, Error>]) {
        let pairs = ciphers.iter().zip(self.messages);
        let pairs = pairs.map(|(cipher, message)| (cipher, &message.text[..]));
        let mut results = qq::encrypt_batch_with_rng(&mut self.random.clone(), pairs);
        plant("encrypt_batch", &mut results);
        assert_eq!(results, expected, "encrypt_batch");
    }

    fn encrypt_into<O: Order>(&self, ciphers: &[qq::Cipher<O>], alone: &[qq::Cipher<O>]) {
        let output = |message: &Message| {
            message.output(qq::encrypted_len(message.text.len()).expect("short"))
        };
        let mut outputs: Vec<_> = self.messages.iter().map(output).collect();
        let mut expected = outputs.clone();
        let mut random = self.random.clone();
        let mut results = Vec::new();
        for ((cipher, message), output) in alone.iter().zip(self.messages).zip(&mut expected) {
            results.push(Some(cipher.encrypt_into(
                &mut random,
                &message.text,
                output,
            )));
        }
        let pairs = ciphers.iter().zip(self.messages).zip(&mut outputs);
        let mut jobs: Vec<_> = pairs
            .map(|((cipher, message), output)| qq::Job::new(cipher, &message.text, output))
            .collect();
        qq::encrypt_batch_into(&mut self.random.clone(), &mut jobs);
        let ended: Vec<_> = jobs.iter().map(|job| job.result()).collect();
        assert_eq!(ended, results, "encrypt_batch_into");
        if let Some(output) = outputs.last_mut() {
            planted("encrypt_batch_into", output);
        }
        assert_eq!(outputs, expected, "encrypt_batch_into");
    }

    fn decrypt<O: Order>(
        &self,
        ciphers: &[qq::Cipher<O>],
        received: &[Vec<u8>],
        expected: &[Result<Vec<u8>, Error>],
    ) {
        let pairs = ciphers.iter().zip(received);
        let mut results = qq::decrypt_batch(pairs.map(|(cipher, bytes)| (cipher, &bytes[..])));
        plant("decrypt_batch", &mut results);
        assert_eq!(results, expected, "decrypt_batch");
    }

    fn decrypt_into<O: Order>(
        &self,
        ciphers: &[qq::Cipher<O>],
        received: &[Vec<u8>],
        decrypted: &[Result<Vec<u8>, Error>],
    ) {
        let pairs = received.iter().zip(self.messages);
        let mut outputs: Vec<_> = pairs
            .map(|(bytes, message)| message.output(bytes.len()))
            .collect();
        let mut expected = outputs.clone();
        let mut results = Vec::new();
        for ((bytes, text), output) in received.iter().zip(decrypted).zip(&mut expected) {
            let (needed, len) = (bytes.len(), output.len());
            results.push(Some(match text {
                Err(error @ (Error::TooShort { .. } | Error::NotBlockMultiple { .. })) => {
                    Err(*error)
                }
                _ if len < needed => Err(Error::OutputTooSmall { needed, len }),
                Err(error) => {
                    output[..needed].fill(0);
                    Err(*error)
                }
                Ok(text) => {
                    output[..needed].fill(0);
                    output[..text.len()].copy_from_slice(text);
                    Ok(text.len())
                }
            }));
        }
        let pairs = ciphers.iter().zip(received).zip(&mut outputs);
        let mut jobs: Vec<_> = pairs
            .map(|((cipher, bytes), output)| qq::Job::new(cipher, bytes, output))
            .collect();
        qq::decrypt_batch_into(&mut jobs);
        let ended: Vec<_> = jobs.iter().map(|job| job.result()).collect();
        assert_eq!(ended, results, "decrypt_batch_into");
        if let Some(output) = outputs.last_mut() {
            planted("decrypt_batch_into", output);
        }
        assert_eq!(outputs, expected, "decrypt_batch_into");
    }
}

fn plant(what: &str, results: &mut [Result<Vec<u8>, Error>]) {
    if let Some(Ok(last)) = results.last_mut() {
        planted(what, last);
    }
}

struct Cbc<'a> {
    messages: &'a [Message],
    options: [Options; 2],
}

impl Visit for Cbc<'_> {
    fn visit<C: Build>(self) {
        let all = backends();
        let (mut sessions, mut expected) = self.sessions::<C>(|_| portable());
        let results = [(); 2].map(|()| {
            let pairs = sessions.iter_mut().zip(&mut expected);
            let results = pairs.map(|(session, bytes)| Some(session.encrypt_slice(bytes)));
            results.collect::<Vec<_>>()
        });
        let values: Vec<_> = sessions.iter().map(IvState::iv_state).collect();

        for &backend in &all {
            let (mut sessions, mut bytes) =
                self.sessions::<C>(|message| message.backend(&all, backend));
            // Twice, since the sessions go on.
            for expected in &results {
                let pairs = sessions.iter_mut().zip(&mut bytes);
                let mut jobs: Vec<_> = pairs
                    .map(|(session, bytes)| cbc::Job::new(session, bytes))
                    .collect();
                cbc::encrypt_batch(&mut jobs);
                let ended: Vec<_> = jobs.iter().map(|job| job.result()).collect();
                assert_eq!(&ended, expected, "cbc::encrypt_batch");
            }
            if let Some(bytes) = bytes.last_mut() {
                planted("cbc_encrypt_batch", bytes);
            }
            assert_eq!(bytes, expected, "cbc::encrypt_batch");
            let ended: Vec<_> = sessions.iter().map(IvState::iv_state).collect();
            assert_eq!(ended, values, "cbc::encrypt_batch");
        }
    }
}

impl Cbc<'_> {
    /// New sessions, and what they are to encrypt: whole blocks, unless it is bad.
    fn sessions<C: Build>(
        &self,
        backend: impl Fn(&Message) -> Backend,
    ) -> (Vec<Encryptor<C>>, Vec<Vec<u8>>) {
        let size = <C as BlockSizeUser>::block_size();
        self.messages
            .iter()
            .map(|message| {
                let options = self.options[usize::from(message.group.other)];
                let cipher = C::build(&message.key, options, backend(message));
                let iv = message.iv[..size].try_into().expect("one block");
                let mut bytes = message.text.clone();
                if !message.bad {
                    bytes.truncate(bytes.len() / size * size);
                }
                (Encryptor::inner_iv_init(cipher, iv), bytes)
            })
            .unzip()
    }
}
