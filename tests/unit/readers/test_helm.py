"""HELM run folders. Made from HELM's published classes; worked out by hand."""

from pathlib import Path
from typing import Any

import pytest
from written_logs import helm_spec, helm_stat, write_document, write_helm

from accuracy_assay.errors import InputError
from accuracy_assay.readers.helm import HelmRuns


def state(name: str, text: str, said: str, **more: Any) -> dict[str, Any]:
    references = [
        {"output": {"text": "blue"}, "tags": ["correct"]},
        {"output": {"text": "red"}, "tags": []},
    ]
    about = {key: more.pop(key) for key in ("perturbation", "split") if key in more}
    instance = {"id": name, "input": {"text": text}, "references": references, **about}
    result = {"completions": [{"text": said}]}
    return {"instance": instance, "train_trial_index": 0, "result": result, **more}


def stats(name: str, score: float, **more: Any) -> dict[str, Any]:
    listed = [helm_stat("exact_match", score), helm_stat("num_output_tokens", 3)]
    return {"instance_id": name, "train_trial_index": 0, "stats": listed, **more}


def write(folder: Path, states: list[Any], scores: list[Any], **spec: Any) -> Path:
    write_document(folder / "run_spec.json", helm_spec("small", **spec))
    write_document(folder / "scenario_state.json", {"request_states": states})
    write_document(folder / "per_instance_stats.json", scores)
    return folder


def test_a_letter_becomes_the_choice_that_it_stands_for(tmp_path: Path) -> None:
    mapping = {"A": "blue", "B": "red"}
    states = [
        state("id1", "Sky?", " B", output_mapping=mapping),
        state("id2", "Sea?", " no idea", output_mapping=mapping),
    ]
    run = write(tmp_path / "run", states, [stats("id1", 0.0), stats("id2", 1.0)])
    log = HelmRuns().read([run])
    assert log.rows.get_column("pred:acme/small").to_list() == ["red", "no idea"]
    assert log.rows.get_column("target").to_list() == ["blue", "blue"]
    assert log.rows.get_column("choices").to_list() == ["blue\nred"] * 2
    assert log.rows.get_column("score:acme/small:exact_match").to_list() == [0.0, 1.0]
    assert log.metrics == ("exact_match",)


def test_counts_of_tokens_are_no_scores_and_are_said_to_be_left_out(tmp_path: Path) -> None:
    run = write(tmp_path / "run", [state("id1", "Sky?", "blue")], [stats("id1", 1.0)])
    log = HelmRuns().read([run])
    assert "counts, times and probabilities" in log.left_out
    assert not any("num_output_tokens" in name for name in log.rows.columns)


def test_trials_and_perturbations_of_an_instance_are_rows_of_one_cluster(tmp_path: Path) -> None:
    typos = {"name": "typos", "robustness": True, "fairness": False, "prob": 0.1}
    states = [
        state("id1", "Sky?", "blue"),
        state("id1", "Sky?", "red", train_trial_index=1),
        state("id1", "Syk?", "blue", perturbation=typos),
    ]
    scores = [
        stats("id1", 1.0),
        stats("id1", 0.0, train_trial_index=1),
        stats("id1", 0.5, perturbation=typos),
    ]
    log = HelmRuns().read([write(tmp_path / "run", states, scores)])
    assert log.cluster == "item"
    assert log.rows.get_column("item").n_unique() == 1
    found = log.rows.select("perturbation", "score:acme/small:exact_match").rows()
    assert found == [("none", 1.0), ("none", 0.0), ("typos (prob=0.1)", 0.5)]


def test_only_the_split_counts_that_helm_reports(tmp_path: Path) -> None:
    splits = ("test", "valid", "test")
    states = [state(f"id{i}", f"{i}?", "blue", split=split) for i, split in enumerate(splits)]
    scores = [stats("id0", 1.0), stats("id1", 1.0), stats("id2", 0.0)]
    log = HelmRuns().read([write(tmp_path / "run", states, scores)])
    assert log.rows.get_column("score:acme/small:exact_match").mean() == 0.5
    assert log.left_out["the split valid"].startswith("1 instances")
    log = HelmRuns().read([write(tmp_path / "valid", states[1:2], scores[1:2])])
    assert log.rows.height == 1


def test_equal_ids_of_other_scenarios_are_other_items(tmp_path: Path) -> None:
    other = {"class_name": "counting.Counting", "args": {"subject": "letters"}}
    one = write(tmp_path / "a", [state("id1", "Sky?", "blue")], [stats("id1", 1.0)])
    two = write(
        tmp_path / "b", [state("id1", "Sea?", "red")], [stats("id1", 0.0)], scenario_spec=other
    )
    log = HelmRuns().read([one, two])
    assert log.rows.height == 2
    assert sorted(log.rows.get_column("subject")) == ["letters", "numbers"]


def test_scores_of_a_run_that_a_model_annotated_are_judges(tmp_path: Path) -> None:
    annotators = [{"class_name": "helm.benchmark.annotation.omni_math_annotator.OmniMath"}]
    listed = [helm_stat("exact_match", 1.0), helm_stat("omni_math_accuracy", 0.5)]
    run = write(
        tmp_path / "run",
        [state("id1", "Sky?", "blue")],
        [{"instance_id": "id1", "train_trial_index": 0, "stats": listed}],
        annotators=annotators,
    )
    log = HelmRuns().read([run])
    assert log.metrics == ("exact_match",)
    assert log.judges == ("judge:acme/small:omni_math_accuracy",)


def test_a_run_without_scores_reads_and_says_so(tmp_path: Path) -> None:
    run = write(tmp_path / "run", [state("id1", "Sky?", "blue")], [])
    (run / "per_instance_stats.json").unlink()
    log = HelmRuns().read([run])
    assert log.scores == ()
    assert log.left_out["run/per_instance_stats.json"] == "no such file"


def test_choices_that_were_scored_one_by_one_have_no_answer(tmp_path: Path) -> None:
    states = [state("id1", "Sky?", "", reference_index=i) for i in range(2)]
    log = HelmRuns().read([write(tmp_path / "run", states, [stats("id1", 1.0)])])
    assert log.predictions == ()
    assert log.rows.get_column("score:acme/small:exact_match").to_list() == [1.0]


def test_a_file_of_a_run_with_something_else_is_refused_by_its_name(tmp_path: Path) -> None:
    run = write_helm(tmp_path)[0]
    (run / "scenario_state.json").write_text('{"request_states": 7}', encoding="utf-8")
    with pytest.raises(InputError, match=r"scenario_state\.json: it holds no list"):
        HelmRuns().read([run])


def test_a_folder_of_runs_is_no_run(tmp_path: Path) -> None:
    runs = write_helm(tmp_path)
    assert [HelmRuns().reads(run) for run in runs] == [True, True]
    assert not HelmRuns().reads(tmp_path)
    assert not HelmRuns().reads(runs[0] / "run_spec.json")
