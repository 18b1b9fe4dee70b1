import gzip
import io
import json
import re
from pathlib import Path

import fsspec
import numpy as np
import polars as pl
import pytest
from surface_world import make_rows

import accuracy_assay as aa
from accuracy_assay.files.tables import read_table

ATTRIBUTES = ("-a", "sex", "-a", "age:30,60", "--score", "correct")
PLAIN = ("--estimator", "beta-independent")


def test_surface_file_equals_what_python_estimates(saved: Path, rows: Path) -> None:
    age = aa.Attribute("age", kind="continuous", edges=(30, 60))
    direct = aa.estimate(rows, ["sex", age], score="correct", estimator="beta-independent")
    assert aa.AccuracySurface.load(saved).to_frame().equals(direct.to_frame())


def test_programs_get_the_worst_arms_in_order(assay, rows: Path) -> None:
    arms = json.loads(assay("surface", rows, *ATTRIBUTES, *PLAIN, "--json").out)["worst"]
    assert [arm["upper"] for arm in arms] == sorted(arm["upper"] for arm in arms)
    assert arms[0]["sex"] == "M"


def test_slices_stand_before_arms_for_people_and_programs(assay, rows: Path) -> None:
    call = ("surface", rows, *ATTRIBUTES, *PLAIN)
    shown = assay(*call).out
    assert shown.index("Weak slices") < shown.index("Arms that are clearly weaker")
    found = json.loads(assay(*call, "--json").out)
    assert found["slices"][0]["slice"] in shown
    assert found["every_arm_alike"]["mean"] != found["overall"]["mean"]


def test_people_get_as_many_worst_arms_as_they_want(assay, rows: Path) -> None:
    answer = assay("surface", rows, *ATTRIBUTES, *PLAIN, "--worst", 2)
    assert "M, >= 60" in answer.out
    assert "F, < 30" not in answer.out


def test_terminal_and_page_list_those_of_the_worst_arms_that_are_clearly_weaker(
    assay, tmp_path: Path
) -> None:
    # Arm d has the lowest mean and the widest interval, arm e too few rows to be ranked first.
    right = {"a": (60, 80), "b": (30, 60), "c": (20, 30), "d": (2, 6), "e": (0, 4)}
    rows = pl.DataFrame(
        [
            {"arm": f"{arm}{half}", "half": half, "correct": int(i < n_right)}
            for arm, (n_right, n) in right.items()
            for half in ("x", "y")
            for i in range(n)
        ]
    )
    path, saved, page = (tmp_path / name for name in ("rows.csv", "s.surface", "page.html"))
    rows.write_csv(path)
    call = ("surface", path, "-a", "arm", "-a", "half", "--score", "correct", *PLAIN)
    shown = assay(*call, "--worst", 8, "--out", saved).out
    listed = json.loads(assay(*call, "--worst", 8, "--json").out)["worst"]
    assert assay("report", saved, "--out", page).code == 0
    surface = aa.AccuracySurface.load(saved)
    expected = surface.worst(8).get_column("arm").to_list()
    assert expected != surface.worst(8, by="mean").get_column("arm").to_list()
    assert [arm["arm"] for arm in listed] == expected
    overall = surface.overall.mean
    weaker = surface.worst(8).filter(pl.col("upper") < overall, pl.col("support") >= 5)
    weak = weaker.get_column("arm").to_list()
    assert 0 < len(weak) < 8
    assert re.findall(r"^([a-e][xy]), ", shown, re.MULTILINE) == weak
    single = page.read_text().partition("Single arms")[2].partition("<section")[0]
    assert re.findall(r"<small>arm</small> (\w+)</span>", single) == weak
    assert "the whole 90% interval lies below" in " ".join(shown.split())


def test_an_assay_has_a_surface_too(assay, store: str) -> None:
    assert assay("run", store, "--answers", "labels.csv").code == 0
    answer = assay("surface", store, "--service", "good", "--out", "s.surface", "--json")
    assert {arm["sex"] for arm in json.loads(answer.out)["worst"]} == {"f", "m"}
    assert aa.AccuracySurface.load("s.surface").n_labels == 30


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("my.assay", "--score", "x"), "must follow its spec"),
        (("my.assay", "--estimator", "constant"), "must follow its spec"),
        (("labels.csv",), "must have --attribute"),
        (("my.assay", "--service", "god"), "Did you mean 'good'?"),
    ],
)
def test_mistakes_are_named(assay, store: str, arguments: tuple[str, ...], message: str) -> None:
    answer = assay("surface", *arguments)
    assert answer.code == 2
    assert message in answer.err
    assert "Traceback" not in answer.err


