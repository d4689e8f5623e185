"""Measure batches; the numbers are in docs/dev/scale.md.

python -m bench.batch mixed [--queries 10000]   all four methods: cost, memory, digest, a dataset
python -m bench.batch cost [--queries 60]       CPU seconds per hour of motion, by method
python -m bench.batch kill [--queries 200]      a cluster whose workers are killed, and its digest
python -m bench.batch jobs                      what a job costs Dask's scheduler
python -m bench.batch simulate [--wire-ms 1.2]  Dask's scheduler with 1,000 simulated workers
"""

from __future__ import annotations

import argparse
from pathlib import Path

from bench.batch import kill, measure, mixed, simulate


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.batch", description=__doc__)
    parser.add_argument("what", choices=("mixed", "cost", "kill", "jobs", "simulate"))
    parser.add_argument("--queries", type=int, default=60)
    parser.add_argument("--every", type=float, default=20.0, help="seconds between kills")
    parser.add_argument(
        "--wire-ms", type=float, default=1.2, help="CPU of the scheduler for a job's messages"
    )
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("out/mixed"), help="of mixed and kill")
    parser.add_argument("--dataset", action="store_true", help="of mixed: write a dataset, too")
    asked = parser.parse_args()
    if asked.what == "mixed":
        mixed.run(asked.queries, asked.workers, asked.out, asked.dataset)
    elif asked.what == "cost":
        measure.cost(asked.queries)
    elif asked.what == "kill":
        kill.run(asked.queries, asked.every, asked.out)
    elif asked.what == "jobs":
        measure.jobs()
    else:
        simulate.table(asked.wire_ms / 1000.0)


if __name__ == "__main__":
    main()
