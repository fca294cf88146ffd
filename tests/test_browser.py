"""What people see in a real JupyterLab. The tools are in browser.py."""

from __future__ import annotations

import sys

import nbformat
import pytest

from browser import Lab

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_a_notebook_runs_is_saved_and_reopens_with_its_outputs(lab: Lab, dark: bool) -> None:
    path = lab.write(
        "import sys; print(sys.executable)",
        "import pandas as pd; pd.DataFrame({'query': ['laptop'], 'grade': [3]})",
    )
    page = lab.open(path, dark=dark)
    page.run_all()
    assert page.text(0).strip() == sys.executable, "the kernel is not the one under test"
    assert "laptop" in page.text(1)
    theme = "dark" if dark else "light"
    assert page.screenshot(f"smoke-{theme}").stat().st_size > 10_000

    page.save()
    saved = nbformat.read(path, as_version=4)
    assert "laptop" in saved.cells[1].outputs[0]["data"]["text/html"]

    page.reopen()
    assert "laptop" in page.text(1)
    assert "laptop" in page.outputs(1)[0]["data"]["text/html"]
    assert page.outside_requests == []
    assert page.errors == []


def test_a_cell_that_fails_is_reported(lab: Lab) -> None:
    page = lab.open(lab.write("1 / 0"))
    with pytest.raises(AssertionError, match="cell 0: ZeroDivisionError: division by zero"):
        page.run_all()
    page.run_all(allow_errors=True)
