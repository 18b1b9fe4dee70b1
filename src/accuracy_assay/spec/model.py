"""The spec of an assay, key by key: the models behind ``assay.toml``.

A section of the file is one class; a key is one field with its default. Every rule that needs
nothing but the spec itself is checked here, so a bad file fails before any table is read.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal, Self, TypeAlias, TypeVar, get_args

from pydantic import (
    ConfigDict,
    Field,
    JsonValue,
    ValidationInfo,
    field_validator,
    model_validator,
)

from accuracy_assay.domain.agreement import is_imported
from accuracy_assay.domain.columns import Columns, Picked
from accuracy_assay.domain.missing_answers import MissingPrediction
from accuracy_assay.domain.person_names import one_name
from accuracy_assay.domain.space import KINDS, Kind, Missing, Value
from accuracy_assay.domain.text.attribute import TextAttribute
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.exploration.goals import GOALS, GoalName
from accuracy_assay.files.texts import as_text
from accuracy_assay.metrics.aim import Aim, AimOf
from accuracy_assay.metrics.top_order import FIRST
from accuracy_assay.runtime.secrets import hide_secrets, written_secret
from accuracy_assay.runtime.written_choice import read_choice
from accuracy_assay.spec.answerers import AnswererSection, JudgeSection, ServiceSection
from accuracy_assay.spec.section import MOST, Number, Section, Whole

__all__ = [
    "AnnotatorSection",
    "AssaySection",
    "AttributeSection",
    "JudgeSection",
    "LabelSection",
    "MethodChoice",
    "PoolSection",
    "ServiceSection",
    "Show",
    "Spec",
    "StopSection",
]

Show = Literal["text", "image", "audio", "table"]
AnswerKind = Literal["one", "several", "text", "number", "passages"]
"""What an annotator gives: one choice, several of them, a text, a number, passages of the text."""

MethodChoice: TypeAlias = str | Mapping[str, JsonValue]
"""A method by its name or ``module:Class``, or a table with that ``name`` and its settings."""

_Answerer = TypeVar("_Answerer", bound=AnswererSection)
_LARGEST_SEED = 2**63 - 1
"""What every file and database holds as a whole number."""
_OVERLAP = 0.1
"""Second opinions by default: with 300 answers 30 pairs, enough to tell a guesser from others."""
_MOST_CHECKS = 0.5
"""More known items than new ones would teach little of the pool."""
_LONGEST_LEASE_MIN = 525_600.0
"""A year, in minutes."""


class StopSection(Section):
    """``stop`` of ``[assay]``: the half-width at which asking ends, and of what."""

    model_config = ConfigDict(validate_by_name=True, serialize_by_alias=True)

    half_width: Number
    of: AimOf | Literal["ranking"] = Field(default="overall", alias="for")
    where: Mapping[str, Value | tuple[Value, ...]] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _can_be_measured(self) -> Self:
        try:
            # A ranking is one of overall accuracies.
            Aim(self.half_width, "overall" if self.of == "ranking" else self.of, self.where)
        except InputError as error:
            raise ValueError(f"stop of [assay]: {str(error).removesuffix('.')}") from None
        return self

    @property
    def aim(self) -> Aim | None:
        """The aim that these keys say of each service; None of a ranking, which is of all."""
        return None if self.of == "ranking" else Aim(self.half_width, self.of, self.where)

    @property
    def reached(self) -> str:
        """What is known once asking ends, in words."""
        if self.of == "ranking":
            return f"the first {FIRST} are settled, or tied within {self.half_width:.1%}"
        return f"{self.aim} is known to within {self.half_width:.1%}"


class AssaySection(Section):
    """``[assay]``: name, size and methods."""

    name: str = "assay"
    budget: Whole = Field(default=1000, ge=0, le=MOST)
    batch: Whole = Field(default=12, ge=1, le=MOST)
    seed: Whole = Field(default=0, ge=0, le=_LARGEST_SEED)
    goal: GoalName | None = None
    mix: str | None = None
    estimator: MethodChoice = "anova-gp"
    strategy: MethodChoice = "variance-reduction"
    calibration: MethodChoice = "full"
    target: Literal["pool", "population"] = "pool"
    refit_every: Whole | None = Field(default=None, ge=1, le=MOST)
    lease_minutes: Number = Field(default=30.0, gt=0.0, le=_LONGEST_LEASE_MIN)
    random_share: Number | None = Field(default=None, ge=0.0, le=1.0)
    referees: tuple[str, ...] | None = None
    stop: StopSection | None = None

    @model_validator(mode="before")
    @classmethod
    def _with_new_names(cls, given: Any) -> Any:
        """Take ``explore``, as specs of version 0.1 have it, for ``random_share``."""
        if not isinstance(given, Mapping) or "explore" not in given:
            return given
        rest = {key: value for key, value in given.items() if key != "explore"}
        return rest | {"random_share": given["explore"]}

    @field_validator("estimator", "strategy", "calibration", mode="before")
    @classmethod
    def _is_a_method(cls, given: Any, info: ValidationInfo) -> MethodChoice:
        """Return a name, or a table of JSON values, whichever way its settings are written."""
        if isinstance(given, str | Mapping):
            try:
                given = read_choice(given)
            except InputError as error:
                raise ValueError(str(error)) from None
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

    @field_validator("mix", mode="before")
    @classmethod
    def _is_a_path(cls, mix: Any) -> Any:
        if isinstance(mix, str) and hide_secrets(mix) != mix:
            raise ValueError(
                "mix of [assay] must be the path of a file; got an address with a secret, which "
                "is not shown"
            )
        return None if mix == "" else mix  # an edit leaves it out by an empty text

    @model_validator(mode="after")
    def _says_the_goal_once(self) -> Self:
        if (self.goal == "mix") != (self.mix is not None):
            raise ValueError(
                "goal = 'mix' and mix, the path of a table of weights, must go together in "
                f"[assay]; got goal = {self.goal or 'surface'!r} and "
                + ("no mix" if self.mix is None else f"mix = {self.mix!r}")
            )
        its_own = None if isinstance(self.strategy, str) else self.strategy.get("goal")
        if self.goal is not None and its_own is not None:
            raise ValueError(
                f"the goal must be given once in [assay]; got {self.goal!r} and the strategy's "
                f"{its_own!r}"
            )
        return self

    @property
    def chosen_for(self) -> str:
        """The goal by name, whoever says it."""
        its_own = None if isinstance(self.strategy, str) else self.strategy.get("goal")
        return self.goal or (str(its_own) if its_own else "surface")

    @property
    def choosing(self) -> str:
        """How labels are chosen, in words that follow "labels are chosen"."""
        if self.strategy_name == "random":
            return "at random"
        if self.strategy_name != "variance-reduction":
            return f"by {self.strategy_name}"
        return f"for {GOALS[self.chosen_for]} (goal: {self.chosen_for})"

    @property
    def aim(self) -> Aim | None:
        """How narrow an interval must be for asking to end, where the spec says it."""
        return None if self.stop is None else self.stop.aim

    @property
    def strategy_name(self) -> str:
        """The strategy without its settings."""
        return self.strategy if isinstance(self.strategy, str) else str(self.strategy["name"])

    @property
    def labels_per_fit(self) -> int:
        """New labels after which a fit is due; a round unless the spec says otherwise."""
        return self.refit_every or self.batch


class PoolSection(Section):
    """``[pool]``: the rows that may be labelled, and the seed set with gold attributes."""

    path: str | None = None
    id: str = "id"
    seed_set: str | None = None
    seed_picked: Picked | None = None
    cluster: str | None = None
    time: str | None = None
    history: tuple[str, ...] = ()
    media: str | None = None

    @field_validator("path", "seed_set", "media")
    @classmethod
    def _holds_no_secret(cls, path: str | None, info: ValidationInfo) -> str | None:
        if path is not None and hide_secrets(path) != path:
            raise ValueError(
                f"{info.field_name} of [pool] must be the path of a file; got an address with a "
                "secret, which is not shown"
            )
        return path


class AttributeSection(Section):
    """``[[attribute]]``: an exact column, a guessed one, one of a text, or one of the label."""

    name: str
    kind: Kind | None = None
    values: tuple[Value, ...] = ()
    edges: tuple[float, ...] | None = None
    evidence: str | None = None
    confirm_price: Number | None = Field(default=None, gt=0.0, le=MOST)
    from_label: bool = False
    from_text: str | None = None
    feature: str | None = None
    topics: Whole | None = None
    missing: Missing | None = None

    @model_validator(mode="before")
    @classmethod
    def _has_the_evidence_of_its_text(cls, given: Any) -> Any:
        """Add the pattern of a text attribute that is guessed, which nobody need write."""
        if not isinstance(given, Mapping) or given.get("evidence") is not None:
            return given
        name, feature = given.get("name"), given.get("feature")
        if isinstance(feature, str) and (feature == "topic" or ":" in feature):
            return {**given, "evidence": f"p_{name}__*"}
        return given

    @field_validator("kind", mode="before")
    @classmethod
    def _is_of_attributes(cls, kind: Any) -> Any:
        if kind in get_args(Kind) and kind not in KINDS:
            raise ValueError(
                f"kind of an attribute must be {', '.join(KINDS)}; got {kind!r}. Rows that "
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
        if self.confirm_price is not None and self.evidence is None:
            raise ValueError(
                f"attribute {self.name!r} must be guessed (evidence) to have a confirm_price; got "
                f"{self.confirm_price:g} and no evidence"
            )
        return self

    @model_validator(mode="after")
    def _says_what_of_the_text(self) -> Self:
        if (self.from_text is None) != (self.feature is None):
            lacking = "feature" if self.feature is None else "from_text"
            raise ValueError(
                f"attribute {self.name!r} must have both from_text, a column of texts, and "
                f"feature, what is read off them; got no {lacking}"
            )
        if self.from_text is None and self.topics is not None:
            raise ValueError(
                f"topics of attribute {self.name!r} must go with from_text; got {self.topics}"
            )
        try:
            text = self.text
        except InputError as error:
            raise ValueError(str(error).removesuffix(".")) from None
        if text is not None and (self.from_label or self.kind or self.evidence != text.evidence):
            raise ValueError(
                f"attribute {self.name!r} must leave out kind, evidence and from_label, which "
                "follow from its feature of a text; got one of them"
            )
        return self

    @property
    def text(self) -> TextAttribute | None:
        """What is derived from a text, None for a column."""
        if self.from_text is None or self.feature is None:
            return None
        values = tuple(str(value) for value in self.values)
        edges: Any = self.edges  # whole numbers, as TextAttribute checks
        return TextAttribute(self.from_text, self.feature, self.name, values, edges, self.topics)


class LabelSection(Section):
    """``[label]``: what an annotator sees and may answer."""

    question: str | None = None
    instructions: str | None = None
    answer: AnswerKind | None = None
    choices: tuple[str, ...] = ()
    choices_from: tuple[str, ...] = ()
    agreement: str = "equal"
    missing_prediction: MissingPrediction = "wrong"
    show: Mapping[Show, str | tuple[str, ...]] = Field(default_factory=dict)
    show_predictions: bool = False
    show_attributes: bool = False
    column: str = "label"
    annotators: Whole = Field(default=1, ge=1, le=MOST)
    experts: tuple[str, ...] = ()
    checks: Number = Field(default=0.0, ge=0.0, le=_MOST_CHECKS)
    overlap: Number | None = Field(default=None, ge=0.0, le=1.0)
    price: Number = Field(default=0.0, ge=0.0, le=MOST)

    @field_validator("experts")
    @classmethod
    def _are_names(cls, experts: tuple[str, ...]) -> tuple[str, ...]:
        if not all(map(one_name, experts)):
            raise ValueError(f"experts of [label] must be names; got {list(experts)!r}")
        return tuple(dict.fromkeys(map(one_name, experts)))

    @property
    def shown(self) -> tuple[tuple[Show, str], ...]:
        """Kind and column of everything that an annotator is shown, in order."""
        return tuple(
            (kind, column)
            for kind, columns in self.show.items()
            for column in ([columns] if isinstance(columns, str) else columns)
        )

    @model_validator(mode="before")
    @classmethod
    def _choices_are_texts(cls, given: Any) -> Any:
        if isinstance(given, Mapping) and isinstance(given.get("choices"), list | tuple):
            given = {**given, "choices": [_choice(c) for c in given["choices"]]}
        if isinstance(given, Mapping) and isinstance(given.get("choices_from"), str):
            given = {**given, "choices_from": [given["choices_from"]]}
        return given

    @property
    def kind(self) -> AnswerKind:
        """What an annotator gives, as the spec says it or as its choices imply."""
        has_choices = bool(self.choices or self.choices_from)
        return self.answer or ("one" if has_choices else "text")

    @model_validator(mode="after")
    def _answers_fit_choices(self) -> Self:
        has_choices = bool(self.choices or self.choices_from)
        if self.choices and self.choices_from:
            raise ValueError("choices and choices_from must not both be given; leave one out")
        if (self.kind in ("one", "several")) != has_choices:
            rule = "must have choices or choices_from" if not has_choices else "takes no choices"
            raise ValueError(f"answer = {self.kind!r} {rule}")
        if self.kind == "passages" and "text" not in self.show:
            raise ValueError("answer = 'passages' must have a text to show; add show.text")
        if self.kind == "several" and any("|" in choice for choice in self.choices):
            raise ValueError(
                "choices must not hold '|' where several may be given; it divides them"
            )
        return self

    @model_validator(mode="after")
    def _choices_differ(self) -> Self:
        if len(set(self.choices)) < len(self.choices):
            raise ValueError(f"choices must differ; got {list(self.choices)!r}")
        return self


class AnnotatorSection(Section):
    """``[[annotator]]``: who answers, what an answer costs, and whether it is the truth."""

    name: str
    price: Number | None = Field(default=None, ge=0.0, le=MOST)
    expert: bool = False

    @field_validator("name")
    @classmethod
    def _is_one_name(cls, name: str) -> str:
        if not (kept := one_name(name)):
            raise ValueError("name of an annotator must not be blank; got spaces")
        return kept


class Spec(Section):
    """All of ``assay.toml``."""

    assay: AssaySection = AssaySection()
    pool: PoolSection = PoolSection()
    attribute: tuple[AttributeSection, ...] = Field(min_length=1)
    service: tuple[ServiceSection, ...] = Field(min_length=1)
    judge: tuple[JudgeSection, ...] = ()
    label: LabelSection = LabelSection()
    annotator: tuple[AnnotatorSection, ...] = ()

    @model_validator(mode="after")
    def _names_differ(self) -> Self:
        for what in ("attribute", "service", "judge", "annotator"):
            names = [section.name for section in getattr(self, what)]
            if len(set(names)) < len(names):
                raise ValueError(f"{what}s must have different names; got {names!r}")
        return self

    @model_validator(mode="after")
    def _cluster_and_time_are_their_own(self) -> Self:
        taken = {self.label.column: "the column of the label"}
        for service in self.service:
            found = (service.column, service.confidence, *(service.signals or ()))
            taken |= {c: f"a column of service {service.name!r}" for c in found if c}
        taken |= {j.column: f"the column of judge {j.name!r}" for j in self.judge if j.column}
        taken |= {a.name: "an attribute" for a in self.attribute}
        taken |= dict.fromkeys(self.pool.history, "a score of an earlier service")
        for key, column in (("cluster", self.pool.cluster), ("time", self.pool.time)):
            if column in taken:
                raise ValueError(
                    f"{key} of [pool] must be another column than attributes, signals, "
                    f"predictions and labels; got {column!r}, which is {taken[column]}"
                )
        return self

    @model_validator(mode="after")
    def _history_is_of_others(self) -> Self:
        taken = {self.label.column: "the column of the label"}
        for service in self.service:
            found = (service.column, service.confidence, *(service.signals or ()))
            taken |= {c: f"a column of service {service.name!r}" for c in found if c}
        taken |= {j.column: f"the column of judge {j.name!r}" for j in self.judge if j.column}
        taken |= {a.name: "an attribute" for a in self.attribute}
        if both := [name for name in self.pool.history if name in taken]:
            raise ValueError(
                "history of [pool] must be scores of other services; got "
                f"{both[0]!r}, which is {taken[both[0]]}"
            )
        return self

    @model_validator(mode="after")
    def _referees_are_services(self) -> Self:
        for service in self.service:
            if service.name in (service.referees or ()):
                raise ValueError(
                    f"referees of service {service.name!r} must be other services; got its own "
                    "name"
                )
            self._require_services(f"referees of service {service.name!r}", service.referees)
        self._require_services("referees of [assay]", self.assay.referees)
        return self

    @model_validator(mode="after")
    def _has_services_to_compare(self) -> Self:
        if self.assay.goal == "compare" and len(self.service) < 2:
            raise ValueError(
                "goal = 'compare' must have two services or more; got only "
                f"{self.service[0].name!r}. Add another [[service]], or name another goal"
            )
        unsure = [a.name for a in self.attribute if a.evidence or a.from_label]
        if self.assay.chosen_for == "now" and unsure:
            raise ValueError(
                "goal = 'now' must have attributes that are known for every row; got "
                f"{unsure[0]!r}, which is guessed or revealed by the label. Name another goal"
            )
        stop = self.assay.stop
        if stop is not None and stop.of == "ranking" and len(self.service) < 2:
            raise ValueError(
                "stop for 'ranking' must have two services or more; got only "
                f"{self.service[0].name!r}. Add another [[service]], or stop for 'overall'"
            )
        return self

    @model_validator(mode="after")
    def _judges_have_services(self) -> Self:
        names = [service.name for service in self.service]
        stored = [*names, *(j.of(name).name for j in self.judge for name in names)]
        if twice := [name for name in stored if stored.count(name) > 1]:
            raise ValueError(
                f"names of judges must differ from services'; got {twice[0]!r} twice. Rename one"
            )
        taken = {a.name: "an attribute" for a in self.attribute}
        taken |= {self.label.column: "the column of the label"}
        taken |= {s.column: f"the column of service {s.name!r}" for s in self.service if s.column}
        for judge in self.judge:
            self._require_services(f"services of judge {judge.name!r}", judge.services)
            if judge.column in taken:
                raise ValueError(
                    f"column of judge {judge.name!r} must hold opinions made without labels; got "
                    f"{judge.column!r}, which is {taken[judge.column]}"
                )
            n_services = len(names if judge.services is None else judge.services)
            if judge.column is not None and n_services > 1:
                raise ValueError(
                    f"judge {judge.name!r} must say whose answers its column is about, such as "
                    f"services = [{names[0]!r}]; got {n_services} services. Write one [[judge]] "
                    "for each column"
                )
        return self

    def _require_services(self, what: str, given: tuple[str, ...] | None) -> None:
        names = [service.name for service in self.service]
        for name in given or ():
            if name not in names:
                raise ValueError(f"{what} must be of {names}; got {name!r}")

    def columns_of(self, service: ServiceSection) -> Columns:
        """Return what the columns of the pool mean where one service is asked about."""
        signals = [*(service.signals or ()), service.confidence]
        free = list(dict.fromkeys(column for column in signals if column is not None))
        judges = [judge.column for judge in self.judges_of(service)]
        return Columns.of(
            [section.text or section.name for section in self.attribute],
            y_true=self.label.column,
            y_pred=service.column,
            agreement=self.label.agreement,
            missing_prediction=self.label.missing_prediction,
            signals=free,
            judges=[column for column in judges if column is not None and column not in free],
            cluster=self.pool.cluster,
            evidence={a.name: a.evidence for a in self.attribute if a.evidence is not None},
            from_label=[a.name for a in self.attribute if a.from_label],
            id=self.pool.id,
        )

    @property
    def has_label_attribute(self) -> bool:
        """Whether the label reveals an attribute."""
        return any(section.from_label for section in self.attribute)

    @property
    def experts(self) -> frozenset[str]:
        """The annotators whose answers are taken for the truth."""
        named = {section.name for section in self.annotator if section.expert}
        return frozenset({*named, *self.label.experts})

    @property
    def overlap(self) -> float:
        """Share of the answers that are second opinions on instances drawn at random.

        A tenth by default, if the spec says anything of its annotators.
        """
        if self.label.overlap is not None:
            return self.label.overlap
        return _OVERLAP if self.annotator or self.experts or self.label.checks else 0.0

    @property
    def asks_again(self) -> bool:
        """Whether people are asked for instances that somebody has answered, besides new ones."""
        return bool(self.overlap or self.label.checks or self.experts)

    @property
    def seeks_truth(self) -> bool:
        """Whether the truth of some instances will say what people's answers are worth."""
        return bool(self.label.checks or self.experts)

    @property
    def confirm_prices(self) -> dict[str, float]:
        """What it costs to have attributes confirmed, in labels, of those that have a price."""
        return {
            a.name: float(a.confirm_price) for a in self.attribute if a.confirm_price is not None
        }

    def price_of(self, annotator: str) -> float:
        """Return what an answer of an annotator costs, in labels: 1 unless the spec has prices."""
        usual = self.label.price
        for section in self.annotator:
            if section.name == annotator and section.price is not None:
                known = [s.price for s in self.annotator if s.price]
                return section.price / (usual or min(known, default=0.0) or 1.0)
        return 1.0

    def judges_of(self, service: ServiceSection) -> tuple[JudgeSection, ...]:
        """Return the judges of a service, named as their opinions of it are stored.

        They are those that name it. One that names no service judges all of them, but where
        attributes are guessed, since there signals do harm.
        """
        return tuple(
            judge.of(service.name)
            for judge in self.judge
            if (not self.is_guessed if judge.services is None else service.name in judge.services)
        )

    @property
    def is_guessed(self) -> bool:
        """Whether the attributes of rows without a label are guessed, and so would be signals.

        One that is the label is known by the prediction, unless answers may agree in part.
        """
        is_equal = self.label.agreement == "equal"
        return any(a.evidence or (a.from_label and not is_equal) for a in self.attribute)

    def referees_of(self, service: ServiceSection) -> tuple[ServiceSection, ...]:
        """Return the services whose answers are compared with those of ``service``.

        They are those that the spec names. By default they are all others, but for two cases:
        where attributes are guessed, signals do harm; and an agreement of the user's own may cost
        more than two answers of every row are worth.
        """
        named = self.assay.referees if service.referees is None else service.referees
        if named is None:
            is_ours = not is_imported(self.label.agreement)
            named = () if self.is_guessed or not is_ours else tuple(s.name for s in self.service)
        return tuple(s for s in self.service if s.name in named and s.name != service.name)

    def find_judge(self, name: str | None = None) -> JudgeSection:
        """Return the judge called ``name``, or the only one."""
        return _find("judge", self.judge, name)

    def find_service(self, name: str | None = None) -> ServiceSection:
        """Return the service called ``name``, or the only one."""
        return _find("service", self.service, name)


def _find(what: str, sections: tuple[_Answerer, ...], name: str | None) -> _Answerer:
    names = [section.name for section in sections]
    if name is None and len(names) != 1:
        raise InputError(f"{what} must be named unless there is just one; got none of {names}.")
    if name is not None and name not in names:
        raise UnknownNameError(what, name, names)
    return sections[0 if name is None else names.index(name)]


def _choice(value: object) -> object:
    return as_text(value) if isinstance(value, int | float | bool) else value


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
