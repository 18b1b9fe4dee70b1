"""Experiments: which methods meet which tasks at which sizes, and the runs that this takes.

They are those of section 4 of the paper and of its appendices, with our methods beside;
``scale`` and ``deep-kernel`` ask what the supervision of its Beta's scale does, and
``larger-space`` what it leaves to others; ``coverage``, ``referees`` and ``judges`` are ours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from accuracy_assay.errors import InputError
from accuracy_assay.study.method import Method, is_available, parse_method
from assay_bench.coverage import COVERAGE_METRICS, FIRST_BATCH
from assay_bench.run import METRICS, Mode, Run

__all__ = ["DEEP", "EXPERIMENTS", "SCALE_LEVELS", "Experiment", "Selection"]

_FEWEST_SEEDS = 3


@dataclass(frozen=True, slots=True)
class Selection:
    """What the user asked for; None leaves it to the experiment.

    Parameters
    ----------
    tasks, methods, labels
        Names and sizes instead of the experiment's own.
    seeds
        Number of seeds, from 0.
    seed_size, batch
        As in ``simulate``. The seed set is the paper's; rounds of 50 instead of its 12 spare
        three fits of four in a replay of 1,000 labels.
    is_quick
        Fewer methods and sizes.
    has_data
        Whether there is a data folder, so that the real tables can be used.
    """

    tasks: tuple[str, ...] | None = None
    methods: tuple[str, ...] | None = None
    labels: tuple[int, ...] | None = None
    seeds: int | None = None
    seed_size: int = 500
    batch: int = 50
    is_quick: bool = False
    has_data: bool = False

    def __post_init__(self) -> None:
        for name in ("seeds", "batch"):
            number = getattr(self, name)
            if number is not None and number < 1:
                raise InputError(f"{name} must be at least 1; got {number}.")

    def as_options(self, *, from_nothing: bool = False) -> str:
        """Return the selection as options of the command; the folder of the data stays private.

        An experiment that starts ``from_nothing`` has neither a seed set nor rounds of one size.
        """
        chosen = {"task": self.tasks, "method": self.methods, "labels": self.labels}
        parts = [f"--{name} {value}" for name, values in chosen.items() for value in values or ()]
        numbers = {"seeds": self.seeds}
        if not from_nothing:
            numbers |= {"seed-size": self.seed_size, "batch": self.batch}
        parts += [f"--{name} {value}" for name, value in numbers.items() if value is not None]
        flags = {"--quick": self.is_quick, "--data DIR": self.has_data}
        return " ".join([*parts, *(flag for flag, is_set in flags.items() if is_set)])


@dataclass(frozen=True, slots=True)
class Experiment:
    """One of the paper's experiments as settings.

    Parameters
    ----------
    name, title
        What the user types, and what stands above the tables.
    mode
        Random labels fitted at several sizes, the loop round by round, or intervals checked from
        the first label on.
    methods, quick_methods
        Methods that are compared; those that this installation lacks are passed over.
    sizes, quick_sizes
        Labels, seed set included.
    tasks, quick_tasks
        Tasks that ship.
    data_tasks, quick_data_tasks
        Tasks to add where there is a data folder.
    seeds
        Seeds of the whole form; three, as in the quick form, are the fewest whose deviation says
        something.
    has_seed_set
        Whether labels start with a seed set, as the paper's do, or from nothing.
    """

    name: str
    title: str
    mode: Mode
    methods: tuple[str, ...]
    quick_methods: tuple[str, ...]
    sizes: tuple[int, ...]
    quick_sizes: tuple[int, ...]
    tasks: tuple[str, ...] = ("digits", "digits-exact")
    quick_tasks: tuple[str, ...] = ("digits-exact",)
    data_tasks: tuple[str, ...] = ()
    quick_data_tasks: tuple[str, ...] = ()
    seeds: int = _FEWEST_SEEDS
    has_seed_set: bool = True

    @property
    def metrics(self) -> tuple[str, ...]:
        """Columns that a run gives at each size."""
        return COVERAGE_METRICS if self.mode == "coverage" else METRICS

    def runs(self, selection: Selection) -> list[Run]:
        """Return every run, seed by seed, so that a stopped benchmark has whole seeds."""
        listed = self.quick_methods if selection.is_quick else self.methods
        names = selection.methods or tuple(name for name in listed if is_available(name))
        methods = [parse_method(name) for name in names]
        sizes = selection.labels or (self.quick_sizes if selection.is_quick else self.sizes)
        if not methods:
            raise InputError(
                f"methods of {self.name} must be in the registry; none of {listed} is."
            )
        seeds = selection.seeds or (_FEWEST_SEEDS if selection.is_quick else self.seeds)
        tasks = self._tasks(selection)
        if not tasks:
            raise InputError(
                f"tasks of {self.name} must be read from a data folder; got none. Name it: --data "
                "DIR, or a task of your own: --task."
            )
        return [
            Run(
                task,
                method,
                seed,
                self.mode,
                tuple(sizes),
                selection.seed_size if self.has_seed_set else 0,
                self._batch(method, selection),
            )
            for seed in range(seeds)
            for task in tasks
            for method in methods
        ]

    def _batch(self, method: Method, selection: Selection) -> int:
        if not self.has_seed_set:
            return FIRST_BATCH
        return method.batch or selection.batch if self.mode == "rounds" else selection.batch

    def _tasks(self, selection: Selection) -> Sequence[str]:
        shipped = self.quick_tasks if selection.is_quick else self.tasks
        real = self.quick_data_tasks if selection.is_quick else self.data_tasks
        return selection.tasks or (*shipped, *(real if selection.has_data else ()))


_PAPER = (
    "constant",
    "beta-independent",
    "bern-gp",
    "beta-gp",
    "beta-gp-ab",
    "beta-gp-sl",
    "beta-gp-slp",
)
_PEERS = (
    "metric-frame",
    "structured-regression",
    "shrinkage",
    "eb-regression",
    "eb-regression+signals",
)
_PEERS_WITH_SIGNALS = ("eb-regression", "ppi", "stratified-ppi", "ppi-shrinkage")
_OURS = ("anova-gp", "anova-gp+signals")
_PRESETS = ("aaa-2021", "aaa-2021-code")
_PAPER_SIZES = (500, 1_000, 2_000, 3_500)
"""The paper's seed set, and the sizes of its appendix; 2,000 is that of its table 2."""

