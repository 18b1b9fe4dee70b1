"""The page's API against its own description: whatever is sent, it never fails from inside."""

import threading
from collections.abc import Iterator
from typing import Any

import polars as pl
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from page_server import page_spec
from patience import PATIENCE_S
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

import accuracy_assay as aa
from accuracy_assay.errors import StoreError
from accuracy_assay.web.access import Authenticator
from accuracy_assay.web.app import build_app
from accuracy_assay.web.guard import RateLimit
from accuracy_assay.web.served_assay import ServedAssay

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
N_EXAMPLES = {"admin": 6, "annotator": 3}
"""Of each operation and kind; with 100 there is no fault either, but minutes pass."""


def pool() -> pl.DataFrame:
    rows = range(60)
    return pl.DataFrame(
        {
            "id": [f"x{i}" for i in rows],
            "sex": [("f", "m")[i % 2] for i in rows],
            "band": [("a", "b", "c")[i % 3] for i in rows],
            "text": [f"number {i}" for i in rows],
            "guess": [("cat", "dog")[i % 5 == 0] for i in rows],
            "other": [("cat", "dog")[i % 7 == 0] for i in rows],
        }
    )


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedAssay]:
    folder = tmp_path_factory.mktemp("api")
    pool().write_parquet(folder / "pool.parquet")
    services = [{"name": "reader", "column": "guess"}, {"name": "other", "column": "other"}]
    label = {"show": {"text": "text"}, "annotators": 2}
    spec = page_spec(folder / "pool.parquet", service=services, label=label)
    with aa.Assay.create(folder / "team.assay", spec, use_background_fits=True) as assay:
        for who, turn in (("ann", 2), ("bob", 3)):
            assay.tell(
                [f"x{i}" for i in range(20)],
                [("cat", "dog")[i % turn == 0] for i in range(20)],
                who,
            )
        opened = ServedAssay.open(assay)
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def api(served: ServedAssay) -> Any:
    """The description, read from an application that lets one come as often as one likes."""
    often = RateLimit(1e6, 1e6)
    app = build_app(
        served,
        Authenticator(served.assay, "session", person_limit=often),
        ["testserver", "localhost"],
    )
    token = served.assay.admission.invite("reader", is_link=False)
    headers = {"Authorization": f"Bearer {token}"}
    return schemathesis.openapi.from_asgi("/api/openapi.json", app, headers=headers)


def test_who_went_away_harms_nobody_else(
    served: ServedAssay, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A request that was given up while the store failed must not end the thread that serves."""
    is_sent = threading.Event()

    def fail(requests: object) -> None:
        assert is_sent.wait(PATIENCE_S)
        raise StoreError("the store must be there; it is away.")

    monkeypatch.setattr(served.assay.session, "carry_out", fail)
    gone = served.queue.ask(1, "gone")
    assert gone.cancel()
    is_sent.set()
    with pytest.raises(StoreError):
        served.queue.ask(1, "next").result(PATIENCE_S)
    monkeypatch.undo()
    assert len(served.queue.ask(1, "next").result(PATIENCE_S)) == 1


@pytest.mark.parametrize("role", ["admin", "annotator"])
def test_whatever_is_sent_the_answer_is_as_described(
    api: Any, served: ServedAssay, role: Any
) -> None:
    token = served.assay.admission.invite(f"the {role}", role, is_link=False)
    headers = {"Authorization": f"Bearer {token}"}
    statuses: dict[str, set[int]] = {}

    def call(case: schemathesis.Case) -> None:
        response = case.call_and_validate(headers=headers, checks=CHECKS)
        statuses.setdefault(case.operation.path, set()).add(response.status_code)

    for found in api.get_all_operations():
        for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
            try:
                cases = given(case=found.ok().as_strategy(generation_mode=mode))(call)
            except Unsatisfiable:
                continue
            settings(max_examples=N_EXAMPLES[role], suppress_health_check=list(HealthCheck))(
                cases
            )()
    assert {"/api/ask", "/api/tell", "/api/team/settle", "/api/surface/heat"} <= set(statuses)
    assert {200, 422} <= set().union(*statuses.values())
    for path in statuses:
        if path.startswith(("/api/surface", "/api/team")):
            assert (200 in statuses[path]) <= (role == "admin"), path
    assert (200 in statuses["/api/team"]) == (role == "admin")
