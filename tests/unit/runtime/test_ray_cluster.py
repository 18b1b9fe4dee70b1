"""What can be said without a cluster; one is joined in tests/integration."""

import os
import socket
import warnings
from typing import Any

import pytest

from accuracy_assay.errors import InputError
from accuracy_assay.runtime import ray_cluster
from accuracy_assay.runtime.ray_cluster import join_cluster, n_workers_with, quiet_ray


class Ray:
    """What is asked of Ray, with the machines that a test wants."""

    def __init__(self, *machines: dict[str, Any]) -> None:
        self.machines = list(machines)
        self.settings: dict[str, Any] = {}
        self.n_joined = 0

    def nodes(self) -> list[dict[str, Any]]:
        return self.machines

    def is_initialized(self) -> bool:
        return self.n_joined > 0

    def init(self, **settings: Any) -> None:
        self.n_joined += 1
        self.settings = settings | {"telemetry": os.environ["RAY_USAGE_STATS_ENABLED"]}


def machine(gpus: float, is_alive: bool = True) -> dict[str, Any]:
    return {"Alive": is_alive, "Resources": {"CPU": 4.0} | ({"GPU": gpus} if gpus else {})}


def test_an_address_where_nobody_listens_is_refused_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ray_cluster, "ray", Ray())
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    for address in (f"127.0.0.1:{port}", f"ray://127.0.0.1:{port}"):
        monkeypatch.setenv("RAY_ADDRESS", address)
        with pytest.raises(InputError, match=rf"RAY_ADDRESS must be .* got '{address}' \("):
            join_cluster()


def test_a_cluster_is_joined_once_without_telemetry_or_dashboard(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "1")
    ray = Ray()
    monkeypatch.setattr(ray_cluster, "ray", ray)
    join_cluster()
    assert (ray.settings["telemetry"], ray.settings["include_dashboard"]) == ("0", False)
    assert ray.settings["log_to_driver"] is False
    join_cluster()
    assert ray.n_joined == 1


def test_a_worker_needs_its_gpus_on_one_machine_that_is_alive(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ray_cluster, "ray", Ray(machine(4), machine(3), machine(8, False)))
    assert [n_workers_with(gpus) for gpus in (0.5, 1, 2, 4)] == [14, 7, 3, 1]
    with pytest.raises(InputError, match=r"got 5, and the most is 4\."):
        n_workers_with(5)


def test_a_cluster_without_gpus_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_cluster, "ray", Ray(machine(0)))
    with pytest.raises(InputError, match=r"got 1, and the most is 0\."):
        n_workers_with(1)


def test_warnings_are_ignored_inside_the_block_alone() -> None:
    with quiet_ray():
        warnings.warn("old", DeprecationWarning, stacklevel=1)
    with pytest.raises(DeprecationWarning):
        warnings.warn("old", DeprecationWarning, stacklevel=1)
