"""What the views of a surface return: plain values for JSON, tables and pictures."""

from __future__ import annotations

from dataclasses import field

from pydantic import BaseModel, ConfigDict
from pydantic.dataclasses import dataclass

from accuracy_assay.study.plan.forecast import Forecast as PlanForecast

__all__ = [
    "NUMBERS",
    "About",
    "Alarm",
    "Arm",
    "ArmDifference",
    "Arms",
    "Attributes",
    "Axis",
    "Box",
    "Change",
    "Compare",
    "Curve",
    "Difference",
    "FirstLook",
    "Forecast",
    "Heat",
    "InstanceRow",
    "Instances",
    "Judge",
    "JudgedSlice",
    "Marginal",
    "Marginals",
    "Matter",
    "Numbers",
    "Place",
    "Point",
    "Progress",
    "Said",
    "Slice",
    "Slices",
    "State",
    "Stretch",
    "Then",
    "Time",
    "Value",
    "ValueDifference",
    "ValuePlace",
    "Version",
    "View",
    "Worst",
]


class Numbers(BaseModel, from_attributes=True):
    """An accuracy with its interval, and the labels and pool rows behind it."""

    mean: float
    lower: float
    upper: float
    n: float
    support: float


NUMBERS = tuple(Numbers.model_fields)


class Axis(BaseModel):
    """An attribute and its values."""

    name: str
    values: list[str]


class About(BaseModel):
    """What every view has: the service, how much is known, and what is unsure.

    ``labels`` counts the labels behind the numbers (in words, ``said_of_labels``), ``told`` those
    that people gave and ``seed_labels`` those of the seed set; ``is_fitting`` says that a fit to
    the latest is still running. ``spent`` is what counts against the budget: labels that were
    asked for, given or held.
    ``verdict`` is the sentence that opens every output. ``overall`` is over the whole pool; None
    before there is a surface.
    ``target`` and, in words, ``about`` say what the numbers are about; ``other`` is the overall
    accuracy of what they are not about, where it differs.
    ``choosing`` says in words how labels are chosen. ``typical`` is the most common value of each
    attribute, ``leans`` the free signals that the numbers rest on most.
    """

    assay: str
    service: str
    services: list[str]
    version: int
    attributes: list[Axis]
    typical: list[str] = []
    leans: list[str] = []
    told: int
    budget: int
    spent: float = 0
    seed_labels: int = 0
    is_fitting: bool = False
    choosing: str = ""
    verdict: str = ""
    level: float = 0.9
    labels: float = 0.0
    said_of_labels: str = ""
    overall: Numbers | None = None
    target: str = "pool"
    about: str = ""
    other: Numbers | None = None
    other_about: str = ""
    arms: int = 0
    estimated: int = 0
    vague: int = 0
    weak: int = 0
    strong: int = 0
    remarks: list[str] = []


class View(BaseModel):
    """A view: what it is about, what it is restricted to, and what is unsure or missing.

    While ``is_behind`` is set, a newer answer has been in the making for ``seconds``.
    """

    about: About
    asked: str = ""
    remarks: list[str] = []
    is_behind: bool = False
    seconds: float = 0.0


class Box(Numbers):
    """One box of a heat map, with the codes of its two values."""

    row: int
    column: int


class Heat(View):
    """Accuracy by two attributes; ``average`` is over all boxes."""

    rows: Axis | None = None
    columns: Axis | None = None
    average: Numbers | None = None
    boxes: list[Box] = []


class Arm(Numbers):
    """One arm; ``errors`` is the expected number of errors among its pool rows.

    ``in_rows`` is the interval of a small arm in rows, with its probability.
    """

    arm: int
    values: list[str]
    sd: float
    correct: float
    errors: float
    status: str
    in_rows: str | None = None


class Arms(View):
    """Some arms in order; ``found`` counts those that match, ``all`` those that are listed."""

    found: int = 0
    all: int = 0
    offset: int = 0
    arms: list[Arm] = []


