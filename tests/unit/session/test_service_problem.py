"""The estimation problem of one service in a session: signals, scores, leaks, known arms."""

from typing import Any

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import accuracy_assay as aa
from accuracy_assay.domain.answer_form import ANSWER_FORM, DECLINES
from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.events import Predicted
from accuracy_assay.domain.referees import REFEREES
from accuracy_assay.domain.strata import stratify
from accuracy_assay.errors import InputError
from accuracy_assay.session.ledger import Resolved
from accuracy_assay.session.service_problem import Predictions, ServiceProblem
from accuracy_assay.storage.memory import MemoryStore


def problem_of(assay: aa.Assay, predictions: Predictions) -> ServiceProblem:
    service = assay.spec.service[0]
    return ServiceProblem.build(
        assay.spec,
        service,
        assay.session.parts().rows,
        assay.session.parts().snapshots.arms,
        predictions,
    )


def all_predicted(bench: Any, label: str = "cat", confidence: float | None = None) -> Predictions:
    return {i: (label if int(i[1:]) % 2 else "dog", confidence) for i in bench.pool["id"]}


def resolved(label: str) -> Resolved:
    return Resolved(label, {}, {label: 1})


def test_the_surface_is_that_of_estimate_on_the_same_labels(bench) -> None:
    assay = bench.create(service=[{"name": "good", "column": "good", "signals": []}])
    ids = assay.ask(30)["id"]
    assay.tell(ids, bench.truth(ids))
    expected = aa.estimate(
        bench.pool.filter(pl.col("id").is_in(ids.implode())),
        ["sex", aa.Attribute("age", kind="continuous", edges=(40,))],
        y_true="truth",
        y_pred="good",
        pool=bench.pool,
        estimator="beta-independent",
    )
    assert_frame_equal(assay.surface().to_frame(), expected.to_frame())


def test_signals_are_the_prediction_and_the_confidence(bench) -> None:
    assay = bench.create(service=[{"name": "good", "column": "good", "confidence": "sure"}])
    ids = assay.ask(30)["id"]
    assay.tell(ids, bench.truth(ids))
    assay.surface()
    problem = assay.session.parts().fits.latest("good").solved.problem
    strata = stratify(bench.pool, ["good", "sure"])
    assert problem.strata.shape == strata.shape
    arms = problem.support.space.arm_index(problem.support.space.encode(bench.pool))
    cells = arms * strata.n_arms + strata.arm_index(strata.encode(bench.pool))
    expected = Support.count(problem.support.space, strata, cells)
    np.testing.assert_array_equal(problem.support.cells, expected.cells)
    np.testing.assert_array_equal(problem.support.size, expected.size)


def test_there_are_no_signals_before_the_whole_pool_is_predicted(bench) -> None:
    assay = bench.create()
    some = dict(list(all_predicted(bench).items())[:-1])
    assert problem_of(assay, some).problem.strata is None
    assert problem_of(assay, all_predicted(bench)).problem.strata.n_arms == 2


def test_a_confidence_that_is_missing_once_is_no_signal(bench) -> None:
    assay = bench.create()
    sure = {i: (p, int(i[1:]) / 60) for i, (p, _) in all_predicted(bench).items()}
    assert problem_of(assay, sure).signals.width == 2
    assert problem_of(assay, sure | {"x3": ("cat", None)}).signals.width == 1


def test_many_classes_are_no_signal(bench) -> None:
    assay = bench.create()
    for n_classes, width in ((20, 1), (21, 0)):
        said = {i: (str(int(i[1:]) % n_classes), None) for i in bench.pool["id"]}
        assert problem_of(assay, said).signals.width == width


def test_of_many_short_answers_the_form_is_a_signal(bench) -> None:
    assay = bench.create()
    said = {i: (f"person {i}", None) for i in bench.pool["id"]}
    said |= {i: ("not known" if int(i[1:]) % 2 else "unknown", None) for i in list(said)[:20]}
    problem = problem_of(assay, said)
    assert problem.signals.columns == [ANSWER_FORM]
    assert problem.signals[ANSWER_FORM][:21].to_list() == [DECLINES] * 20 + ["two to four words"]


