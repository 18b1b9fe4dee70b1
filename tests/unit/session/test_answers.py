"""From what a user passes to ``tell`` to an event, or to an error that names the instance."""

from pathlib import Path
from typing import Any

import pytest

from accuracy_assay.domain.events import Told
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.session.answers import (
    AnswerRules,
    check_annotator,
    check_ids,
    check_label,
    told_event,
)
from accuracy_assay.storage.sqlite import open_sqlite


def told(assay: Any, *arguments: Any, **options: Any) -> Told:
    return told_event(assay.session.parts().rules, *arguments, **options)


def test_one_answer_is_a_list_of_one(bench) -> None:
    assay = bench.create()
    assert told(assay, "x1", "cat", "ann") == told(assay, ["x1"], ["cat"], "ann")
    assert told(assay, "x1", "cat", "ann") == Told(("x1",), ("cat",), "ann")


def test_ids_and_labels_are_taken_as_texts(guessed) -> None:
    assay = guessed.create()
    assert told(assay, [3, 4.0], [1, 0.0], "ann") == Told(("3", "4"), ("1", "0"), "ann")


def test_lists_by_attribute_and_mappings_by_answer_say_the_same(bench) -> None:
    assay = bench.create()
    by_name = told(assay, ["x1", "x2"], ["cat", "dog"], "ann", {"sex": ["f", "m"]})
    by_answer = told(assay, ["x1", "x2"], ["cat", "dog"], "ann", [{"sex": "f"}, {"sex": "m"}])
    for_all = told(assay, ["x1", "x2"], ["cat", "dog"], "ann", {"sex": "f"})
    assert by_name.attributes == by_answer.attributes == ({"sex": "f"}, {"sex": "m"})
    assert for_all.attributes == ({"sex": "f"}, {"sex": "f"})


def test_a_number_is_confirmed_by_the_name_of_its_bin(bench) -> None:
    event = told(bench.create(), ["x1", "x2"], ["cat", "dog"], "ann", {"age": [39, 40]})
    assert event.attributes == ({"age": "< 40"}, {"age": ">= 40"})


def test_a_value_that_nobody_gave_confirms_nothing(bench) -> None:
    confirmed = [{"sex": None, "age": 50}, None, {"sex": ""}]
    event = told(bench.create(), ["x1", "x2", "x3"], ["cat"] * 3, "ann", confirmed)
    assert event.attributes == ({"age": ">= 40"}, {}, {})


def test_the_event_says_how_long_answers_took_and_whether_they_replace(bench) -> None:
    assay = bench.create()
    event = told(assay, ["x1", "x2"], ["cat", "dog"], "ann", None, [2.5, None], is_replacing=True)
    assert (event.seconds, event.is_replacing) == ((2.5, None), True)
    with pytest.raises(InputError, match="seconds must be one for each id; got 1 for 2 ids"):
        told(assay, ["x1", "x2"], ["cat", "dog"], "ann", None, [2.5])


def test_rows_of_the_seed_set_alone_cannot_be_answered(guessed) -> None:
    assay = guessed.create()
    only_seed = str(guessed.seed["id"][0])
    assert only_seed in assay.session.parts().rows.row_of
    with pytest.raises(InputError, match=f"id of the pool; got '{only_seed}'"):
        check_ids(assay.session.parts().rules, only_seed)


def test_an_empty_label_is_refused_where_anything_may_be_said(bench) -> None:
    assay = bench.create(label={})
    assert told(assay, "x1", "a cat", "ann").labels == ("a cat",)
    with pytest.raises(InputError, match="label for instance 'x1' must not be empty; got ' '"):
        told(assay, "x1", " ", "ann")


@pytest.mark.parametrize("name", ["", "  ", None, 3])
def test_an_annotator_has_a_name(name: Any) -> None:
    with pytest.raises(InputError, match="annotator must have a name"):
        check_annotator(name)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((["x1"], ["cta"]), r"label for instance 'x1' must be one of \[cat, dog\]; got 'cta'"),
        ((["nope"], ["cat"]), "id of the pool; got 'nope'"),
        ((["x1", "x1"], ["cat", "cat"]), "got 'x1' twice"),
        ((["x1", "x2"], ["cat"]), "one for each id; got 1 for 2 ids"),
        ((["x1"], ["cat"], " "), "annotator must have a name"),
    ],
)
def test_a_bad_answer_is_named_and_nothing_is_recorded(
    bench, arguments: tuple[Any, ...], message: str
) -> None:
    assay = bench.create()
    with pytest.raises(InputError, match=message):
        assay.tell(*arguments)
    assert assay.status().events == 1


