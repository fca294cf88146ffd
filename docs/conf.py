"""The reference: API pages from the docstrings, and the notebooks as they are."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

import rank_magic  # noqa: E402

project = "rank_magic"
author = "rank_magic contributors"
release = rank_magic.__version__

extensions = ["myst_nb", "numpydoc", "sphinx.ext.autodoc", "sphinx.ext.autosummary"]
html_theme = "pydata_sphinx_theme"
html_theme_options = {"use_edit_page_button": False, "show_prev_next": False}
html_show_sourcelink = False
exclude_patterns = ["_build", "pictures"]

# DOCS_EXECUTE=off makes pages in seconds, with the notebooks' code and without what it shows.
nb_execution_mode = os.environ.get("DOCS_EXECUTE", "force")
# Figures as HTML that needs no network, since Sphinx knows nothing of plotly's own type.
os.environ["PLOTLY_RENDERER"] = "notebook"
nb_execution_raise_on_error = True
# Where a figure is offered in plotly's type as well as in HTML, the HTML is taken.
suppress_warnings = ["mystnb.unknown_mime_type"]
nb_execution_timeout = 600
nb_mime_priority_overrides = [("html", "application/vnd.jupyter.widget-view+json", None)]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3

autosummary_generate = True
autodoc_typehints = "none"  # they stand in the docstrings, in words
autodoc_default_options = {"exclude-members": "__init__, __new__"}
numpydoc_show_class_members = True
numpydoc_show_inherited_class_members = False
numpydoc_class_members_toctree = False

# The notebooks and the table of measures lie where people look for them, not here.
for name in ("notebooks",):
    shutil.copytree(HERE.parent / name, HERE / name, dirs_exist_ok=True)
shutil.copy(HERE.parent / "MEASURES.md", HERE / "measures.md")
