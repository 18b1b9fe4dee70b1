"""An experiment: which methods meet which tasks at which sizes, and the runs that this takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from accuracy_assay.bench.method import is_available, parse_method
from accuracy_assay.bench.run import Mode, Run
from accuracy_assay.errors import InputError

__all__ = ["Experiment", "Plan"]


@dataclass(frozen=True, slots=True)
class Plan:
    """What the user asked for; None leaves it to the experiment.

    Parameters
    ----------
    tasks, methods, labels
        Names and sizes instead of the experiment's own.
    seeds
        Number of seeds, from 0.
    seed_size, batch
        As in ``simulate``.
    is_quick
        Fewer methods and sizes.
    has_data
        Whether a data folder is at hand, so that the real tables can be used.
    """

    tasks: tuple[str, ...] | None = None
    methods: tuple[str, ...] | None = None
    labels: tuple[int, ...] | None = None
    seeds: int = 3
    seed_size: int = 500
    batch: int = 50
    is_quick: bool = False
    has_data: bool = False

    def __post_init__(self) -> None:
        for name in ("seeds", "batch"):
            if getattr(self, name) < 1:
                raise InputError(f"{name} must be at least 1; got {getattr(self, name)}.")

    def as_options(self) -> str:
        """Return the plan as options of the command; the folder of the data stays private."""
        chosen = {"task": self.tasks, "method": self.methods, "labels": self.labels}
        parts = [f"--{name} {value}" for name, values in chosen.items() for value in values or ()]
        numbers = ("seeds", "seed_size", "batch")
        parts += [f"--{name.replace('_', '-')} {getattr(self, name)}" for name in numbers]
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
        Random labels fitted at several sizes, or the loop round by round.
    methods, quick_methods
        Methods that are compared; those that this installation lacks are passed over.
    sizes, quick_sizes
        Labels, seed set included.
    tasks, quick_tasks
        Tasks that ship.
    data_tasks, quick_data_tasks
        Tasks to add when the data folder is at hand.
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

    def runs(self, plan: Plan) -> list[Run]:
        """Return every run, seed by seed, so that a stopped benchmark has whole seeds."""
        own = self.quick_methods if plan.is_quick else self.methods
        names = plan.methods or tuple(name for name in own if is_available(name))
        methods = [parse_method(name) for name in names]
        sizes = plan.labels or (self.quick_sizes if plan.is_quick else self.sizes)
        if not methods:
            raise InputError(f"methods of {self.name} must be in the registry; none of {own} is.")
        return [
            Run(
                task,
                method,
                seed,
                self.mode,
                tuple(sizes),
                plan.seed_size,
                method.batch or plan.batch if self.mode == "rounds" else plan.batch,
            )
            for seed in range(plan.seeds)
            for task in self._tasks(plan)
            for method in methods
        ]

    def _tasks(self, plan: Plan) -> Sequence[str]:
        shipped = self.quick_tasks if plan.is_quick else self.tasks
        real = self.quick_data_tasks if plan.is_quick else self.data_tasks
        return plan.tasks or (*shipped, *(real if plan.has_data else ()))
