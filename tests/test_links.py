"""Binder: its links, and the environment that it builds; what notebooks import is in it."""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from floors import PROJECT

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "scripts"))

import link_notebooks  # noqa: E402

NOTEBOOKS = link_notebooks.notebooks()
every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
ADVICE = "run: python scripts/link_notebooks.py"


@every_notebook
def test_a_notebook_begins_with_its_link_to_binder(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == link_notebooks.linked(path), ADVICE
    assert link_notebooks.binder(path) in path.read_text(encoding="utf-8")


def test_the_readme_lists_every_notebook() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert text == link_notebooks.listed(), ADVICE
    for path in NOTEBOOKS:
        assert f"](notebooks/{path.name})" in text


def test_where_the_repository_is_stands_in_one_place() -> None:
    owner = link_notebooks.REPOSITORY.removeprefix("https://github.com/")
    assert re.fullmatch(r"[\w-]+/rank_magic", owner)
    for path in (*NOTEBOOKS, ROOT / "README.md"):
        places = re.findall(r"mybinder\.org/v2/gh/([\w.-]+/[\w.-]+)", path.read_text("utf-8"))
        assert set(places) == {owner}, ADVICE


def test_links_between_notebooks_lead_somewhere() -> None:
    for path in NOTEBOOKS:
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            for target in re.findall(r"\]\(([^)#]+)\)", "".join(cell["source"])):
                known = target.startswith("https://") or (path.parent / target).exists()
                assert cell["cell_type"] != "markdown" or known, f"{path.name}: {target}"


@every_notebook
def test_binder_installs_what_the_notebook_imports(path: Path) -> None:
    (line,) = (ROOT / "binder" / "requirements.txt").read_text().split()
    extra = Requirement(line.replace(".", "rank-magic", 1)).extras
    there = {"rank-magic", *names(PROJECT["dependencies"]), *of_extras(extra)}
    homes = packages_distributions()
    for module in imported(path):
        if module not in sys.stdlib_module_names | {"rank_magic"}:
            distributions = {canonical(name) for name in homes[module]}
            assert distributions & there, f"{path.name} imports {module}: add it to `tutorials`"


def of_extras(extras: set[str]) -> set[str]:
    """Return what extras of the project install, extras within extras included."""
    found: set[str] = set()
    for extra in extras:
        for line in PROJECT["optional-dependencies"][extra]:
            one = Requirement(line)
            found |= of_extras(one.extras) if one.name == "rank-magic" else names([line])
    return found


def names(lines: list[str]) -> set[str]:
    return {canonical(Requirement(line).name) for line in lines}


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def imported(path: Path) -> set[str]:
    """Return the top modules that a notebook's code imports."""
    found = set()
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] != "code":
            continue
        lines = "".join(cell["source"]).splitlines()
        tree = ast.parse("\n".join(line for line in lines if not line.lstrip().startswith("%")))
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                found.add((node.module or "").partition(".")[0])
    return found


def test_binder_would_install_the_package_from_its_source(tmp_path: Path) -> None:
    pytest.importorskip("repo2docker")
    shutil.copytree(ROOT / "binder", tmp_path / "binder")
    answer = subprocess.run(
        [sys.executable, "-m", "repo2docker", "--no-build", "--debug", str(tmp_path)],
        check=True,
        capture_output=True,
        text=True,
    )
    steps = (answer.stdout + answer.stderr).splitlines()
    python = (ROOT / "binder" / "runtime.txt").read_text().strip().removeprefix("python-")
    assert any(f"environment.py-{python}" in step or f"python={python}" in step for step in steps)
    (install,) = [at for at, step in enumerate(steps) if "pip install" in step and "-r" in step]
    source = [at for at, step in enumerate(steps) if re.search(r"COPY .*src/ \$\{REPO_DIR\}", step)]
    assert min(source) < install, "`.[tutorials]` needs the source to be there"
