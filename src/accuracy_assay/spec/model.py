"""The spec of an assay, key by key: the models behind ``assay.toml``.

A section of the file is one class; a key is one field with its default. Every rule that needs
nothing but the spec itself is checked here, so a bad file fails before any table is read.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticCustomError

from accuracy_assay.domain.space import KINDS, Kind, Missing, Value
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.files.texts import as_text
from accuracy_assay.metrics.aim import Aim, AimOf
from accuracy_assay.runtime.secrets import hide_secrets, written_secret
from accuracy_assay.services.address import Address, refuse_rows_in_host
from accuracy_assay.services.pace import SLOWEST_PER_SECOND
from accuracy_assay.services.template import columns_of

__all__ = [
    "AssaySection",
    "AttributeSection",
    "LabelSection",
    "Method",
    "PoolSection",
    "ServiceSection",
    "Show",
    "Spec",
    "StopSection",
]

Show = Literal["text", "image", "audio", "table"]

Method: TypeAlias = str | Mapping[str, JsonValue]
"""A method by its name or ``module:Class``, or a table with that ``name`` and its settings."""

_SOURCES = ("column", "callable", "url", "kind")
_SECRET_HEADER = re.compile(
    r"auth|key|token|secret|passw|pwd|credential|cookie|signature", re.IGNORECASE
)
"""Headers that hold a secret; of those one rather suspects too many."""
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
"""The names that HTTP allows."""
_COLUMN_ALONE = re.compile(r"\{[^{}]+\}")

_MOST = 10**9
"""Labels, rows and prices beyond any pool and any purse: larger numbers are slips of the hand."""
_LARGEST_SEED = 2**63 - 1
"""What every file and database holds as a whole number."""
_LONGEST_WAIT_S = 86_400.0
"""A day: nobody waits longer for one answer, and systems refuse timeouts of centuries."""
_MOST_RETRIES = 100
"""Pauses grow to a minute, so more would take hours per row."""
_LARGEST_ANSWER_MB = 1024.0
"""What a machine can hold of one answer beside its own work."""
_LONGEST_LEASE_MIN = 525_600.0
"""A year, in minutes."""


def _refuse_truth_values(value: Any) -> Any:
    """Refuse true and false where a number is meant, which Python would take for 1 and 0."""
    if isinstance(value, bool):
        raise PydanticCustomError("number", "Input should be a number, not true or false")
    return value


_Whole = Annotated[int, BeforeValidator(_refuse_truth_values)]
_Number = Annotated[float, BeforeValidator(_refuse_truth_values)]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, str_min_length=1, allow_inf_nan=False)


class StopSection(_Section):
    """``stop`` of ``[assay]``: the half-width at which asking ends, and of what."""

    model_config = ConfigDict(validate_by_name=True, serialize_by_alias=True)

    half_width: _Number
    of: AimOf = Field(default="overall", alias="for")
    where: Mapping[str, Value | tuple[Value, ...]] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _can_be_measured(self) -> Self:
        try:
            Aim(self.half_width, self.of, self.where)
        except InputError as error:
            raise ValueError(f"stop of [assay]: {str(error).removesuffix('.')}") from None
        return self

    @property
    def aim(self) -> Aim:
        """The aim that these keys say."""
        return Aim(self.half_width, self.of, self.where)


class AssaySection(_Section):
    """``[assay]``: name, size and methods."""

    name: str = "assay"
    budget: _Whole = Field(default=1000, ge=0, le=_MOST)
    batch: _Whole = Field(default=12, ge=1, le=_MOST)
    seed: _Whole = Field(default=0, ge=0, le=_LARGEST_SEED)
    estimator: Method = "anova-gp"
    strategy: Method = "variance-reduction"
    calibration: Method = "full"
    target: Literal["pool", "population"] = "pool"
    refit_every: _Whole | None = Field(default=None, ge=1, le=_MOST)
    lease_minutes: _Number = Field(default=30.0, gt=0.0, le=_LONGEST_LEASE_MIN)
    explore: _Number | None = Field(default=None, ge=0.0, le=1.0)
    referees: tuple[str, ...] | None = None
    stop: StopSection | None = None

    @field_validator("estimator", "strategy", "calibration", mode="before")
    @classmethod
    def _is_a_method(cls, given: Any, info: ValidationInfo) -> Method:
        """Return a name, or a table of JSON values; a table without settings is its name."""
        name = given.get("name") if isinstance(given, Mapping) else given
        if not isinstance(name, str) or not name:
            raise ValueError(
                f"{info.field_name} must be a name, module:Class or a table such as "
                f"{{ name = 'anova-gp', level = 0.95 }}; got {hide_secrets(repr(given))}"
            )
        if isinstance(given, Mapping) and (secret := written_secret(given)):
            raise ValueError(
                f"{secret!r} of {info.field_name} must not be written in a spec, which is "
                "stored; got a secret. Let the method take it from the environment"
            )
        if isinstance(given, str) or len(given) == 1:
            return name
        return {
            str(key): _as_json(value, f"setting {key!r} of {info.field_name} {name!r}")
            for key, value in given.items()
        }

    @field_validator("name")
    @classmethod
    def _can_be_stored(cls, name: str) -> str:
        if hide_secrets(name) != name:
            raise ValueError("name of [assay] must hold no secret; got one")
        if "\x00" in name:  # no database takes it
            raise ValueError(f"name of [assay] must have no character zero; got {name!r}")
        return name

    @property
    def aim(self) -> Aim | None:
        """What asking is for, where the spec says it."""
        return None if self.stop is None else self.stop.aim

    @property
    def estimator_name(self) -> str:
        """The estimator without its settings."""
        return _name_of(self.estimator)

    @property
    def strategy_name(self) -> str:
        """The strategy without its settings."""
        return _name_of(self.strategy)

    @property
    def calibration_name(self) -> str:
        """The calibration without its settings."""
        return _name_of(self.calibration)

    @property
    def labels_per_fit(self) -> int:
        """New labels after which a fit is due; a round unless the spec says otherwise."""
        return self.refit_every or self.batch


class PoolSection(_Section):
    """``[pool]``: the rows that may be labelled, and the seed set with gold attributes."""

    path: str | None = None
    id: str = "id"
    seed_set: str | None = None
    cluster: str | None = None

    @field_validator("path", "seed_set")
    @classmethod
    def _holds_no_secret(cls, path: str | None, info: ValidationInfo) -> str | None:
        if path is not None and hide_secrets(path) != path:
            raise ValueError(
                f"{info.field_name} of [pool] must be the path of a file; got an address with a "
                "secret, which is not shown"
            )
        return path


class AttributeSection(_Section):
    """``[[attribute]]``: an exact column, a guessed attribute, or one that the label reveals."""

    name: str
    kind: Kind | None = None
    values: tuple[Value, ...] = ()
    edges: tuple[float, ...] | None = None
    evidence: str | None = None
    from_label: bool = False
    missing: Missing | None = None

    @field_validator("kind", mode="before")
    @classmethod
    def _is_no_cluster(cls, kind: Any) -> Any:
        if kind == "cluster":
            raise ValueError(
                f"kind of an attribute must be {', '.join(KINDS)}; got 'cluster'. Rows that "
                "belong together are named under [pool], such as cluster = 'speaker'"
            )
        return kind

    @model_validator(mode="after")
    def _has_one_origin(self) -> Self:
        if self.evidence is not None and self.from_label:
            raise ValueError(
                f"attribute {self.name!r} must be guessed (evidence) or revealed (from_label), "
                "not both"
            )
        if self.evidence is not None and self.evidence.count("*") != 1:
            raise ValueError(
                f"evidence of attribute {self.name!r} must be a pattern with one star, such as "
                f"'p_{self.name}__*'; got {self.evidence!r}"
            )
        return self


class ServiceSection(_Section):
    """``[[service]]``: a column of predictions, a Python function, an HTTP endpoint, or a class.

    ``kind`` names the class, by ``module:Class`` or as an installed package declares it, and
    ``settings`` are that class's own.
    """

    name: str
    column: str | None = None
    callable: str | None = None
    url: str | None = None
    kind: str | None = None
    settings: Mapping[str, JsonValue] = Field(default_factory=dict)
    confidence: str | None = None
    signals: tuple[str, ...] | None = None
    referees: tuple[str, ...] | None = None
    price: _Number = Field(default=0.0, ge=0.0, le=_MOST)
    batch_rows: _Whole = Field(default=64, ge=1, le=_MOST)
    method: Literal["GET", "POST", "PUT"] = "POST"
    headers: Mapping[str, str] = Field(default_factory=dict)
    request: Mapping[str, JsonValue] = Field(default_factory=dict)
    response: Mapping[Literal["prediction", "confidence"], str] = Field(default_factory=dict)
    concurrency: _Whole = Field(default=4, ge=1, le=256)
    requests_per_second: _Number | None = Field(default=None, ge=SLOWEST_PER_SECOND, le=_MOST)
    timeout_s: _Number = Field(default=30.0, gt=0.0, le=_LONGEST_WAIT_S)
    retries: _Whole = Field(default=5, ge=0, le=_MOST_RETRIES)
    deadline_s: _Number = Field(default=300.0, gt=0.0, le=_LONGEST_WAIT_S)
    max_answer_mb: _Number = Field(default=10.0, gt=0.0, le=_LARGEST_ANSWER_MB)

    @model_validator(mode="after")
    def _has_one_source(self) -> Self:
        given = [k for k in _SOURCES if getattr(self, k) is not None]
        if len(given) != 1:
            raise ValueError(
                f"service {self.name!r} must have exactly one of column, callable, url and kind; "
                f"got {given or 'none'}"
            )
        if self.settings and self.kind is None:
            raise ValueError(
                f"settings of service {self.name!r} must go with a kind; got "
                f"{sorted(self.settings)}. The keys of column, callable and url stand beside them"
            )
        if self.url is not None and "prediction" not in self.response:
            raise ValueError(
                f"service {self.name!r} must say where the prediction stands in the answer, such "
                "as response = { prediction = 'result.label' }"
            )
        if self.url is not None and not self.request and "{" not in self.url:
            raise ValueError(
                f"service {self.name!r} must say what to send, such as request = {{ text = "
                "'{column}' }"
            )
        if self.callable is not None and ":" not in self.callable:
            raise ValueError(
                f"callable of service {self.name!r} must read module:function; got "
                f"{self.callable!r}"
            )
        return self

    @model_validator(mode="after")
    def _holds_no_secret(self) -> Self:
        """Refuse a key that is written out, without showing it, and any in a URL."""
        if self.url is not None and _has_secret(self.url):
            raise ValueError(
                f"url of service {self.name!r} must hold no secret, since addresses are logged; "
                "got one. Send it as a header, such as { Authorization = 'Bearer ${API_KEY}' }"
            )
        header = next((n for n, text in self.headers.items() if _is_written(n, text)), None)
        secret = header or written_secret(self.model_dump(exclude={"url"}))
        if secret is not None:
            raise ValueError(
                f"{secret!r} of service {self.name!r} must take its secret from the "
                "environment, such as 'Bearer ${API_KEY}'; got one that is written out"
            )
        return self

    @model_validator(mode="after")
    def _can_be_called(self) -> Self:
        """Refuse an address whose host a row would name, and headers that HTTP does not know."""
        what = f"service {self.name!r}"
        if self.url is not None:
            Address.read(self.url, f"url of {what}")
        refuse_rows_in_host(self.headers, what)
        for name, text in self.headers.items():
            if not _HEADER_NAME.fullmatch(name):
                raise ValueError(f"header of {what} must have a name such as X-Id; got {name!r}")
            if not (text.isascii() and text.isprintable()):
                raise ValueError(
                    f"header {name!r} of {what} must be one line of visible ASCII characters; got "
                    "another text, which is not shown, since it may hold a secret"
                )
        return self

    @property
    def row_columns(self) -> tuple[str, ...]:
        """The columns whose values are sent to a URL, sorted."""
        if self.url is None:
            return ()
        return tuple(sorted(columns_of([self.url, self.request, self.headers])))

    def made_from(self) -> tuple[str, dict[str, Any]]:
        """Return the kind of the service and its settings, as `registry.build_service` takes them.

        A kind of ours is handed the whole section, any other its own settings and the name.
        """
        if self.kind is not None:
            return self.kind, {"name": self.name, **self.settings}
        kind = next(k for k in _SOURCES if getattr(self, k) is not None)
        return kind, {key: getattr(self, key) for key in type(self).model_fields}


class LabelSection(_Section):
    """``[label]``: what an annotator sees and may answer."""

    choices: tuple[str, ...] = ()
    agreement: str = "equal"
    show: Mapping[Show, str | tuple[str, ...]] = Field(default_factory=dict)
    column: str = "label"
    annotators: _Whole = Field(default=1, ge=1, le=_MOST)
    price: _Number = Field(default=0.0, ge=0.0, le=_MOST)

    @model_validator(mode="before")
    @classmethod
    def _choices_are_texts(cls, given: Any) -> Any:
        if isinstance(given, Mapping) and isinstance(given.get("choices"), list | tuple):
            return {**given, "choices": [_choice(c) for c in given["choices"]]}
        return given

    @model_validator(mode="after")
    def _choices_differ(self) -> Self:
        if len(set(self.choices)) < len(self.choices):
            raise ValueError(f"choices must differ; got {list(self.choices)!r}")
        return self


class Spec(_Section):
    """All of ``assay.toml``."""

    assay: AssaySection = AssaySection()
    pool: PoolSection = PoolSection()
    attribute: tuple[AttributeSection, ...] = Field(min_length=1)
    service: tuple[ServiceSection, ...] = Field(min_length=1)
    label: LabelSection = LabelSection()

    @model_validator(mode="after")
    def _names_differ(self) -> Self:
        for what in ("attribute", "service"):
            names = [section.name for section in getattr(self, what)]
            if len(set(names)) < len(names):
                raise ValueError(f"{what}s must have different names; got {names!r}")
        return self

    @model_validator(mode="after")
    def _cluster_is_its_own(self) -> Self:
        taken = {self.label.column: "the column of the label"}
        for service in self.service:
            found = (service.column, service.confidence, *(service.signals or ()))
            taken |= {c: f"a column of service {service.name!r}" for c in found if c}
        taken |= {a.name: "an attribute" for a in self.attribute}
        if self.pool.cluster in taken:
            raise ValueError(
                "cluster of [pool] must be another column than attributes, signals, predictions "
                f"and labels; got {self.pool.cluster!r}, which is {taken[self.pool.cluster]}"
            )
        return self

    @model_validator(mode="after")
    def _referees_are_services(self) -> Self:
        names = [service.name for service in self.service]
        for service in self.service:
            if service.name in (service.referees or ()):
                raise ValueError(
                    f"referees of service {service.name!r} must be other services; got its own "
                    "name"
                )
        sections = {"[assay]": self.assay} | {f"service {s.name!r}": s for s in self.service}
        for what, section in sections.items():
            for name in section.referees or ():
                if name not in names:
                    raise ValueError(f"referees of {what} must be of {names}; got {name!r}")
        return self

    def referees_of(self, service: ServiceSection) -> tuple[ServiceSection, ...]:
        """Return the services whose answers are compared with those of ``service``.

        They are those that the spec names. By default they are all others, but for two cases:
        where attributes are guessed or revealed by the label, signals do harm; and an agreement
        of the user's own may cost more than two answers of every row are worth.
        """
        named = self.assay.referees if service.referees is None else service.referees
        if named is None:
            is_guessed = any(a.evidence or a.from_label for a in self.attribute)
            is_ours = ":" not in self.label.agreement
            named = () if is_guessed or not is_ours else tuple(s.name for s in self.service)
        return tuple(s for s in self.service if s.name in named and s.name != service.name)

    def find_service(self, name: str | None = None) -> ServiceSection:
        """Return the service called ``name``, or the only one."""
        names = [s.name for s in self.service]
        if name is None and len(names) > 1:
            raise InputError(
                f"service must be named where there are several; got none of {names}."
            )
        if name is not None and name not in names:
            raise UnknownNameError("service", name, names)
        return self.service[0 if name is None else names.index(name)]


def _has_secret(url: str) -> bool:
    """Return whether a URL holds a secret, or the name of one; a row's own value is none."""
    return "${" in url or hide_secrets(url) != url


def _is_written(header: str, text: str) -> bool:
    is_secret = _SECRET_HEADER.search(header) is not None
    return is_secret and "${" not in text and not _COLUMN_ALONE.fullmatch(text)


def _choice(value: object) -> object:
    return as_text(value) if isinstance(value, int | float | bool) else value


def _name_of(method: Method) -> str:
    return method if isinstance(method, str) else str(method["name"])


def _as_json(value: Any, what: str) -> Any:
    """Return a setting as it comes back from JSON, so that a stored spec reads back equal."""
    if isinstance(value, Mapping):
        return {str(k): _as_json(v, what) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_as_json(v, what) for v in value]
    is_finite = not isinstance(value, float) or math.isfinite(value)
    if value is None or (isinstance(value, str | int | float) and is_finite):
        return value
    raise ValueError(f"{what} must be what JSON can write; got {value!r}")
