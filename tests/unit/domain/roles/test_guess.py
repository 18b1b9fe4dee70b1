"""One guess of what every column of a table is."""

from datetime import date, timedelta

import numpy as np
import polars as pl
import pytest

from accuracy_assay.domain.eval_log import EvalLog, ServiceColumns
from accuracy_assay.domain.roles.guess import guess_roles, score_of
from accuracy_assay.domain.roles.value import ColumnRoles

N = 240
RNG = np.random.default_rng(0)
TRUTH = RNG.choice(["a", "b", "c"], N)
SAID = np.where(RNG.random(N) < 0.7, TRUTH, "a")
LIGHT = RNG.choice(["day", "night"], N)


def guess(**columns: object) -> ColumnRoles:
    return guess_roles(pl.DataFrame(columns))


def names(roles: ColumnRoles) -> list[str]:
    return [a.name for a in roles.attributes]


def test_many_models_are_services_and_no_attributes() -> None:
    said = {f"pred:model-{k}.1": RNG.permutation(SAID) for k in range(29)}
    roles = guess(id=range(N), light=LIGHT, answer=TRUTH, **said)
    assert len(roles.services) == len(roles.scored) == 29
    assert (roles.truth, names(roles)) == ("answer", ["light"])


def test_scores_belong_to_their_services_and_are_no_attributes() -> None:
    right = (SAID == TRUTH).astype(int)
    roles = guess(light=LIGHT, a_pred=SAID, a_correct=right, b_correct=RNG.permutation(right))
    assert roles.services["a"] == ServiceColumns("a_pred", {"correct": "a_correct"})
    assert roles.services["b"] == ServiceColumns(None, {"correct": "b_correct"})
    assert names(roles) == ["light"]


def test_a_score_without_a_name_belongs_to_the_only_service() -> None:
    right = (SAID == TRUTH).astype(int)
    assert guess(llm_pred=SAID, correct=right).services["llm"].scores == {"correct": "correct"}
    several = guess(a_pred=SAID, b_pred=SAID, correct=right)
    assert several.left_out["correct"] == "a score, but the name does not say whose"


def test_a_truth_without_a_telling_name_is_found_by_the_scores() -> None:
    roles = guess(light=LIGHT, animal=TRUTH, a_pred=SAID, a_correct=(SAID == TRUTH).astype(int))
    assert (roles.truth, names(roles)) == ("animal", ["light"])


@pytest.mark.parametrize("truth", ["truth", "label"])
def test_an_answer_beside_the_truth_is_a_prediction(truth: str) -> None:
    roles = guess(**{truth: TRUTH, "answer": SAID})
    assert (roles.truth, roles.predictions) == (truth, {"service": "answer"})


def test_correct_may_hold_the_truth() -> None:
    assert guess(pred=SAID, correct=TRUTH).truth == "correct"


def test_a_score_of_a_compared_service_is_its_confidence() -> None:
    roles = guess(label=TRUTH, a_pred=SAID, a_score=RNG.random(N))
    assert roles.services["a"] == ServiceColumns("a_pred", {}, signals=("a_score",))


def test_scores_of_people_make_automatic_measures_judges() -> None:
    roles = guess(human_score=RNG.random(N), bleu=90.0 * RNG.random(N), light=LIGHT)
    assert roles.services["service"].scores == {"human_score": "human_score"}
    assert roles.judges == ("bleu",)
    assert guess(bleu=RNG.random(N)).services["service"].scores == {"bleu": "bleu"}


