"""A health check of an evaluation set: what is in it, and what looks wrong with it."""

from rank_magic.profiling.profiles import Profile, profile

__all__ = ["Profile", "profile"]
