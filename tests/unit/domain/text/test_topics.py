"""Topics are found in the pool, named by their words, and the same for whoever looks."""

import numpy as np
import polars as pl
import pytest
from made_texts import SUBJECTS, make_texts

from accuracy_assay.domain.text.topics import OTHER, Topics
from accuracy_assay.errors import InputError

POOL, ABOUT = make_texts()


@pytest.fixture(scope="module")
def topics() -> Topics:
    return Topics.fit(POOL, 3)


def test_each_topic_is_one_subject_and_is_named_by_its_words(topics: Topics) -> None:
    best = topics.probabilities(POOL).argmax(axis=1)
    for subject, words in SUBJECTS.items():
        (k,) = {int(b) for b, about in zip(best, ABOUT, strict=True) if about == subject}
        assert set(topics.values[k].split("/")) < set(words)
    assert topics.values[:-1] == tuple(sorted(topics.values[:-1]))
    assert topics.values[-1] == OTHER


def test_probabilities_sum_to_one_and_a_text_of_two_topics_has_both(topics: Topics) -> None:
    table = topics.probabilities(pl.Series(["ship sail judge jury", "ship", "zebra", ""]))
    np.testing.assert_allclose(table.sum(axis=1), 1.0, atol=1e-5)
    assert (table[0, :3] > 0.2).sum() == 2
    assert table[1].max() > 0.9
    np.testing.assert_array_equal(table[2:, -1], [1.0, 1.0])


def test_the_formula_of_the_module_is_what_is_computed(topics: Topics) -> None:
    words = topics.vectorizer.get_feature_names_out().tolist()
    h = topics.weights[:, words.index("ship")]  # x is one word: its row is a unit vector
    expected = np.append(h**2, 0.02**2) / (np.sum(h**2) + 0.02**2)
    found = topics.probabilities(pl.Series(["ship"]))[0]
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_the_order_and_the_repetition_of_rows_do_not_matter(topics: Topics) -> None:
    again = Topics.fit(pl.concat([POOL.reverse(), POOL[:30], pl.Series("said", [None])]), 3)
    assert again.values == topics.values
    np.testing.assert_array_equal(again.probabilities(POOL), topics.probabilities(POOL))


def test_last_bits_do_not_matter(topics: Topics, monkeypatch: pytest.MonkeyPatch) -> None:
    from sklearn.decomposition import NMF

    fit = NMF.fit

    def fit_elsewhere(self: NMF, table: object) -> NMF:
        fit(self, table)
        noise = np.random.default_rng(0).uniform(-1e-9, 1e-9, self.components_.shape)
        self.components_ = self.components_ * (1.0 + noise)
        return self

    monkeypatch.setattr(NMF, "fit", fit_elsewhere)
    elsewhere = Topics.fit(POOL, 3)
    assert elsewhere.values == topics.values
    np.testing.assert_array_equal(elsewhere.probabilities(POOL), topics.probabilities(POOL))


def test_stop_words_contractions_numbers_and_single_letters_are_no_topic() -> None:
    noise = pl.Series("said", ["I don't think it's the one x 42 " + text for text in POOL])
    words = Topics.fit(noise, 3).vectorizer.get_feature_names_out()
    assert set(words) <= {word for subject in SUBJECTS.values() for word in subject} | {"think"}


def test_texts_without_common_words_have_no_topics() -> None:
    texts = pl.Series([f"word{i} name{i}" for i in range(40)])
    with pytest.raises(InputError, match="2 topics must share at least 6 telling words; got 0"):
        Topics.fit(texts, 2)
