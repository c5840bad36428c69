//! A UMP 0.1 bot that wins when it can and otherwise discards what it draws. Standard library only: copy it.
//!
//!     rustc -O bot.rs && ./bot localhost:19000 NAME
//!
//! The server speaks first. Each line is "<id> <command> [<argument> ...]"; an answer repeats the id of its question.

use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::net::TcpStream;
use std::process::exit;
use std::time::Duration;

fn fail(text: String) -> ! {
    eprintln!("{text}");
    exit(1)
}

fn encoded(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    text.bytes().map(|byte| if plain(byte) { (byte as char).to_string() } else { format!("%{byte:02X}") }).collect()
}

fn decoded(word: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = word.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let escape = tail.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        match escape.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) if first == b'%' => (bytes.push(byte), rest = &tail[2..]),
            _ => (bytes.push(first), rest = tail),
        };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn answer(command: &str, words: &[&str], name: &str, drawn: &str) -> Option<String> {
    let text = match command {
        "hello" => format!("hello ump=0.1 name={} _offer=1", encoded(name)),
        "ready?" => "ok".into(),
        "sutehai?" if words.contains(&"tsumo") => "tsumo".into(), // also: sute=1m2m richi=.. ankan=.. kakan=..
        "sutehai?" => format!("sute {drawn} tsumogiri"),
        "naku?" if words.contains(&"ron") => "ron".into(), // also: chi=2m3m pon=1m1m kan
        "naku?" => "no".into(),
        "tenpai?" => "yes".into(),
        "bye" => "bye".into(),
        _ => return None,
    };
    Some(text)
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let address = arguments.next().unwrap_or("localhost:19000".into());
    let name = arguments.next().unwrap_or("rust".into());
    let mut server = TcpStream::connect(&address).unwrap_or_else(|error| fail(format!("no connection to {address}: {error}")));
    server.set_nodelay(true).ok();
    server.set_read_timeout(Some(Duration::from_secs(5))).ok();
    let mut lines = BufReader::new(server.try_clone().expect("a second handle of the socket")).lines();
    let (mut drawn, mut names) = (String::new(), Vec::new());
    while let Some(read) = lines.next() {
        let line = read.unwrap_or_else(|error| match error.kind() {
            ErrorKind::WouldBlock | ErrorKind::TimedOut => fail(format!("{address} sends no hello; UMP is usually on port 19000")),
            _ => fail(format!("the connection is lost: {error}")),
        });
        server.set_read_timeout(None).ok();
        let fields: Vec<&str> = line.split_whitespace().collect();
        let [id, command, words @ ..] = fields.as_slice() else { fail(format!("{address} does not speak UMP: {line}")) };
        if id.parse::<u64>().is_err() {
            fail(format!("{address} does not speak UMP: {line}"));
        }
        match *command {
            "error" => fail(format!("the server says: {}", decoded(&words.join(" ")))),
            "gamestart" => names = words[1..].iter().map(|word| decoded(word)).collect(),
            "tsumo" if words.len() == 3 => drawn = words[2].into(), // only own draws show the tile
            "gameend" => {
                let results: Vec<String> = names.iter().zip(words).map(|(who, points)| format!("{who} {points}")).collect();
                println!("{}", results.join(", "));
            }
            _ => {}
        }
        if let Some(said) = answer(command, words, &name, &drawn) {
            let sent = server.write_all(format!("{id} {said}\r\n").as_bytes());
            sent.unwrap_or_else(|error| fail(format!("the connection is lost: {error}")));
        }
        if *command == "bye" {
            return;
        }
    }
    fail("the server has closed the connection".into())
}
