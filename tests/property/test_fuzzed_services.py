"""Whatever a service sends back: predictions that can be stored, or an error that says why.

300 answers over HTTP and 300 results of functions; the secret of the service is in none of them.
"""

import json
import sys
from types import ModuleType
from typing import Any

import httpx
import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accuracy_assay.errors import AssayError
from accuracy_assay.protocols import Prediction
from accuracy_assay.services.function import FunctionService
from accuracy_assay.services.http import HttpService

SECRET = "hunter2-hunter2"
ROWS = pl.DataFrame({"text": ["a&b", "../c", None], "n": [1.5, float("nan"), 3.0]})

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(10**400, 10**401),
    st.floats(),
    st.text(max_size=8),
    st.sampled_from([SECRET, f"x{SECRET}y", "\ud800", "\x1b[2J", "\x00"]),
)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["label", "p", "0", "out"]), inner, max_size=3),
    ),
    max_leaves=6,
)
contents = st.one_of(
    values.map(lambda value: json.dumps(value).encode()),
    st.builds(lambda label, p: json.dumps({"label": label, "p": p}).encode(), scalars, scalars),
    st.binary(max_size=60),
    st.sampled_from([b"[" * 100_000, b'{"a":' * 50_000, b"1" * 5000, b"", SECRET.encode()]),
)
header_texts = st.one_of(
    st.sampled_from(["²".encode(), b"-5", b"9" * 300, b"soon", b"Fri, 31 Dec 9999 23:59:59 GMT"]),
    st.sampled_from([b"gzip", b"deflate", b"br", b"utf-16", b"99999999999", b"0"]),
    st.binary(max_size=12).filter(lambda raw: not set(raw) & set(b"\r\n\x00")),
)
headers = st.dictionaries(
    st.sampled_from([b"Retry-After", b"Content-Encoding", b"Content-Type", b"Location"]),
    header_texts,
    max_size=2,
)
statuses = st.sampled_from([200, 200, 200, 201, 204, 301, 400, 401, 404, 429, 500, 503, 599, 799])
urls = st.sampled_from(
    ["http://127.0.0.1/x", "http://127.0.0.1/{text}/y?n={n}", "http://127.0.0.1/?t={text}"]
)
paths = st.sampled_from(["label", "out.0.label", "0", "²", "..", "label." + "9" * 5000])


def kept_or_explained(service: Any) -> None:
    """Predict the rows; every prediction can be stored and no message holds the secret."""
    made: list[Prediction] = []
    said = ""
    try:
        for group in service.predict(ROWS):
            made.extend(group)
    except AssayError as error:
        said = str(error)
    assert SECRET not in said
    assert len({p.position for p in made}) == len(made)
    for prediction in made:
        json.dumps([prediction.prediction, prediction.confidence], allow_nan=False)
        prediction.prediction.encode("utf-8")


@settings(max_examples=300)
@given(urls, paths, statuses, headers, contents)
def test_any_answer_over_http_is_a_prediction_or_an_error(
    url: str, path: str, status: int, sent: dict[bytes, bytes], content: bytes
) -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        assert request.url.host == "127.0.0.1"
        stream = httpx.ByteStream(content)
        return httpx.Response(status, headers=list(sent.items()), stream=stream)

    service = HttpService(
        "api",
        url,
        {"prediction": path, "confidence": "p"},
        {"q": "{text}", "n": "{n}"},
        headers={"X-Key": "${KEY}"},
        concurrency=1,
        retries=1,
        max_answer_mb=0.05,
        transport=httpx.MockTransport(answer),
        environment={"KEY": SECRET},
        sleep=lambda _: None,
    )
    kept_or_explained(service)
    assert SECRET not in repr(service)


returned = st.one_of(
    st.lists(values, min_size=3, max_size=3),
    st.lists(st.tuples(scalars, scalars), min_size=3, max_size=3),
    values,
    st.sampled_from([np.zeros(3), np.zeros((3, 2)), np.array(["a", "b", "c"]), range(10**9)]),
    st.sampled_from([pl.Series(["a", None, "b"]), object(), iter("abc"), {"a", "b", "c"}]),
)


@settings(max_examples=300)
@given(st.one_of(returned, st.sampled_from([ValueError("x"), SystemExit(1), GeneratorExit()])))
def test_any_result_of_a_function_is_a_prediction_or_an_error(result: Any) -> None:
    def function(_: Any) -> Any:
        if isinstance(result, BaseException):
            raise result
        return result

    module = ModuleType("fuzzed_function")
    module.function = function  # type: ignore[attr-defined]
    with pytest.MonkeyPatch.context() as patched:
        patched.setitem(sys.modules, "fuzzed_function", module)
        made_by = FunctionService("own", "fuzzed_function:function")
        try:
            made = [p for group in made_by.predict(ROWS) for p in group]
        except AssayError:
            return
    assert [p.position for p in made] == [0, 1, 2]
    for prediction in made:
        json.dumps([prediction.prediction, prediction.confidence], allow_nan=False)
        prediction.prediction.encode("utf-8")
