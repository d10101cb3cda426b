"""Keeps the rows of a conversation that are worth most, in 40 tokens."""

import libcupel
from libcupel import Scorer, Selector

SECOND = 1_000_000_000
items = [
    {"content": "You are a careful engineer.", "tokens": 8, "kind": "SystemPrompt", "pinned": True, "timestamp": 0},
    {"content": "Why does the build fail?", "tokens": 7, "timestamp": 60 * SECOND},
    {"content": "cc app.c -lcupel and 900 tokens more", "tokens": 900, "kind": "ToolOutput", "timestamp": 120 * SECOND},
    {"content": "The linker needs -L and the library's folder.", "tokens": 12, "timestamp": 180 * SECOND},
    {"content": "And at run time?", "tokens": 6, "timestamp": 240 * SECOND},
]
scorer = Scorer.composite([(Scorer.recency(), 3), (Scorer.kind(), 1)])
kept = Selector(scorer).select(libcupel.Batch(items), 40)

for row in kept.rows:
    print(f"{kept.scores[row]:.3f}  {items[row]['content']}")
print(f"{kept.kept_tokens} of 40 tokens")