class Worst(View):
    """The worst arms, worst first."""

    by: str = "upper"
    arms: list[Arm] = []


class Slice(Numbers):
    """A weak slice: its conditions, each an attribute and a value, and how surely it is weak.

    ``errors`` is the expected number of errors among its pool rows, ``chance`` the probability
    that it is below the bar. A thin slice rests more on its neighbours than on its own labels.
    """

    conditions: list[tuple[str, str]]
    errors: float
    chance: float
    is_thin: bool


class Slices(View):
    """The weak slices, most errors first, of ``searched`` candidates."""

    bar: float | None = None
    searched: int = 0
    fdr: float = 0.1
    slices: list[Slice] = []


class Matter(BaseModel, from_attributes=True):
    """What an attribute or a pair explains, as ``domain.importance.Importance`` has it."""

    names: list[str]
    share: float
    lower: float
    upper: float
    spread: float
    beyond: float | None
    finding: str


class Attributes(View):
    """Which attributes matter: the share of the variance of accuracy that each explains."""

    attributes: list[Matter] = []
    pairs: list[Matter] = []
    together: float = 0.0
    sd: float = 0.0


class JudgedSlice(BaseModel):
    """What is certified of a judge in one slice, and what is drawn of it.

    Of a level, dot and bar (``low`` to ``high``) are people's figure, and the mark is the judge's;
    of decisions, they are the share that differs, and the mark is the tolerance. ``needed`` are
    the labels that would settle it; 0 if it is settled, null if no number would.
    """

    place: str
    verdict: str
    because: str
    judge: float
    people: float
    dot: float
    low: float
    high: float
    mark: float
    difference: float
    lower: float
    upper: float
    labels: int
    rows: int
    needed: int | None


class Judge(View):
    """Where a judge may decide in place of people: its certificate by the labels so far."""

    judge: str = ""
    judges: list[str] = []
    verdict: str = ""
    is_level: bool = True
    tolerance: float = 0.0
    slices: list[JudgedSlice] = []
    left_out: int = 0


class Value(Numbers):
    """Accuracy at one value of an attribute."""

    value: str


class Marginal(BaseModel):
    """Accuracy at each value of an attribute."""

    name: str
    rows: list[Value]


class Marginals(View):
    """Accuracy by one attribute at a time, on an axis from ``low`` to ``high``."""

    average: Numbers | None = None
    low: float = 0.0
    high: float = 1.0
    marginals: list[Marginal] = []


class Said(BaseModel, from_attributes=True):
    """A service's answer to a labelled instance, and how well it agrees with the label."""

    answer: str
    score: float


class InstanceRow(BaseModel, from_attributes=True):
    """One instance of some arms, as ``session.instances.Instance`` has it."""

    id: str
    chance: float
    shown: dict[str, str]
    label: str | None
    votes: dict[str, int]
    answers: dict[str, Said]


class Instances(View):
    """The instances behind some arms; ``average`` is the accuracy there.

    ``services`` are those whose answers are shown, all if empty. ``shown`` maps each shown column
    to its kind: text, image, audio or table.
    """

    average: Numbers | None = None
    found: int = 0
    labelled: int = 0
    offset: int = 0
    services: list[str] = []
    shown: dict[str, str] = {}
    instances: list[InstanceRow] = []


class Point(BaseModel):
    """What is expected after some labels, and what was known then.

    ``error`` is a mean square over arms, times 100; ``typical`` is its root, in accuracy: how far
    a typical arm is off. ``overall`` and ``slice`` are half of the widths of the intervals of the
    whole and of the slice known least, None where nobody watched the fit.
    """

    labels: float
    error: float
    typical: float = 0.0
    overall: float | None = None
    slice: float | None = None


@dataclass(frozen=True, config=ConfigDict(json_schema_serialization_defaults_required=True))
class Forecast(PlanForecast):
    """How many more labels a goal takes, and how sure that is; ``said`` is its sentence."""

    said: str = field(kw_only=True)


