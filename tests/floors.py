"""Print the oldest versions that pyproject.toml allows, as constraints for pip.

`make test-oldest` installs these. Only what the package and its extras ask for is held down: the
test tools stay new, and what our dependencies need in turn is theirs to say.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
# A name, perhaps extras, then the floor: "dask[dataframe]>=2024.8", "pandas>=2.2,<4".
REQUIREMENT = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^]]*\])?>=([0-9.]+)")


def floors(*, extras: bool) -> dict[str, str]:
    """Return the floor of every dependency by name; one without a floor is an error."""
    requirements = list(PROJECT["dependencies"])
    if extras:
        requirements += [
            one for extra in PROJECT["optional-dependencies"].values() for one in extra
        ]
    lowest: dict[str, str] = {}
    for requirement in requirements:
        if requirement.startswith(f"{PROJECT['name']}["):
            continue  # an extra made of other extras
        match = REQUIREMENT.match(requirement)
        if match is None:
            raise ValueError(
                f"{requirement!r} in pyproject.toml has no floor: write 'name>=version'."
            )
        name, version = match.groups()
        if lowest.setdefault(name, version) != version:
            raise ValueError(f"{name} has two floors in pyproject.toml: {lowest[name]}, {version}.")
    return lowest


if __name__ == "__main__":
    for name, version in sorted(floors(extras=True).items()):
        print(f"{name}=={version}")