_LARGER_TASK = "synthetic:rows=200000,attributes=8,values=4"
"""Sixteen times the paper's 4,096 arms; of a made task, since no table at hand has as many."""


_ESTIMATION = Experiment(
    "estimation",
    "Error against labelled size, random labels (table 2 and figure 3)",
    "sizes",
    methods=(*_PAPER, *_PRESETS, *_PEERS, *_OURS),
    quick_methods=("constant", "beta-independent", "beta-gp-sl", "beta-gp-slp", *_PEERS, *_OURS),
    sizes=_PAPER_SIZES,
    quick_sizes=(500, 2_000),
    tasks=("digits", "faces", "digits-exact"),
    data_tasks=("adult5", "am2g", "celeb_faces"),
    quick_data_tasks=("adult5", "am2g"),
)
_EXPLORATION = Experiment(
    "exploration",
    "Macro MSE against labels, by method and strategy (figure 4)",
    "rounds",
    methods=(
        "beta-independent/random",
        "beta-independent/largest-variance",
        "bern-gp/largest-variance",
        "beta-gp/largest-variance",
        "beta-gp-sl/largest-variance",
        "beta-gp-slp/random",
        "beta-gp-slp/largest-variance",
        "anova-gp/random",
        "anova-gp/largest-variance",
        "anova-gp/variance-reduction",
        "anova-gp+signals/random",
        "anova-gp+signals/variance-reduction",
    ),
    quick_methods=(
        "beta-independent/largest-variance",
        "anova-gp/random",
        "anova-gp/variance-reduction",
    ),
    sizes=(1_500,),  # the seed set of 500, and 1,000 labels more
    quick_sizes=(1_000,),
    tasks=("digits", "faces"),
    quick_tasks=("digits",),
    data_tasks=("adult5", "am2g", "celeb_faces"),
    quick_data_tasks=("adult5",),
)
_CALIBRATION = Experiment(
    "calibration",
    "Macro MSE of beta-independent, random labels, by calibration (figure 5)",
    "sizes",
    methods=tuple(f"beta-independent@{c}" for c in ("raw", "temperature", "full")),
    quick_methods=tuple(f"beta-independent@{c}" for c in ("raw", "temperature", "full")),
    sizes=_PAPER_SIZES,
    quick_sizes=(500, 2_000),
    tasks=("digits", "faces"),
    quick_tasks=("digits",),
    data_tasks=("am1n", "am1n-deepspeech", "celeb_faces"),
    quick_data_tasks=("am1n",),
)
_PARAMETERISATION = Experiment(
    "parameterisation",
    "Mean and scale against alpha and beta (appendix)",
    "sizes",
    methods=("beta-gp", "beta-gp-ab"),
    quick_methods=("beta-gp", "beta-gp-ab"),
    sizes=(1_000, 2_000, 3_500),  # those of the appendix
    quick_sizes=(2_000,),
    tasks=("digits", "faces", "digits-exact"),
    data_tasks=("adult5", "am2g", "celeb_faces"),
    quick_data_tasks=("adult5",),
)
SCALE_LEVELS = (1, 10, 100, 1_000)
"""Levels of given scales, from where a label more tells nothing to where every label is a coin."""

