"""The language of a text, by script and common words."""

import polars as pl
import pytest

from accuracy_assay.domain.text.languages import LANGUAGES, language_of

SENTENCES = {
    "English": "Which of these is the capital of the country that she was born in?",
    "German": "Welche Stadt ist die Hauptstadt von dem Land, und wie heißt sie nicht?",
    "French": "Quelle est la capitale de ce pays, et pour qui est-elle dans les livres?",
    "Spanish": "¿Cuál es la capital de los países que están en el sur, y por qué?",
    "Italian": "Qual è la capitale del paese che non è come gli altri, e perché?",
    "Portuguese": "Qual é a capital do país que não está no mapa, e como se chama?",
    "Dutch": "Wat is de hoofdstad van het land, en hoe is dat niet op de kaart?",
    "Swedish": "Vad är det som inte är huvudstaden, och hur är det med den på kartan?",
    "Polish": "Jak się nazywa stolica, która nie jest na mapie, i co to jest?",
    "Turkish": "Bu ülkenin başkenti ne ve nasıl bir yer için daha çok gibi var?",
    "Indonesian": "Apa ibu kota dari negara yang tidak ada di peta ini dan itu?",
    "Vietnamese": "Thủ đô của nước này là gì và có những người nào không được đi?",
}


def test_every_language_has_a_sentence() -> None:
    assert SENTENCES.keys() == LANGUAGES.keys()


@pytest.mark.parametrize("language", SENTENCES)
def test_common_words_tell_the_language(language: str) -> None:
    assert language_of(pl.Series([SENTENCES[language]])).to_list() == [language]


def test_other_scripts_tell_a_language_or_themselves() -> None:
    texts = [
        "東京は大きい",
        "北京很大",
        "서울은 크다",
        "Москва",
        "القاهرة",
        "Αθήνα",
        "Рим 東京",
        "42",
        "",
    ]
    assert language_of(pl.Series(texts)).to_list() == [
        *("Japanese", "Chinese", "Korean", "Cyrillic script", "Arabic script", "Greek"),
        *("mixed", "none", "none"),
    ]


def test_without_a_known_word_the_language_is_unclear_and_missing_stays_missing() -> None:
    found = language_of(pl.Series(["Xylophone", None, "the der"]))
    assert found.to_list() == ["unclear", None, "unclear"]


def test_words_have_two_letters_or_more_and_do_not_repeat() -> None:
    for words in LANGUAGES.values():
        listed = words.split()
        assert len(set(listed)) == len(listed)
    letters = [w for words in LANGUAGES.values() for w in words.split() if len(w) == 1]
    assert set(letters) <= {"è", "é"}
