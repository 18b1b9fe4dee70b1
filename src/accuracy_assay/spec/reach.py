"""What a spec reaches beyond its tables: code that it imports, secrets that it sends.

A spec is data, but opening an assay imports the modules that it names and sends what it takes from
the environment to the addresses that it names. Whoever opens one that came from elsewhere should
see both first.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from accuracy_assay.domain.agreement import is_imported
from accuracy_assay.spec.answerers import AnswererSection
from accuracy_assay.spec.model import Spec

__all__ = ["spec_reach"]

_ENVIRONMENT = re.compile(r"\$\{[^}]+\}")


def spec_reach(spec: Spec) -> tuple[str, ...]:
    """Return, in words, what opening and running this spec imports and sends; sorted.

    Examples
    --------
    >>> from accuracy_assay.spec.read import read_spec
    >>> service = {"name": "own", "callable": "my_module:read"}
    >>> spec_reach(read_spec({"attribute": [{"name": "sex"}], "service": [service]}))
    ('imports my_module:read',)
    """
    sent = (said for each in (*spec.service, *spec.judge) for said in _sends(each))
    return tuple(sorted({*_imports(spec), *sent}))


def _imports(spec: Spec) -> Iterator[str]:
    methods: list[Any] = [spec.assay.estimator, spec.assay.strategy, spec.assay.calibration]
    names = [m["name"] if isinstance(m, dict) else m for m in methods]
    names += [spec.label.agreement] if is_imported(spec.label.agreement) else []
    names += [attribute.feature for attribute in spec.attribute]
    for asked in (*spec.service, *spec.judge):
        names += [asked.callable, asked.kind]
    for name in names:
        if isinstance(name, str) and ":" in name:
            yield f"imports {name}"


def _sends(service: AnswererSection) -> Iterator[str]:
    if service.url is None:
        return
    content = json.dumps([dict(service.headers), dict(service.request)])
    secrets = sorted(set(_ENVIRONMENT.findall(content)))
    address = urlsplit(service.url)
    if secrets:
        yield f"sends {', '.join(secrets)} to {address.scheme}://{address.netloc}"
