from pathlib import Path

import pytest

from accuracy_assay.tasks.registry import load_task


def test_a_judge_without_a_number_says_nothing_for_or_against(tables: Path) -> None:
    rows = load_task("frank", tables).rows
    assert rows["dep_entail"].to_list() == pytest.approx([0.2, 0.5, 0.8])
    assert rows["feqa"].to_list() == pytest.approx([0.3, 0.1, 0.2])


def test_the_signals_judge_against_the_article_and_not_against_a_reference(tables: Path) -> None:
    task = load_task("frank", tables)
    assert task.signals == ("factcc", "dep_entail", "feqa", "qags", "bertscore_p_art")
    assert "rouge_1" in task.rows.columns


def test_a_row_is_a_document_and_a_system(tables: Path) -> None:
    task = load_task("frank", tables)
    assert task.rows[task.id].to_list() == ["x bart", "x pgn", "y bart"]
    assert task.gold()["truth"].to_list() == [0.5, 0.5]
