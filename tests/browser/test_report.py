"""The report in a real browser without a network: its numbers, its download, its manners."""

import csv
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, Route
from surface_world import make_comparison

from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.reports.page import write_page
from accuracy_assay.reports.report import Case, report_of
from accuracy_assay.reports.services_board import ServicesBoard
from accuracy_assay.reports.verdict import verdict

WICKED = '<img src="https://example.org/x" onerror="document.body.dataset.owned = 1">'
SPACE = AttributeSpace(
    (
        Attribute("भाषा", ("हिन्दी", "العربية", "中文", WICKED)),
        Attribute('a,"b"', ("x\ny", 'say "hi"', "=1+1", "a value that is long " * 4)),
    )
)


def made() -> AccuracySurface:
    """Return a surface of 16 arms, one of them not in the pool; Chinese is weak."""
    rng = np.random.default_rng(3)
    mean = np.where(np.arange(16) // 4 == 2, 0.4, 0.9) + rng.normal(0, 0.02, 16)
    support = rng.integers(50, 400, 16).astype(float)
    support[5] = 0.0
    n = np.round(support / 10.0)
    return AccuracySurface(
        SPACE,
        np.arange(16),
        n=n,
        correct=n * mean,
        support=support,
        mean=mean,
        sd=np.full(16, 0.03),
        lower=mean - 0.05,
        upper=np.minimum(mean + 0.05, 1.0),
        details={"expected_macro_mse": 0.1, "own_variance": 0.5, "estimator": WICKED},
    )


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    report = report_of(made(), WICKED)
    cases = {"भाषा = 中文": (Case("x1", WICKED, WICKED, 0.0, {WICKED: WICKED}),)}
    return write_page(replace(report, cases=cases), tmp_path_factory.mktemp("report") / "p.html")


@pytest.fixture
def page(browser: Browser, path: Path) -> Iterator[Page]:
    """The page with every request refused; at the end none was made and nothing was wrong."""
    opened = browser.new_page(accept_downloads=True)
    asked: list[str] = []
    wrong: list[str] = []
    opened.on("pageerror", lambda error: wrong.append(str(error)))
    opened.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)

    def refuse(route: Route) -> None:
        asked.append(route.request.url)
        route.abort()

    opened.route(lambda url: not url.startswith(("file:", "data:", "blob:")), refuse)
    opened.goto(path.as_uri())
    yield opened
    opened.close()
    assert asked == []
    assert wrong == []


def test_the_download_is_the_frame_of_the_surface(page: Page, tmp_path: Path) -> None:
    with page.expect_download() as download:
        page.click("text=Download as CSV")
    target = tmp_path / download.value.suggested_filename
    download.value.save_as(target)
    assert target.name == "surface.csv"
    with target.open(newline="", encoding="utf-8") as file:
        head, *lines = csv.reader(file)
    frame = made().to_frame()
    assert head == frame.columns
    said = frame.with_columns(frame["in_rows"].fill_null(""))
    texts = said.select("भाषा", 'a,"b"', "status", "in_rows").rows()
    assert [(line[0], line[1], line[-2], line[-1]) for line in lines] == texts
    numbers = frame.drop("भाषा", 'a,"b"', "status", "in_rows").rows()
    assert [tuple(map(float, line[2:-2])) for line in lines] == numbers


def test_the_table_and_the_headline_are_the_numbers_of_the_surface(page: Page) -> None:
    surface = made()
    head = page.locator(".tiles").inner_text()
    equal = surface.average(surface.mass(mix="equal"))
    assert f"{100 * surface.overall.mean:.1f}%" in head
    assert f"{100 * equal.mean:.1f}%" in head
    shown = page.locator("#arms-body tr").evaluate_all(
        "rows => rows.map((row) => [...row.cells].map((cell) => cell.textContent))"
    )
    frame = surface.to_frame().with_columns(is_out=pl.col("support") <= 0).sort("mean")
    numbers = [(float(r[3]), float(r[4]), float(r[5])) for r in shown]
    ends = frame.select("mean", "lower", "upper") * 100.0
    assert numbers == [pytest.approx(row, abs=0.5001) for row in ends.rows()]
    assert [row[0] for row in shown] == frame.get_column("भाषा").to_list()


