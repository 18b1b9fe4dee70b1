"""Whatever a file holds: an error that says why, or a result; never a traceback or half a state.

350 specs, 350 CSV files and 350 Label Studio files, 1,050 in all.
"""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import accuracy_assay as aa
from accuracy_assay.errors import AssayError, InputError
from accuracy_assay.storage.memory import MemoryStore

POOL = pl.DataFrame(
    {
        "id": [f"x{i}" for i in range(6)],
        "sex": ["f", "m", "m"] * 2,
        "p_sex__f": [0.5, 0.2, 0.9] * 2,
        "p_sex__m": [0.5, 0.8, 0.1] * 2,
        "age": [20, 40, 60] * 2,
        "guess": ["cat", "dog"] * 3,
    }
)
SPEC: dict[str, Any] = {
    "assay": {"estimator": "constant", "strategy": "random", "calibration": "raw"},
    "attribute": [{"name": "sex"}],
    "service": [{"name": "reader", "column": "guess"}],
    "label": {"choices": ["cat", "dog"]},
}
IDS = [f"x{i}" for i in range(6)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz")


words = st.sampled_from(
    ["id", "x1", "x5", "nope", "cat", "dog", "sex", "age", "guess", "p_sex__*", "*", "", "equal"]
)
scalars = st.one_of(
    words,
    st.none(),
    st.booleans(),
    st.integers(-3, 2000),
    st.floats(allow_nan=True),
    st.text(max_size=8),
)
KEYS = (
    "name kind values edges evidence from_label column callable url confidence signals price "
    "request response headers budget batch seed estimator strategy calibration choices agreement "
    "show annotators path id seed_set target lease_minutes refit_every concurrency"
)
keys = st.sampled_from(KEYS.split(" "))
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.one_of(keys, words), inner, max_size=3)
    ),
    max_leaves=6,
)
# Values that may well be right, so that many specs pass and the fuzz goes deeper.
LIKELY: dict[str, dict[str, list[Any]]] = {
    "assay": {
        "budget": [0, 1, 50],
        "batch": [1, 3],
        "seed": [0, 7],
        "estimator": ["constant", "beta-independent", "anova"],
        "strategy": ["random", "largest-variance"],
        "target": ["pool", "population"],
        "lease_minutes": [1, 0.001, -1],
        "refit_every": [1, 2],
    },
    "pool": {"id": ["id", "sex"], "seed_set": ["nowhere.csv"]},
    "attribute": {
        "kind": ["categorical", "ordinal", "boolean"],
        "values": [["f", "m"], ["m", "f", "x"], ["f"]],
        "evidence": ["p_sex__*", "p_*"],
        "from_label": [False, True],
        "name": ["sex", "age", "guess"],
    },
    "service": {
        "confidence": ["age", "sex"],
        "signals": [[], ["age"], ["guess", "age"], ["nope"]],
        "price": [0, 0.5],
        "column": ["guess", "age"],
    },
    "label": {
        "choices": [[], ["cat", "dog", "f", "m"], ["cat"]],
        "agreement": ["equal", "wer", "bleu", "math:floor", "nope:no"],
        "show": [{"text": "guess"}, {"table": ["sex", "age"]}, {"image": "nope"}],
        "annotators": [1, 2, 0],
    },
}


def section(name: str) -> st.SearchStrategy[dict[str, Any]]:
    """Return some likely settings of a section; now and then an unlikely one."""
    likely = st.fixed_dictionaries(
        {}, optional={key: st.sampled_from(some) for key, some in LIKELY[name].items()}
    )
    return st.one_of(likely, likely, st.dictionaries(keys, values, max_size=2))


def _with_quick_methods(changed: dict[str, Any]) -> dict[str, Any]:
    """Name the quick methods wherever a spec would fall back on the default ones."""
    if isinstance(changed.get("assay"), dict):
        return {**changed, "assay": {**SPEC["assay"], **changed["assay"]}}
    return changed


sections = st.fixed_dictionaries(
    {},
    optional={
        "assay": section("assay"),
        "pool": section("pool"),
        "attribute": st.lists(
            section("attribute").map(lambda s: {"name": "sex", **s}), max_size=2
        ),
        "service": st.lists(
            section("service").map(lambda s: {**SPEC["service"][0], **s}), min_size=1, max_size=1
        ),
        "label": section("label").map(lambda s: {**SPEC["label"], **s}),
    },
)
specs = st.one_of(
    st.integers(1, 3).flatmap(
        lambda n: st.tuples(sections, st.permutations(["assay", *LIKELY])).map(
            lambda made: {k: v for k, v in made[0].items() if k in made[1][:n]}
        )
    ),
    st.dictionaries(st.sampled_from([*LIKELY, "asay"]), values, max_size=2),
).map(_with_quick_methods)


