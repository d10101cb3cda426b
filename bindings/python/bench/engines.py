"""Measures what scoring adds to a job on Spark or Ray Data: read a corpus, bring its conversations together, score, write.

`python bench/engines.py spark|ray CORPUS [--runs 5]`, with a corpus of examples/spark/make_corpus.py. The same job runs with a scorer
and with a stand-in that gives a column of zeros, in turn; the fastest run of each counts. Either job is on two cores.
"""

import argparse
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import datetime, timezone
from typing import Any

from libcupel import Scorer

SCORER = Scorer.composite(
    [
        (Scorer.recency(), 3),
        (Scorer.kind(), 2),
        (Scorer.scaled(Scorer.frequency()), 1),
        (Scorer.decay_exponential("7d"), 1),
    ]
).at(datetime(2026, 3, 1, tzinfo=timezone.utc))
LIMIT = 1.2
PARTITIONS = 4


class Zeros:
    """Reads the columns that the scorer reads, and scores nothing."""

    columns = SCORER.columns

    def freeze(self) -> "Zeros":
        return self

    def score(self, data: Any, *, group: str, naive: str) -> Any:
        import numpy

        return numpy.zeros(data.num_rows)


def spark_job(corpus: str) -> Callable[[Any, str], None]:
    from libcupel.spark import scores
    from pyspark.sql import SparkSession

    # Otherwise the workers are whatever python3 is on the path.
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.ui.showConsoleProgress", "false").config("spark.sql.session.timeZone", "UTC")
    builder = builder.config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1")
    # Its library for snappy is not found on every system.
    builder = builder.config("spark.sql.parquet.compression.codec", "zstd")
    frame = builder.getOrCreate().read.parquet(corpus)

    def run(scorer: Any, out: str) -> None:
        scores(frame, scorer, group="conversation", keep=["row"], partitions=PARTITIONS).write.parquet(out)

    return run


def ray_job(corpus: str) -> Callable[[Any, str], None]:
    import ray
    from libcupel.ray import scores

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="warning")
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = context.print_on_execution_start = False

    def run(scorer: Any, out: str) -> None:
        # The sort makes as many partitions as there are blocks, by default 200 of a few milliseconds each.
        dataset = ray.data.read_parquet(corpus, override_num_blocks=PARTITIONS)
        scores(dataset, scorer, group="conversation", keep=["row"]).write_parquet(out)

    return run


def main() -> None:
    parser = argparse.ArgumentParser(description="Measures what scoring adds to a job on Spark or Ray Data.")
    parser.add_argument("engine", choices=["spark", "ray"])
    parser.add_argument("corpus", help="a Parquet file of examples/spark/make_corpus.py")
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    job = {"spark": spark_job, "ray": ray_job}[arguments.engine](os.path.abspath(arguments.corpus))
    folder = tempfile.mkdtemp()

    def seconds(scorer: Any, run: int) -> float:
        out = os.path.join(folder, f"{type(scorer).__name__}-{run}")
        started = time.perf_counter()
        job(scorer, out)
        return time.perf_counter() - started

    try:
        # The first run of each starts the workers.
        times = [(seconds(SCORER, run), seconds(Zeros(), run)) for run in range(arguments.runs + 1)][1:]
    finally:
        shutil.rmtree(folder)
    scored, without = (min(column) for column in zip(*times))
    print(f"{arguments.engine}: {scored:.2f} s, without scoring {without:.2f} s: {scored / without:.2f} times, at most {LIMIT}")


if __name__ == "__main__":
    main()
