"""``assay label``: answer in the terminal, one instance at a time."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

import typer

from accuracy_assay.cli.session import Annotator, AssayName, PoolPath, SeedSetPath, StoreAddress
from accuracy_assay.runtime.number_text import plural

if TYPE_CHECKING:
    from rich.console import Console

    from accuracy_assay.domain.surface import AccuracySurface
    from accuracy_assay.session.assay import Assay

__all__ = ["Labelling", "label"]

_HELP = """\
  a number, or the first letters of a choice   answers
  =text    answers with exactly that text; :s, :u, :b, :q if a letter alone is a choice
  s        skips the instance; you are not asked about it again
  u        undoes your last answer, and shows the instance again
  b        goes back to the previous one; Enter keeps its answer, another answer replaces it
  q        quits; what you hold and have not answered is given back
  ?        shows this"""
_KEYS = {"s": "skip", "u": "undo", "b": "back", "q": "quit", "?": "help"}


def label(
    store: StoreAddress,
    n: Annotated[
        int | None, typer.Argument(help="Instances per round; a batch by default.")
    ] = None,
    annotator: Annotator = "anyone",
    no_attributes: Annotated[
        bool, typer.Option("--no-attributes", help="Do not ask for guessed attributes.")
    ] = False,
    name: AssayName = None,
    pool: PoolPath = None,
    seed_set: SeedSetPath = None,
) -> None:
    """Label in the terminal, one instance at a time.

    Every answer is on disk before the next instance is shown. After each round you see how the
    labels changed the surface. Keys: a number or the first letters of a choice, s skip, u undo,
    b back, q quit, ? help.

    Example: [bold]assay label my.assay --annotator ann[/bold]
    """
    from accuracy_assay.cli.console import results
    from accuracy_assay.cli.session import open_assay

    with open_assay(store, name, pool, seed_set, is_long=True) as assay:
        Labelling(
            assay, annotator, results(), _read_line, n, use_attributes=not no_attributes
        ).run()


def _read_line(prompt: str) -> str | None:
    """Return a typed line; None at the end."""
    try:
        return input(prompt)
    except EOFError:
        return None
    except UnicodeDecodeError:
        print("that was not text; type it again.", file=sys.stderr)
        return _read_line(prompt)


@dataclass
class Labelling:
    """One person at work: rounds of instances, the answers so far, and where they are.

    Parameters
    ----------
    assay, annotator
        The assay, and who answers.
    out
        Where instances are shown.
    read
        Gives the next line for a prompt, None at the end.
    n_per_round
        Instances per round, a batch of the spec by default.
    use_attributes
        Whether guessed attributes are asked for too.
    """

    assay: Assay
    annotator: str
    out: Console
    read: Callable[[str], str | None]
    n_per_round: int | None = None
    use_attributes: bool = True
    answered: dict[str, str] = field(default_factory=dict)
    _leased: set[str] = field(default_factory=set)
    _before: dict[str, AccuracySurface] = field(default_factory=dict)
    _is_over: bool = False

    def run(self) -> None:
        """Ask, show and record until the budget or the pool is used up, or the annotator quits."""
        try:
            while not self._is_over and (items := self._next_round()):
                self._label_round(items)
                self._say_what_changed()
        finally:
            self._give_back()
        if not self._is_over:
            self._say(f"nothing more to ask for: {self.assay.end(self.annotator)}")
        self._say(f"{len(self.answered)} answers recorded in this session")

    def _next_round(self) -> list[dict[str, Any]]:
        """Return what the annotator already holds, or else the next round."""
        held = self.assay.pending(self.annotator)
        if not held.height:
            held = self.assay.ask(self.n_per_round, annotator=self.annotator)
            self._leased |= set(held.get_column("id"))
        status = self.assay.status()
        if held.height:
            self._say(
                f"{plural(held.height, 'instance')} to label; {status.labels:,} labelled so far, "
                f"{status.spent:,} of a budget of {status.budget:,} used or held"
            )
        return held.to_dicts()

    def _label_round(self, items: list[dict[str, Any]]) -> None:
        at = 0
        while at < len(items) and not self._is_over:
            self._show(items[at], f"{at + 1} of {len(items)}")
            started = time.monotonic()
            at = self._answer(items, at, started)

    def _answer(self, items: list[dict[str, Any]], at: int, started: float) -> int:
        """Read lines until one moves on; return the position of the next instance."""
        instance = items[at]["id"]
        while True:
            line = self.read("> ")
            word = None if line is None else line.strip()
            key = None if word is None else self._key(word)
            if word is None or key == "q":
                self._is_over = True
                return at
            if key == "?":
                self._say(_HELP)
            elif key == "s":
                if instance not in self.answered:
                    self.assay.skip([instance], self.annotator)
                    return at + 1
                self._say("this is answered already; u takes your last answer back")
            elif key == "b":
                if at:
                    return at - 1
                self._say("this is the first of the round; u takes back an earlier answer")
            elif key == "u":
                if (before := self._undo(items, at)) is not None:
                    return before
            elif not word:
                if instance in self.answered:
                    return at + 1
                self._say("type an answer, or ? for help")
            elif self._tell(items[at], word, started):
                return at + 1

    def _key(self, word: str) -> str | None:
        """Return the key that a word is; a choice of the same letter takes precedence."""
        if word.startswith(":") and word[1:] in _KEYS:
            return word[1:]
        return word if word in _KEYS and word not in self.assay.spec.label.choices else None

    def _tell(self, item: Mapping[str, Any], word: str, started: float) -> bool:
        """Record an answer, or say what is wrong with it."""
        from accuracy_assay.errors import InputError, UnknownNameError

        instance = item["id"]
        choices = self._choices(item)
        try:
            label = self.assay.spec.label
            given = word if label.kind == "several" else find_answer(word, choices)
            is_sure = not choices or given in choices
            if label.kind == "one" and label.choices_from and not is_sure:
                raise UnknownNameError(f"label for instance {instance!r}", word, choices)
            self.assay.tell(
                [instance],
                [given],
                self.annotator,
                confirmed_attributes=[self._attributes(item) if is_sure else {}],
                seconds=[time.monotonic() - started],
                replace=instance in self.answered,
            )
        except InputError as error:
            self._say(str(error))
            return False
        self.answered[instance] = given
        return True

    def _choices(self, item: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the choices of an instance: its own, or those of all."""
        from accuracy_assay.session.frames import row_choices

        label = self.assay.spec.label
        return tuple(row_choices(label, item)) if label.choices_from else label.choices

    def _attributes(self, item: Mapping[str, Any]) -> Mapping[str, str]:
        """Ask about the attributes of an instance whose guesses are unsure."""
        known: dict[str, str] = {}
        if not self.use_attributes:
            return known
        for name in filter(None, item.get("unsure", "").split(", ")):
            values = tuple(map(str, self.assay.space.attribute(name).values))
            self._say(f"{name}?  {_keys_of(values)}   Enter: not sure")
            line = self.read(f"{name}> ")
            if line and line.strip():
                known[name] = find_answer(line.strip(), values)
        return known

    def _undo(self, items: list[dict[str, Any]], at: int) -> int | None:
        """Take the last answer back; return the position of its instance."""
        from accuracy_assay.errors import InputError

        try:
            (instance,) = self.assay.undo(self.annotator)
        except InputError:
            self._say("you have no answer to undo")
            return None
        self.answered.pop(instance, None)
        self._leased.add(instance)
        for position, item in enumerate(items):
            if item["id"] == instance:
                return position
        held = self.assay.pending(self.annotator).to_dicts()
        items[at:at] = [item for item in held if item["id"] == instance]
        return at

    def _show(self, item: dict[str, Any], number: str) -> None:
        from rich.text import Text

        from accuracy_assay.cli.console import one_line
        from accuracy_assay.runtime.visible_text import visible_text

        self.out.print()
        self.out.print(Text.assemble((number, "dim"), "  ", (one_line(item["id"]), "bold")))
        label = self.assay.spec.label
        if label.question:
            self.out.print(Text(visible_text(label.question), "bold"))
        for column, value in item.items():
            if column in label.choices_from:
                continue
            if column not in ("id", "arm", "why", "unsure") and value is not None:
                self.out.print(Text(f"{one_line(column)}: {visible_text(str(value))}"))
        if item["arm"] and label.show_attributes:
            self.out.print(Text(one_line(item["arm"]), "dim"))
        if (before := self.answered.get(item["id"])) is not None:
            self._say(f"your answer: {before} (Enter keeps it)")
        choices = self._choices(item)
        keys = _keys_of(choices) if choices else "type the label"
        if label.kind == "several":
            keys = f"{', '.join(choices)}   (several: divide them by |)"
        letters = "   ".join(
            f"{':' if key in choices else ''}{key} {what}" for key, what in _KEYS.items()
        )
        self.out.print(Text(visible_text(f"{keys}   |   {letters}"), "dim"))

    def _say_what_changed(self) -> None:
        """Say how a round of labels changed the surface of each service."""
        from accuracy_assay.cli.console import one_line
        from accuracy_assay.errors import AssayError

        if not self.answered:
            return
        for service in self.assay.spec.service:
            try:
                surface = self.assay.surface(service.name)
            except AssayError as error:  # such as a service that has not predicted yet
                self._say(f"{one_line(service.name)}: {error}")
                continue
            before = self._before.get(service.name)
            self._say(f"{one_line(service.name)}: {describe_change(before, surface)}")
            self._before[service.name] = surface

    def _give_back(self) -> None:
        """Give back what this session asked for and has not answered."""
        held = set(self.assay.pending(self.annotator).get_column("id"))
        back = sorted(held & self._leased)
        if back:
            self.assay.give_back(back, self.annotator)
            self._say(f"gave {len(back)} unanswered instances back")

    def _say(self, text: str) -> None:
        self.out.print(text)


