"""Ranks the items of a JSON file with a scorer of another one, and fits them to a budget of tokens.

python examples/rank.py [--budget TOKENS] [-k ROWS] [--now INSTANT] SCORER [ITEMS]

ITEMS is a file of JSON or JSON Lines; without it they are read from the standard input. The scorer may be a selector.
"""

import argparse
import json
import sys
from datetime import datetime
from pathlib import Path

from libcupel import Batch, Error, Scorer, Selector

WIDTH = 60


def main() -> int:
    parser = argparse.ArgumentParser(description="Ranks items, and fits them to a budget of tokens.")
    parser.add_argument("scorer", type=Path, help="the JSON of a scorer")
    parser.add_argument("items", type=Path, nargs="?", help="items as JSON or JSON Lines")
    parser.add_argument("--budget", type=int, help="how many tokens there may be")
    parser.add_argument("-k", type=int, default=10, help="how many rows to show of what is ranked or dropped")
    parser.add_argument("--now", type=datetime.fromisoformat, help="the instant to score at")
    arguments = parser.parse_args()
    try:
        scorer = Scorer.from_json(arguments.scorer.read_text(), clock=arguments.now)
        batch = Batch()
        batch.append_json(arguments.items.read_text() if arguments.items else sys.stdin.read())
        if arguments.budget is None:
            show(batch, scorer.score(batch).top(arguments.k), scorer.score(batch).tolist(), None)
            return 0
        selection = Selector(scorer, placer="batch_order").select(batch, arguments.budget)
    except (Error, OSError, json.JSONDecodeError) as error:
        print(f"rank: {error}", file=sys.stderr)
        return 1
    scores = selection.scores.tolist()
    print("kept, in the order of the prompt")
    show(batch, selection.rows, scores, selection.reasons)
    dropped = [row for row in selection.scores.top(len(batch)) if row not in set(selection.rows)]
    print("\ndropped, best first")
    show(batch, dropped[: arguments.k], scores, selection.reasons)
    print(f"\n{selection.kept_tokens} of {arguments.budget} tokens, {len(selection.rows)} of {len(batch)} items")
    return 0


def show(batch: Batch, rows: "list[int] | tuple[int, ...]", scores: list[float], reasons: "tuple[str, ...] | None") -> None:
    """A line for each row."""
    print(f"{'row':>4}  {'score':>8}  {'tokens':>7}  {'kind':<12}  {'why':<9}  content")
    for row in rows:
        item = batch[row]
        text = " ".join(item.content.split())
        text = text if len(text) <= WIDTH else text[: WIDTH - 3] + "..."
        why = reasons[row] if reasons else ""
        print(f"{row:>4}  {scores[row]:.6f}  {item.tokens:>7}  {item.kind:<12}  {why:<9}  {text}")


if __name__ == "__main__":
    sys.exit(main())
