// SPDX-License-Identifier: BSD-3-Clause
//! The hand of the matrix against zarrs: one command a line on standard input, its answer a line on standard output.
//!   read STORE NODE FILE    the array's elements, little-endian, into FILE; strings as lines; prints data type and shape
//!   write STORE NODE DOC FILE   makes the array that the JSON document DOC describes, with the elements of FILE
//! STORE is a folder or, to be read, a zip archive.
use std::fs;
use std::io::{BufRead, Write};
use std::sync::Arc;
use zarrs::array::{Array, ArrayBytes, ArrayMetadata};
use zarrs::filesystem::FilesystemStore;
use zarrs::storage::{ReadableStorage, ReadableWritableListableStorage};

type Answer = Result<String, Box<dyn std::error::Error>>;

fn open(path: &str) -> Result<ReadableStorage, Box<dyn std::error::Error>> {
    if fs::metadata(path)?.is_dir() {
        return Ok(Arc::new(FilesystemStore::new(path)?));
    }
    let whole = std::path::Path::new(path);
    let folder: ReadableStorage = Arc::new(FilesystemStore::new(whole.parent().unwrap())?);
    let key = zarrs::storage::StoreKey::new(whole.file_name().unwrap().to_str().unwrap())?;
    Ok(Arc::new(zarrs_zip::ZipStorageAdapter::new(folder, key)?))
}

fn read(store: &str, node: &str, file: &str) -> Answer {
    let array = Array::open(open(store)?, node)?;
    let bytes: ArrayBytes = array.retrieve_array_subset(&array.subset_all())?;
    match bytes {
        ArrayBytes::Fixed(raw) => fs::write(file, raw)?,
        _ => {
            let words: Vec<String> = array.retrieve_array_subset(&array.subset_all())?;
            fs::write(file, words.iter().map(|w| format!("{w}\n")).collect::<String>())?
        }
    }
    Ok(format!("{} {:?}", array.data_type().name_v3().unwrap_or_default(), array.shape()))
}

fn write(store: &str, node: &str, doc: &str, file: &str) -> Answer {
    let storage: ReadableWritableListableStorage = Arc::new(FilesystemStore::new(store)?);
    let metadata: ArrayMetadata = serde_json::from_str(&fs::read_to_string(doc)?)?;
    let array = Array::new_with_metadata(storage, node, metadata)?;
    array.store_metadata()?;
    if !file.is_empty() {
        array.store_array_subset(&array.subset_all(), ArrayBytes::new_flen(fs::read(file)?))?;
    }
    Ok(String::new())
}

fn main() {
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let word: Vec<&str> = line.split('\t').collect();
        let answer = std::panic::catch_unwind(|| match word[0] {
            "read" => read(word[1], word[2], word[3]),
            _ => write(word[1], word[2], word[3], word[4]),
        });
        match answer {
            Ok(Ok(text)) => println!("ok {text}"),
            Ok(Err(e)) => println!("error {}", e.to_string().replace('\n', " ")),
            Err(_) => println!("error it panicked"),
        }
        std::io::stdout().flush().unwrap();
    }
}