def test_every_other_part_is_found() -> None:
    days = [date(2026, 1, 1) + timedelta(days=k % 30) for k in range(N)]
    roles = guess(
        key=[f"k{k}" for k in range(N)],
        day=days,
        seen=[f"{day} 10:00" for day in days],
        worker=RNG.integers(0, 40, N),
        weight=RNG.random(N) * 3,
        llm_judge=RNG.integers(1, 6, N),
        speaker=RNG.integers(0, 50, N),
        file=[f"{k}.wav" for k in range(N)],
        short=[f"how are you today {k}" for k in range(N)],
        long=[f"a long story about the man who went to the sea {k}" for k in range(N)],
        p_sex__f=RNG.random(N),
        p_sex__m=RNG.random(N),
        nested=[[1]] * N,
        nothing=pl.Series([None] * N, dtype=pl.String),
    )
    assert (roles.id, roles.cluster, roles.annotator, roles.weight) == (
        "key",
        "speaker",
        "worker",
        "weight",
    )
    assert roles.times == ("day", "seen")
    assert roles.judges == ("llm_judge",)
    assert roles.media == {"audio": "file"}
    assert roles.texts == ("long", "short")
    assert roles.evidence == {"sex": "p_sex__*"}
    assert roles.left_out == {"nested": "nested values", "nothing": "no value"}
    assert names(roles) == []


def test_an_id_that_repeats_says_which_rows_belong_together() -> None:
    roles = guess(item=np.arange(N) // 4, light=LIGHT)
    assert (roles.id, roles.cluster) == (None, "item")


def test_a_log_says_itself_what_belongs_to_services_and_is_asked_first() -> None:
    rows = pl.DataFrame(
        {
            "id": range(N),
            "said": SAID,
            "ok": (SAID == TRUTH).astype(float),
            "light": LIGHT,
            "doc.answer": TRUTH,
            "question": [f"what is it that they do here {k}?" for k in range(N)],
            "story": [f"once upon a time there was a man in a house {k}" for k in range(N)],
        }
    )
    said = {"it": ServiceColumns("said", {"exact": "ok"})}
    roles = guess_roles(rows, EvalLog(rows, said, id="id", texts=("question",)))
    assert (roles.services, roles.id) == (said, "id")
    assert roles.texts == ("question", "story")
    assert names(roles) == ["light"]
    assert roles.left_out["doc.answer"] == "seems to hold the truth or an answer"


def test_missing_answers_are_wrong_and_missing_truths_have_no_score() -> None:
    rows = pl.DataFrame({"label": ["a", "b", None], "x_pred": ["a", None, "c"]})
    found = score_of(rows, guess_roles(rows), "x")
    assert found.to_list() == [1.0, 0.0, None]


def crowd(**columns: object) -> dict[str, object]:
    """Three answers to each of the items, of people who disagree."""
    of = np.repeat(np.arange(N), 3)
    who = [f"w{k}" for k in np.tile(np.arange(3), N)]
    heard = np.where(RNG.random(3 * N) < 0.7, TRUTH[of], "a")
    return {"item": of, "worker": who, "answer": heard, "pred": SAID[of], "light": LIGHT[of]} | {
        name: np.asarray(values)[of].tolist() for name, values in columns.items()
    }


def test_rows_of_several_people_who_disagree_are_answers() -> None:
    gold = [t if k < 30 else None for k, t in enumerate(TRUTH.tolist())]
    roles = guess(**crowd(gold=gold), mood=RNG.choice(["good", "bad"], 3 * N))
    assert roles.are_answers
    assert (roles.id, roles.annotator, roles.truth, roles.gold) == (
        "item",
        "worker",
        "answer",
        "gold",
    )
    assert names(roles) == ["light"]
    assert "mood" in roles.left_out  # of the answer, not of the item
    asked = roles.columns("service", ["light"])
    assert (asked.id, asked.annotator, asked.gold) == ("item", "worker", "gold")


def test_repeats_without_people_or_with_several_predictions_are_no_answers() -> None:
    table = crowd()
    assert guess(**table).are_answers
    assert not guess(**{n: c for n, c in table.items() if n != "worker"}).are_answers
    assert not guess(**table | {"pred": RNG.permutation(np.repeat(SAID, 3))}).are_answers
