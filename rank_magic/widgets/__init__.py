"""Explorers: widgets that show why a ranking scores what it scores.

One file for each explorer (`queries`, `discounts`, `systems`) and for each part that they are made
of. They do no arithmetic: they ask evaluations, explanations, comparisons and `rank_magic.whatif`,
and show the answers.
"""

from rank_magic.widgets.discounts import DiscountExplorer
from rank_magic.widgets.explorer import Explorer
from rank_magic.widgets.queries import QueryExplorer
from rank_magic.widgets.systems import SystemsExplorer

__all__ = ["DiscountExplorer", "Explorer", "QueryExplorer", "SystemsExplorer"]
