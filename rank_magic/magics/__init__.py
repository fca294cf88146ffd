"""`%rankeval` and `%%rankeval`: what ``%load_ext rank_magic`` adds to the shell.

A line is split (`splitting`), read by the options there are (`options`), completed by what the
session's `settings` say, and answered (`rankeval`): names are looked up (`frames`), a cell's body
is run (`body`), and an Evaluation comes back. `completion` offers what may be typed next.
"""

from rank_magic.magics.rankeval import load, unload

__all__ = ["load", "unload"]
