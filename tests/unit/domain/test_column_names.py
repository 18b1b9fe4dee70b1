"""What the name of a column tells."""

import pytest

from accuracy_assay.domain.column_names import holds_truth, name_hint


@pytest.mark.parametrize(
    ("name", "part", "service", "metric"),
    [
        ("pred:Llama-2-7b", "prediction", "Llama-2-7b", ""),
        ("google_pred", "prediction", "google", ""),
        ("prediction", "prediction", "", ""),
        ("y_pred", "prediction", "", ""),
        ("gpt4_response", "prediction", "gpt4", ""),
        ("predicted_label", "prediction", "", ""),
        ("score:openai/gpt-4:exact,strict", "score", "openai/gpt-4", "exact,strict"),
        ("score:m:with:colons:acc", "score", "m:with:colons", "acc"),
        ("google_correct", "score", "google", "correct"),
        ("is_correct", "score", "", "is_correct"),
        ("acc", "score", "", "acc"),
        ("human_factuality", "human", "", ""),
        ("bertscore_f1", "measure", "", "bertscore_f1"),
        ("google_confidence", "confidence", "google", ""),
        ("label", "truth", "", ""),
        ("Ground_Truth", "truth", "", ""),
        ("correct_answer", "truth", "", ""),
        ("truth_is_unknown", "from truth", "", ""),
        ("answer", "answer", "", ""),
        ("judge_score", "judge", "", ""),
        ("llm_judge", "judge", "", ""),
        ("p_accent__us", "evidence", "accent", ""),
        ("worker", "annotator", "", ""),
        ("sample_weight", "weight", "", ""),
        ("id", "id", "", ""),
        ("doc_id", "item", "", ""),
        ("userId", "item", "", ""),
        ("speaker", "item", "", ""),
    ],
)
def test_names_tell_part_service_and_metric(
    name: str, part: str, service: str, metric: str
) -> None:
    found = name_hint(name)
    assert found is not None
    assert (found.part, found.service, found.metric) == (part, service, metric)


@pytest.mark.parametrize(
    "name", ["said", "light", "age_band", "turn_right", "target_language", "accurate", "valid", ""]
)
def test_other_names_tell_nothing(name: str) -> None:
    assert name_hint(name) is None


@pytest.mark.parametrize("name", ["answer", "doc.answer", "mc1_targets.labels", "solution"])
def test_facts_that_hold_the_truth_are_known_by_their_last_part(name: str) -> None:
    assert holds_truth(name)
    assert not holds_truth(f"{name}.level")
