"""Fits every conversation of a corpus to a budget of tokens on Spark, and plots what was kept.

spark-submit fit_corpus.py CORPUS KEPT [--budget 1000] [--plot kept.svg] [--partitions N]
python fit_corpus.py ...                           (on this machine, with all its cores)
"""

import argparse
import os
import sys
import time
from datetime import datetime, timezone

from libcupel import Scorer, Selector
from libcupel.spark import selections
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

NOW = datetime(2026, 3, 1, tzinfo=timezone.utc)

SELECTOR = Selector(
    Scorer.composite(
        [
            (Scorer.recency(), 3),
            (Scorer.kind(), 2),
            (Scorer.scaled(Scorer.frequency()), 1),
            (Scorer.decay_exponential("7d"), 1),
        ]
    ),
    slicer="greedy",
    placer="chronological",
    keep_duplicates=True,
    overflow="proceed",
).at(NOW)


def main() -> None:
    parser = argparse.ArgumentParser(description="Fits the conversations of a corpus to a budget of tokens.")
    parser.add_argument("corpus", help="a Parquet file or folder of rows")
    parser.add_argument("kept", help="the folder to write the kept rows to")
    parser.add_argument("--budget", type=int, default=1000)
    parser.add_argument("--plot", help="the file of a plot")
    parser.add_argument("--partitions", type=int, help="how many partitions the conversations are spread over")
    arguments = parser.parse_args()

    # The progress of each stage is shown in the terminal, and on port 4040.
    builder = SparkSession.builder.appName("libcupel").config("spark.ui.showConsoleProgress", "true")
    if "SPARK_ENV_LOADED" not in os.environ:
        # Not started by spark-submit. The workers are this interpreter, not whatever python3 is on the path.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        builder = builder.config("spark.master", os.environ.get("MASTER", "local[*]"))
    spark = builder.config("spark.sql.session.timeZone", "UTC").getOrCreate()

    corpus = spark.read.parquet(arguments.corpus)
    started = time.perf_counter()
    kept = selections(
        corpus,
        SELECTOR,
        arguments.budget,
        group="conversation",
        keep=["conversation", "row", "kind", "tokens"],
        partitions=arguments.partitions,
    )
    kept.write.mode("overwrite").option("compression", "zstd").parquet(arguments.kept)
    seconds = time.perf_counter() - started

    kept = spark.read.parquet(arguments.kept)
    before, after = totals(corpus), totals(kept)
    for name, tokens in sorted(before.items()):
        print(f"{name:<12}  {after.get(name, 0):>12} of {tokens:>12} tokens kept")
    print(f"{sum(after.values())} of {sum(before.values())} tokens in {seconds:.1f} s")
    if arguments.plot:
        plot(arguments.plot, arguments.budget, sizes(corpus), sizes(kept), before, after)
    spark.stop()


def totals(rows: DataFrame) -> dict[str, int]:
    """The tokens of each kind."""
    return {row["kind"]: row["tokens"] for row in rows.groupBy("kind").agg(f.sum("tokens").alias("tokens")).collect()}


def sizes(rows: DataFrame) -> dict[int, int]:
    """How many conversations have so many hundred tokens."""
    each = rows.groupBy("conversation").agg(f.sum("tokens").alias("tokens"))
    counted = each.groupBy(f.floor(f.col("tokens") / 100).alias("hundreds")).count()
    return {row["hundreds"]: row["count"] for row in counted.collect()}


def plot(
    path: str, budget: int, sizes: dict[int, int], kept: dict[int, int], before: dict[str, int], after: dict[str, int]
) -> None:
    """The sizes of conversations before and after, and how much of each kind was kept."""
    import matplotlib

    matplotlib.use("agg")
    # The same plot is the same file.
    matplotlib.rcParams["svg.hashsalt"] = "libcupel"
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 4), gridspec_kw={"width_ratios": [2, 1]})
    widest = 4 * budget // 100
    for counts, name, color in ((sizes, "before", "#9aa5b1"), (kept, f"fitted to {budget}", "#2a6fbb")):
        hundreds = range(widest)
        left.step([100 * hundred for hundred in hundreds], [counts.get(hundred, 0) for hundred in hundreds], where="post", color=color, label=name)
    left.axvline(budget, color="#444444", linewidth=0.8, linestyle=":")
    left.set(xlabel="tokens of a conversation", ylabel="conversations", title="Size of conversations")
    left.legend(frameon=False)
    kinds = sorted(before, key=lambda kind: before[kind])
    right.barh(kinds, [100 * after.get(kind, 0) / before[kind] for kind in kinds], color="#2a6fbb")
    right.set(xlabel="% of tokens kept", xlim=(0, 100), title="What was kept")
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None} if path.endswith(".svg") else None)


if __name__ == "__main__":
    main()
