//! Arrow tables and streams, and scores of groups.

use std::ffi::c_int;
use std::ptr;

use cupel::arrow::{ArrowArray, ArrowArrayStream, ArrowSchema};
use cupel::capi as c;

use crate::arrow::{Array, Exported};
use crate::attempt::Attempt;
use crate::capi::Scorer;
use crate::fixtures::{NOW, batch, bits, scorers, view};

const TEXTS: [&str; 4] = ["a text of more than twelve bytes", "short", "another text of more than twelve bytes", "x"];

/// Four rows in each of several ways in which every column may come.
fn tables() -> Vec<(&'static str, Array)> {
    let group = Array::utf8("conversation", &["a", "a", "a", "b"]);
    let times = Array::int64("timestamp", &[NOW / 1000, NOW / 1000 - 7_000_000, 0, 1]).of_format("tsu:UTC");
    let flags =
        Array { name: "pinned", format: "b", length: 4, buffers: vec![None, Some(vec![5])], ..Array::default() };
    let keys = Array::utf8("key", &["cupel:trust", "key", "cupel:trust", "other"]);
    let values = Array::utf8("value", &["0.5", "value 1", "1", "a value of more than twelve bytes"]);
    let entries = Array { name: "entries", ..Array::table(vec![keys, values]) };
    let ends = [0, 2, 2, 3, 4];
    let lent = Array::table(vec![
        group.clone(),
        Array::utf8("content", &TEXTS),
        Array::int64("tokens", &[1, 2, 3, 4]),
        Array::utf8("kind", &["Memory", "Message", "OfMyOwn", "Memory"]),
        Array::int64("priority", &[4, 3, 2, 1]),
        times.clone().of_format("tsn:UTC"),
        flags.clone(),
        Array::list("tags", &ends, Array::utf8("item", &TEXTS)),
        Array::list("metadata", &ends, entries.clone()).of_format("+m"),
    ]);
    let fields = Array::table(vec![Array::utf8_view("key", &TEXTS), Array::int64("cupel:trust", &[1, 0, 1, 0])]);
    let spans = [0_i32, 2, 2, 3].iter().flat_map(|start| start.to_ne_bytes()).collect();
    let sizes = [2_i32, 0, 1, 1].iter().flat_map(|size| size.to_ne_bytes()).collect();
    let translated = Array::table(vec![
        Array::coded("conversation", &[1, 1, 0, 0], Array::utf8_view("", &TEXTS)),
        Array::utf8_view("content", &TEXTS),
        Array { name: "source", format: "n", length: 4, ..Array::default() },
        Array::coded("kind", &[0, 2, 1, 3], Array::utf8_view("", &TEXTS)).with_validity(&[0b0111]),
        Array::int64("priority", &[0; 4]).of_format("g").with_validity(&[0b1101]),
        times.with_validity(&[0b1011]),
        Array::int64("original_tokens", &[7; 4]).of_format("c"),
        flags.with_validity(&[0b0110]),
        Array {
            name: "tags",
            format: "+vl",
            length: 4,
            buffers: vec![None, Some(spans), Some(sizes)],
            children: vec![Array::utf8_view("item", &TEXTS)],
            ..Array::default()
        },
        Array { name: "metadata", ..fields },
    ]);
    let hidden = Array::table(vec![
        group,
        Array::utf8("kind", &["Memory", "\u{fffd}", "Rag", "Memory"]).with_validity(&[0b1101]),
        Array::list("tags", &ends, Array::utf8("item", &TEXTS)).with_validity(&[0b1110]),
        Array::list("metadata", &ends, entries).with_validity(&[0b1110]),
    ]);
    vec![("lent", lent), ("translated", translated), ("with hidden slots", hidden)]
}

#[test]
fn tables_are_appended() {
    for (name, table) in tables() {
        let table = table.export();
        for rows in [0, 9] {
            Attempt {
                name: &format!("cupel_batch_append_arrow of a table {name} to {rows} rows"),
                set_up: &|| batch(rows),
                // SAFETY: a live batch, and structs over buffers of the right lengths.
                call: &|batch, error| unsafe {
                    c::cupel_batch_append_arrow(batch.as_mut_ptr(), table.schema, table.array, ptr::null(), error)
                },
                look: &view,
                least: 8,
            }
            .run();
        }
    }
}