class Progress(View):
    """Expected error against labels, so far and ahead; ``goals`` has every goal in plain words."""

    points: list[Point] = []
    ahead: list[Point] = []
    labels_to_halve: float | None = None
    spent: float = 0
    batch: int = 0
    goal: str = ""
    goals: dict[str, str] = {}
    forecast: Forecast | None = None


class Stretch(BaseModel):
    """A stretch of time: the share of its labels that are right, with its interval."""

    time: str
    mean: float
    lower: float
    upper: float
    labels: int
    is_baseline: bool


class Curve(BaseModel):
    """The accuracy of a slice over time."""

    name: str
    stretches: list[Stretch] = []


class Alarm(BaseModel):
    """A slice that lost more than is tolerated, or gained more.

    ``time_at`` and ``since_at`` are the stretches of the whole in which it was found and began.
    """

    slice: str
    time: str
    since: str
    time_at: int
    since_at: int
    before: float
    now: float
    lower: float
    upper: float
    is_gain: bool = False


class Version(BaseModel):
    """A new version of the service; ``since_at`` is the stretch in which it begins."""

    name: str
    since: str
    since_at: int


class Time(View):
    """The accuracy over time, overall and of the selected rows, with the alarms of a watch."""

    ordered_by: str | None = None
    says: str = ""
    now: Numbers | None = None
    curves: list[Curve] = []
    alarms: list[Alarm] = []
    versions: list[Version] = []


class State(BaseModel):
    """A surface at a time in UTC: how many labels it had, and the whole."""

    at: str
    labels: float
    overall: Numbers


class Change(BaseModel):
    """Accuracy at one value of an attribute, then and now; None where the pool lacked it."""

    attribute: str
    value: str
    then: Numbers | None
    now: Numbers | None


class Then(View):
    """Two states side by side; ``gone``, ``new`` and ``stayed`` are weak slices in words.

    ``first`` and ``last`` are the times of the first and the last answer.
    """

    then: State | None = None
    now: State | None = None
    first: str = ""
    last: str = ""
    changes: list[Change] = []
    gone: list[str] = []
    new: list[str] = []
    stayed: list[str] = []


class Place(Numbers):
    """A service's place in a comparison, as ``Comparison.to_frame`` has it.

    The rank has the interval from ``rank_lower`` to ``rank_upper``; the order to the services in
    ``tied_with`` is not sure.
    """

    service: str
    rank: int
    rank_lower: int
    rank_upper: int
    tied_with: list[str]
    behind: float
    behind_lower: float
    behind_upper: float
    probability_best: float
    price: float | None


class ValuePlace(BaseModel):
    """A service's place among the rows with one value of an attribute.

    ``is_sure`` says whether the best there is the best with the probability of the intervals.
    """

    value: str
    service: str
    rank: int
    mean: float
    lower: float
    upper: float
    behind: float
    is_sure: bool


class FirstLook(BaseModel):
    """The plain share of labels that a service got right, before anything is fitted."""

    service: str
    share: float
    labels: int


class Difference(BaseModel):
    """How much more accurate the first service is, and the probability that it is."""

    difference: float
    lower: float
    upper: float
    probability: float
    n: float
    support: float


class ValueDifference(Difference):
    """The difference at one value of an attribute."""

    attribute: str
    value: str


class ArmDifference(Difference):
    """The difference in one arm, with both accuracies."""

    arm: int
    values: list[str]
    first: float
    second: float


class Compare(View):
    """Services side by side: all in order, by value, and two of them by value and by arm.

    ``open_difference`` is how far services may differ whose order is open, one of them among the
    first three. ``by`` is the attribute of ``value_places``. While the first comparison is made
    there is only a ``first_look``.
    """

    places: list[Place] = []
    first_look: list[FirstLook] = []
    open_difference: float = 0.0
    by: str = ""
    value_places: list[ValuePlace] = []
    first: str = ""
    second: str = ""
    pair: Difference | None = None
    labels: float = 0.0
    values: list[ValueDifference] = []
    found: int = 0
    offset: int = 0
    arms: list[ArmDifference] = []
