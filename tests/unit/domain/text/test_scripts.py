"""The script of a text is that of nearly all of its letters."""

import polars as pl
import pytest

from accuracy_assay.domain.text.scripts import script_of


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("How are you?", "Latin"),
        ("Zażółć gęślą jaźń", "Latin"),
        ("नमस्ते दुनिया", "Devanagari"),
        ("مرحبا بالعالم", "Arabic"),
        ("שלום עולם", "Hebrew"),
        ("你好，世界", "Han"),
        ("東京へ行きます", "Japanese"),
        ("カタカナ", "Japanese"),
        ("안녕하세요", "Hangul"),
        ("Привет, мир", "Cyrillic"),
        ("Γειά σου Κόσμε", "Greek"),
        ("வணக்கம்", "Tamil"),
        ("สวัสดีชาวโลก", "Thai"),
        ("ᏣᎳᎩ", "other"),
        ("Привет, my friend", "mixed"),
        ("Kelvin wrote 熱力学 notes", "mixed"),
        ("Она купила себе новый телефон и ноутбук (TV)", "Cyrillic"),
        ("42 + 1 = 43", "none"),
        ("\x00[]{}", "none"),
        ("", "none"),
        (None, None),
    ],
)
def test_a_text_has_the_script_of_its_letters(text: str | None, script: str | None) -> None:
    assert script_of(pl.Series([text], dtype=pl.String)).to_list() == [script]
