//! Keeps the rows of a conversation that are worth most, in 40 tokens.

use cupel::scorer::{Composite, Kind, Recency};
use cupel::select::{Policy, Request, Selection, Selector};
use cupel::{Batch, Error, ItemBuilder};

fn main() -> Result<(), Error> {
    let rows = [
        ("You are a careful engineer.", 8, "SystemPrompt", 0),
        ("Why does the build fail?", 7, "Message", 60),
        ("cc app.c -lcupel and 900 tokens more", 900, "ToolOutput", 120),
        ("The linker needs -L and the library's folder.", 12, "Message", 180),
        ("And at run time?", 6, "Message", 240),
    ];
    let mut batch = Batch::new();
    for (content, tokens, kind, second) in rows {
        let mut item = ItemBuilder::new(content, tokens)?;
        item.kind(kind)?.timestamp(second * 1_000_000_000)?.pinned(kind == "SystemPrompt")?;
        batch.push(&item.build()?)?;
    }

    let scorer = Composite::new([(&Recency::new()?, 3.0), (&Kind::with_default_weights()?, 1.0)])?;
    let selector = Selector::new(Policy::of(&scorer))?;
    let mut kept = Selection::new();
    selector.select(&batch, &Request::of(40), &mut kept)?;

    for &row in kept.rows() {
        println!("{:.3}  {}", kept.scores()[row as usize], rows[row as usize].0);
    }
    println!("{} of 40 tokens", kept.tokens().kept);
    Ok(())
}
