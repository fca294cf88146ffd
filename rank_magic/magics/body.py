"""The body of a cell: Python that ends in the frame."""

from __future__ import annotations

import ast
import inspect
import traceback
from dataclasses import dataclass
from types import CodeType, TracebackType
from typing import Any

from IPython.core.displayhook import DisplayHook
from IPython.core.error import UsageError

__all__ = ["Body", "CellSyntaxError", "compile_body"]


class CellSyntaxError(Exception):
    """A syntax error in the body of a cell, shown as IPython shows those of other cells."""

    def __init__(self, error: SyntaxError, shell: Any, trace: TracebackType | None = None) -> None:
        super().__init__(*error.args)
        self._error, self._shell, self._trace = error, shell, trace

    def __str__(self) -> str:
        return str(self._error)

    def _render_traceback_(self) -> list[str]:
        # SyntaxError itself would bring our own frames with it: IPython shows all of them.
        stack = traceback.extract_tb(self._trace)
        lines: list[str] = self._shell.SyntaxTB.structured_traceback(
            type(self._error), self._error, list(stack)
        )
        return lines


@dataclass(frozen=True)
class Body:
    """A body, compiled: what comes first, and the expression that it ends in."""

    name: str
    first: CodeType
    last: CodeType
    silent: bool

    def run(self, shell: Any) -> Any:
        """Run the body in the user's namespace and return what it ends in.

        What is raised in it passes through, with the user's own lines as its traceback.
        """
        try:
            exec(self.first, shell.user_global_ns, shell.user_ns)
            return eval(self.last, shell.user_global_ns, shell.user_ns)
        except SyntaxError as error:
            raise CellSyntaxError(error, shell, self._own(error.__traceback__)) from error
        except (Exception, KeyboardInterrupt) as error:
            _show_only(error, self._own(error.__traceback__), shell)
            raise

    def _own(self, trace: TracebackType | None) -> TracebackType | None:
        """Return a traceback from the body's first line on."""
        whole = trace
        while trace is not None and trace.tb_frame.f_code.co_filename != self.name:
            trace = trace.tb_next
        return trace or whole


def _show_only(error: BaseException, trace: TracebackType | None, shell: Any) -> None:
    """Have IPython show an error with this traceback: it asks the error itself, if it can."""
    if hasattr(type(error), "_render_traceback_"):
        return

    def render() -> list[str]:
        lines: list[str] = shell.InteractiveTB.structured_traceback(
            type(error), error, trace, tb_offset=0
        )
        return lines

    error._render_traceback_ = render  # type: ignore[attr-defined]


def compile_body(shell: Any, cell: str) -> Body:
    """Compile the body of a cell without running any of it.

    Raises
    ------
    CellSyntaxError
        If it is no Python; lines are counted as the person sees them, the magic's own first.
    UsageError
        If it awaits something, or does not end in an expression.
    """
    lines = cell.splitlines()
    blank = next((place for place, line in enumerate(lines) if line.strip()), len(lines))
    try:
        # IPython drops blank lines in front, and has taken the magic's line.
        source = "\n" * (1 + blank) + shell.transform_cell(cell)
        # Whether the counter is put up before or after a cell runs differs between versions.
        number = shell.displayhook.prompt_count
        name = shell.compile.cache(source, number, raw_code=source)
        tree = shell.transform_ast(shell.compile.ast_parse(source, name))
        last = tree.body[-1] if tree.body else None
        if not isinstance(last, ast.Expr):
            raise UsageError(_no_expression(last))
        first = ast.Module(tree.body[:-1], tree.type_ignores)
        with shell.compile.extra_flags(ast.PyCF_ALLOW_TOP_LEVEL_AWAIT):
            codes = (
                shell.compile(first, name, "exec"),
                shell.compile(ast.Expression(last.value), name, "eval"),
            )
    except SyntaxError as error:
        raise CellSyntaxError(error, shell) from None
    if any(code.co_flags & inspect.CO_COROUTINE for code in codes):
        raise UsageError(
            "The body can't await. Await in a cell of its own, assign what comes of it, and "
            "name that here."
        )
    silent = DisplayHook.semicolon_at_end_of_expression(source)  # type: ignore[no-untyped-call]
    return Body(name, *codes, silent)


def _no_expression(last: ast.stmt | None) -> str:
    if isinstance(last, (ast.Assign, ast.AnnAssign)):
        targets = last.targets if isinstance(last, ast.Assign) else [last.target]
        if isinstance(targets[0], ast.Name):
            return (
                f"The body ends in an assignment, so there is no frame to measure. Add a last "
                f"line: {targets[0].id}"
            )
    if last is None:
        return "The body is empty. Let it end in the frame."
    return "The body must end in an expression, the frame to measure; it ends in a statement."
