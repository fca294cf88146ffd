"""Small real data that ships with the package, each set with its loader.

Nothing is read before a loader is called, nothing is downloaded, and every call returns a
frame of its own: changing it changes nothing for the next caller.
"""

from ._bandit import load_bandit_clicks
from ._electronics import load_electronics, load_electronics_ratings
from ._letor import load_letor

__all__ = ["load_bandit_clicks", "load_electronics", "load_electronics_ratings", "load_letor"]
