from dataclasses import replace

import pytest

from accuracy_assay.errors import InputError, UnknownNameError
from assay_bench.experiments import EXPERIMENTS, Selection


@pytest.mark.parametrize("name", ["estimation", "exploration"])
def test_every_seed_meets_every_task_and_method_once(name: str) -> None:
    runs = EXPERIMENTS[name].runs(Selection(has_data=True))
    assert len(set(runs)) == len(runs)
    tasks, methods = {r.task for r in runs}, {r.method for r in runs}
    assert len(runs) == 3 * len(tasks) * len(methods)


def test_real_tables_are_used_only_where_they_are_at_hand() -> None:
    shipped = {"digits", "digits-exact", "faces"}
    assert {r.task for r in EXPERIMENTS["estimation"].runs(Selection())} == shipped
    assert "adult5" in {r.task for r in EXPERIMENTS["estimation"].runs(Selection(has_data=True))}


@pytest.mark.parametrize("name", list(EXPERIMENTS))
def test_the_quick_form_is_a_part_of_the_whole(name: str) -> None:
    whole = EXPERIMENTS[name].runs(Selection(has_data=True))
    quick = EXPERIMENTS[name].runs(Selection(has_data=True, is_quick=True))
    assert 0 < len(quick) <= len(whole)
    assert {(r.task, r.method) for r in quick} <= {(r.task, r.method) for r in whole}
    usual = set(range(500, 3_501, 500))
    is_paper = name not in ("coverage", "referees", "judges")
    known = usual if is_paper else {size for r in whole for size in r.sizes}
    assert {size for r in quick for size in r.sizes} <= known


def test_coverage_starts_from_nothing_with_twenty_draws() -> None:
    runs = EXPERIMENTS["coverage"].runs(Selection(has_data=True, seed_size=500, batch=50))
    assert {(run.seed_size, run.batch) for run in runs} == {(0, 12)}
    assert {run.seed for run in runs} == set(range(20))
    assert len({run.task for run in runs}) == 12
    assert {run.seed for run in EXPERIMENTS["coverage"].runs(Selection(seeds=2))} == {0, 1}


def test_referees_start_from_nothing_and_need_a_folder_of_data() -> None:
    runs = EXPERIMENTS["referees"].runs(Selection(has_data=True))
    assert {run.seed_size for run in runs} == {0}
    assert {run.task for run in runs} == {"am3g", "am3d", "bbq"}
    assert any(run.method.use_referees for run in runs)
    with pytest.raises(InputError, match="tasks of referees must be read from a data folder"):
        EXPERIMENTS["referees"].runs(Selection())


def test_peers_meet_the_same_referees_and_the_same_judges() -> None:
    peers = ("eb-regression", "ppi", "stratified-ppi", "ppi-shrinkage")
    for name, ending in (("referees", "+referees"), ("judges", "+signals")):
        methods = {run.method.name for run in EXPERIMENTS[name].runs(Selection(has_data=True))}
        assert {f"{peer}{ending}" for peer in (*peers, "anova-gp")} <= methods


def test_judges_start_from_nothing_at_150_labels() -> None:
    runs = EXPERIMENTS["judges"].runs(Selection(has_data=True))
    assert {(run.task, run.seed_size, run.sizes) for run in runs} == {("frank", 0, (150,))}


@pytest.mark.parametrize("mode", ["estimation", "coverage"])
def test_a_part_of_an_experiment_is_a_part_of_its_runs(mode: str) -> None:
    whole = EXPERIMENTS[mode].runs(Selection(has_data=True))
    part = EXPERIMENTS[mode].runs(Selection(("adult5",), ("anova-gp/random",), seeds=1))
    assert {(run.task, run.seed) for run in part} == {("adult5", 0)}
    assert mode != "coverage" or set(part) <= set(whole)


def test_peers_stand_in_the_table_of_estimators() -> None:
    methods = {run.method.name for run in EXPERIMENTS["estimation"].runs(Selection(is_quick=True))}
    assert {"structured-regression", "shrinkage", "eb-regression", "metric-frame"} <= methods


def test_the_users_choice_comes_first() -> None:
    selection = Selection(("adult5",), ("constant",), (2000,), seeds=1)
    (run,) = EXPERIMENTS["estimation"].runs(selection)
    assert (run.task, run.method.name, run.sizes) == ("adult5", "constant", (2000,))


def test_a_named_method_must_exist() -> None:
    with pytest.raises(UnknownNameError, match="got 'magic'"):
        EXPERIMENTS["estimation"].runs(Selection(methods=("magic",)))


def test_seeds_must_be_counted_from_one() -> None:
    with pytest.raises(InputError, match="seeds must be at least 1; got 0"):
        Selection(seeds=0)


def test_a_selection_reads_as_the_options_that_made_it() -> None:
    selection = Selection(
        ("a", "b"), ("constant",), (2000,), seeds=1, is_quick=True, has_data=True
    )
    assert selection.as_options() == (
        "--task a --task b --method constant --labels 2000 "
        "--seeds 1 --seed-size 500 --batch 50 --quick --data DIR"
    )
    assert Selection(seeds=1).as_options(from_nothing=True) == "--seeds 1"


def test_an_experiment_needs_a_method_that_is_installed() -> None:
    lonely = replace(EXPERIMENTS["estimation"], methods=("magic",))
    with pytest.raises(InputError, match=r"none of \('magic',\) is"):
        lonely.runs(Selection())
