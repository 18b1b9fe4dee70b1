"""Every peer keeps the laws of `accuracy_assay.testing`."""

from typing import ClassVar

from accuracy_assay.protocols import Estimator
from accuracy_assay.registry import GROUPS, build_estimator
from accuracy_assay.runtime.imports import installed
from accuracy_assay.testing import EstimatorLaws

PEERS = [
    name
    for name, points in installed(GROUPS["estimator"]).items()
    if points[0].value.startswith("assay_bench.")
]


def laws_of(peer: str) -> type[EstimatorLaws]:
    class Laws(EstimatorLaws):
        name = peer
        exceptions: ClassVar[dict[str, str]] = {}

        def make(self) -> Estimator:
            return build_estimator(peer)

    return Laws


globals().update({f"Test_{name}": laws_of(name) for name in PEERS})


def test_every_published_peer_is_checked() -> None:
    assert len(PEERS) == 7
