"""Draws the plots of docs/scorers.md beside this file, from scores of the library. Needs the package libcupel, and nothing else.

    python docs/plots/plots.py [--check]

--check draws nothing, and fails where a plot is not the one that is there.
"""

import sys
from pathlib import Path

from libcupel import Batch, Scorer

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 460, 230, 46, 40, 14, 14
COLORS = ["#2a7de1", "#d1782a", "#3a9d5d"]
HOUR = 3_600_000_000_000


def x_at(share: float) -> float:
    return LEFT + share * (WIDTH - LEFT - RIGHT)


def y_at(score: float) -> float:
    return HEIGHT - BOTTOM - score * (HEIGHT - BOTTOM - TOP)


def text(x: float, y: float, words: str, anchor: str = "middle", color: str = "#777") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{color}">{words}</text>'


def frame(title: str, below: str, ticks: list[tuple[float, str]]) -> list[str]:
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
        f' font-family="sans-serif" font-size="12" role="img" aria-label="{title}">',
        f"<title>{title}</title>",
    ]
    for score in (0.0, 0.5, 1.0):
        lines.append(f'<path d="M{LEFT} {y_at(score):.1f}H{WIDTH - RIGHT}" stroke="#8886"/>')
        lines.append(text(LEFT - 6, y_at(score) + 4, f"{score:g}", "end"))
    lines += [text(x_at(share), HEIGHT - BOTTOM + 16, words) for share, words in ticks]
    lines.append(text(x_at(0.5), HEIGHT - 6, below))
    return lines


def decay() -> str:
    hours = [step / 4 for step in range(4 * 48 + 1)]
    rows = Batch([{"content": "row", "tokens": 1, "timestamp": -round(hour * HOUR)} for hour in hours])
    lines = frame("Decay over the age", "age in hours", [(hour / 48, str(hour)) for hour in range(0, 49, 12)])
    scorers = [
        ("exponential, half-life 12 h", Scorer.decay_exponential(12 * HOUR, clock=0)),
        ("window of 24 h", Scorer.decay_window(24 * HOUR, clock=0)),
        ("steps at 6, 18 and 36 h", Scorer.decay_step([(6 * HOUR, 0.9), (18 * HOUR, 0.6), (36 * HOUR, 0.3)], clock=0)),
    ]
    for index, (name, scorer) in enumerate(scorers):
        points = " ".join(f"{x_at(hour / 48):.1f},{y_at(score):.1f}" for hour, score in zip(hours, scorer.score(rows)))
        lines.append(f'<polyline points="{points}" fill="none" stroke="{COLORS[index]}" stroke-width="2"/>')
        lines.append(text(WIDTH - RIGHT, TOP + 14 + 16 * index, name, "end", COLORS[index]))
    return "\n".join([*lines, "</svg>", ""])


def bars(title: str, below: str, names: list[str], scores: list[float]) -> str:
    lines = frame(title, below, [((index + 0.5) / len(names), name) for index, name in enumerate(names)])
    width = (WIDTH - LEFT - RIGHT) / len(names) * 0.6
    for index, score in enumerate(scores):
        middle = x_at((index + 0.5) / len(names))
        lines.append(
            f'<rect x="{middle - width / 2:.1f}" y="{y_at(score):.1f}" width="{width:.1f}"'
            f' height="{y_at(0) - y_at(score):.1f}" fill="{COLORS[0]}"/>'
        )
        lines.append(text(middle, y_at(score) - 4 if score < 0.9 else y_at(score) + 14, f"{score:.2f}".rstrip("0").rstrip("."),
                          color="#777" if score < 0.9 else "#fff"))
    return "\n".join([*lines, "</svg>", ""])


def ranks() -> str:
    priorities = [1, 2, 2, 2, 5, 9, None]
    rows = Batch([{"content": "row", "tokens": 1, "priority": value} for value in priorities])
    names = ["none" if value is None else str(value) for value in priorities]
    return bars("Priority: ranks with ties", "priority of the row", names, Scorer.priority().score(rows).tolist())


def frequency() -> str:
    tags = [["a"], ["a"], ["a", "b"], ["b"], ["c"], []]
    rows = Batch([{"content": "row", "tokens": 1, "tags": value} for value in tags])
    names = [" ".join(value) or "none" for value in tags]
    return bars("Frequency: the share of the other rows with a tag in common", "tags of the row", names,
                Scorer.frequency().score(rows).tolist())


def main() -> int:
    wrong = 0
    for name, drawn in (("decay", decay()), ("ranks", ranks()), ("frequency", frequency())):
        path = Path(__file__).parent / f"{name}.svg"
        if "--check" not in sys.argv:
            path.write_text(drawn, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != drawn:
            wrong += 1
            print(f"{path} is not what the library gives: run docs/plots/plots.py")
    return wrong


if __name__ == "__main__":
    sys.exit(main())
