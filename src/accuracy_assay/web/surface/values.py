"""What the views of a surface answer: plain values, for JSON, for a table and for a picture.

In every view ``asked`` says in words what it is restricted to, and ``remarks`` what is unsure or
missing. Where ``is_behind`` is set a newer answer is being made.
"""

from __future__ import annotations

from pydantic import BaseModel

__all__ = [
    "About",
    "Arm",
    "ArmDifference",
    "Arms",
    "Axis",
    "Box",
    "Compare",
    "Difference",
    "Forecast",
    "Heat",
    "InstanceRow",
    "Instances",
    "Marginal",
    "Marginals",
    "Numbers",
    "Place",
    "Point",
    "Progress",
    "Said",
    "Slice",
    "Slices",
    "Value",
    "ValueDifference",
    "Worst",
]


class Numbers(BaseModel):
    """An accuracy with its interval, and the labels and pool rows behind it."""

    mean: float
    lower: float
    upper: float
    n: float
    support: float


class Axis(BaseModel):
    """An attribute and its values."""

    name: str
    values: list[str]


class About(BaseModel):
    """What every view says: which service, how much is known, and what is unsure.

    ``labels`` are those behind the numbers, ``told`` those that people gave; a fit may still be
    on its way. ``overall`` is over the pool as it is, None before there is a surface.
    """

    assay: str
    service: str
    services: list[str]
    version: int
    attributes: list[Axis]
    told: int
    budget: int
    level: float = 0.9
    labels: float = 0.0
    overall: Numbers | None = None
    arms: int = 0
    estimated: int = 0
    vague: int = 0
    weak: int = 0
    strong: int = 0
    remarks: list[str] = []


class Box(Numbers):
    """One box of a heat map: the codes of its values."""

    row: int
    column: int


class Heat(BaseModel):
    """Accuracy by two attributes; ``average`` is that of all boxes together."""

    about: About
    asked: str = ""
    rows: Axis | None = None
    columns: Axis | None = None
    average: Numbers | None = None
    boxes: list[Box] = []
    remarks: list[str] = []


class Arm(Numbers):
    """One arm; ``errors`` are those to be expected among its pool rows."""

    arm: int
    values: list[str]
    sd: float
    correct: float
    errors: float
    status: str


class Arms(BaseModel):
    """Some of the arms in an order; ``found`` are those that match, ``all`` those listed."""

    about: About
    asked: str = ""
    found: int = 0
    all: int = 0
    offset: int = 0
    arms: list[Arm] = []
    remarks: list[str] = []


class Worst(BaseModel):
    """The worst arms, the worst first."""

    about: About
    asked: str = ""
    by: str = "upper"
    arms: list[Arm] = []
    remarks: list[str] = []


class Slice(Numbers):
    """A weak slice: its conditions, attribute and value each, and how surely it is weak.

    ``errors`` are those to be expected among its pool rows, ``chance`` is the probability of being
    below the bar; a slice that ``is_thin`` rests on its neighbours more than on its own labels.
    """

    conditions: list[tuple[str, str]]
    errors: float
    chance: float
    is_thin: bool


class Slices(BaseModel):
    """The weak slices, those where most pool rows go wrong first; ``searched`` were looked at."""

    about: About
    asked: str = ""
    bar: float | None = None
    searched: int = 0
    fdr: float = 0.1
    slices: list[Slice] = []
    remarks: list[str] = []


class Value(Numbers):
    """The accuracy of one value of an attribute."""

    value: str


class Marginal(BaseModel):
    """The accuracy of each value of an attribute."""

    name: str
    rows: list[Value]


class Marginals(BaseModel):
    """Accuracy by one attribute at a time, on an axis from ``low`` to ``high``."""

    about: About
    asked: str = ""
    average: Numbers | None = None
    low: float = 0.0
    high: float = 1.0
    marginals: list[Marginal] = []
    remarks: list[str] = []


class Said(BaseModel):
    """What a service said of a labelled instance, and how well that agrees with the label."""

    answer: str
    score: float


class InstanceRow(BaseModel):
    """One instance of some arms: how sure it is one of them, and what was answered."""

    id: str
    chance: float
    shown: dict[str, str]
    label: str | None
    votes: dict[str, int]
    answers: dict[str, Said]


class Instances(BaseModel):
    """The instances behind some arms; ``average`` is the accuracy there.

    ``shown`` tells of each shown column whether it is text, image, audio or of a table.
    """

    about: About
    asked: str = ""
    average: Numbers | None = None
    found: int = 0
    labelled: int = 0
    offset: int = 0
    shown: dict[str, str] = {}
    instances: list[InstanceRow] = []
    remarks: list[str] = []


class Point(BaseModel):
    """The expected error after some labels: a mean square over arms, times 100."""

    labels: float
    error: float


class Forecast(BaseModel):
    """How many more labels a goal takes, and how sure that is."""

    said: str
    goal: str
    now: float | None
    wanted: float | None
    labels_so_far: int
    pool: int
    labels: int
    lower: int
    upper: int
    level: float
    is_within_pool: bool
    cost: float | None
    cost_lower: float | None
    cost_upper: float | None


class Progress(BaseModel):
    """The expected error against labels, so far and ahead."""

    about: About
    asked: str = ""
    points: list[Point] = []
    ahead: list[Point] = []
    labels_to_halve: float | None = None
    spent: int = 0
    batch: int = 0
    forecast: Forecast | None = None
    is_behind: bool = False
    remarks: list[str] = []


class Place(Numbers):
    """A service's place among several, and how far it is behind the best."""

    service: str
    behind: float
    behind_lower: float
    behind_upper: float
    probability_best: float
    price: float | None


class Difference(BaseModel):
    """How much more accurate the first service is, and the probability that it is better."""

    difference: float
    lower: float
    upper: float
    probability: float
    n: float
    support: float


class ValueDifference(Difference):
    """The same among the pool rows with one value of an attribute."""

    attribute: str
    value: str


class ArmDifference(Difference):
    """The same in one arm, beside the accuracies of both."""

    arm: int
    values: list[str]
    first: float
    second: float


class Compare(BaseModel):
    """Services side by side: in order, and two of them by value and by arm."""

    about: About
    asked: str = ""
    places: list[Place] = []
    first: str = ""
    second: str = ""
    pair: Difference | None = None
    labels: float = 0.0
    is_behind: bool = False
    values: list[ValueDifference] = []
    found: int = 0
    offset: int = 0
    arms: list[ArmDifference] = []
    remarks: list[str] = []
