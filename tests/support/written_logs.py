"""Small logs of every format, written as the tool would: two models, 24 questions on two topics.

They are made from the published descriptions of the formats; none is a copy of a real log.
Both models answer the same questions: ``small`` is right about every third one, ``large`` is
wrong about every fourth, so they are right 8 and 18 times of 24.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import polars as pl

N = 24
MODELS = ("small", "large")
RIGHT = {"small": 8, "large": 18}
"""How many questions each model answers correctly."""


def is_right(model: str, number: int) -> bool:
    return number % 3 == 0 if model == "small" else number % 4 != 0


def topic(number: int) -> str:
    return ("art", "law")[number % 2]


def question(number: int) -> str:
    return f"What is the number that follows {number}, if one counts in steps of one from zero?"


def truth(number: int) -> str:
    return str(number + 1)


def said(model: str, number: int) -> str:
    return truth(number) if is_right(model, number) else "0"


def write_lines(path: Path, lines: Iterable[Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def write_document(path: Path, value: Any, *, indent: int | None = 2) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=indent), encoding="utf-8")
    return path


def helm_stat(name: str, value: float, **more: Any) -> dict[str, Any]:
    return {
        "name": {"name": name, "split": "test", **more},
        "count": 1,
        "sum": value,
        "sum_squared": value**2,
        "mean": value,
    }


def helm_spec(model: str, **more: Any) -> dict[str, Any]:
    return {
        "name": f"counting:subject=numbers,model={model}",
        "scenario_spec": {"class_name": "counting.Counting", "args": {"subject": "numbers"}},
        "adapter_spec": {"method": "generation", "model": f"acme/{model}"},
        "metric_specs": [{"class_name": "Basic", "args": {"names": ["exact_match", "f1_score"]}}],
        **more,
    }


def write_helm(folder: Path) -> list[Path]:
    paths = []
    for model in MODELS:
        run = folder / f"counting:subject=numbers,model={model}"
        states, stats = [], []
        for i in range(N):
            instance = {
                "input": {"text": question(i)},
                "references": [{"output": {"text": truth(i)}, "tags": ["correct"]}],
                "split": "test",
                "sub_split": topic(i),
                "id": f"id{i}",
            }
            result = {"success": True, "completions": [{"text": f" {said(model, i)}"}]}
            states.append({"instance": instance, "train_trial_index": 0, "result": result})
            right = float(is_right(model, i))
            scores = [helm_stat("exact_match", right), helm_stat("f1_score", (1 + right) / 2)]
            stats.append(
                {
                    "instance_id": f"id{i}",
                    "train_trial_index": 0,
                    "stats": [*scores, helm_stat("num_prompt_tokens", 40 + i)],
                }
            )
        write_document(run / "run_spec.json", helm_spec(model))
        write_document(run / "scenario_state.json", {"request_states": states})
        write_document(run / "per_instance_stats.json", stats)
        paths.append(run)
    return paths


def write_every_eval_ever(folder: Path) -> list[Path]:
    paths = []
    for model in MODELS:
        run = f"counting/acme_{model}/1750000000"
        config = {"metric_name": "accuracy", "lower_is_better": False, "score_type": "binary"}
        record = {
            "schema_version": "0.3.0",
            "evaluation_id": run,
            "model_info": {"name": model, "id": f"acme/{model}"},
            "evaluation_results": [
                {
                    "evaluation_result_id": "counting",
                    "evaluation_name": "counting",
                    "source_data": {"dataset_name": "counting"},
                    "metric_config": config,
                    "score_details": {"score": RIGHT[model] / N},
                }
            ],
        }
        samples = (
            {
                "schema_version": "0.3.0",
                "evaluation_id": run,
                "model_id": f"acme/{model}",
                "evaluation_name": "counting",
                "evaluation_result_id": "counting",
                "sample_id": f"counting_{i}",
                "sample_hash": f"{i:064x}",
                "interaction_type": "single_turn",
                "input": {"raw": question(i), "reference": [truth(i)]},
                "output": {"raw": [f"It is {said(model, i)}."]},
                "answer_attribution": [
                    {"turn_idx": 0, "extracted_value": said(model, i), "is_terminal": True}
                ],
                "evaluation": {
                    "score": float(is_right(model, i)),
                    "is_correct": is_right(model, i),
                },
                "metadata": {"topic": topic(i)},
            }
            for i in range(N)
        )
        paths.append(write_document(folder / f"{model}.json", record))
        paths.append(write_lines(folder / f"{model}_samples.jsonl", samples))
    return paths


def promptfoo_result(model: str, i: int) -> dict[str, Any]:
    right = is_right(model, i)
    equals = {"type": "equals", "value": truth(i)}
    rubric = {"type": "llm-rubric", "value": "Answers in one word", "metric": "brief"}
    return {
        "id": f"{model}-{i}",
        "promptIdx": MODELS.index(model),
        "testIdx": i,
        "provider": {"id": f"acme:{model}", "label": ""},
        "prompt": {"raw": question(i), "label": "{{question}}"},
        "vars": {"question": question(i), "topic": topic(i)},
        "response": {"output": said(model, i)},
        "success": right,
        "score": 1.0 if right else 0.5,
        "namedScores": {},
        "latencyMs": 12,
        "failureReason": 0 if right else 1,
        "gradingResult": {
            "pass": right,
            "score": 1.0 if right else 0.5,
            "componentResults": [
                {"pass": right, "score": float(right), "reason": "", "assertion": equals},
                {"pass": True, "score": 0.9, "reason": "", "assertion": rubric},
            ],
        },
        "testCase": {
            "vars": {"question": question(i), "topic": topic(i)},
            "assert": [equals, rubric],
        },
    }


def promptfoo_document(version: int, results: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "evalId": "eval-abc-2026-01-01T00:00:00",
        "results": {
            "version": version,
            "timestamp": "2026-01-01T00:00:00.000Z",
            **({"prompts": []} if version == 3 else {"table": {"head": {}, "body": []}}),
            "results": results,
            "stats": {"successes": sum(RIGHT.values()), "errors": 0},
        },
        "config": {},
    }


def write_promptfoo(folder: Path) -> list[Path]:
    results = [promptfoo_result(model, i) for i in range(N) for model in MODELS]
    return [write_document(folder / "results.json", promptfoo_document(3, results))]


def langfuse_score(place: str, name: str, value: float, **more: Any) -> dict[str, Any]:
    return {
        "id": f"{name}-{place}-{more.get('author_user_id', '')}",
        "timestamp": "2026-01-01 00:00:00.000000",
        "project_id": "p",
        "trace_id": f"trace-{place}",
        "observation_id": f"obs-{place}",
        "name": name,
        "value": value,
        "source": "API",
        "data_type": "NUMERIC",
        "string_value": None,
        "updated_at": "2026-01-01 00:00:00.000000",
        **more,
    }


def langfuse_observation(model: str, i: int) -> dict[str, Any]:
    return {
        "id": f"obs-{model}-{i}",
        "trace_id": f"trace-{model}-{i}",
        "project_id": "p",
        "environment": "test",
        "type": "GENERATION",
        "parent_observation_id": "",
        "start_time": f"2026-01-01 00:00:{i:02d}.000000",
        "name": "answer",
        "metadata": {"topic": topic(i), "dataset_item_id": f"item-{i}"},
        "input": json.dumps([{"role": "user", "content": question(i)}]),
        "output": said(model, i),
        "provided_model_name": model,
        "updated_at": "2026-01-01 00:01:00.000000",
    }


def langfuse_rows() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    places = [(model, i) for model in MODELS for i in range(N)]
    scores = [
        score
        for model, i in places
        for score in (
            langfuse_score(
                f"{model}-{i}",
                "correct",
                float(is_right(model, i)),
                source="ANNOTATION",
                data_type="BOOLEAN",
                author_user_id="ann",
            ),
            langfuse_score(f"{model}-{i}", "helpful", 3 + i % 3, source="EVAL"),
        )
    ]
    return [langfuse_observation(model, i) for model, i in places], scores


def write_langfuse(folder: Path) -> list[Path]:
    observations, scores = langfuse_rows()
    rows = pl.DataFrame(scores, infer_schema_length=None)
    path = folder / "scores" / "2026-01-01.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    rows.write_parquet(path)
    return [path, write_lines(folder / "observations_v2" / "2026-01-01.jsonl", observations)]


def openai_run(model: str) -> list[dict[str, Any]]:
    spec = {
        "completion_fns": [model],
        "eval_name": "counting.dev.v0",
        "base_eval": "counting",
        "split": "dev",
        "run_config": {},
        "created_by": "",
        "run_id": f"run-{model}",
        "created_at": "2026-01-01 00:00:00",
    }
    lines: list[dict[str, Any]] = [{"spec": spec}]
    for i in range(N):
        about = {"run_id": f"run-{model}", "sample_id": f"counting.dev.{i}", "created_by": ""}
        prompt = [{"role": "user", "content": question(i)}]
        events: list[tuple[str, Mapping[str, Any]]] = [
            ("raw_sample", {"input": prompt, "ideal": truth(i), "topic": topic(i)}),
            ("sampling", {"prompt": prompt, "sampled": [said(model, i)]}),
            (
                "match",
                {
                    "correct": is_right(model, i),
                    "expected": truth(i),
                    "picked": truth(i) if is_right(model, i) else None,
                    "sampled": said(model, i),
                },
            ),
        ]
        for kind, data in events:
            lines.append({**about, "event_id": len(lines) - 1, "type": kind, "data": data})
    return [*lines, {"final_report": {"accuracy": RIGHT[model] / N}}]


def write_openai_evals(folder: Path) -> list[Path]:
    return [write_lines(folder / f"run_{m}_counting.jsonl", openai_run(m)) for m in MODELS]


def otlp_attributes(values: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{"key": key, "value": _otlp_value(value)} for key, value in values.items()]


def _otlp_value(value: Any) -> dict[str, Any]:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    return {"stringValue": value}


def otel_span(model: str, i: int) -> dict[str, Any]:
    messages = [{"role": "user", "parts": [{"type": "text", "content": question(i)}]}]
    output = [{"role": "assistant", "parts": [{"type": "text", "content": said(model, i)}]}]
    result = {
        "gen_ai.evaluation.name": "Correct",
        "gen_ai.evaluation.score.value": float(is_right(model, i)),
        "gen_ai.evaluation.score.label": "pass" if is_right(model, i) else "fail",
    }
    grade = {"gen_ai.evaluation.name": "Fluency", "gen_ai.evaluation.score.value": 1.0 + i % 5}
    return {
        "traceId": f"{i + 1:032x}",
        "spanId": f"{i + 1 + 100 * MODELS.index(model):016x}",
        "name": f"chat {model}",
        "attributes": otlp_attributes(
            {
                "gen_ai.request.model": model,
                "gen_ai.input.messages": json.dumps(messages),
                "gen_ai.output.messages": json.dumps(output),
                "topic": topic(i),
            }
        ),
        "events": [
            {"name": "gen_ai.evaluation.result", "attributes": otlp_attributes(result)},
            {"name": "gen_ai.evaluation.result", "attributes": otlp_attributes(grade)},
        ],
    }


def write_opentelemetry(folder: Path) -> list[Path]:
    def export(model: str, i: int) -> dict[str, Any]:
        return {"resourceSpans": [{"scopeSpans": [{"spans": [otel_span(model, i)]}]}]}

    lines = (export(model, i) for model in MODELS for i in range(N))
    return [write_lines(folder / "telemetry.jsonl", lines)]


WRITERS = {
    "promptfoo": write_promptfoo,
    "langfuse": write_langfuse,
    "helm": write_helm,
    "every-eval-ever": write_every_eval_ever,
    "openai-evals": write_openai_evals,
    "opentelemetry": write_opentelemetry,
}
"""By reader: a function that writes files for it to a folder, and returns their paths."""
