"""Put links to Binder where people look: into the README and at the top of every notebook.

``python scripts/link_notebooks.py`` after a notebook was added or the repository moved. Where the
repository is, pyproject.toml says, and nothing else does.
"""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
REPOSITORY = PROJECT["urls"]["Repository"]
LINE = re.compile(r"\n\n\[Run it on Binder\]\([^)]*\)")
BADGE = re.compile(r"(?<=badge_logo\.svg\)\]\()[^)]*")
LIST = re.compile(r"(?<=<!-- notebooks -->\n\n).*?(?=<!-- end -->)", re.DOTALL)


def notebooks() -> list[Path]:
    """Return the notebooks in the order in which they are read."""
    return sorted((ROOT / "notebooks").glob("*.ipynb"))


def binder(notebook: Path) -> str:
    """Return the link that opens a notebook on Binder."""
    where = REPOSITORY.removeprefix("https://github.com/")
    return f"https://mybinder.org/v2/gh/{where}/HEAD?urlpath=lab/tree/notebooks/{notebook.name}"


def linked(path: Path) -> str:
    """Return a notebook's file with the link under its title.

    It is text, not a badge: a picture would ask the network whenever the notebook is opened.
    """
    book = json.loads(path.read_text(encoding="utf-8"))
    first = book["cells"][0]
    text = LINE.sub("", "".join(first["source"]))
    title, blank, rest = text.partition("\n\n")
    text = f"{title}\n\n[Run it on Binder]({binder(path)}){blank}{rest}"
    first["source"] = text.splitlines(keepends=True)
    return json.dumps(book, indent=1, ensure_ascii=False) + "\n"


def listed() -> str:
    """Return the README with all notebooks in its list."""
    lines = []
    for path in notebooks():
        cell = json.loads(path.read_text(encoding="utf-8"))["cells"][0]
        title = "".join(cell["source"]).splitlines()[0].removeprefix("# ")
        lines.append(
            f"- [{path.stem}](notebooks/{path.name}) ([Binder]({binder(path)})): {title}\n"
        )
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    text = BADGE.sub(binder(notebooks()[0]), text)
    return LIST.sub("".join(lines) + "\n", text)


def main() -> None:
    """Write what has changed."""
    for path in notebooks():
        path.write_text(linked(path), encoding="utf-8")
    (ROOT / "README.md").write_text(listed(), encoding="utf-8")


if __name__ == "__main__":
    main()
