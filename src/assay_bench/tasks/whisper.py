"""Sentences transcribed by Whisper, by what their text is like; the agreement is fractional.

Table ``whisper_text``: Common Voice 13 read by Whisper-tiny, from the data of the SureMap paper
(Khodak et al., NeurIPS 2024). The score is ``1 - min(word error rate, 1)``.
"""

from pathlib import Path

from accuracy_assay.tasks.task import Task
from assay_bench.tasks.data_folder import order_values, read_pool

__all__ = ["whisper_text"]

_ORDERS = {
    "len_band": ("short_1_7", "mid_8_11", "long_12p"),
    "word_len_band": ("lt4.25", "4.25_5", "gt5"),
}
_FLAGS = ("has_proper_noun", "has_apostrophe", "rare_word", "has_number_word", "is_question")


def whisper_text(data: Path | None) -> Task:
    """Return the task over seven text attributes: 288 possible arms."""
    return Task(
        name="whisper-text",
        description="English sentences transcribed by Whisper-tiny, scored by word error rate.",
        rows=order_values(read_pool(data, "whisper_text"), _ORDERS),
        attributes=(*_ORDERS, *_FLAGS),
        score="agreement",
        y_true="sentence",
        y_pred="prediction",
        services={"whisper": "prediction"},
    )
