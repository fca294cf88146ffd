"""What ``%config RankMagics`` sets for the session."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable
from typing import Any

import traitlets
from IPython.core.magic import Magics
from traitlets.config.loader import DeferredConfig

from rank_magic.conventions import Conventions, is_whole
from rank_magic.errors import RankMagicError
from rank_magic.evaluation import evaluate
from rank_magic.magics.options import Option, options
from rank_magic.measures import parse_all
from rank_magic.views import View

__all__ = ["Setting", "Settings", "changed"]


class Setting(traitlets.TraitType[Any, Any]):
    """A default for the session: what an option of the same name would say on the line."""

    def __init__(self, name: str, default: Any, text: str) -> None:
        super().__init__(default, help=text)
        self.tag(config=True)
        self._checks = name
        self.info_text = text

    def from_string(self, s: str) -> Any:
        """Read a value that comes from the command line."""
        try:
            return ast.literal_eval(s)
        except (ValueError, SyntaxError):
            return s

    def plain(self, value: Any) -> Any:
        """Return a value of a config, read if it comes from the command line."""
        return value.get_value(self) if isinstance(value, DeferredConfig) else value

    def validate(self, obj: Any, value: Any) -> Any:  # noqa: ARG002
        """Return the value in its plain form, or say what is wrong with it in one line."""
        if value == self.default_value:
            return value
        try:
            return checked(self._checks, value)
        except RankMagicError as error:
            raise traitlets.TraitError(
                f"RankMagics.{self._checks} stays as it is: {error}"
            ) from None


def checked(name: str, value: Any) -> Any:
    """Return a session default in its plain form.

    Raises
    ------
    RankMagicError
        If it can't be one.
    """
    if name == "measures":
        return [str(measure) for measure in parse_all(value)]
    if name == "cutoffs":
        cutoffs = (
            list(value) if isinstance(value, Iterable) and not isinstance(value, str) else [value]
        )
        if not all(is_whole(k) and k >= 1 for k in cutoffs):
            raise RankMagicError(f"cutoffs must be whole numbers of at least 1, not {value!r}.")
        return [int(k) for k in cutoffs]
    if name in Conventions.names():
        return getattr(Conventions(**{name: value}), name)
    if name == "decimals":
        return View(decimals=value).decimals
    option = next(option for option in options() if option.name == name)
    return _columns(option, value)


def _columns(option: Option, value: Any) -> Any:
    if option.choices and value not in (None, *option.choices):
        raise RankMagicError(
            f"{option.name}={value!r} is not a choice. It is {option.choices[0]!r}."
        )
    if isinstance(value, (list, tuple)) and not option.several:
        raise RankMagicError(f"The {option.name} is one column, not {value!r}.")
    if isinstance(value, (dict, set)) or value == "":
        raise RankMagicError(f"{option.name} must name a column, not {value!r}.")
    return list(value) if isinstance(value, (list, tuple)) else value


def session_traits() -> dict[str, Setting]:
    """Return a trait for every option that can be set for the session, and for the measures."""
    engine = inspect.signature(evaluate).parameters
    traits = {
        "measures": Setting(
            "measures", None, "Measures when none is named, such as ['nDCG@10', 'RR']."
        )
    }
    for option in options():
        if option.session:
            default = engine[option.name].default if option.engine else None
            if option.name == "decimals":
                default = View().decimals
            text = option.help[:1].upper() + option.help[1:] + "."
            traits[option.name] = Setting(option.name, default, text)
    return traits


class Settings(Magics):
    """The base of the magics, with a trait for each default of the session."""

    locals().update(session_traits())


def changed(settings: Any) -> dict[str, Any]:
    """Return the session defaults that differ from what they are by nature."""
    return {
        name: getattr(settings, name)
        for name, trait in settings.traits(config=True).items()
        if isinstance(trait, Setting) and getattr(settings, name) != trait.default_value
    }