def test_the_report_and_a_notebook_open_with_the_verdict(page: Page, browser: Browser) -> None:
    report = report_of(made(), WICKED)
    said = verdict(report)
    assert page.locator(".verdict").inner_text() == said
    top, tiles = (page.locator(part).bounding_box() for part in (".verdict", ".tiles"))
    assert top is not None
    assert tiles is not None
    assert top["y"] < tiles["y"]
    cell = browser.new_page()
    cell.set_content(made()._repr_html_())
    assert cell.locator("body").inner_text().startswith(said)
    assert cell.locator("img").count() == 0
    cell.close()


def test_texts_of_others_are_text_and_slices_come_first(page: Page) -> None:
    assert page.evaluate("document.body.dataset.owned") is None
    assert page.locator("img").count() == 0
    assert page.locator("h1").inner_text() == WICKED
    first = page.locator("#fails .worst tbody tr").first.inner_text()
    assert "中文" in first
    page.locator("details.cases summary").click()
    assert WICKED in page.locator("details.cases li").inner_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_shows_all_of_it_and_so_does_a_screen_reader(page: Page, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.set_viewport_size({"width": 360, "height": 740})
    page.reload()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    faults = Axe().run(page).response["violations"]
    assert [f["id"] for f in faults] == []


def test_the_report_of_many_values_and_services_is_short_on_a_phone_too(
    browser: Browser, tmp_path: Path
) -> None:
    """One attribute of 31 values beside five small ones, several services, contested rows."""
    sizes = (31, 6, 2, 2, 2, 2)
    space = AttributeSpace(
        tuple(Attribute(f"a{k}", tuple(f"v{i}" for i in range(n))) for k, n in enumerate(sizes))
    )
    rng = np.random.default_rng(0)
    arms = np.sort(rng.choice(space.n_arms, 400, replace=False))
    mean = np.where(arms < space.n_arms // 6, 0.4, 0.9) + rng.normal(0.0, 0.02, 400)
    n, support = np.full(400, 8.0), np.full(400, 60.0)
    ends = {"lower": mean - 0.04, "upper": np.minimum(mean + 0.04, 1.0)}
    surface = AccuracySurface(
        space,
        arms,
        n=n,
        correct=n * mean,
        support=support,
        mean=mean,
        sd=np.full(400, 0.02),
        **ends,
    )
    found = make_comparison()
    by = {name: found.by(name).to_dicts() for name in found.space.names}
    shown = report_of(surface, "many")
    cases = {part.name: (Case("x", "a", "b", 0.0),) * 6 for part in shown.slices}
    contested = pl.DataFrame({"id": [f"x{i}" for i in range(20)], "one": "a", "two": "b"})
    board = ServicesBoard(found.to_frame().to_dicts(), by)
    report = replace(shown, cases=cases, contested=contested, services=board)
    file = write_page(report, tmp_path / "many.html")
    opened = browser.new_page(viewport={"width": 390, "height": 844})
    opened.goto(file.as_uri())
    assert opened.evaluate("document.documentElement.scrollHeight") < 6_000
    assert opened.evaluate("document.documentElement.scrollWidth") <= 390
    heat = opened.locator(".scroll:has(> #heat)").bounding_box()
    assert heat is not None
    assert heat["height"] < 844
    for section in ("#services", "#others"):
        opened.locator(f"{section} .unfold").first.click()
    assert opened.locator("#services table").first.is_visible()
    faults = Axe().run(opened).response["violations"]
    assert [f["id"] for f in faults if f["impact"] in ("serious", "critical")] == []
    opened.close()


def test_on_a_phone_the_report_is_short_and_every_bar_has_a_scale(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.reload()
    assert page.evaluate("document.documentElement.scrollHeight") < 6_000
    tables = page.locator("table.worst, table.marginal")
    assert tables.count() > 1
    for table in tables.all():
        bar, axis = (table.locator(part).first.bounding_box() for part in (".iv", ".iv-axis"))
        assert bar is not None
        assert axis is not None
        assert (axis["x"], axis["width"]) == pytest.approx((bar["x"], bar["width"]), abs=1.0)
    page.locator("#all .unfold").click()
    page.locator("#arms-body tr").first.scroll_into_view_if_needed()
    assert page.locator("#arms-body tr").first.is_visible()