def test_the_form_of_an_answer_leaks_where_the_prediction_would(bench) -> None:
    truth = [f"name {i % 55}" if i % 3 else "unknown" for i in range(60)]
    bench.pool = bench.pool.with_columns(kind=pl.Series(truth))
    attributes = [{"name": "kind", "values": sorted(set(truth))}]
    assay = bench.create(attribute=attributes, label={})
    said = {
        i: (t if k % 5 else "a dog", None)
        for k, (i, t) in enumerate(zip(bench.pool["id"], truth, strict=True))
    }
    problem = problem_of(assay, said)
    assert problem.signals.columns == [ANSWER_FORM]
    labels = {row: resolved(truth[row]) for row in range(40)}
    assert problem.without_leak(labels, said).signals.columns == []


def test_signals_of_the_users_own_take_the_place_of_the_prediction(bench) -> None:
    assay = bench.create(service=[{"name": "good", "column": "good", "signals": ["bad"]}])
    problem = problem_of(assay, all_predicted(bench))
    assert problem.signals.columns == ["bad"]
    strata, stratum = problem.problem.strata, problem.problem.stratum
    assert [strata.attributes[0].values[z] for z in stratum] == bench.pool["bad"].to_list()


def test_the_target_of_the_spec_decides_whose_accuracy_it_is(bench) -> None:
    pool = problem_of(bench.create(), {})
    rate = problem_of(bench.create(assay={"name": "rate", "target": "population"}), {})
    assert pool.problem.support.is_pool
    assert not rate.problem.support.is_pool


def test_observations_equal_a_hand_count(bench) -> None:
    assay = bench.create(attribute=[{"name": "sex"}])
    labels = {row: resolved("cat") for row in (0, 5, 9, 14)}
    seen = problem_of(assay, {}).observe(labels, all_predicted(bench))
    sex = bench.pool["sex"][[0, 5, 9, 14]].to_list()
    right = [1.0 if row % 2 else 0.0 for row in (0, 5, 9, 14)]
    values = assay.session.parts().rows.space.attributes[0].values
    counts = seen.per_arm().on(np.arange(2))
    assert counts.n.tolist() == [sex.count(v) for v in values]
    expected = [sum(r for s, r in zip(sex, right, strict=True) if s == v) for v in values]
    assert counts.correct.tolist() == expected


def test_a_labelled_row_without_a_prediction_is_named(bench) -> None:
    assay = bench.create()
    labels = {1: resolved("cat"), 2: resolved("dog")}
    with pytest.raises(InputError, match=r"'good' must have .* 1 without .* such as 'x2'"):
        problem_of(assay, {}).observe(labels, {"x1": ("cat", None)})


@pytest.mark.parametrize(
    ("agreement", "message"),
    [
        ("math:sqrt", r"agreement 'math:sqrt' must take truths .* got TypeError"),
        ("builtins:max", r"agreement 'builtins:max' must .* got ValueError: could not convert"),
        ("operator:length_hint", "agreement 'operator:length_hint' must"),
    ],
)
def test_an_agreement_of_the_users_own_that_fails_is_named(
    bench, agreement: str, message: str
) -> None:
    assay = bench.create(label={"agreement": agreement})
    labels = {1: resolved("cat"), 2: resolved("dog")}
    with pytest.raises(InputError, match=message):
        problem_of(assay, {}).observe(labels, all_predicted(bench))


def test_a_confirmed_attribute_moves_the_answer_to_its_arm(bench) -> None:
    assay = bench.create(attribute=[{"name": "sex"}])
    own = bench.pool["sex"][0]
    other = "m" if own == "f" else "f"
    assay.tell("x0", "cat", confirmed_attributes={"sex": [other]})
    assert assay.surface("good").at(sex=other).n == 1.0
    assert assay.tell("x0", "cat", confirmed_attributes=[{"sex": own}]) == 1
    assert assay.surface("good").at(sex=own).n == 1.0
    assert assay.tell("x0", "cat", confirmed_attributes=[{"sex": own}]) == 0


def test_the_seed_set_counts_with_its_gold_attributes(guessed) -> None:
    assay = guessed.create()
    seed = guessed.seed
    surface = assay.surface()
    assert surface.n_labels == pytest.approx(seed.height)
    for accent in ("uk", "us"):
        for digit in ("0", "1"):
            own = seed.filter(accent=accent, label=digit)
            index = surface.space.matches(surface.arms, {"accent": accent, "digit": digit})
            assert surface.n[index] == pytest.approx(own.height)
            right = own.filter(pl.col("heard") == pl.col("label")).height
            assert surface.correct[index] == pytest.approx(right)


