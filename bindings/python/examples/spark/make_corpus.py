"""Makes a Parquet file of conversations, whose rows stand in random order.

python make_corpus.py FILE [--conversations 200000] [--seed 1]
"""

import argparse
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute
import pyarrow.parquet

KINDS = ["Message", "ToolOutput", "Document", "SystemPrompt"]
TAGS = ["billing", "deploy", "incident", "review", "search", "test"]
SUBJECTS = ["the invoice", "the deploy", "the failing test", "the slow query", "the retry", "the lease", "the migration"]
VERBS = ["changed", "broke", "was reverted", "is explained in", "depends on", "was measured against", "waits for"]
START = np.datetime64("2026-01-01T00:00:00", "us")
PART = 20_000


def main() -> None:
    parser = argparse.ArgumentParser(description="Makes a Parquet file of conversations.")
    parser.add_argument("file", type=Path)
    parser.add_argument("--conversations", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    random = np.random.default_rng(arguments.seed)
    writer = None
    rows = 0
    for first in range(0, arguments.conversations, PART):
        last = min(first + PART, arguments.conversations)
        table = part(random, first, last, rows)
        rows += table.num_rows
        writer = writer or pyarrow.parquet.ParquetWriter(arguments.file, table.schema, compression="zstd")
        writer.write_table(table, row_group_size=100_000)
        print(f"\r{last} of {arguments.conversations} conversations, {rows} rows", end="", file=sys.stderr)
    if writer:
        writer.close()
    print(file=sys.stderr)


def part(random: np.random.Generator, first: int, last: int, row: int) -> pa.Table:
    """The conversations of some numbers, their rows shuffled."""
    # Most conversations are short, a few very long.
    lengths = np.minimum(1 + random.geometric(1 / 9, last - first) + (random.random(last - first) < 0.01) * 150, 400)
    count = int(lengths.sum())
    conversation: np.ndarray = np.repeat(np.arange(first, last), lengths)
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    turn = np.arange(count) - np.repeat(starts, lengths)
    kind = np.where(turn == 0, 3, random.choice(3, count, p=[0.6, 0.25, 0.15]))
    tokens = np.maximum(3, random.lognormal(np.array([3.6, 5.0, 5.4, 4.5])[kind], 0.8)).astype(np.int64)
    # System prompts are always kept, so that none may be larger than a budget.
    tokens = np.where(kind == 3, np.minimum(tokens, 400), tokens)
    begun = START + random.integers(0, 59 * 86_400, last - first).astype("timedelta64[s]")
    timestamp = np.repeat(begun, lengths) + (turn * 40_000_000 + random.integers(0, 30_000_000, count)).astype("timedelta64[us]")
    number_of_tags = random.integers(0, 3, count)
    tags = pa.ListArray.from_arrays(
        pa.array(np.concatenate([[0], np.cumsum(number_of_tags)]), pa.int32()),
        pa.array(TAGS).take(pa.array(random.integers(0, len(TAGS), int(number_of_tags.sum())))),
    )
    subjects, verbs = (pa.array(texts).take(pa.array(random.integers(0, len(texts), count))) for texts in (SUBJECTS, VERBS))
    others = pa.array(SUBJECTS).take(pa.array(random.integers(0, len(SUBJECTS), count)))
    content = pa.compute.binary_join_element_wise(pa.array(turn).cast(pa.string()), subjects, verbs, others, " ")
    table = pa.table(
        {
            "conversation": conversation,
            "row": np.arange(row, row + count),
            "content": content,
            "tokens": tokens,
            "kind": pa.DictionaryArray.from_arrays(pa.array(kind, pa.int8()), pa.array(KINDS)).cast(pa.string()),
            "tags": tags,
            "timestamp": pa.array(timestamp).cast(pa.timestamp("us", tz="UTC")),
            "pinned": kind == 3,
        }
    )
    return table.take(pa.array(random.permutation(count)))


if __name__ == "__main__":
    main()
