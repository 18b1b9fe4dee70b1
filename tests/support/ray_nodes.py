"""A Ray cluster of several nodes on this machine, and work that its workers can import."""

from __future__ import annotations

import os
import secrets
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from patience import PATIENCE_S

from accuracy_assay.runtime.one_thread import environment
from accuracy_assay.runtime.ray_cluster import join_cluster, quiet_ray

MORTAL = "mortal"
"""What marks the node that a test takes away."""
SETTINGS = {
    "RAY_AUTH_MODE": "token",
    "RAY_AUTH_TOKEN": secrets.token_hex(32),  # otherwise it would be kept in the home
    "RAY_USAGE_STATS_ENABLED": "0",
    # Ray's workers step back behind every other process; on a busy machine they would starve.
    "RAY_worker_niceness": "0",
}
_NODE: dict[str, Any] = {"object_store_memory": 500_000_000}


@dataclass(frozen=True)
class RayNodes:
    """A head with two cores and two GPUs that exist on paper, which this process has joined.

    It is started in an environment with ``SETTINGS``.
    """

    cluster: Any

    @classmethod
    def start(cls) -> RayNodes:
        import ray
        from ray._raylet import Config
        from ray.cluster_utils import Cluster

        Config.initialize("")  # reads them again: ray may have been imported before
        with quiet_ray():
            cluster = Cluster()
            cluster.add_node(num_cpus=2, num_gpus=2, include_dashboard=False, **_NODE)
        with environment({"RAY_ADDRESS": cluster.address}):
            join_cluster()
        assert ray.is_initialized()
        return cls(cluster)

    def add_mortal(self) -> Any:
        """Add a node with one core, for a test to take away."""
        with quiet_ray():
            return self.cluster.add_node(num_cpus=1, env_vars={"ASSAY_NODE": MORTAL}, **_NODE)

    def kill(self, node: Any) -> None:
        with quiet_ray():
            self.cluster.remove_node(node, allow_graceful=False)

    def remove(self) -> None:
        import ray

        with quiet_ray():
            ray.shutdown()
            self.cluster.shutdown()


def square(number: int) -> int:
    return number * number


def refuse_three(number: int) -> int:
    from accuracy_assay.errors import UnknownNameError

    if number == 3:
        raise UnknownNameError("number", number, [1, 2])
    return number


def die_at_three(number: int) -> int:
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def stay_on_mortal(part: tuple[Path, int]) -> int:
    """Never end on the mortal node, and say so in a file; elsewhere wait until it is reached."""
    folder, number = part
    if os.environ.get("ASSAY_NODE") == MORTAL:
        (folder / "reached").touch()
        time.sleep(PATIENCE_S)
    wait_for(folder / "reached")
    return number * number


def begin(part: tuple[Path, int]) -> int:
    folder, number = part
    (folder / str(number)).touch()
    time.sleep(0.1)
    return number


def own_gpu(number: int) -> tuple[int, int, str]:
    return number * number, os.getpid(), os.environ["CUDA_VISIBLE_DEVICES"]


def label_rows(rows: list[dict[str, Any]]) -> list[tuple[str, float]]:
    """Predict, and note who was asked; kill the worker at the first try of one row, if told."""
    folder = Path(rows[0]["folder"])
    if any(row["id"] == "x23" for row in rows) and (folder / "die").exists():
        (folder / "die").unlink()
        os.kill(os.getpid(), signal.SIGKILL)
    with (folder / "asked").open("a") as notes:
        notes.write("".join(f"{row['id']}\n" for row in rows))
    return [(row["text"].upper(), len(row["text"]) / 8) for row in rows]


def wait_for(path: Path) -> None:
    until = time.monotonic() + PATIENCE_S
    while not path.exists():
        assert time.monotonic() < until, f"{path} must appear"
        time.sleep(0.02)


def wait_until_quiet() -> None:
    """Wait until no worker is at anything: all cores are free."""
    import ray

    until = time.monotonic() + PATIENCE_S
    while ray.available_resources().get("CPU", 0.0) < ray.cluster_resources()["CPU"]:
        assert time.monotonic() < until, "workers must end"
        time.sleep(0.05)