def find_answer(word: str, choices: tuple[str, ...]) -> str:
    """Return the choice that a word means: its own text, its key or its first letters.

    Without a matching choice it is the word itself, which `tell` checks.

    Examples
    --------
    >>> find_answer("2", ("cat", "dog")), find_answer("D", ("cat", "dog"))
    ('dog', 'dog')
    >>> find_answer("2", ("0", "1", "2")), find_answer("=s", ())
    ('2', 's')
    """
    if word.startswith("=") and len(word) > 1:
        return word[1:]
    by_key = dict(zip(_keys(choices), choices, strict=True))
    if word in choices or word in by_key:
        return word if word in choices else by_key[word]
    near = [choice for choice in choices if choice.casefold().startswith(word.casefold())]
    return near[0] if len(near) == 1 else word


def describe_change(before: AccuracySurface | None, after: AccuracySurface) -> str:
    """Return the overall accuracy and the expected error, now and before."""
    now = after.overall
    text = f"accuracy {now.figure}"
    if before is not None:
        text += f", was {before.overall.mean:.1%}"
    if after.expected_macro_mse is not None:
        text += f"; expected error (MSE x100) {after.expected_macro_mse:.2f}"
        if before is not None and before.expected_macro_mse is not None:
            text += f", was {before.expected_macro_mse:.2f}"
    return text


def _keys(choices: tuple[str, ...]) -> list[str]:
    """Return the key of each choice: its position, or itself if choices are numbers."""
    if any(choice.isdecimal() for choice in choices):
        return list(choices)
    return [str(k) for k in range(1, len(choices) + 1)]


def _keys_of(choices: tuple[str, ...]) -> str:
    pairs = zip(_keys(choices), choices, strict=True)
    return "   ".join(c if key == c else f"{key} {c}" for key, c in pairs)
