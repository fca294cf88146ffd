"""Imports point one way: the rooms of the package, from the ground floor up.

A module imports only what stands on a lower floor, or beside it in the same line of `FLOORS` as
long as no circle comes of it. A new module must be given its place here.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "rank_magic"

# A name is a module of rank_magic or a folder with all that is in it. Rooms that are drawn in the
# plan and not yet built may stand here.
FLOORS = [
    ["errors", "memory", "threads", "progress", "watching", "_patch"],
    ["gains", "discounts", "conventions", "weighting", "statistics", "significance", "datasets"],
    ["roles", "columns"],
    ["whole", "subtopics", "fingerprints", "grouping", "layout", "overlaps", "shapes"],
    [
        "pooling",
        "ties",
        "cascades",
        "pools",
        "blocks",
        "grades",
        "sorting",
        "matching",
        "mismatches",
    ],
    ["rankings", "formats", "joining", "attach"],
    ["measures"],
    ["values", "coverage", "query_facts", "views", "questions", "showing", "evaluation"],
    [
        "explanation",
        "subsets",
        "segments",
        "records",
        "saving",
        "comparison",
        "training",
        "raters",
        "profiling",
        "engines",
    ],
    ["whatif", "attention", "side_by_side"],
    ["notes", "comparison_notes"],
    ["browsing", "diagnosis"],
    ["tables", "explanation_tables", "plots"],
    ["report"],
    ["widgets"],
    ["accessor", "namespaces", "magics"],
    ["__init__"],
]

# A result shows and explains itself: its methods call these rooms upstairs, when they are called.
DOORS = {
    ("comparison", "comparison_notes"),
    ("comparison", "tables"),
    ("evaluation", "engines"),
    ("evaluation", "explanation"),
    ("showing", "plots"),
    ("showing", "report"),
    ("showing", "widgets"),
    ("evaluation", "tables"),
    ("questions", "comparison"),
    ("questions", "diagnosis"),
    ("questions", "saving"),
    ("questions", "segments"),
    ("explanation", "explanation_tables"),
    ("profiling", "tables"),
    ("records", "comparison"),
    ("segments", "tables"),
    ("diagnosis", "tables"),
}

# What a room does without, and why.
NO_FRAMES = "measures are about ranks, not about frames"
NO_ARITHMETIC = "the doors only pass questions on: arithmetic belongs below them"
BANNED = {
    "errors": (["numpy", "pandas"], "an error needs neither"),
    "conventions": (["pandas"], NO_FRAMES),
    "gains": (["pandas"], NO_FRAMES),
    "discounts": (["pandas"], NO_FRAMES),
    "ties": (["pandas"], NO_FRAMES),
    "blocks": (["pandas"], NO_FRAMES),
    "sorting": (["pandas"], NO_FRAMES),
    "grades": (["pandas"], NO_FRAMES),
    "measures": (["pandas"], NO_FRAMES),
    "widgets": (["numpy", "scipy"], NO_ARITHMETIC),
    "accessor": (["numpy", "scipy"], NO_ARITHMETIC),
    "magics": (["numpy", "scipy"], NO_ARITHMETIC),
}
# Too heavy to load before they are used; only these rooms, themselves loaded late, may.
HEAVY = {"IPython", "ipywidgets", "itables", "matplotlib", "plotly", "scipy"}
LOADED_LATE = {"plots", "widgets", "magics"}

MOST_LINES = 420


@dataclass(frozen=True)
class Import:
    target: (
        str  # dotted, in full: "rank_magic.blocks.Block" for `from rank_magic.blocks import Block`
    )
    line: int
    at_import: bool  # runs when the module is imported: not in a function, not for types alone


@dataclass(frozen=True)
class Module:
    path: Path
    name: str  # "measures.gain"
    room: str  # "measures"

    def __str__(self) -> str:
        return self.path.relative_to(PACKAGE.parent).as_posix()


def room_of(dotted: str) -> str:
    """Return the room in which rank_magic.<dotted> stands."""
    return dotted.partition(".")[0] or "__init__"


@cache
def modules() -> tuple[Module, ...]:
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = [*path.relative_to(PACKAGE).parts[:-1], path.stem]
        name = ".".join(part for part in parts if part != "__init__")
        found.append(Module(path, name, room_of(name)))
    return tuple(found)


@cache
def imports(module: Module) -> tuple[Import, ...]:
    return tuple(_imports(module, ast.parse(module.path.read_text()), at_import=True))


def all_imports() -> Iterator[tuple[Module, Import]]:
    return ((module, one) for module in modules() for one in imports(module))


def _imports(module: Module, node: ast.AST, *, at_import: bool) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        now = at_import and not isinstance(
            child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
        )
        if isinstance(child, ast.Import):
            yield from (Import(alias.name, child.lineno, at_import) for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            source = _absolute(module, child)
            for alias in child.names:
                yield Import(f"{source}.{alias.name}", child.lineno, at_import)
        elif isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            for part in child.body:
                yield from _imports(module, ast.Module([part], []), at_import=False)
            for part in child.orelse:
                yield from _imports(module, ast.Module([part], []), at_import=now)
        else:
            yield from _imports(module, child, at_import=now)


def _absolute(module: Module, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    package = ["rank_magic", *module.path.relative_to(PACKAGE).parts[:-1]]
    base = package[: len(package) - node.level + 1]
    return ".".join([*base, *([node.module] if node.module else [])])


def inner(target: str) -> str | None:
    """Return the module of rank_magic that an import is of, without the prefix; None for others."""
    if target != "rank_magic" and not target.startswith("rank_magic."):
        return None
    dotted = target.removeprefix("rank_magic").removeprefix(".")
    names = {module.name for module in modules()}
    while dotted and dotted not in names:
        dotted = dotted.rpartition(".")[0]
    return dotted


def report(wrong: Iterable[str]) -> None:
    """Fail with every line of `wrong`, if there is any."""
    lines = list(wrong)
    assert not lines, "\n" + "\n".join(lines)


def test_every_module_has_its_place() -> None:
    placed = {room for floor in FLOORS for room in floor}
    homeless = sorted({module.room for module in modules()} - placed)
    assert not homeless, (
        f"New in rank_magic: {homeless}. Put each on its floor in FLOORS, {__file__}."
    )


def test_every_room_is_on_the_map_that_newcomers_get() -> None:
    text = (PACKAGE.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = text.partition("| room |")[2].partition("\n\n")[0]
    named = {name.rstrip("/") for name in re.findall(r"`([\w./]+)`", table)}
    rooms = {
        path.stem
        for path in PACKAGE.iterdir()
        if not path.name.startswith("__") and (path.is_dir() or path.suffix == ".py")
    }
    assert rooms - named == set()


def test_imports_point_one_way() -> None:
    floor = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}
    report(
        f"{module}:{one.line}: {module.room} imports {room_of(target)}, which stands above it"
        for module, one in all_imports()
        if (target := inner(one.target)) is not None
        and floor.get(room_of(target), 0) > floor.get(module.room, len(FLOORS))
        and (one.at_import or (module.room, room_of(target)) not in DOORS)
    )


def test_nothing_imports_itself_in_a_circle() -> None:
    graph: dict[str, set[str]] = {module.name: set() for module in modules()}
    for module, one in all_imports():
        target = inner(one.target)
        if one.at_import and target is not None and target != module.name:
            graph[module.name].add(target)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as circle:
        pytest.fail("Imports in a circle: " + " is imported by ".join(circle.args[1]))


def test_rooms_do_without_what_is_not_theirs() -> None:
    report(
        f"{module}:{one.line}: imports {one.target}, but {reason}"
        for module, one in all_imports()
        for banned, reason in [BANNED.get(module.room, ([], ""))]
        if one.target.partition(".")[0] in banned
    )


def test_heavy_packages_are_loaded_when_used() -> None:
    report(
        f"{module}:{one.line}: import {one.target} in the function that needs it"
        for module, one in all_imports()
        if one.at_import
        and one.target.partition(".")[0] in HEAVY
        and module.room not in LOADED_LATE
    )


def test_files_can_be_read_in_one_sitting() -> None:
    report(
        f"{module} has {lines} lines, about 400 is the limit: split it"
        for module in modules()
        if (lines := len(module.path.read_text().splitlines())) > MOST_LINES
    )


def test_rows_are_never_looped_over() -> None:
    report(
        f"{module}:{node.lineno}: .{node.attr}"
        for module in modules()
        for node in ast.walk(ast.parse(module.path.read_text()))
        if isinstance(node, ast.Attribute) and node.attr in {"iterrows", "itertuples"}
    )
