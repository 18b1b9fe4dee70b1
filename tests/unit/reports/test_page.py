"""The page stands alone, says what is known, and escapes what users named."""

import json
import re
import shutil
import subprocess
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from patience import PATIENCE_S

from accuracy_assay.demo.thumbnails import encode_png
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.reports.judge_report import JudgeReport
from accuracy_assay.reports.page import render_page, write_page
from accuracy_assay.reports.report import Case, Report, wrong_first

VOID = {"meta", "link", "img", "br", "input"}


class Outline(HTMLParser):
    """Collects addresses that a browser would load, and checks that tags nest."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.addresses += [v or "" for k, v in attrs if k in ("src", "href")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def outline(page: str) -> Outline:
    parser = Outline()
    parser.feed(page)
    parser.close()
    return parser


@pytest.mark.parametrize("kind", ["report", "bare"])
def test_tags_nest_and_nothing_is_loaded(kind: str, request: pytest.FixtureRequest) -> None:
    page = render_page(request.getfixturevalue(kind))
    parsed = outline(page)
    assert parsed.open == []
    assert all(address.startswith("data:") for address in parsed.addresses)
    assert "url(" not in page
    assert "@import" not in page


def test_page_shows_key_numbers_and_how_intervals_were_checked(report: Report) -> None:
    page = render_page(report)
    assert f"{100 * report.overall.mean:.1f}<small>%" in page
    assert f"{100 * report.equal.mean:.1f}<small>%" in page
    assert "checked on 5 arms" in page
    assert '<th scope="row">10 to 19 pool rows</th>' in page


def test_page_without_truth_says_that_intervals_were_not_checked(bare: Report) -> None:
    page = render_page(bare)
    assert "intervals were not checked here" in page
    assert 'class="iv-truth"' not in page
    assert "Intervals that hold the truth" not in page


def test_weak_slices_come_first_then_arms_that_are_clearly_weaker(report: Report) -> None:
    page = render_page(report)
    (found,) = report.slices
    start, single, pairs = (
        page.index(f"<h{n}") for n in ("2>Where it fails", '3 class="after">Single', "2>Two attr")
    )
    assert "<small>age</small> &gt;60" in page[start:single]
    assert f"<b>{100 * found.estimate.mean:.0f}</b>" in page[start:single]
    arms = re.findall(r"<small>(\w+)</small> (\S+)</span>", unescape(page[single:pairs]))
    assert arms == [("sex", "F"), ("age", ">60"), ("sex", "M"), ("age", "<30")]


def test_of_many_slices_the_last_are_folded_away(report: Report) -> None:
    (found,) = report.slices
    many = replace(report)
    many.__dict__["slices"] = replace(report.slices, found=(found,) * 13)
    page = render_page(many)
    assert "<summary>3 more, where fewer rows go wrong</summary>" in page
    assert "more, where fewer" not in render_page(report)


def test_a_flat_surface_says_that_no_slice_is_weaker_and_lists_no_arm(flat: Report) -> None:
    page = render_page(flat)
    assert "No slice is clearly weaker than the whole." in page
    assert "Single arms" not in page
    assert 'class="worst"' not in page


def test_a_page_of_a_rate_of_errors_says_so_and_lists_the_highest(errors: Report) -> None:
    page = render_page(errors)
    assert "It is an error rate: lower is better" in page
    assert "False-positive rate <span" in page
    single = page.partition("Single arms")[2].partition("<section")[0]
    assert "the whole interval lies above 72.4" in single
    assert re.findall(r"<small>(\w+)</small> (\S+)</span>", unescape(single)) == [
        ("sex", "F"),
        ("age", "<30"),
    ]


def test_a_pool_too_small_for_slices_is_told_without_numbers(bare: Report) -> None:
    few = replace(bare.surface, support=np.array([5.0, 1.0, 0.0, 0.0, 2.0, 0.0]))
    none = replace(bare.surface, support=np.zeros(6))
    for surface in (few, none):
        page = render_page(replace(bare, surface=surface))
        assert "No slice had enough pool rows to be looked at." in page
        assert "nan" not in re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL).lower()


def test_bars_lie_where_their_axis_says(flat: Report) -> None:
    page = render_page(flat)
    ticks = re.findall(r'<b style="left:([\d.]+)%">(\d+)', page)
    bars = re.findall(r'iv-range" style="left:([\d.]+)%;width:([\d.]+)%', page)
    low, high = int(ticks[0][1]) / 100, next(int(t) / 100 for at, t in ticks if at == "100.00")
    assert 0.5 < low < 0.8 < high < 1.0
    averaged = flat.surface.marginal("sex").row(0, named=True)
    assert float(bars[0][0]) == pytest.approx(
        100 * (averaged["lower"] - low) / (high - low), abs=0.01
    )
    assert float(bars[0][1]) == pytest.approx(
        100 * (averaged["upper"] - averaged["lower"]) / (high - low), abs=0.02
    )


def test_without_truth_it_says_what_error_to_expect_and_what_to_label(bare: Report) -> None:
    known = replace(bare.surface, details={"expected_macro_mse": 0.64, "own_variance": 0.3})
    page = render_page(replace(bare, surface=known))
    assert "±&thinsp;8.0</b> points" in page
    assert "What to label next" in page
    assert "own_variance" not in page
    assert "how much single arms differ on their own" in page
    assert "does not say what error it expects" in render_page(bare)


def test_labelled_instances_of_a_slice_are_shown_wrong_ones_first(report: Report) -> None:
    png = encode_png(np.zeros((2, 2), np.uint8))
    cases = wrong_first(
        [
            Case("x1", "cat", "cat", 1.0, {"text": "<b>purrs"}),
            Case("x2", "cat", "<i>dog", 0.0, picture=("image/png", png)),
        ],
        5,
    )
    page = render_page(replace(report, cases={"age = >60": cases, "other": cases}))
    of_arm = render_page(replace(report, cases={"sex = M and age = <30": cases}))
    assert of_arm.index("Single arms") < of_arm.index("&lt;b&gt;purrs")
    assert page.index("said <q>&lt;i&gt;dog</q>, is <q>cat</q>") < page.index("&lt;b&gt;purrs")
    assert page.count("data:image/png;base64,") == 1


def test_names_from_users_are_escaped(report: Report) -> None:
    wicked = "</script><script>alert(1)</script>"
    space = AttributeSpace(
        (Attribute("a<b", ("x", wicked)), Attribute("age", ("1", "2", "3"), kind="ordinal"))
    )
    page = render_page(replace(report, title=wicked, surface=replace(report.surface, space=space)))
    assert wicked not in page
    assert page.count("<script") == 2


def test_data_block_is_json(report: Report) -> None:
    match = re.search(r'id="data">(.*?)</script>', render_page(report), re.DOTALL)
    assert match is not None
    assert len(json.loads(match[1])["arms"]["mean"]) == 6


def test_page_tells_how_many_arms_it_left_out(report: Report) -> None:
    assert "4 arms with higher estimates are left out" in render_page(report, max_arms=2)


def test_worst_arms_show_pictures_of_their_instances(report: Report) -> None:
    examples = {2: (encode_png(np.zeros((2, 2), np.uint8)),)}
    assert render_page(replace(report, examples=examples)).count("data:image/png;base64,") == 1


def test_single_attribute_has_no_heat_map(report: Report) -> None:
    space = AttributeSpace((Attribute("arm", tuple("abcdef")),))
    page = render_page(replace(report, surface=replace(report.surface, space=space)))
    assert "Two attributes at a time" not in page


def test_the_policy_names_the_code_and_the_style_of_the_page_and_nothing_else(
    report: Report,
) -> None:
    page = render_page(report)
    policy = re.search(r'http-equiv="Content-Security-Policy" content="(.*?)"', page)
    assert policy is not None
    rules = dict(rule.split(" ", 1) for rule in unescape(policy[1]).split("; "))
    assert page.index("Content-Security-Policy") < page.index("<style>")
    for tag, kind in (("script", "script-src"), ("style", "style-src-elem")):
        own = re.findall(f"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        assert len(own) == 1
        digest = b64encode(sha256(own[0].encode()).digest()).decode()
        assert rules[kind] == f"'sha256-{digest}'"
    assert (rules["default-src"], rules["img-src"]) == ("'none'", "data:")


def browse(page: Path) -> str:
    """Return the page as a browser has drawn it."""
    assert shutil.which("chromium"), "Chromium must be installed; run: make packages"
    flags = "--headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking"
    return subprocess.run(
        [
            "chromium",
            *flags.split(),
            f"--user-data-dir={page.parent}/profile",
            "--dump-dom",
            str(page),
        ],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=True,
    ).stdout


def test_script_draws_the_heat_map_the_curves_and_the_table(
    report: Report, tmp_path: Path
) -> None:
    drawn = browse(write_page(report, tmp_path / "page.html"))
    assert drawn.count('aria-label="sex ') == 5
    assert drawn.count("<polyline") == 2
    assert "6 of 6 arms shown." in drawn


def test_code_that_is_not_the_pages_own_does_not_run(report: Report, tmp_path: Path) -> None:
    path = write_page(report, tmp_path / "page.html")
    foreign = (
        "<script>document.body.dataset.owned = 1</script>"
        '<img src="data:," onerror="document.body.dataset.owned = 1">'
    )
    path.write_text(path.read_text().replace("<footer>", f"{foreign}<footer>"))
    drawn = browse(path)
    assert "data-owned" not in drawn
    assert "6 of 6 arms shown." in drawn


def test_page_says_where_the_check_by_design_disagrees(bare: Report) -> None:
    far = {"design_check": {"mean": 0.3, "lower": 0.2, "upper": 0.4}}
    page = render_page(replace(bare, surface=replace(bare.surface, details=far)))
    assert "without a model, from how labels were drawn: 30.0%" in page
    assert "find out why before you rely on the model" in page
    assert "from how labels were drawn" not in render_page(bare)


def test_page_shows_judges_referees_and_contested_rows(bare: Report) -> None:
    assert "What others say of it" not in render_page(bare)
    place = {"judge": "llm", "n": 40.0, "support": 900.0, "opinion": 0.82, "accuracy": 0.61}
    place |= {"bias": 0.21, "lower": 0.12, "upper": 0.3, "verdict": "lenient"}
    value = {"attribute": "size", "value": "<b>long", **place, "prefers_right": 0.8}
    judges = {"judge": "llm", "labels": 200, "prefers_right": 0.78, "outside": 0.0}
    known = JudgeReport(
        pl.DataFrame([judges]), pl.DataFrame([value]), pl.DataFrame([value]).clear(), 0.9
    )
    rows = {"stratum": ["b agrees"], "rows": [1200.0], "labels": [30.0], "accuracy": [0.97]}
    contested = pl.DataFrame({"id": [f"x{i}" for i in range(20)], "a": ["cat"] * 20})
    page = render_page(
        replace(bare, judges=known, referees=pl.DataFrame(rows), contested=contested)
    )
    assert "lenient on size = &lt;b&gt;long" in page
    assert 'aria-label="lenient: +21 points, 90% interval +12 to +30"' in page
    assert "b agrees" in page
    assert "20 pool rows without a label, of which the first 12 are shown" in page
    assert "<b>long" not in page
