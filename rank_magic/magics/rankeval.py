"""The magic itself: from what a line asks for to an Evaluation."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Hashable, Mapping
from pathlib import Path
from types import MethodType
from typing import TYPE_CHECKING, Any

import traitlets
from IPython.core.error import UsageError
from IPython.core.magic import line_cell_magic, magics_class, no_var_expand
from pandas.core.groupby.generic import DataFrameGroupBy

from rank_magic.comparison import Comparison
from rank_magic.errors import MeasureError, RankMagicError
from rank_magic.evaluation import Evaluation, evaluate
from rank_magic.magics.body import compile_body
from rank_magic.magics.completion import make_matcher
from rank_magic.magics.frames import as_columns, frame_names, look_up, one_frame
from rank_magic.magics.helping import help_text
from rank_magic.magics.planning import Plan, make_plan
from rank_magic.magics.reading import HELP, for_the_line, read_line
from rank_magic.magics.settings import Setting, Settings, changed
from rank_magic.measures import parse
from rank_magic.segments import Segments
from rank_magic.tables import prepare, write
from rank_magic.watching import progress_bar

if TYPE_CHECKING:
    from rank_magic.widgets import Explorer

__all__ = ["RankMagics", "load", "unload"]

NAME = "RankMagics"


@magics_class
class RankMagics(Settings):
    """Ranking evaluation: %rankeval and %%rankeval."""

    # Names are looked up here, since IPython's expansion of $x and {x} gives up on the whole line
    # when one of them is undefined. A semicolon is looked for here, too: see `split_line`.
    @no_var_expand
    @line_cell_magic
    def rankeval(
        self, line: str, cell: str | None = None
    ) -> Evaluation | Segments | Comparison | Explorer | None:
        """Measure rankings."""
        request = read_line(line)
        if request.help:
            sys.stdout.write(help_text())
            return None
        shell: Any = self.shell
        namespace, words = shell.user_ns, request.words
        body = None if cell is None else compile_body(shell, cell)
        if body is None:
            found, words = _frame_on_the_line(words, namespace), words[1:]
        plan = make_plan(request, words, changed(self), namespace)
        if body is not None:
            found = body.run(shell)
        silent = request.silent or (body is not None and body.silent)
        where = f"{request.words[0]} is" if body is None else "The body ends in"
        result = self._measured(found, plan, where, silent=silent)
        if plan.out is not None:
            shell.push({plan.out: result})
        if silent:
            return None
        if plan.explore and isinstance(result, Evaluation):
            return result.explore()
        return result

    def _measured(
        self, found: Any, plan: Plan, where: str, *, silent: bool
    ) -> Evaluation | Segments | Comparison:
        """Measure, get ready what showing the result takes, and write the file."""
        result: Evaluation | Segments | Comparison
        try:
            with progress_bar(self.shell):
                frame, roles = one_frame(found, plan.engine, where)
                engine = as_columns(frame, roles)
                if isinstance(frame, DataFrameGroupBy):
                    evaluation = frame.rank.evaluate(plan.measures, **engine)
                else:
                    evaluation = evaluate(frame, plan.measures, **engine)
                result = evaluation = evaluation.shown(**plan.looks)
                if plan.baseline is not None:
                    result = evaluation.compare(baseline=_system(plan.baseline, evaluation))
                if plan.by is not None:
                    result = evaluation.by(as_columns(frame, {"by": plan.by})["by"])
                if not silent and not plan.explore:
                    prepare(result)
                if plan.to is not None:
                    _write(result, plan.to)
        except RankMagicError as error:
            message = f"{for_the_line(str(error))} {plan.session}".rstrip()
            raise type(error)(message) from None
        except KeyboardInterrupt as error:
            _say_only(error, "KeyboardInterrupt: stopped before there was a result.")
            raise
        return result


RankMagics.rankeval.__doc__ = f"Measure rankings.\n\n{help_text()}"


def _system(name: str, evaluation: Evaluation) -> Hashable:
    """Return the system of that name, which need not be text."""
    return next((one for one in evaluation.systems if str(one) == name), name)


def _write(result: Evaluation | Segments | Comparison, path: Path) -> None:
    try:
        write(result, path)
    except OSError as error:
        raise UsageError(f"{path} can't be written: {error}.") from None


def _say_only(error: BaseException, message: str) -> None:
    error._render_traceback_ = lambda: [message]  # type: ignore[attr-defined]


def _frame_on_the_line(words: list[str], namespace: Mapping[str, Any]) -> Any:
    """Return what the first word of a line stands for, the frame."""
    frames = frame_names(namespace)
    example = frames[0] if frames else "FRAME"
    known = f" Frames here: {', '.join(frames)}." if frames else ""
    if not words:
        raise UsageError(f"Name a frame: %rankeval {example} ndcg@10.{known} {HELP}")
    try:
        return look_up(words[0], namespace)
    except UsageError:
        try:
            parse(words[0])
        except MeasureError:
            pass
        else:
            rest = " ".join(words)
            raise UsageError(f"The frame comes first: %rankeval {example} {rest}.{known}") from None
        raise


# Coming and going.


def load(shell: Any) -> None:
    """Add the magics, their completion and their settings to a shell."""
    unload(shell)
    _drop_bad_settings(shell)
    magics = RankMagics(shell)
    shell.register_magics(magics)
    shell.Completer.custom_matchers.append(make_matcher(magics))


def unload(shell: Any) -> None:
    """Take away what `load` added; what was set with ``%config`` stays in the shell's config."""
    # By name: after a reload the classes of this module are new ones.
    manager, matchers = shell.magics_manager, shell.Completer.custom_matchers
    manager.registry.pop(NAME, None)
    for table in manager.magics.values():
        for name in [name for name, function in table.items() if _is_ours(function)]:
            del table[name]
    shell.configurables[:] = [one for one in shell.configurables if type(one).__name__ != NAME]
    ours = make_matcher.__module__
    matchers[:] = [one for one in matchers if getattr(one, "__module__", "") != ours]


def _is_ours(function: Any) -> bool:
    # Asked for anything else, a magic that IPython has yet to load would be loaded.
    return isinstance(function, MethodType) and type(function.__self__).__name__ == NAME


def _drop_bad_settings(shell: Any) -> None:
    """Forget settings that can't be: %config keeps what was refused, and hands it out again."""
    section = shell.config.get(NAME, {})
    traits = RankMagics.class_traits(config=True)
    for name, value in list(section.items()):
        trait = traits.get(name)
        if isinstance(trait, Setting):
            try:
                trait.validate(None, trait.plain(value))
            except traitlets.TraitError as error:
                del section[name]
                warnings.warn(str(error), stacklevel=2)
