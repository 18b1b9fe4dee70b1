"""Every kind of service of the registry keeps the laws of `accuracy_assay.testing`."""

import sys
from collections.abc import Iterator
from types import ModuleType

import polars as pl
import pytest
from http_endpoint import Call, Reply, endpoint

from accuracy_assay.protocols import Service
from accuracy_assay.registry import SERVICES, build_service
from accuracy_assay.testing import ServiceLaws


def answer(call: Call) -> Reply:
    return Reply({"label": call.content["n"]})


class TestEveryKind(ServiceLaws):
    def rows(self) -> pl.DataFrame:
        return super().rows().with_columns(said=pl.col("number"))

    @pytest.fixture(params=sorted(SERVICES))
    def service(
        self, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
    ) -> Iterator[Service]:
        """A service of each kind that says the row's number."""
        module = ModuleType("conforming_service")
        module.said = lambda rows: [row["number"] for row in rows]  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "conforming_service", module)
        with endpoint(answer) as server:
            settings = {
                "name": "tested",
                "column": "said",
                "callable": "conforming_service:said",
                "batch_rows": 7,
                "url": server.url,
                "request": {"n": "{number}"},
                "response": {"prediction": "label"},
            }
            yield build_service(request.param, settings)
