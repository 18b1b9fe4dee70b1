from pathlib import Path

from accuracy_assay.tasks.registry import load_task


def test_questions_are_banded_by_their_words_in_order(tables: Path) -> None:
    task = load_task("mmlu_pair", tables)
    assert task.rows["length_band"].to_list() == ["long", "mid", "mid", "short"]
    by_name = {a.name: a for a in task.columns.attributes}
    assert by_name["length_band"].values == ("short", "mid", "long")
    assert (by_name["subject"].kind, by_name["has_number"].kind) == ("categorical", "boolean")


def test_there_are_no_answers_and_so_no_signals(tables: Path) -> None:
    task = load_task("mmlu_pair", tables)
    assert (task.signals, task.y_pred, task.score) == ((), None, "mixtral_correct")
