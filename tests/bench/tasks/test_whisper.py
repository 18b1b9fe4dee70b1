from pathlib import Path

from assay_bench.tasks.whisper import whisper_text


def test_the_score_is_a_fraction_and_there_are_no_signals(tables: Path) -> None:
    task = whisper_text(tables)
    assert task.rows[task.score].to_list() == [0.5, 1.0]
    assert (task.n_rows, task.signals) == (2, ())


def test_bands_are_ordinal_in_their_true_order_and_flags_are_not(tables: Path) -> None:
    by_name = {a.name: a for a in whisper_text(tables).columns.attributes}
    assert len(by_name) == 7
    assert by_name["len_band"].values == ("short_1_7", "long_12p")
    assert by_name["word_len_band"].kind == "ordinal"
    assert by_name["is_question"].kind != "ordinal"
