"""Put an accessor where pandas has a method, and leave the method as it was.

``df.rank(...)`` is pandas' own and stays so to the letter, while ``df.rank.ndcg(k=10)`` is ours.
So what is handed out for ``df.rank`` is, as far as a program can tell, the bound method itself,
with more methods on it:

- `MethodAccessor` is a ``functools.partial`` of pandas' function and the frame. Calling it adds no
  Python frame: pandas' warnings still point at the user's line, tracebacks are as short as before.
- A descriptor hands out pandas' function on the class and a fresh accessor on an object. It caches
  nothing (pandas gave that up for its accessors: leaks and stale state), and without ``__set__``
  assigning to ``df.rank`` does what it always did.
- `install` touches the one class it is given; `uninstall` gives it back the very same function.
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Iterable
from typing import Any, Self

from rank_magic.errors import RankMagicError

# How this module knows its own work later on: after importlib.reload the classes below are new
# ones, and isinstance no longer recognises what the old ones left in pandas.
_MARKER = "_rank_magic_patch"


class MethodAccessor(functools.partial[Any]):
    """A bound method with more methods on it; subclasses add them.

    It passes for the method it stands for: name, docstring, signature, equality, hash, pickling,
    even ``isinstance(df.rank, types.MethodType)``; hence ``type(self)``, not ``self.__class__``.
    A subclass's own ``__getattr__`` or ``__dir__`` ends in a call of the one here, and annotates
    no class attributes, since those would stand for the method's ``__annotations__``.
    """

    def __new__(cls, func: Callable[..., Any], obj: Any) -> Self:
        """Bind `func` to `obj`, as ``types.MethodType(func, obj)`` does, looking at neither."""
        self = functools.partial.__new__(cls, func, obj)
        # On the instance: every class has a __doc__ and a __module__ of its own, and none may have
        # a property called __qualname__. A partial with attributes is also kept whole inside
        # another one, functools.partial(df.rank, pct=True), as a bound method is.
        self.__doc__ = func.__doc__
        self.__module__ = func.__module__
        self.__name__ = func.__name__  # type: ignore[attr-defined]
        self.__qualname__ = func.__qualname__  # type: ignore[attr-defined]
        return self

    # inspect (and so pandas' apply("rank")), pydoc, mock and joblib recognise a method by
    # isinstance, then read __func__ and __self__.
    __class__ = property(lambda _: types.MethodType)
    __func__ = property(lambda self: self.func)
    __self__ = property(lambda self: self.args[0])

    @property
    def _obj(self) -> Any:
        """What the method is bound to: a frame or a grouped one, not checked in any way."""
        return self.args[0]

    def __getattr__(self, name: str) -> Any:
        # __code__, __defaults__, ...: a bound method asks its function, too.
        return getattr(self.func, name)

    def __dir__(self) -> Iterable[str]:
        # object's own would believe __class__ and leave out whatever subclasses add.
        return {*dir(types.MethodType(self.func, self._obj)), *dir(type(self))}

    def __get__(self, obj: object, owner: type | None = None) -> Self:
        # Bound once and for all; as a class attribute Python 3.14 would bind a partial again.
        return self

    def __repr__(self) -> str:
        return repr(types.MethodType(self.func, self._obj))

    def __eq__(self, other: object) -> bool:
        # The same function of the same object, whatever that object's own == says.
        if not isinstance(other, types.MethodType):
            return NotImplemented
        return other.__self__ is self._obj and bool(other.__func__ == self.func)

    def __hash__(self) -> int:
        return hash(types.MethodType(self.func, self._obj))

    def __reduce__(self) -> tuple[Any, ...]:
        return getattr, (self._obj, self.__name__)


class _PatchedMethod:
    """What stands in the class: it passes for the function, and binds it by an accessor."""

    _rank_magic_patch = True
    __class__ = property(lambda _: types.FunctionType)

    def __init__(
        self, accessor_class: type[MethodAccessor], original: types.FunctionType, *, inherited: bool
    ) -> None:
        self.accessor_class = accessor_class
        self.original = original
        self.inherited = inherited
        functools.update_wrapper(self, original)

    def __get__(self, obj: object, owner: type | None = None) -> Any:
        return self.original if obj is None else self.accessor_class(self.original, obj)

    # For who looks into the class's __dict__, as mock.patch.object(..., autospec=True) does.
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.original(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.original, name)


def install(accessor_class: type[MethodAccessor], owner: type, name: str) -> None:
    """Make the method `name` of `owner`'s objects an accessor that is also the method it was.

    Only `owner` changes, even where it inherits the method. Installing again, also after
    ``importlib.reload``, replaces the accessor class and keeps the original method; a method that
    somebody else has wrapped since is kept as they left it.
    """
    present: Any = inspect.getattr_static(owner, name)
    original = present.original if hasattr(present, _MARKER) else present
    if not isinstance(original, types.FunctionType):
        raise RankMagicError(
            f"{owner.__name__}.{name} is no plain method but {original!r}: another package has "
            f"replaced it. Undo that, or import that package after rank_magic."
        )
    here: Any = vars(owner).get(name)
    inherited = here.inherited if hasattr(here, _MARKER) else here is None
    setattr(owner, name, _PatchedMethod(accessor_class, original, inherited=inherited))


def uninstall(owner: type, name: str) -> None:
    """Undo `install`; do nothing where something else stands, or nothing was installed."""
    here: Any = vars(owner).get(name)
    if not hasattr(here, _MARKER):
        return
    if here.inherited:
        delattr(owner, name)
    else:
        setattr(owner, name, here.original)
