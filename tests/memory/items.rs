//! Builders and items.

use std::ptr;

use cupel::capi as c;

use crate::attempt::Attempt;
use crate::capi::{Item, ItemBuilder, Metadata};
use crate::fixtures::{fields, full_builder, full_item};

/// A text that fits in no room that a builder may have left.
static TEXT: [u8; 4096] = [b'x'; 4096];

#[test]
fn a_builder_is_made() {
    Attempt {
        name: "cupel_item_builder_new",
        set_up: &|| None::<ItemBuilder>,
        call: &|made, error| {
            let mut builder = ptr::null_mut();
            // SAFETY: a live text, and out-parameters that are good for writes.
            let status = unsafe { c::cupel_item_builder_new(TEXT.as_ptr().cast(), TEXT.len(), 1, &mut builder, error) };
            *made = (!builder.is_null()).then(|| ItemBuilder::from_raw(builder));
            status
        },
        look: &|made| made.as_ref().map(|builder| fields(&builder.build().unwrap())),
        least: 2,
    }
    .run();
}

/// Tries a function that changes a builder, without and with an item that it built.
fn change(name: &str, call: &dyn Fn(*mut c::cupel_item_builder, *mut *mut c::cupel_error) -> i32) {
    Attempt {
        name,
        set_up: &full_builder,
        call: &|builder, error| call(builder.as_mut_ptr(), error),
        look: &|builder| fields(&builder.build().unwrap()),
        least: 1,
    }
    .run();
    change_apart(name, call);
}

#[test]
fn a_builder_is_changed() {
    let (data, len) = (TEXT.as_ptr().cast(), TEXT.len());
    // SAFETY, for each: a live builder and a live text.
    unsafe {
        change("cupel_item_builder_reset", &|builder, error| c::cupel_item_builder_reset(builder, data, len, 1, error));
        change("cupel_item_builder_set_kind", &|builder, error| {
            c::cupel_item_builder_set_kind(builder, data, len, error)
        });
        change("cupel_item_builder_set_source", &|builder, error| {
            c::cupel_item_builder_set_source(builder, data, len, error)
        });
        change("cupel_item_builder_add_tag", &|builder, error| {
            c::cupel_item_builder_add_tag(builder, data, len, error)
        });
        change("cupel_item_builder_set_metadata_string", &|builder, error| {
            c::cupel_item_builder_set_metadata_string(builder, data, len, data, len, error)
        });
        change("cupel_item_builder_set_metadata_other", &|builder, error| {
            c::cupel_item_builder_set_metadata_other(builder, data, len, data, len, error)
        });
        change("cupel_item_builder_set_metadata_double", &|builder, error| {
            c::cupel_item_builder_set_metadata_double(builder, data, len, 0.5, error)
        });
        // A key that is there already.
        let key = "a key of some length";
        change("cupel_item_builder_set_metadata_string, again", &|builder, error| {
            c::cupel_item_builder_set_metadata_string(builder, key.as_ptr().cast(), key.len(), data, len, error)
        });
    }
}

/// Tries a function that changes a builder while an item that it built is there, which must not change with it.
fn change_apart(name: &str, call: &dyn Fn(*mut c::cupel_item_builder, *mut *mut c::cupel_error) -> i32) {
    Attempt {
        name: &format!("{name}, with an item"),
        set_up: &|| {
            let builder = full_builder();
            let item = builder.build().unwrap();
            let before = fields(&item);
            (builder, item, before)
        },
        call: &|(builder, ..), error| call(builder.as_mut_ptr(), error),
        look: &|(builder, item, before)| {
            assert_eq!(fields(item), *before, "{name} changed an item");
            fields(&builder.build().unwrap())
        },
        least: 2,
    }
    .run();
}

#[test]
fn plain_fields_are_changed_apart_from_an_item() {
    // SAFETY, for each: a live builder.
    unsafe {
        change_apart("cupel_item_builder_set_priority", &|builder, error| {
            c::cupel_item_builder_set_priority(builder, 9, error)
        });
        change_apart("cupel_item_builder_set_original_tokens", &|builder, error| {
            c::cupel_item_builder_set_original_tokens(builder, 9, error)
        });
        change_apart("cupel_item_builder_set_timestamp", &|builder, error| {
            c::cupel_item_builder_set_timestamp(builder, 9, error)
        });
        change_apart("cupel_item_builder_set_future_relevance_hint", &|builder, error| {
            c::cupel_item_builder_set_future_relevance_hint(builder, -7.5, error)
        });
        change_apart("cupel_item_builder_set_pinned", &|builder, error| {
            c::cupel_item_builder_set_pinned(builder, 0, error)
        });
    }
}

/// Tries a function that makes an item.
fn make<S>(
    name: &str,
    set_up: &dyn Fn() -> S,
    call: &dyn Fn(&S, *mut *mut c::cupel_item, *mut *mut c::cupel_error) -> i32,
    least: usize,
) {
    Attempt {
        name,
        set_up: &|| (set_up(), None::<Item>),
        call: &|(from, made), error| {
            let mut item = ptr::null_mut();
            let status = call(from, &mut item, error);
            *made = (!item.is_null()).then(|| Item::from_raw(item));
            status
        },
        look: &|(_, made)| made.as_ref().map(fields),
        least,
    }
    .run();
}

#[test]
fn an_item_is_made() {
    // SAFETY: a live builder.
    let build =
        |builder: &ItemBuilder, item, error| unsafe { c::cupel_item_builder_build(builder.as_ptr(), item, error) };
    // An item shares its builder's memory, so that there is nothing to fail.
    let without_room = || {
        let mut builder = full_builder();
        builder.set_kind("Memory").unwrap();
        builder
    };
    make("cupel_item_builder_build", &without_room, &build, 0);
    // Where most of that memory is not in use, the item is a copy.
    let with_room = || {
        let text = std::str::from_utf8(&TEXT).unwrap();
        let mut builder = ItemBuilder::new(text, 1).unwrap();
        builder.reset("content", 1).unwrap();
        for number in 0..6 {
            builder.add_tag("tag").unwrap();
            builder.set_metadata(&format!("key {number}"), &Metadata::Double(0.5)).unwrap();
        }
        builder
    };
    make("cupel_item_builder_build, a copy", &with_room, &build, 4);
    let set_up = || {
        let mut batch = crate::fixtures::batch(3);
        batch.push(&full_item()).unwrap();
        batch
    };
    // SAFETY: a live batch.
    make(
        "cupel_batch_item",
        &set_up,
        &|batch, item, error| unsafe { c::cupel_batch_item(batch.as_ptr(), 3, item, error) },
        4,
    );
}