@pytest.mark.filterwarnings("ignore::accuracy_assay.domain.agreement.AgreementWarning")
@settings(max_examples=350)
@given(specs)
def test_a_fuzzed_spec_is_refused_or_works(changed: dict[str, Any]) -> None:
    store = MemoryStore()
    try:
        assay = aa.Assay.create(store, {**SPEC, **changed}, pool=POOL)
    except InputError:
        assert store.list() == ()
        return
    try:
        ids = assay.ask(2)["id"]
        assay.tell(ids, ["cat"] * ids.len())
        assay.surface(assay.spec.service[0].name)
    except AssayError:
        pass
    again = aa.Assay.open(store, pool=POOL)
    assert again.labels().equals(assay.labels())


def refused_or_recorded(path: Path) -> None:
    """Tell a file; either all of it is recorded or nothing is."""
    store = MemoryStore()
    assay = aa.Assay.create(store, SPEC, pool=POOL)
    try:
        n_new = assay.tell_file(path)
    except InputError:
        assert assay.status().events == 1
        return
    status = assay.status()
    assert status.answers == n_new
    assert aa.Assay.open(store, pool=POOL).labels().equals(assay.labels())
    assert assay.tell_file(path) == 0


cells = st.one_of(
    st.sampled_from([*IDS, "cat", "dog", "", "ann", "2.5", "sex", "f"]),
    st.text(max_size=6),
    st.sampled_from(['"', '"a', "a\nb", "\r", "\x00", ",", "NaN"]),
)
header = st.lists(
    st.sampled_from(["id", "label", "annotator", "seconds", "confirmed_sex", "why", ""]),
    max_size=5,
)
tables = st.tuples(
    st.one_of(header, st.just(["id", "label"]), st.just(["id", "label", "annotator"])),
    st.lists(
        st.one_of(
            st.lists(cells, max_size=5),
            st.tuples(st.sampled_from(IDS), st.sampled_from(["cat", "dog", ""])).map(list),
        ),
        max_size=4,
    ),
).map(lambda table: "\n".join(",".join(row) for row in [table[0], *table[1]]).encode("utf-8"))
good_tables = st.lists(
    st.tuples(st.sampled_from(IDS), st.sampled_from(["cat", "dog", "cta", ""])), max_size=5
).map(lambda rows: "\n".join(["id,label", *(",".join(row) for row in rows)]).encode("utf-8"))


@settings(max_examples=350)
@given(st.one_of(good_tables, tables, st.binary(max_size=60)))
def test_a_fuzzed_csv_is_refused_or_recorded_whole(folder: Path, content: bytes) -> None:
    path = folder / "told.csv"
    path.write_bytes(content)
    refused_or_recorded(path)


results = st.fixed_dictionaries(
    {},
    optional={
        "from_name": st.sampled_from(["label", "confirmed_sex", "other"]),
        "type": st.sampled_from(["choices", "textarea"]),
        "value": st.one_of(
            st.fixed_dictionaries({"choices": st.lists(cells, max_size=2)}),
            st.fixed_dictionaries({"choices": st.sampled_from([["cat"], ["dog"], ["f"]])}),
            st.fixed_dictionaries({"text": cells}),
            values,
        ),
    },
)
annotations = st.fixed_dictionaries(
    {},
    optional={
        "result": st.one_of(st.lists(results, max_size=2), values),
        "was_cancelled": st.one_of(st.booleans(), scalars),
        "completed_by": st.one_of(
            st.integers(0, 3), st.fixed_dictionaries({"email": cells}), values
        ),
        "lead_time": st.one_of(st.floats(0, 100), scalars),
    },
)
data = st.fixed_dictionaries({"assay_id": st.one_of(st.sampled_from(IDS), scalars)})
good_tasks = st.builds(
    lambda instance, label, who: {
        "data": {"assay_id": instance},
        "annotations": [
            {
                "result": [{"from_name": "label", "value": {"choices": [label]}}],
                "completed_by": who,
            }
        ],
    },
    st.sampled_from(IDS),
    st.sampled_from(["cat", "dog"]),
    st.integers(0, 2),
)
tasks = st.one_of(
    st.fixed_dictionaries(
        {"data": st.one_of(data, values), "annotations": st.lists(annotations, max_size=2)}
    ),
    st.fixed_dictionaries(
        {"assay_id": st.sampled_from(IDS)},
        optional={"label": st.one_of(cells, values), "annotator": scalars, "lead_time": scalars},
    ),
    values,
)


@settings(max_examples=350)
@given(
    st.one_of(
        st.lists(good_tasks, max_size=4).map(json.dumps),
        st.lists(st.one_of(good_tasks, tasks), max_size=3).map(json.dumps),
        st.text(max_size=40),
    )
)
def test_a_fuzzed_label_studio_file_is_refused_or_recorded_whole(
    folder: Path, content: str
) -> None:
    path = folder / "told.json"
    path.write_bytes(content.encode("utf-8", "surrogatepass"))
    refused_or_recorded(path)
