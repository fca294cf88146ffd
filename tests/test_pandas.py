"""pandas' own tests, which its wheel brings along, come out the same with the accessor installed.

Each selection runs twice, side by side, in interpreters of their own: one has imported rank_magic,
the other has not. A test of pandas that fails in both (for it does not know today's pyarrow, say)
is none of our business; any other difference is.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pandas as pd
import pytest

ROOT = Path(__file__).resolve().parents[1]
PANDAS = Path(pd.__file__).resolve().parent

# What asks for rank, by itself, by name or through groups, and what looks at a frame's methods.
QUICK = [
    "apply/test_str.py",
    "frame/methods/test_rank.py",
    "frame/test_api.py",
    "groupby/methods/test_rank.py",
    "groupby/test_api.py",
]
# Everything about frames and groups.
FULL = [
    "api",
    "apply",
    "copy_view",
    "frame",
    "generic",
    "groupby",
    "resample",
    "series/methods/test_rank.py",
]

PLUGIN = """
import json
import os

import pandas as pd

accessor = "RANK_MAGIC_INSTALLED" in os.environ
if accessor:
    import rank_magic
outcomes = {}


def check():
    groups = pd.DataFrame({"q": [1]}).groupby("q")
    for thing in (pd.DataFrame(), groups):
        assert hasattr(thing.rank, "ndcg") is accessor


def pytest_configure(config):
    check()


def pytest_runtest_logreport(report):
    outcome = report.outcome + (" as expected" if hasattr(report, "wasxfail") else "")
    if report.when == "call" or outcome != "passed":
        outcomes.setdefault(report.nodeid, []).append(f"{report.when} {outcome}")


def pytest_sessionfinish(session):
    check()  # no test of pandas' has removed it
    with open("outcomes.json", "w") as file:
        json.dump(outcomes, file)
"""


def run_pandas_tests(selection: list[str], folder: Path, *options: str, accessor: bool) -> dict:
    """Run tests of pandas' in `folder` and return what became of each."""
    folder.mkdir()
    (folder / "rank_magic_plugin.py").write_text(PLUGIN)
    (folder / "pytest.ini").write_text("[pytest]\n")  # neither our settings nor pandas'
    environment = {name: text for name, text in os.environ.items() if "PYTEST" not in name}
    environment |= {
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "PYTHONHASHSEED": "0",  # some of pandas' parameters come out of sets
        "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)]),
        "PYTHONWARNINGS": "default",
    }
    if accessor:
        environment["RANK_MAGIC_INSTALLED"] = "yes"
    command = [sys.executable, "-m", "pytest", "-c", "pytest.ini", "-p", "rank_magic_plugin"]
    command += [f"--rootdir={PANDAS}", f"--confcutdir={PANDAS}", "-p", "no:cacheprovider"]
    command += ["-q", "--tb=short", "--disable-warnings", *options]
    command += [str(PANDAS / "tests" / path) for path in selection]
    with (folder / "log.txt").open("w") as log:
        subprocess.run(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            timeout=3600,
            check=False,  # a test of pandas' may fail, as long as it does so in both
        )
    report = folder / "outcomes.json"
    assert report.exists(), (folder / "log.txt").read_text()[-3000:]
    return json.loads(report.read_text())


@pytest.mark.skipif(not (PANDAS / "tests").exists(), reason="this pandas came without its tests")
@pytest.mark.parametrize(
    ("selection", "options", "at_least"),
    [
        # Those that want the machine to themselves rank 16 million rows.
        pytest.param(QUICK, ["-m", "not single_cpu"], 1_900, id="quick"),
        pytest.param(FULL, [], 45_000, id="full", marks=pytest.mark.slow),
    ],
)
def test_pandas_own_tests_come_out_the_same(selection, options, at_least, tmp_path):
    def run(accessor: bool) -> dict:
        folder = tmp_path / ("with" if accessor else "without")
        return run_pandas_tests(selection, folder, *options, accessor=accessor)

    with ThreadPoolExecutor(2) as pool:
        without, with_it = pool.map(run, [False, True])
    differences = {
        test: {"without": without.get(test), "with": with_it.get(test)}
        for test in without.keys() | with_it.keys()
        if without.get(test) != with_it.get(test)
    }
    assert not differences, f"{len(differences)} differ; see {tmp_path}/*/log.txt"
    counts = Counter(outcome for [outcome, *_] in with_it.values())
    print(f"pandas {pd.__version__}:", *(f"{n:,} {what}," for what, n in counts.most_common()))
    assert counts["call passed"] >= at_least