def test_what_the_label_reveals_is_not_shown_before_and_known_after(guessed) -> None:
    assay = guessed.create()
    before = assay.surface()
    batch = assay.ask(4)
    assert all("digit" not in arm and "accent=" in arm for arm in batch["arm"])
    assay.tell(batch["id"], ["1"] * 4)
    after = assay.surface()
    is_one = after.space.matches(after.arms, {"digit": "1"})
    assert (after.n - before.n)[is_one].sum() == pytest.approx(4.0)
    assert (after.n - before.n)[~is_one].sum() == pytest.approx(0.0, abs=1e-9)


def test_a_confirmed_attribute_ends_the_guess(guessed) -> None:
    assay = guessed.create()
    before = assay.surface()
    assay.tell("3", "1", confirmed_attributes={"accent": "us"})
    after = assay.surface()
    arm = after.space.matches(after.arms, {"digit": "1", "accent": "us"})
    assert (after.n - before.n)[arm] == pytest.approx(1.0)


def test_there_are_no_signals_where_attributes_are_guessed(guessed) -> None:
    assay = guessed.create()
    assay.surface()
    assert assay.session.parts().fits.latest("ear").solved.problem.strata is None


def test_an_attribute_that_is_the_label_takes_the_prediction_out_of_the_signals(guessed) -> None:
    pool = guessed.pool
    truth = pl.Series("digit", np.random.default_rng(0).choice(["0", "1"], pool.height))
    spec = guessed.spec | {"attribute": [{"name": "digit"}]}
    assay = aa.Assay.create(MemoryStore(), spec, pool=pool.with_columns(truth))
    assay.tell(pool["id"][:30], truth[:30])
    assay.surface()
    fit = assay.session.parts().fits.latest("ear")
    assert fit.problem.problem.strata is not None
    assert fit.solved.problem.strata is None
    named = spec | {"service": [{"name": "ear", "column": "heard", "signals": ["heard"]}]}
    strict = aa.Assay.create(MemoryStore(), named, pool=pool.with_columns(truth))
    strict.tell(pool["id"][:30], truth[:30])
    with pytest.raises(InputError, match="signal 'heard' must not reveal the score"):
        strict.surface()