/// Hands out one table several times, and the structs stay its own.
struct Producer {
    table: Exported,
    left: usize,
}

unsafe extern "C" fn keep_schema(schema: *mut ArrowSchema) {
    unsafe { (*schema).release = None };
}

unsafe extern "C" fn keep_array(array: *mut ArrowArray) {
    unsafe { (*array).release = None };
}

unsafe extern "C" fn get_schema(stream: *mut ArrowArrayStream, out: *mut ArrowSchema) -> c_int {
    unsafe {
        let producer = &mut *(*stream).private_data.cast::<Producer>();
        producer.left = 3;
        ptr::copy_nonoverlapping(producer.table.schema, out, 1);
        (*out).release = Some(keep_schema);
    }
    0
}

unsafe extern "C" fn get_next(stream: *mut ArrowArrayStream, out: *mut ArrowArray) -> c_int {
    unsafe {
        let producer = &mut *(*stream).private_data.cast::<Producer>();
        if producer.left > 0 {
            producer.left -= 1;
            ptr::copy_nonoverlapping(producer.table.array, out, 1);
            (*out).release = Some(keep_array);
        }
    }
    0
}

unsafe extern "C" fn release(stream: *mut ArrowArrayStream) {
    unsafe { (*stream).release = None };
}

#[test]
fn streams_are_appended() {
    for (name, table) in tables() {
        let mut producer = Producer { table: table.export(), left: 0 };
        let private_data = (&raw mut producer).cast();
        Attempt {
            name: &format!("cupel_batch_append_arrow_stream of tables {name}"),
            set_up: &|| batch(5),
            // SAFETY: a live batch, and a stream of structs over buffers of the right lengths.
            call: &|batch, error| unsafe {
                let mut stream = ArrowArrayStream {
                    get_schema: Some(get_schema),
                    get_next: Some(get_next),
                    get_last_error: None,
                    release: Some(release),
                    private_data,
                };
                c::cupel_batch_append_arrow_stream(batch.as_mut_ptr(), &mut stream, ptr::null(), error)
            },
            look: &view,
            least: 8,
        }
        .run();
    }
}

/// A bit pattern that no scorer writes.
const UNTOUCHED: u64 = 0x7ff8_dead_beef_0001;

/// The scorers that score groups.
fn own_scorers() -> Vec<(&'static str, Scorer)> {
    scorers().into_iter().filter(|(_, scorer)| scorer.columns() != (1 << 11) - 1).collect()
}

#[test]
fn tables_are_scored() {
    let group = "conversation";
    let options = c::cupel_arrow_options {
        struct_size: size_of::<c::cupel_arrow_options>(),
        flags: 0,
        group: group.as_ptr().cast(),
        group_len: group.len(),
    };
    for (kind, table) in tables() {
        let table = table.export();
        for (name, scorer) in own_scorers() {
            Attempt {
                name: &format!("cupel_scorer_score_arrow of a table {kind} with {name}"),
                set_up: &|| [f64::from_bits(UNTOUCHED); 4],
                // SAFETY: as above, and as many scores as rows.
                call: &|scores, error| unsafe {
                    let (data, len) = (scores.as_mut_ptr(), scores.len());
                    let (schema, array) = (table.schema, table.array);
                    c::cupel_scorer_score_arrow(scorer.as_ptr(), schema, array, &options, data, len, error)
                },
                look: &|scores| bits(scores),
                least: 4,
            }
            .run();
        }
    }
}

#[test]
fn groups_are_scored() {
    let groups = [0, 0, 20, 21, 86, 300];
    for (name, scorer) in own_scorers() {
        Attempt {
            name: &format!("cupel_scorer_score_groups with {name}"),
            // A fresh batch, in which scoring has left nothing.
            set_up: &|| (batch(300), vec![f64::from_bits(UNTOUCHED); 300]),
            // SAFETY: live handles, one offset more than there are groups, and as many scores as rows.
            call: &|(batch, scores), error| unsafe {
                let (data, len) = (scores.as_mut_ptr(), scores.len());
                let (scorer, batch) = (scorer.as_ptr(), batch.as_ptr());
                c::cupel_scorer_score_groups(scorer, batch, groups.as_ptr(), groups.len() - 1, data, len, error)
            },
            look: &|(_, scores)| bits(scores),
            // The simplest scorers write where they are told to, and need nothing.
            least: 0,
        }
        .run();
    }
}
