//! Builders and items.

use std::ptr;

use cupel::capi as c;

use crate::attempt::Attempt;
use crate::capi::{Item, ItemBuilder};
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

/// Tries a function that changes a builder.
fn change(name: &str, call: &dyn Fn(*mut c::cupel_item_builder, *mut *mut c::cupel_error) -> i32) {
    Attempt {
        name,
        set_up: &full_builder,
        call: &|builder, error| call(builder.as_mut_ptr(), error),
        look: &|builder| fields(&builder.build().unwrap()),
        least: 1,
    }
    .run();
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

/// Tries a function that makes an item.
fn make<S>(
    name: &str,
    set_up: &dyn Fn() -> S,
    call: &dyn Fn(&S, *mut *mut c::cupel_item, *mut *mut c::cupel_error) -> i32,
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
        least: 4,
    }
    .run();
}

#[test]
fn an_item_is_made() {
    // SAFETY: a live builder.
    make("cupel_item_builder_build", &full_builder, &|builder, item, error| unsafe {
        c::cupel_item_builder_build(builder.as_ptr(), item, error)
    });
    let set_up = || {
        let mut batch = crate::fixtures::batch(3);
        batch.push(&full_item()).unwrap();
        batch
    };
    // SAFETY: a live batch.
    make("cupel_batch_item", &set_up, &|batch, item, error| unsafe {
        c::cupel_batch_item(batch.as_ptr(), 3, item, error)
    });
}