_SCALE = Experiment(
    "scale",
    "What the scale of the Beta does: given outright, learned, supervised",
    "sizes",
    methods=(
        *(f"beta-gp:scale=share,scale_level={level}" for level in SCALE_LEVELS),
        *(f"beta-gp:scale=constant,scale_level={level}" for level in SCALE_LEVELS),
        "bern-gp",
        "beta-gp",
        "beta-gp-sl",
        "beta-gp-sl:embedding=own",
        "beta-gp-sl:supervision=gamma",
        *(f"beta-gp-sl:supervision_weight={weight}" for weight in (0.1, 0.01)),
        "beta-gp-slp",
    ),
    quick_methods=(
        *(f"beta-gp:scale=share,scale_level={level}" for level in SCALE_LEVELS),
        "bern-gp",
        "beta-gp",
        "beta-gp-sl",
    ),
    sizes=(2_500,),  # the seed set, and the labels of table 2
    quick_sizes=(2_500,),
    tasks=("faces-exact", "digits-exact"),
    data_tasks=("celeb_faces-exact", "adult5", "am2g"),
    quick_data_tasks=("celeb_faces-exact",),
)
DEEP = ":hidden_widths=[64,64]"
"""Two hidden layers before the linear one: the paper's deep kernel. Its calibration's networks,
which may start it, have 16 or 64 units each."""

_DEEP_KERNEL = Experiment(
    "deep-kernel",
    "The paper's headline with its deep kernel: two hidden layers in the embedding",
    "sizes",
    methods=tuple(f"{name}{DEEP}" for name in ("bern-gp", "beta-gp", "beta-gp-sl", "beta-gp-slp")),
    quick_methods=(f"beta-gp{DEEP}", f"beta-gp-sl{DEEP}"),
    sizes=(2_000,),
    quick_sizes=(2_000,),
    tasks=("digits", "faces"),
    quick_tasks=("digits",),
    data_tasks=("adult5", "am2g", "celeb_faces", "celeb_faces-exact"),
)
_LARGER_SPACE = Experiment(
    "larger-space",
    "A larger space: 65,536 arms, random labels (the paper's future work)",
    "sizes",
    methods=("constant", "beta-independent", "beta-gp-sl", "eb-regression", "anova-gp"),
    quick_methods=("constant", "beta-independent", "eb-regression", "anova-gp"),
    sizes=(500, 2_000, 3_500),
    quick_sizes=(500,),
    tasks=(_LARGER_TASK,),
    quick_tasks=(_LARGER_TASK,),
)
_COVERAGE = Experiment(
    "coverage",
    "How often 90% intervals hold, by labels",
    "coverage",
    methods=tuple(
        f"{method}/{strategy}" for strategy in ("random", "variance-reduction") for method in _OURS
    ),
    quick_methods=("anova-gp/random",),
    sizes=(24, 30, 50, 100, 300, 400, 1_000, 3_000),
    quick_sizes=(30, 100, 300),
    tasks=("digits-exact", "digits-known", "digits"),
    quick_tasks=("digits-exact",),
    data_tasks=(
        "am1n",
        "adult5",
        "adult6",
        "am2g",
        "am2d",
        "am3g",
        "whisper-text",
        "bbq",
        "mmlu_pair",
    ),
    quick_data_tasks=("adult5",),
    seeds=20,
    has_seed_set=False,
)
_REFEREES = Experiment(
    "referees",
    "What the answers of other services are worth, random labels from nothing",
    "sizes",
    methods=(
        *_OURS,
        "anova-gp+referees",
        "anova-gp+signals+referees",
        "shrinkage",
        *(f"{peer}+referees" for peer in _PEERS_WITH_SIGNALS),
    ),
    quick_methods=("anova-gp", "anova-gp+referees"),
    sizes=(100, 300, 1_000),
    quick_sizes=(100, 300),
    tasks=(),
    quick_tasks=(),
    data_tasks=("am3g", "am3d", "bbq"),
    quick_data_tasks=("am3g", "bbq"),
    seeds=8,
    has_seed_set=False,
)
_JUDGES = Experiment(
    "judges",
    "What automatic judges of the answers are worth, random labels from nothing",
    "sizes",
    methods=(*_OURS, "shrinkage", *(f"{peer}+signals" for peer in _PEERS_WITH_SIGNALS)),
    quick_methods=("anova-gp", "anova-gp+signals", "ppi-shrinkage+signals"),
    sizes=(150,),
    quick_sizes=(150,),
    tasks=(),
    quick_tasks=(),
    data_tasks=("frank",),
    quick_data_tasks=("frank",),
    seeds=20,
    has_seed_set=False,
)

EXPERIMENTS: Mapping[str, Experiment] = {
    experiment.name: experiment
    for experiment in (
        _ESTIMATION,
        _EXPLORATION,
        _CALIBRATION,
        _PARAMETERISATION,
        _SCALE,
        _DEEP_KERNEL,
        _LARGER_SPACE,
        _COVERAGE,
        _REFEREES,
        _JUDGES,
    )
}
