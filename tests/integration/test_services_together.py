"""Services of an assay that are fitted together have one accuracy at every door."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from command_line import Answer, assay
from patience import PATIENCE_S
from several_services import NAMES, made_rows
from surface_world import StillUpdates

import accuracy_assay as aa
from accuracy_assay.session.assay import Assay
from accuracy_assay.web.surface.answers import SurfaceAnswers
from accuracy_assay.web.surface.queries import CompareQuery, MarginalsQuery, ViewQuery

__all__ = ["assay"]

SERVICES = NAMES[:6]
ATTRIBUTES = ["topic", "form"]
N_LABELS = 150
ROWS = made_rows(np.random.default_rng(4), 1_200).select(
    pl.int_range(pl.len()).cast(pl.String).alias("id"),
    *ATTRIBUTES,
    pl.col("truth", *SERVICES).cast(pl.String),
)
LABELLED = ROWS.sample(N_LABELS, seed=3)
MIX = pl.DataFrame({"form": ["open", "choice"], "weight": [1.0, 4.0]})


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An assay of six services with labels."""
    folder = tmp_path_factory.mktemp("six")
    ROWS.drop("truth").write_parquet(folder / "pool.parquet")
    spec = {
        "assay": {"name": "six", "budget": 400, "stop": {"half_width": 0.01}},
        "pool": {"path": str(folder / "pool.parquet"), "id": "id"},
        "attribute": [{"name": name} for name in ATTRIBUTES],
        "service": [{"name": name, "column": name} for name in SERVICES],
        "label": {"choices": ["0", "1", "2", "3"], "show": {"text": "id"}},
    }
    with Assay.create(folder / "six.assay", spec) as made:
        made.tell(LABELLED["id"], LABELLED["truth"], annotator="ann")
    return folder / "six.assay"


@pytest.fixture(scope="module")
def board() -> aa.Comparison:
    """The comparison of the same rows as a table."""
    given = {"services": SERVICES, "y_true": "truth", "pool": ROWS.drop("truth")}
    return aa.compare(LABELLED, ATTRIBUTES, **given)


def numbers(estimate: aa.Estimate) -> list[float]:
    return [estimate.mean, estimate.lower, estimate.upper]


def test_an_assay_has_the_accuracies_that_its_table_has(store: Path, board: aa.Comparison) -> None:
    """The rows are summed up in another order, so the optimiser may end a little elsewhere."""
    with aa.Assay.open(store) as opened:
        own = opened.compare()
    for asked, said in (
        (own, board),
        (own.at(topic="t2"), board.at(topic="t2")),
        (own.under(MIX), board.under(MIX)),
    ):
        assert [p.name for p in asked] == [p.name for p in said]
        for mine, table in zip(asked, said, strict=True):
            assert numbers(mine.estimate) == pytest.approx(numbers(table.estimate), abs=1e-5)
            assert mine.behind == pytest.approx(table.behind, abs=1e-5)


def test_surface_tile_comparison_and_page_say_the_same(store: Path) -> None:
    with aa.Assay.open(store) as opened:
        own = opened.compare()
        page = SurfaceAnswers(opened, StillUpdates(opened), patience_s=PATIENCE_S)
        side_by_side = {place.service: place for place in page.compare(CompareQuery()).places}
        for place in own:
            surface = opened.surface(place.name)
            about, _ = page.look(ViewQuery(service=place.name))
            assert about.overall is not None
            shown, said = side_by_side[place.name], numbers(surface.overall)
            assert numbers(place.estimate) == pytest.approx(said, abs=1e-9)
            tile = [about.overall.mean, about.overall.lower, about.overall.upper]
            assert tile == pytest.approx(said, abs=1e-9)
            assert [shown.mean, shown.lower, shown.upper] == pytest.approx(said, abs=1e-9)
            assert shown.behind == pytest.approx(place.behind, abs=1e-9)
            marginals = page.marginals(MarginalsQuery(service=place.name)).marginals
            for marginal in marginals:
                for value in marginal.rows:
                    there = own.at(**{marginal.name: value.value})
                    found = next(each for each in there if each.name == place.name)
                    assert value.mean == pytest.approx(found.estimate.mean, abs=1e-9)


def test_status_tells_how_narrow_the_tile_is(store: Path) -> None:
    with aa.Assay.open(store) as opened:
        for name in SERVICES:
            overall = opened.surface(name).overall
            found = opened.status().services[SERVICES.index(name)]
            assert found.fitted_labels == N_LABELS
            assert found.half_width == pytest.approx((overall.upper - overall.lower) / 2.0)


def test_files_and_commands_say_the_same(
    assay: Callable[..., Answer], store: Path, tmp_path: Path
) -> None:
    found = assay("compare", store, "--json", "--save", tmp_path / "six.board")
    assert found.code == 0, found.err
    places = {place["name"]: place for place in json.loads(found.out)["places"]}
    kept = {place.name: place for place in aa.Comparison.load(tmp_path / "six.board")}
    for name in ("m0", "m5"):
        path = tmp_path / f"{name}.surface"
        assert assay("surface", store, "--service", name, "--out", path).code == 0
        alone = json.loads(assay("query", path, "--json").out)
        said = places[name]["estimate"]
        # Files keep single precision.
        assert alone["mean"] == pytest.approx(said["mean"], abs=1e-6)
        assert kept[name].estimate.mean == pytest.approx(said["mean"], abs=1e-6)
        assert kept[name].estimate.lower == pytest.approx(said["lower"], abs=1e-6)


def test_two_of_the_services_have_the_accuracies_of_all(store: Path) -> None:
    with aa.Assay.open(store) as opened:
        every = {place.name: place.estimate for place in opened.compare()}
        two = opened.compare(["m5", "m1"])
        assert {place.name: place.estimate for place in two} == {n: every[n] for n in two.names}
        whole = opened.compare().difference("m5", "m1")
        part = two.difference("m5", "m1")
        assert (part.mean, part.sd) == pytest.approx((whole.mean, whole.sd), abs=1e-9)


def test_labels_are_chosen_by_what_the_services_share(store: Path) -> None:
    """One surface guides all of them, and what is asked next is nobody's yet."""
    with aa.Assay.open(store) as opened:
        batch = opened.ask(12, annotator="bob")
        assert not set(batch["id"]) & set(LABELLED["id"])
        assert batch.height == 12
        fits = opened.session.parts().fits
        guides = {id(fits.latest(name).guide("surface")) for name in SERVICES}  # type: ignore[union-attr]
        assert len(guides) == 1


def test_a_plan_starts_from_the_interval_that_is_shown(store: Path) -> None:
    with aa.Assay.open(store) as opened:
        overall = opened.surface("m2").overall
        plan = opened.plan(0.01, service="m2")
        assert plan.now == pytest.approx((overall.upper - overall.lower) / 2.0, abs=1e-9)
        assert plan.labels > 0


def test_the_report_shows_the_board(
    assay: Callable[..., Answer], store: Path, tmp_path: Path
) -> None:
    page = tmp_path / "six.html"
    made = assay("report", store, "--service", "m2", "--out", page)
    assert made.code == 0, made.err
    text = page.read_text()
    with aa.Assay.open(store) as opened:
        for place in opened.compare():
            assert f"<b>{place.estimate.mean:.1%}</b>" in text
