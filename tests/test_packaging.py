"""What is installed: the wheel's content, the cost of importing it, floors and versions."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from importlib.metadata import version
from pathlib import Path

import pytest

import rank_magic
from floors import PROJECT, floors

REPOSITORY = Path(__file__).resolve().parents[1]
PACKAGE = REPOSITORY / "rank_magic"
HEAVY = ("IPython", "ipywidgets", "itables", "matplotlib", "plotly", "scipy")


def test_the_wheel_holds_the_package_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    ours = {
        path.relative_to(REPOSITORY).as_posix()
        for path in PACKAGE.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert names == ours
    assert "rank_magic/py.typed" in names
    assert any(name.startswith("rank_magic/datasets/") and ".csv" in name for name in names)


def test_the_wheel_is_small(wheel: Path) -> None:
    assert wheel.stat().st_size < 2_000_000


def test_the_wheel_says_who_made_its_data(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        licences = {name.split("/")[-1] for name in archive.namelist() if "/licenses/" in name}
    assert licences == {"LICENSE", "NOTICE"}


def test_importing_loads_nothing_heavy() -> None:
    script = (
        "import pandas, sys; before = set(sys.modules); import rank_magic;"
        "print(*{name.partition('.')[0] for name in set(sys.modules) - before})"
    )
    answer = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True
    )
    loaded = set(answer.stdout.split()) & set(HEAVY)
    assert not loaded, (
        f"`import rank_magic` loads {sorted(loaded)}: import them where they are used."
    )


def test_every_dependency_has_a_floor() -> None:
    assert len(floors(extras=False)) == len(PROJECT["dependencies"])
    assert floors(extras=False).items() <= floors(extras=True).items()


@pytest.mark.skipif("RANK_MAGIC_OLDEST" not in os.environ, reason="`make test-oldest` asks this")
@pytest.mark.parametrize(("name", "floor"), floors(extras=False).items())
def test_the_oldest_environment_holds_the_floors(name: str, floor: str) -> None:
    assert re.fullmatch(rf"{re.escape(floor)}(\.0)*", version(name)), f"{floor} is not tested"


def test_versions_agree() -> None:
    citation = (REPOSITORY / "CITATION.cff").read_text()
    assert re.findall(r"^version: (.+)$", citation, re.MULTILINE) == [PROJECT["version"]]
    assert rank_magic.__version__ == PROJECT["version"]
    changes = (REPOSITORY / "CHANGELOG.md").read_text()
    assert re.search(
        rf"^## \[({re.escape(PROJECT['version'])}|Unreleased)\]", changes, re.MULTILINE
    )


def test_binder_gets_what_the_tutorials_need() -> None:
    assert (REPOSITORY / "binder" / "requirements.txt").read_text().split() == [".[tutorials]"]
    runtime = (REPOSITORY / "binder" / "runtime.txt").read_text().strip()
    python = tuple(int(part) for part in runtime.removeprefix("python-").split("."))
    oldest = tuple(int(part) for part in PROJECT["requires-python"].removeprefix(">=").split("."))
    assert python >= oldest
