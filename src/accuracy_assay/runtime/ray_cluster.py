"""The Ray cluster of this process: one that runs already, or one of this machine's own.

Ray looks for RAY_ADDRESS, then for a cluster that ``ray start`` began on this machine. If there
is neither, it starts one with all cores and ends it with this process. It reports no usage, has no
dashboard, and logs to its own files only.
"""

from __future__ import annotations

import logging
import os
import socket
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from accuracy_assay.errors import InputError
from accuracy_assay.runtime.one_thread import environment


@contextmanager
def quiet_ray() -> Iterator[None]:
    """Ignore warnings inside the block: those of Ray are about its own code."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


# Ray prints on the standard output that a worker died, and reads this variable as it is imported.
with quiet_ray(), environment({"RAY_DEDUP_LOGS_SKIP_REGEX": "^"}):
    import ray
    import ray.data

__all__ = ["join_cluster", "n_cores", "n_workers_with", "quiet_ray"]

_SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_task_oom_retries": "3",  # not for ever: what is too large once is too large again
    # By default Ray gives its workers a lower priority than every other process of the machine.
    "RAY_worker_niceness": "0",
}
_ANSWER_S = 10.0
"""For a machine to accept a connection, chosen by hand: many times the longest round trip."""


def join_cluster() -> None:
    """Join the cluster, or start one; nothing happens where this process has joined already.

    Raises
    ------
    InputError
        If there is no cluster where RAY_ADDRESS says.
    """
    if ray.is_initialized():
        return
    for name in ("ray", "ray.data"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    address = os.environ.get("RAY_ADDRESS", "")
    _require_answer(address)
    with environment(_SETTINGS), quiet_ray():
        try:
            ray.init(include_dashboard=False, log_to_driver=False, logging_level=logging.CRITICAL)
        except (ConnectionError, RuntimeError, ValueError) as error:
            raise _no_cluster(address, error) from error


def n_cores() -> int:
    """Return the number of processor cores that the machines of the cluster lend."""
    return max(int(ray.cluster_resources().get("CPU", 1)), 1)


def n_workers_with(gpus: float) -> int:
    """Return how many workers can have so many GPUs each, those of one on one machine.

    Raises
    ------
    InputError
        If no machine has as many: Ray would silently wait for one.
    """
    lent = [node["Resources"].get("GPU", 0.0) for node in ray.nodes() if node["Alive"]]
    n_workers = sum(int(n_gpus / gpus) for n_gpus in lent)
    if n_workers == 0:
        raise InputError(
            f"gpus must be at most what a machine of the Ray cluster has; got {gpus:g}, and the "
            f"most is {max(lent, default=0.0):g}. Start a machine that has more before the run."
        )
    return n_workers


def _require_answer(address: str) -> None:
    """Refuse an address where nothing listens: Ray itself would keep trying for over a minute."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not (host and port.isdecimal()):
        return  # not of that form: for Ray to read
    try:
        socket.create_connection((host, int(port)), timeout=_ANSWER_S).close()
    except (OSError, OverflowError) as error:
        raise _no_cluster(address, error) from None


def _no_cluster(address: str, error: Exception) -> InputError:
    return InputError(
        f"RAY_ADDRESS must be the address of a Ray cluster that runs; got {address!r} ({error}). "
        "Unset it to start a cluster on this machine."
    )