def test_guessed_attributes_are_read_off_their_probability_columns(assay, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    sex = rng.choice(["f", "m"], 200)
    sure = np.where(rng.random(200) < 0.9, 0.95, 0.1)
    p_f = np.where(sex == "f", sure, 1.0 - sure)
    table = pl.DataFrame(
        {
            "sex": sex,
            "p_sex__f": p_f,
            "p_sex__m": 1.0 - p_f,
            "right": np.where(sex == "f", rng.random(200) < 0.9, rng.random(200) < 0.5),
        }
    )
    table.write_parquet(tmp_path / "rows.parquet")
    answer = assay(
        *("surface", str(tmp_path / "rows.parquet"), "-a", "sex", "--score", "right"),
        *("--evidence", "sex=p_sex__*", "--calibration", "temperature"),
        *("--estimator", "beta-independent", "--json"),
    )
    assert answer.code == 0, answer.err
    found = {arm["sex"]: arm["mean"] for arm in json.loads(answer.out)["worst"]}
    gold = dict(table.group_by("sex").agg(pl.col("right").mean()).iter_rows())
    assert found == pytest.approx(gold, abs=1e-3)  # gold attributes count; lambda is 0.1


def test_there_must_be_signals_to_weigh(assay, rows: Path) -> None:
    answer = assay("surface", rows, *ATTRIBUTES, *PLAIN, "--weigh-signals")
    assert answer.code == 2
    assert "signals must name at least one column to judge; got none" in answer.err


def test_blank_scores_and_packed_files_are_read(assay, rows: Path, tmp_path: Path) -> None:
    lines = rows.read_text().splitlines()
    part = [*lines[:101], *(line.rpartition(",")[0] + "," for line in lines[101:])]
    path = tmp_path / "part.csv.gz"
    path.write_bytes(gzip.compress("\n".join(part).encode()))
    options = ("-a", "sex", "--score", "correct", "--estimator", "beta-independent", "--json")
    arms = json.loads(assay("surface", path, *options).out)["worst"]
    assert (sum(arm["n"] for arm in arms), sum(arm["support"] for arm in arms)) == (100, 400)


def test_rows_come_from_the_standard_input(
    assay, rows: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = rows.read_text().replace(",", ";").encode()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
    options = ("-a", "sex", "--score", "correct", "--estimator", "beta-independent", "--json")
    piped = assay("surface", "-", *options)
    assert piped.out == assay("surface", rows, *options).out


def test_markdown_is_for_a_pull_request(assay, rows: Path) -> None:
    shown = assay("surface", rows, *ATTRIBUTES, *PLAIN, "--markdown")
    overall = json.loads(assay("surface", rows, *ATTRIBUTES, *PLAIN, "--json").out)["overall"]
    assert shown.code == 0
    assert shown.out.startswith(f"### rows: accuracy {overall['mean']:.1%}\n")
    both = assay("surface", rows, *ATTRIBUTES, *PLAIN, "--markdown", "--json")
    assert (both.code, "--json and --markdown" in both.err) == (2, True)


def test_json_tells_the_whole_first(assay, rows: Path) -> None:
    found = json.loads(assay("surface", rows, *ATTRIBUTES, *PLAIN, "--json").out)
    assert list(found)[:4] == ["verdict", "overall", "target", "other_overall"]
    assert list(found)[4:] == [
        *("every_arm_alike", "labels", "labels_worth", "missing_prediction", "label_trust"),
        *("judge_share", "part_judged", "arms", "expected_macro_mse", "slices", "worst"),
    ]
    assert (found["overall"]["n"], found["labels"]) == (400, 400)


def test_a_place_is_checked_before_the_fit(assay, rows: Path) -> None:
    answer = assay("surface", rows, "-a", "none", "--score", "correct", "--out", "none/s.surface")
    assert answer.code == 2
    assert "surface must go to an existing folder; got 'none'" in answer.err


def test_rows_that_belong_together_are_named_by_their_column(assay, tmp_path: Path) -> None:
    rows = pl.DataFrame({"sex": ["F", "M"] * 30, "who": np.arange(60) // 10})
    rows = rows.with_columns(correct=(pl.col("who") % 3 > 0).cast(pl.Int64))
    path = tmp_path / "rows.csv"
    rows.write_csv(path)
    given = ("surface", path, "-a", "sex", "--score", "correct", "--json", "--cluster")
    overall = json.loads(assay(*given, "who").out)["overall"]
    direct = aa.estimate(rows, ["sex"], "correct", cluster="who").overall
    assert overall["lower"] == pytest.approx(direct.lower, abs=1e-6)
    assert direct.lower < aa.estimate(rows, ["sex"], "correct").overall.lower
    assert "got 'whom'. Did you mean 'who'?" in assay(*given, "whom").err


def test_referees_are_those_of_python(assay, refereed: Path, tmp_path: Path) -> None:
    out = tmp_path / "s.surface"
    call = ("surface", refereed, "-a", "sex", "--score", "correct", "--y-pred", "own")
    answer = assay(*call, "--referee", "ibm", "--referee", "acme", "--out", out)
    assert answer.code == 0, answer.err
    direct = aa.estimate(refereed, ["sex"], "correct", y_pred="own", referees=["ibm", "acme"])
    assert aa.AccuracySurface.load(out).to_frame().equals(direct.to_frame())


def test_referees_are_weighed(assay, refereed: Path) -> None:
    call = ("surface", refereed, "-a", "sex", "--score", "correct", "--y-pred", "own")
    answer = assay(*call, "--referee", "ibm", "--weigh-signals", "--json")
    assert answer.code == 0, answer.err
    assert [s["signal"] for s in json.loads(answer.out)["signals"]] == [
        "agreement of the referees"
    ]


def test_a_referee_without_a_prediction_is_refused(assay, refereed: Path) -> None:
    answer = assay("surface", refereed, *ATTRIBUTES, "--referee", "ibm")
    assert answer.code == 2
    assert "referees must have a prediction" in answer.err


def test_the_referees_of_an_assay_stand_in_its_spec(assay, store: str) -> None:
    answer = assay("surface", store, "--referee", "bad")
    assert answer.code == 2
    assert "Leave out --referee" in answer.err


def test_judges_and_the_form_of_answers_are_those_of_python(
    assay, refereed: Path, tmp_path: Path
) -> None:
    rows, out = pl.read_csv(refereed), tmp_path / "s.surface"
    said = pl.when(pl.int_range(pl.len()) % 3 == 0).then(pl.lit("unknown")).otherwise("own")
    rows.with_columns(said=said).write_csv(refereed)
    call = ("surface", refereed, "-a", "sex", "--score", "correct", "--y-pred", "said")
    answer = assay(*call, "--judge", "ibm", "--answer-form", "--out", out)
    assert answer.code == 0, answer.err
    direct = aa.estimate(
        refereed, ["sex"], "correct", y_pred="said", judges=["ibm"], answer_form=True
    )
    assert aa.AccuracySurface.load(out).to_frame().equals(direct.to_frame())


def test_a_feature_of_a_text_is_an_attribute(assay, tmp_path: Path) -> None:
    rows = pl.DataFrame({"said": ["Is it?", "It is."] * 20, "right": [1, 1, 1, 0] * 10})
    rows.write_csv(tmp_path / "texts.csv")
    said = assay(
        "surface",
        str(tmp_path / "texts.csv"),
        *("--attribute", "asks=text:said:question", "--score", "right"),
        *("--estimator", "beta-independent", "--json"),
    )
    worst = json.loads(said.out)["worst"]
    assert [row["asks"] for row in worst] == [False, True]


def test_measures_and_conditions_are_those_of_python(assay, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    rows = pl.DataFrame(
        {name: rng.choice(["yes", "no"], 300) for name in ("truth", "said")}
        | {"sex": rng.choice(["f", "m"], 300), "age": rng.integers(18, 90, 300)}
    )
    rows.write_csv(tmp_path / "rows.csv")
    call = ("surface", tmp_path / "rows.csv", "-a", "sex", "--estimator", "beta-independent")
    call += ("--y-true", "truth", "--y-pred", "said", "--where", "age < 60")
    call += ("--measure", "false-positive-rate:yes")
    direct = aa.estimate(
        rows,
        ["sex"],
        y_true="truth",
        y_pred="said",
        measure="false-positive-rate:yes",
        where="age < 60",
        estimator="beta-independent",
    )
    found = json.loads(assay(*call, "--json").out)
    assert found["overall"]["mean"] == pytest.approx(direct.overall.mean)
    shown = assay(*call)
    assert "overall false-positive-rate of 'yes'" in shown.out
    assert "is an error rate" in shown.err


def test_the_labels_of_an_assay_serve_other_measures(assay, folder: Path) -> None:
    pool = make_rows()
    pool.write_csv("pets.csv")
    spec = {
        "assay": {"estimator": "beta-independent"},
        "pool": {"path": "pets.csv"},
        "attribute": [{"name": "sex"}],
        "service": [{"name": "good", "column": "good"}],
        "label": {"choices": ["cat", "dog"], "column": "truth"},
    }
    with aa.Assay.create("pets.assay", spec) as made:
        made.tell(pool["id"][:60], pool["truth"][:60], annotator="ann")
        wanted = made.measure("recall:cat", where="age <> 'old'").overall.mean
    call = ("surface", "pets.assay", "--measure", "recall:cat")
    found = json.loads(assay(*call, "--where", "age <> 'old'", "--json").out)
    assert found["overall"]["mean"] == pytest.approx(wanted)
    assert "overall recall of 'cat'" in assay(*call).out


def test_a_folder_and_an_address_stream_into_the_same_surface(
    assay, rows: Path, tmp_path: Path
) -> None:
    frame = read_table(rows)
    folder = tmp_path / "many"
    folder.mkdir()
    for k, part in enumerate(frame.iter_slices(100)):
        part.write_parquet(folder / f"part-{k}.parquet")
    memory = fsspec.filesystem("memory")
    memory.put(str(folder), "/surface-pool", recursive=True)
    few = tmp_path / "few.csv"
    frame[:50].write_csv(few)
    call = ("surface", few, *ATTRIBUTES, *PLAIN, "--json", "--pool")
    in_memory = assay(*call, rows).out
    assert json.loads(in_memory)["overall"]["support"] == frame.height
    assert assay(*call, folder).out == in_memory
    assert assay(*call, f"{folder}/*.parquet").out == in_memory
    assert assay(*call, "memory://surface-pool").out == in_memory
    labelled = assay("surface", folder, *ATTRIBUTES, *PLAIN)
    assert labelled.out.startswith("many")


def test_an_engine_is_for_rows_and_must_exist(assay, rows: Path, tmp_path: Path) -> None:
    answer = assay("surface", rows, *ATTRIBUTES, *PLAIN, "--engine", "steam")
    assert answer.code == 2
    assert "engine must be one of [local, ray]; got 'steam'" in answer.err


@pytest.mark.parametrize("target", ["pool", "population"])
def test_what_the_number_is_about_can_be_asked_for_and_is_said(
    assay, rows: Path, target: str
) -> None:
    """All rows are labelled: the pool's own accuracy is known, the rate behind it is not."""
    given = ("surface", rows, *ATTRIBUTES, "--target", target)
    words = {"pool": "of these 400 rows", "population": "of rows like these"}
    assert words[target] in assay(*given).out
    overall = json.loads(assay(*given, "--json").out)["overall"]
    assert overall["target"] == target
    assert (overall["upper"] - overall["lower"] < 1e-6) == (target == "pool")
    other = assay(*given[:-1], "pole")
    assert other.code == 2
    assert "target must be one of [pool, population]; got 'pole'" in other.err


@pytest.fixture
def known(rows: Path) -> Path:
    """The rows with the scores of three earlier services; some are missing."""
    frame = pl.read_csv(rows)
    rng = np.random.default_rng(0)
    scores = {name: rng.integers(0, 2, frame.height) for name in ("old", "older", "oldest")}
    frame = frame.with_columns(**{name: pl.Series(s) for name, s in scores.items()})
    frame.with_columns(pl.col("old").replace(0, None).alias("oldest")).write_csv(rows)
    return rows


HISTORY = ("--history", "old", "--history", "older", "--history", "oldest")


def test_a_history_is_that_of_python_and_is_weighed(assay, known: Path, tmp_path: Path) -> None:
    out = tmp_path / "s.surface"
    answer = assay(
        *("surface", known, "-a", "sex", "--score", "correct", *HISTORY, "--out", out),
        *("--weigh-signals", "--json"),
    )
    assert answer.code == 0, answer.err
    direct = aa.estimate(known, ["sex"], "correct", history=["old", "older", "oldest"])
    assert aa.AccuracySurface.load(out).to_frame().equals(direct.to_frame())
    weighed = json.loads(answer.out)["signals"]
    assert [s["signal"] for s in weighed] == ["scores of earlier services"]


def test_a_history_of_an_assay_is_refused(assay, store: str) -> None:
    answer = assay("surface", store, "--history", "old")
    assert answer.code == 2
    assert "Leave out --history" in answer.err
