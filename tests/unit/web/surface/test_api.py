"""Every view over HTTP: JSON, a table and a picture, from an address that reproduces it."""

from collections.abc import Iterator
from typing import Any

import polars as pl
import pytest
from fastapi import FastAPI
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.testclient import TestClient
from surface_world import StillUpdates, make_assay

from accuracy_assay.errors import AssayError
from accuracy_assay.web.surface.api import surface_routes

VIEWS = [
    "slices",
    "heat",
    "arms",
    "instances",
    "marginals",
    "worst",
    "progress",
    "time",
    "judge",
    "compare",
]


def build(n_labels: int = 40, **sections: Any) -> TestClient:
    app = FastAPI()
    assay = make_assay(n_labels, **sections)
    app.include_router(surface_routes(assay, StillUpdates(assay)))

    @app.exception_handler(AssayError)
    async def explain(request: Request, error: AssayError) -> JSONResponse:
        return JSONResponse({"detail": str(error)}, 400)

    return TestClient(app)


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with build() as made:
        yield made


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_comes_as_json_as_a_table_and_as_a_picture(
    client: TestClient, view: str
) -> None:
    answered = client.get(f"/api/surface/{view}")
    assert answered.status_code == 200
    assert answered.json()["about"]["service"] == "good"
    table = client.get(f"/api/surface/{view}", params={"format": "csv"})
    assert table.headers["content-type"] == "text/csv; charset=utf-8"
    assert table.headers["content-disposition"] == f'attachment; filename="{view}-good.csv"'
    assert table.text.count("\n") >= 1
    picture = client.get(f"/api/surface/{view}", params={"format": "png"})
    assert picture.headers["content-type"] == "image/png"
    assert picture.content.startswith(b"\x89PNG")


@pytest.mark.parametrize("view", VIEWS)
def test_before_any_label_every_view_answers(view: str) -> None:
    with build(0) as client:
        for kind in ("json", "csv", "png"):
            answered = client.get(f"/api/surface/{view}", params={"format": kind})
            assert answered.status_code == 200


def test_the_address_is_the_whole_state(client: TestClient) -> None:
    asked = {
        "service": "poor",
        "where": ["sex:f", "age:old", "age:young"],
        "sort": "support",
        "order": "descending",
        "search": "age",
        "limit": 1,
    }
    first, again = (client.get("/api/surface/arms", params=asked).json() for _ in range(2))
    assert first == again
    assert (first["found"], len(first["arms"])) == (2, 1)
    assert first["asked"] == "sex f, age old or young"
    rows = pl.read_csv(client.get("/api/surface/arms", params=asked | {"format": "csv"}).content)
    assert rows["age"].to_list()[0] == first["arms"][0]["values"][1]
    assert rows.height == 2


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("heat?rows=colour", 400),
        ("heat?where=sex", 400),
        ("heat?mix=own", 400),
        ("heat?mix=mine", 422),
        ("heat?format=xml", 422),
        ("arms?sort=colour", 400),
        ("arms?status=fine", 400),
        ("arms?limit=0", 422),
        ("arms?offset=99999999999", 422),
        ("compare?first=nobody", 400),
        ("compare?first=good&second=good", 400),
        ("instances?where=sex:x", 400),
        ("marginals?weight=sex:f:1&mix=own&service=nobody", 400),
        ("progress?half_width=inf", 422),
        ("progress?half_width=0.1&of=slice", 400),
        ("worst?by=lower", 422),
        ("slices?below=80", 422),
    ],
)
def test_bad_values_are_refused_in_words(client: TestClient, path: str, status: int) -> None:
    answered = client.get(f"/api/surface/{path}")
    assert answered.status_code == status
    assert answered.json()["detail"]


def test_files_have_names_that_a_header_can_carry() -> None:
    odd = [{"name": 'a"b\nc/é', "column": "good"}]
    with build(service=odd) as client:
        found = client.get("/api/surface/worst", params={"format": "csv"})
    assert found.headers["content-disposition"] == 'attachment; filename="worst-a-b-c.csv"'


ANY = st.text(max_size=20)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    view=st.sampled_from(VIEWS),
    asked=st.dictionaries(
        st.sampled_from(
            ["service", "where", "mix", "weight", "rows", "columns", "sort", "order", "search",
             "status", "limit", "offset", "by", "count", "zoom", "which", "of", "first", "second"]
        ),
        ANY | st.sampled_from(["sex", "age:old", "sex:f:1e9", "own", "equal", "good", "-1", "7"]),
        max_size=4,
    ),
)  # fmt: skip
def test_whatever_is_sent_the_server_does_not_fail(
    client: TestClient, view: str, asked: dict[str, str]
) -> None:
    assert client.get(f"/api/surface/{view}", params=asked).status_code in (200, 400, 422)


def test_the_description_names_what_comes_back(client: TestClient) -> None:
    described = client.get("/openapi.json").json()["paths"]["/api/surface/heat"]["get"]
    assert set(described["responses"]["200"]["content"]) == {
        "application/json",
        "text/csv",
        "image/png",
        "text/html",
    }
    assert {p["name"] for p in described["parameters"]} == {
        "service", "where", "format", "mix", "weight", "rows", "columns",
    }  # fmt: skip
