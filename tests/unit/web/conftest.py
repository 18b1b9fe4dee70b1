"""A small assay behind a page, and people who call it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from page_rows import make_pool
from starlette.testclient import TestClient

import accuracy_assay as aa
from accuracy_assay.web.access import Door
from accuracy_assay.web.app import build_app
from accuracy_assay.web.room import Room

HOST = "127.0.0.1:8765"

MakeRoom = Callable[..., Room]


@pytest.fixture
def make_room(tmp_path: Path) -> Iterator[MakeRoom]:
    opened: list[Room] = []

    def make(frame: pl.DataFrame | None = None, *, assay: Any = None, **sections: Any) -> Room:
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
        opened.append(Room.open(opened_assay))
        return opened[-1]

    yield make
    for room in opened:
        room.close()
        room.assay.close()


@pytest.fixture
def room(make_room: MakeRoom) -> Room:
    return make_room()


@pytest.fixture
def client(room: Room) -> Callable[..., TestClient]:
    """Return a function that gives a client who is let in as someone, or as nobody."""
    app = build_app(room, Door(room, "session"), [HOST])

    def let_in(annotator: str | None = "ann", role: Any = "annotator") -> TestClient:
        client = TestClient(app, base_url=f"http://{HOST}", follow_redirects=False)
        if annotator is not None:
            token = room.assay.admission.invite(annotator, role, is_link=False)
            client.headers["Authorization"] = f"Bearer {token}"
        return client

    return let_in