@pytest.mark.parametrize(
    ("confirmed", "message"),
    [
        ({"sexx": ["f"]}, "got 'sexx'. Did you mean 'sex'"),
        ({"sex": ["q"]}, "value of attribute 'sex' .* got 'q'"),
        ({"sex": ["f", "m"]}, "got 2 for 1 ids"),
        ([{}, {}], "one mapping for each id; got 2"),
    ],
)
def test_a_bad_confirmation_is_named(bench, confirmed: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        bench.create().tell("x1", "cat", confirmed_attributes=confirmed)


def test_a_label_that_names_no_value_of_what_it_reveals_is_refused(guessed) -> None:
    sections = {"attribute": [{"name": "digit", "from_label": True, "values": ["0", "1"]}]}
    with pytest.raises(UnknownNameError, match=r"value of attribute 'digit' .* got '7'"):
        guessed.create(**sections, label={}).tell("3", "7")


def test_ids_and_labels_are_found_however_they_are_written(guessed) -> None:
    assay = guessed.create()
    assert told(assay, ["3.0", " 4 "], ["1.0", 0], "ann") == Told(("3", "4"), ("1", "0"), "ann")


@pytest.mark.parametrize("label", ["cat", " cat ", "Cat", "CAT\n"])
def test_a_label_is_trimmed_and_its_capitals_do_not_count_among_choices(bench, label: str) -> None:
    assert told(bench.create(), "x1", label, "ann").labels == ("cat",)


def test_capitals_count_where_choices_differ_in_them_alone(bench) -> None:
    assay = bench.create(label={"choices": ["CAT", "cat", "dog"]})
    assert told(assay, ["x1", "x2"], ["cat", "CAT"], "ann").labels == ("cat", "CAT")
    with pytest.raises(UnknownNameError, match="got 'Cat'"):
        told(assay, "x1", "Cat", "ann")


def test_text_that_may_be_anything_stays_as_it_was_written(bench) -> None:
    assay = bench.create(label={})
    given = [" two words ", "2.0", "TRUE"]
    assert told(assay, ["x1", "x2", "x3"], given, "ann").labels == tuple(given)


def test_one_value_written_in_another_way_is_no_other_answer(bench) -> None:
    assay = bench.create(label={"agreement": "equal"})
    assert assay.tell("x1", "2.0", "ann") == 1
    assert assay.tell("x1", 2, "ann") == 0
    assay.tell("x1", "2", "bob")
    assert assay.labels().select("label", "answers", "is_disputed").row(0) == ("2.0", 2, False)


@pytest.mark.parametrize("missing", [None, float("nan"), ""])
def test_a_missing_label_is_no_label(bench, missing: Any) -> None:
    with pytest.raises(InputError, match="label for instance 'x1' must not be empty; got ''"):
        told(bench.create(label={}), ["x1"], [missing], "ann")


def test_half_a_character_is_refused_wherever_it_comes_in(bench) -> None:
    assay = bench.create(label={})
    for attempt in (
        lambda: assay.tell("x1", "c\ud800at", "ann"),
        lambda: assay.tell("x1", "cat", "a\ud800nn"),
        lambda: assay.tell("x1\ud800", "cat", "ann"),
        lambda: assay.ask(1, annotator="\udfff"),
        lambda: assay.skip("x1", "ann", "\udc00"),
    ):
        with pytest.raises(InputError, match=r"\\ud"):
            attempt()
    assert assay.status().events == 1


def test_every_bad_answer_of_a_call_is_named(bench) -> None:
    assay = bench.create()
    with pytest.raises(InputError, match=r"got 2 mistakes.*\n.*'x1'.*'cta'.*\n.*'x3'.*'dgo'"):
        assay.tell(["x1", "x2", "x3"], ["cta", "dog", "dgo"], "ann")
    with pytest.raises(InputError, match=r"got 2 mistakes.*\n.*'y1'.*\n.*'y2'"):
        assay.tell(["y1", "x2", "y2"], ["cat", "dog", "dog"], "ann")


def test_a_store_that_holds_half_a_character_opens_again(bench, tmp_path: Path) -> None:
    path = str(tmp_path / "pets.assay")
    bench.open_store = lambda: open_sqlite(path, is_new=not Path(path).exists())
    bench.create(label={}).close()
    store = bench.open_store()  # as a version did that let it pass
    store.append("pets", [Told(("x1",), ("c\ud800t",), "an\ud800n", ({},), (None,))])
    store.close()
    with bench.open() as assay:
        assert assay.labels()["label"].to_list() == ["c\ufffdt"]
        assert assay.status().annotators == {"an\ufffdn": 1}
        assert assay.surface("good").n_labels == 1
        assert assay.tell("x2", "cat", "ann") == 1


def rules(answer: str, *choices: str) -> AnswerRules:
    return AnswerRules(str, str, choices, (), 60.0, answer)


def test_a_set_of_labels_is_one_text_in_whatever_order_it_is_given() -> None:
    known = rules("several", "cat", "dog", "bird")
    for given in ("dog | cat", "cat|DOG", " cat | dog | cat "):
        assert check_label(known, "x", given) == "cat | dog"
    with pytest.raises(UnknownNameError, match="cow"):
        check_label(known, "x", "cat | cow")


@pytest.mark.parametrize("given", ["12,5", "nan", "many", "inf"])
def test_a_number_must_be_one(given: str) -> None:
    assert check_label(rules("number"), "x", " 12.5 ") == "12.5"
    with pytest.raises(InputError, match="must be a number"):
        check_label(rules("number"), "x", given)
