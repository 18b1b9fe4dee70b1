from pathlib import Path

import pytest

from accuracy_assay.tasks.registry import load_task
from assay_bench.tasks.adult import adult5, adult6


@pytest.mark.parametrize("name", ["adult5", "adult6"])
def test_examples_of_the_prompt_are_left_out(tables: Path, name: str) -> None:
    task = load_task(name, tables)
    assert task.rows["id"].to_list() == [0, 1]
    assert (task.score, task.signals) == ("correct", ("llm_pred",))


def test_the_sixth_attribute_is_the_occupation(tables: Path) -> None:
    five, six = adult5(tables), adult6(tables)
    assert len(five.attributes) == 5
    assert six.attributes == (*five.attributes, "occupation_group")


def test_bands_are_ordinal_in_their_true_order(tables: Path) -> None:
    by_name = {a.name: a for a in adult5(tables).columns.attributes}
    assert by_name["age_band"].values == ("17_24", "65p")
    assert by_name["education_band"].values == ("lt_hs", "advanced")
    assert by_name["education_band"].kind == "ordinal"
    assert by_name["sex"].kind == "categorical"
