"""Seconds to fold the events of a session, by how many instances were asked for and answered.

``at once`` is one `Asked` and one `Told` of n instances, ``one by one`` an `Asked` of n instances
and n answers, ``in batches`` as annotators work: 12 asked for, 12 answered. Each process that
opens a store pays this once. The last column is the time per instance over that of the first
size: 1 where the fold is linear.
"""

import time

from accuracy_assay.domain.events import Asked, AssayOpened, Event, Recorded, Told
from accuracy_assay.session.ledger import Ledger

SIZES = (1_000, 2_000, 4_000)
BATCH = 12


def asked(ids: list[str], at: float) -> Asked:
    return Asked(tuple(ids), "ann", at + 1800.0, "s", ("why",) * len(ids), (1.0,) * len(ids))


def told(ids: list[str]) -> Told:
    return Told(tuple(ids), ("cat",) * len(ids), "ann")


def histories(n: int) -> dict[str, list[Event]]:
    ids = [f"x{i}" for i in range(n)]
    parts = [ids[start : start + BATCH] for start in range(0, n, BATCH)]
    return {
        "at once": [asked(ids, 0.0), told(ids)],
        "one by one": [asked(ids, 0.0), *(told([i]) for i in ids)],
        "in batches": [
            event for k, part in enumerate(parts) for event in (asked(part, k), told(part))
        ],
    }


def seconds(events: list[Event]) -> float:
    content = {"assay": {"budget": 10**6, "lease_minutes": 30}}
    every = [AssayOpened(content, 10**6, "d"), *events]
    recorded = [Recorded(seq, float(seq), event) for seq, event in enumerate(every, start=1)]
    best = float("inf")
    for _ in range(3):
        started = time.perf_counter()
        Ledger().apply(recorded)
        best = min(best, time.perf_counter() - started)
    return best


def main() -> None:
    """Print a table."""
    first: dict[str, float] = {}
    for n in SIZES:
        for name, events in histories(n).items():
            found = seconds(events)
            per_instance = found / n
            first.setdefault(name, per_instance)
            print(f"{name:12} {n:6,} {found:9.4f} s  {per_instance / first[name]:6.2f}")


if __name__ == "__main__":
    main()