def test_clusters_divide_cells_beside_the_signals(bench) -> None:
    bench.pool = bench.pool.with_columns(who=pl.int_range(60) // 6)
    service = [{"name": "good", "column": "good", "confidence": "sure"}]
    assay = bench.create(service=service, pool={"cluster": "who"})
    problem = problem_of(assay, all_predicted(bench)).problem
    assert problem.support.n_clusters == 10
    assert [a.name for a in problem.support.signals] == ["prediction of the service"]
    alone = problem_of(assay, {}).problem
    assert alone.support.n_strata == 10
    assert alone.stratum is not None
    np.testing.assert_array_equal(alone.stratum, np.arange(60) // 6)


def test_the_surface_with_clusters_is_that_of_estimate(bench) -> None:
    bench.pool = bench.pool.with_columns(who=pl.int_range(60) // 6)
    assay = bench.create(
        assay={"estimator": "anova-gp"},
        service=[{"name": "good", "column": "good", "signals": []}],
        pool={"cluster": "who"},
    )
    ids = assay.ask(30)["id"]
    assay.tell(ids, bench.truth(ids))
    expected = aa.estimate(
        bench.pool.filter(pl.col("id").is_in(ids.implode())),
        ["sex", aa.Attribute("age", kind="continuous", edges=(40,))],
        y_true="truth",
        y_pred="good",
        pool=bench.pool,
        cluster="who",
    )
    assert_frame_equal(assay.surface().to_frame(), expected.to_frame(), rel_tol=1e-6)
    assert expected.details["cluster_variance"] > 0.0


GOOD, BAD = {"name": "good", "column": "good"}, {"name": "bad", "column": "bad"}


def solved(assay: aa.Assay, service: str = "good") -> ServiceProblem:
    return assay.session.parts().snapshots.take(assay.spec.find_service(service)).problem


def test_other_services_are_referees_unless_the_spec_says_otherwise(bench) -> None:
    own = "prediction of the service"
    assert solved(bench.create()).signals.columns == [REFEREES]
    specs: dict[str, dict[str, Any]] = {
        "all off": {"assay": {"referees": []}},
        "one off": {"service": [{**GOOD, "referees": []}, BAD]},
        "not by itself": {"assay": {"referees": ["good"]}},
    }
    for name, sections in specs.items():
        assay = bench.create(**sections | {"assay": {"name": name, **sections.get("assay", {})}})
        assert solved(assay).signals.columns == [own], name
    assert solved(assay, "bad").signals.columns == [REFEREES]
    services = [{**GOOD, "referees": ["bad"]}, BAD]
    mine = bench.create(assay={"name": "mine", "referees": []}, service=services)
    assert solved(mine).signals.columns == [REFEREES]
    assert solved(mine, "bad").signals.columns == [own]


def test_one_label_and_a_referee_give_the_surface_of_estimate(bench) -> None:
    services = [{**GOOD, "signals": []}, {**BAD, "signals": []}]
    assay = bench.create(assay={"estimator": "anova-gp"}, service=services)
    ids = assay.ask(30)["id"]
    assay.tell(ids, bench.truth(ids))
    for name, other in (("good", "bad"), ("bad", "good")):
        expected = aa.estimate(
            bench.pool.filter(pl.col("id").is_in(ids.implode())),
            ["sex", aa.Attribute("age", kind="continuous", edges=(40,))],
            y_true="truth",
            y_pred=name,
            referees=[other],
            pool=bench.pool,
        )
        assert_frame_equal(assay.surface(name).to_frame(), expected.to_frame(), rel_tol=1e-6)
    text = solved(assay).signals[REFEREES]
    same = bench.pool["good"] == bench.pool["bad"]
    assert (text == "bad agrees").to_list() == same.to_list()


def test_a_referee_without_an_answer_does_not_agree(bench) -> None:
    column = pl.when(pl.int_range(60) == 7).then(None).otherwise(pl.col("bad")).alias("bad")
    bench.pool = bench.pool.with_columns(column)
    assay = bench.create()
    assert solved(assay).signals[REFEREES][7] == "bad does not"


def test_a_referee_counts_once_it_has_predicted_everything(bench) -> None:
    called = {"name": "api", "callable": "builtins:print"}
    assay = bench.create(service=[GOOD, called])
    ids = assay.ask(20)["id"]
    assay.tell(ids, bench.truth(ids))
    some, rest = bench.pool["id"][:40].to_list(), bench.pool["id"][40:].to_list()
    assay.session.journal.append(Predicted("api", tuple(some), ("cat",) * 40, (None,) * 40))
    assert REFEREES not in solved(assay).signals.columns
    before = assay.surface("good")
    seen = assay.session.parts().snapshots.take(assay.spec.find_service("good")).seen_seq
    assay.session.journal.append(Predicted("api", tuple(rest), ("cat",) * 20, (None,) * 20))
    assert REFEREES in solved(assay).signals.columns
    assert assay.session.parts().snapshots.take(assay.spec.find_service("good")).seen_seq > seen
    assay.surface("good")
    assert assay.session.parts().fits.latest("good").solved.problem.strata.names == (REFEREES,)
    assert before.n_labels == 20


def test_guessed_attributes_have_referees_only_by_name(guessed) -> None:
    rng = np.random.default_rng(0)
    pool = guessed.pool.with_columns(other=pl.Series(rng.choice(["0", "1"], 80)))
    seed = guessed.seed.with_columns(other=pl.Series(rng.choice(["0", "1"], 40)))
    for referees, columns in ((None, []), (["other"], [REFEREES])):
        ear = {"name": "ear", "column": "heard"} | ({"referees": referees} if referees else {})
        spec = guessed.spec | {"service": [ear, {"name": "other", "column": "other"}]}
        assay = aa.Assay.create(MemoryStore(), spec, pool=pool, seed_set=seed)
        assert solved(assay, "ear").signals.columns == columns


def test_a_referee_that_does_not_know_the_seed_set_is_left_out(bench) -> None:
    seed = bench.pool[:10].rename({"truth": "label"}).with_columns(id=pl.format("s{}", "id"))
    for known, columns in ((seed, [REFEREES]), (seed.drop("bad"), [])):
        spec = {"attribute": [{"name": "sex"}], "service": [{**GOOD, "signals": []}, BAD]}
        assay = aa.Assay.create(MemoryStore(), spec, pool=bench.pool, seed_set=known)
        assert solved(assay).signals.columns == columns


def test_an_agreement_of_the_users_own_has_referees_only_by_name(bench) -> None:
    label = {"agreement": "math:sqrt"}
    assert REFEREES not in solved(bench.create(label=label)).signals.columns
    named = bench.create(label=label, assay={"name": "named", "referees": ["good", "bad"]})
    with pytest.raises(InputError, match=r"agreement 'math:sqrt' must take truths"):
        solved(named)


def test_transcripts_agree_in_part(bench) -> None:
    said = {"good": ["one two three"] * 60, "bad": ["one two three", "one two"] * 30}
    bench.pool = bench.pool.with_columns(**{name: pl.Series(s) for name, s in said.items()})
    assay = bench.create(label={"agreement": "wer"})
    assert solved(assay).signals[REFEREES].to_list() == [1.0, 0.5] * 30
    assert solved(assay, "bad").signals[REFEREES].to_list() == pytest.approx([1.0, 2 / 3] * 30)


OPINION = {"name": "llm", "column": "opinion", "services": ["good"]}


def test_a_judge_is_a_signal_beside_the_referees(bench) -> None:
    bench.pool = bench.pool.with_columns(opinion=pl.Series(range(60)) / 60)
    assay = bench.create(judge=[OPINION])
    assert solved(assay).signals.columns == ["llm of good", REFEREES]
    assert solved(assay).signals["llm of good"].dtype == pl.Float64
    assert solved(assay, "bad").signals.columns == [REFEREES]


def test_a_judge_gives_the_surface_of_estimate(bench) -> None:
    right = bench.pool["good"] == bench.pool["truth"]
    verdict = pl.when(right).then(pl.lit("good")).otherwise(pl.lit("poor"))
    bench.pool = bench.pool.with_columns(opinion=verdict)
    assay = bench.create(
        assay={"estimator": "anova-gp", "referees": []},
        service=[{**GOOD, "signals": []}, BAD],
        judge=[OPINION],
    )
    ids = assay.ask(30)["id"]
    assay.tell(ids, bench.truth(ids))
    expected = aa.estimate(
        bench.pool.filter(pl.col("id").is_in(ids.implode())),
        ["sex", aa.Attribute("age", kind="continuous", edges=(40,))],
        y_true="truth",
        y_pred="good",
        judges=["opinion"],
        pool=bench.pool,
    )
    assert_frame_equal(assay.surface("good").to_frame(), expected.to_frame(), rel_tol=1e-6)


def test_a_judge_counts_once_it_has_judged_everything(bench) -> None:
    called = {"name": "llm", "callable": "builtins:print", "services": ["good"]}
    assay = bench.create(assay={"referees": []}, judge=[called])
    own = "prediction of the service"
    assert solved(assay).signals.columns == [own]
    verdicts = tuple("good" if k % 3 else "poor" for k in range(60))
    name, ids = "llm of good", tuple(bench.pool["id"])
    assay.session.journal.append(Predicted(name, ids[:59], verdicts[:59], (None,) * 59, 0.0))
    assert solved(assay).signals.columns == [own]
    assay.session.journal.append(Predicted(name, ids[59:], verdicts[59:], (None,), 0.0))
    assert solved(assay).signals.columns == [name]
    assert solved(assay).signals[name].to_list() == list(verdicts)


def test_a_judge_that_copies_the_score_is_refused(bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("accuracy_assay.domain.judges._COPIED_SCORES", 30)
    right = (bench.pool["good"] == bench.pool["truth"]).cast(pl.Int64)
    bench.pool = bench.pool.with_columns(opinion=right)
    assay = bench.create(judge=[OPINION])
    assay.tell(bench.pool["id"], bench.pool["truth"])
    with pytest.raises(InputError, match="judge 'llm of good' must form its opinions without"):
        assay.surface("good")


def test_the_gold_of_a_seed_row_stands_whatever_its_label_says(guessed) -> None:
    """An attribute that labels reveal may have a gold of its own in the seed set."""
    other = pl.when(pl.col("label") == "0").then(pl.lit("1")).otherwise(pl.lit("0"))
    guessed.seed = guessed.seed.with_columns(digit=other)
    assay = guessed.create()
    told = str(guessed.pool["id"][0])
    assay.tell(told, "1")
    parts = assay.session.parts()
    seen = parts.snapshots.take(assay.spec.service[0])
    rows = sorted(seen.labels)
    known = seen.problem.known_codes(rows, seen.labels)
    is_seed = np.asarray([row in parts.rows.seed_labels for row in rows])
    assert (known[is_seed] == -1).all()
    assert known[~is_seed].tolist() == [[-1, 1]]
    arms = parts.snapshots.arms.labelled(np.asarray(rows), known)
    digit = parts.rows.space.codes(arms.argmax())[:, 1]
    assert digit[is_seed].tolist() == [int(d) for d in guessed.seed["digit"]]
