"""A small assay behind a page, and people who call it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from page_rows import make_pool
from starlette.testclient import TestClient

import accuracy_assay as aa
from accuracy_assay.web.access import Authenticator
from accuracy_assay.web.app import build_app
from accuracy_assay.web.served_assay import ServedAssay

HOST = "127.0.0.1:8765"

MakeServed = Callable[..., ServedAssay]


@pytest.fixture
def make_served(tmp_path: Path) -> Iterator[MakeServed]:
    opened: list[ServedAssay] = []

    def make(
        frame: pl.DataFrame | None = None, *, assay: Any = None, **sections: Any
    ) -> ServedAssay:
        methods = {"estimator": "beta-independent", "strategy": "random", "budget": 40, "batch": 5}
        spec: dict[str, Any] = {
            "assay": {"name": "pets", **methods, **(assay or {})},
            "attribute": [{"name": "sex"}],
            "service": [{"name": "reader", "column": "guess"}],
            "label": {"choices": ["cat", "dog"], "show": {"text": "text", "image": "picture"}},
        } | sections
        opened_assay = aa.Assay.create(
            tmp_path / f"{len(opened)}.assay",
            spec,
            pool=make_pool() if frame is None else frame,
            use_background_fits=True,
        )
        opened.append(ServedAssay.open(opened_assay))
        return opened[-1]

    yield make
    for served in opened:
        served.close()
        served.assay.close()


@pytest.fixture
def served(make_served: MakeServed) -> ServedAssay:
    return make_served()


@pytest.fixture
def client(served: ServedAssay) -> Callable[..., TestClient]:
    """Return a function that gives a client who is let in as someone, or as nobody."""
    app = build_app(served, Authenticator(served.assay, "session"), [HOST])

    def let_in(annotator: str | None = "ann", role: Any = "annotator") -> TestClient:
        client = TestClient(app, base_url=f"http://{HOST}", follow_redirects=False)
        if annotator is not None:
            token = served.assay.admission.invite(annotator, role, is_link=False)
            client.headers["Authorization"] = f"Bearer {token}"
        return client

    return let_in
