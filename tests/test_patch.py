"""`df.rank` is still pandas' method, whatever a program does with it, and can be put back.

Most of this asks an interpreter that has never seen rank_magic and one that has it the same
questions, and wants the same answers. pandas' own tests are in test_pandas.py.
"""

from __future__ import annotations

import gc
import importlib.util
import inspect
import json
import os
import pickle
import subprocess
import sys
import textwrap
import time
import timeit
import types
import warnings
import weakref
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from unittest import mock

import pandas as pd
import pytest
from pandas.api.typing import DataFrameGroupBy, SeriesGroupBy

import rank_magic
from rank_magic import _patch
from rank_magic._patch import MethodAccessor, install, uninstall
from rank_magic.errors import RankMagicError

ROOT = Path(__file__).parents[1]

# Every snippet starts from the same frames; its last line is an expression, and the answer.
SETUP = """
import contextlib, copy, functools, inspect, io, operator, pickle, pydoc, traceback, types, weakref
from concurrent.futures import ThreadPoolExecutor
from unittest import mock
import numpy as np
import pandas as pd
df = pd.DataFrame({"q": list("aabbb"), "x": [3, 1, 2, 2, np.nan], "y": [1, 2, 3, 5, 4]})
num = df[["x", "y"]]
groups = df.groupby("q")
ranked = df.assign(rank=[1, 2, 1, 2, 3])
class Sub(pd.DataFrame):
    _constructor = property(lambda self: Sub)
class Own(Sub):
    def rank(self, *args, twice=False, **kwargs):
        return super().rank(*args, **kwargs) * (2 if twice else 1)
"""

SNIPPETS = {
    # Calls
    "call": "df.rank()",
    "descending": "df.rank(ascending=False)",
    "by position": "df.rank(0, 'min', True, 'top', False, True)",
    "by keyword": "df.rank(method='dense', numeric_only=True, pct=True)",
    "across columns": "num.rank(axis='columns')",
    "on the class": "pd.DataFrame.rank(df), pd.DataFrame.rank(self=df, ascending=False)",
    "on the base class": "pd.core.generic.NDFrame.rank(df)",
    "as a callback": "list(map(pd.DataFrame.rank, [df, num])), list(map(num.rank, [0, 1]))",
    "empty frames": "pd.DataFrame().rank(), df.iloc[:0].rank(), df[[]].rank()",
    "nullable and arrow": "num.convert_dtypes().rank(), num.astype('Float32').rank(method='min')",
    "many levels": "pd.concat({'k': num}, axis=1).rank(), df.set_index(['q', 'y']).rank()",
    "operator": "operator.methodcaller('rank', pct=True)(df), operator.attrgetter('rank')(df)()",
    "pipe": "df.pipe(lambda d: d.rank()), df.pipe((pd.DataFrame.rank, 'self'))",
    "threads": """
def half(n): return df.rank(pct=n % 2 == 0)
with ThreadPoolExecutor(8) as pool: many = list(pool.map(half, range(64)))
all(one.equals(half(n)) for n, one in enumerate(many))""",
    # Calls that fail
    "unknown method": "df.rank(method='nope')",
    "unknown keyword": "df.rank(nope=1)",
    "too many arguments": "df.rank(1, 2, 3, 4, 5, 6, 7)",
    "self given twice": "df.rank(self=df)",
    "class without a frame": "pd.DataFrame.rank()",
    "no axis of that name": "df.rank(axis='nope')",
    "traceback": """
try: df.rank(na_option='nope')
except ValueError as error: frames = traceback.extract_tb(error.__traceback__)
[frame.name for frame in frames]""",
    # By name
    "apply": "df.apply('rank'), df.apply('rank', ascending=False)",
    "apply across columns": "num.apply('rank', axis=1), num.apply('rank', axis=1, pct=True)",
    "apply with arguments": "num.apply('rank', args=('min',))",
    "agg": "df.agg('rank'), df.agg({'x': 'rank'}), df.agg(['rank']), num.agg('rank', axis=1)",
    "transform": "df.transform('rank'), df.transform(['rank']), num.transform('rank', axis=1)",
    "apply of functions": "num.apply(pd.Series.rank), num.agg(lambda column: column.rank())",
    # Groups
    "groupby": "groups.rank(), groups.rank('min', pct=True), groups[['x', 'y']].rank()",
    "groupby column": "groups['x'].rank(), groups.x.rank(ascending=False)",
    "groupby on the class": "type(groups).rank(groups)",
    "groupby agg": "groups.agg('rank')",
    "groupby agg of columns": "groups.agg({'x': 'rank'})",
    "groupby agg list": "groups.agg(['rank'])",
    "groupby transform": "groups.transform('rank'), groups.transform('rank', pct=True)",
    "groupby column by name": "groups['x'].transform('rank'), groups['x'].agg('rank')",
    "groupby apply": "groups[['x', 'y']].apply(lambda g: g.rank()), groups[['x']].apply('rank')",
    "groupby pipe": "groups.pipe(lambda g: g.rank())",
    "groupby without keys": "df.groupby('q', as_index=False).rank(), df.groupby(['q', 'y']).rank()",
    "groupby axis": "groups.rank(axis=0)",  # a warning in pandas 2, an error in pandas 3
    "groupby with a column": "ranked.groupby('q')['rank'].max(), ranked.groupby('q').rank()",
    "groupby by a column": "ranked.groupby('rank').rank(), ranked.groupby('rank').size()",
    # Series, windows and the like are none of our business
    "series": "df['x'].rank(), df['x'].agg('rank'), type(df['x'].rank)",
    "series class": "pd.Series.rank is pd.core.generic.NDFrame.rank, 'rank' in vars(pd.Series)",
    "series groups": "type(groups['x'].rank), 'rank' in vars(type(groups['x']))",
    "rolling": "num.rolling(2).rank(), type(num.rolling(2).rank)",
    "accessors": "sorted(pd.DataFrame._accessors), sorted(pd.Series._accessors)",
    # What it says about itself
    "signature": "str(inspect.signature(df.rank)), str(inspect.signature(groups.rank))",
    "signature of the class": "str(inspect.signature(pd.DataFrame.rank))",
    "signature unfollowed": "str(inspect.signature(df.rank, follow_wrapped=False))",
    "full argument spec": "inspect.getfullargspec(df.rank), inspect.getfullargspec(groups.rank)",
    "bound arguments": "inspect.signature(df.rank).bind(1, pct=True).arguments",
    "call arguments": "inspect.getcallargs(df.rank, 1)['axis']",
    "names": "[(m.__name__, m.__qualname__, m.__module__) for m in (df.rank, groups.rank)]",
    "doc": "df.rank.__doc__, groups.rank.__doc__, inspect.getdoc(df.rank)",
    "doc of the class": "pd.DataFrame.rank.__doc__, type(groups).rank.__doc__",
    "help": "pydoc.render_doc(df.rank), pydoc.render_doc(groups.rank)",
    "help on the class": "pydoc.render_doc(pd.DataFrame.rank)",
    "kind": """
asked = inspect.ismethod, inspect.isroutine, inspect.isfunction, inspect.isbuiltin, callable, bool
[[question(m) for question in asked] for m in (df.rank, groups.rank, pd.DataFrame.rank)]""",
    "coroutine": "inspect.iscoroutinefunction(df.rank), inspect.isgeneratorfunction(df.rank)",
    "is a method": "isinstance(df.rank, types.MethodType), isinstance(df.rank, types.FunctionType)",
    "function": "df.rank.__func__ is pd.DataFrame.rank, groups.rank.__func__ is type(groups).rank",
    "self": "df.rank.__self__ is df, groups.rank.__self__ is groups, Sub(df).rank.__self__",
    "code": "df.rank.__code__.co_name, df.rank.__defaults__, df.rank.__kwdefaults__",
    "annotations": "df.rank.__annotations__, hasattr(df.rank, '__wrapped__')",
    "source": "inspect.getsource(df.rank), inspect.getsourcelines(groups.rank)",
    "source file": "inspect.getsourcefile(df.rank), inspect.getmodule(df.rank).__name__",
    "repr": "repr(df.rank), str(groups.rank), format(df.rank), repr(pd.DataFrame.rank)",
    "dir": "dir(df), dir(pd.DataFrame), dir(groups), dir(type(groups))",
    "members": "[name for name, _ in inspect.getmembers(df, inspect.ismethod)]",
    "members of the class": "[n for n, _ in inspect.getmembers(pd.DataFrame, inspect.isfunction)]",
    "hasattr": "hasattr(df, 'rank'), hasattr(pd.DataFrame, 'rank'), hasattr(df.rank, 'nope')",
    # What is done with bound methods
    "equality": "df.rank == df.rank, df.rank != df.rank, df.rank == df.copy().rank",
    "equality with others": "[df.rank == other for other in (df.cumsum, None, 1, df.x.rank)]",
    "equality with a method": """
method = types.MethodType(pd.DataFrame.rank, df)
method == df.rank, df.rank == method, hash(method) == hash(df.rank), len({method, df.rank})""",
    "equality of groups": "groups.rank == groups.rank, groups.rank == df.groupby('q').rank",
    "hash": "hash(df.rank) == hash(df.rank), len({df.rank, num.rank}), {df.rank: 1}[df.rank]",
    "no caching": "df.rank is df.rank, 'rank' in vars(df), df.rank.__func__ is df.rank.__func__",
    "pickled": "[pickle.loads(pickle.dumps(df.rank, n))(pct=True) for n in range(6)]",
    "pickled bytes": "[pickle.dumps(thing) for thing in (df, df.rank, pd.DataFrame.rank)]",
    "pickled groups": """
back = pickle.loads(pickle.dumps(groups))
back.rank(), pickle.loads(pickle.dumps(groups.rank))()""",
    "copies": "copy.copy(df.rank).__self__ is df, copy.copy(df.rank) == df.rank",
    "deep copies": """
deep = copy.deepcopy({'frame': df, 'rank': df.rank})
deep['rank'].__self__ is deep['frame'], deep['rank'].__self__ is df, deep['rank']()""",
    "copied frames": "copy.copy(df).rank(), copy.deepcopy(df).rank(), df.copy().rank()",
    "partial": """
part = functools.partial(df.rank, pct=True)
part(), part.func == df.rank, part.args, part.keywords, pickle.loads(pickle.dumps(part))()""",
    "wraps": "functools.wraps(df.rank)(lambda: 0).__name__",
    "class attribute": """
class Holder: order = df.rank
Holder.order(), Holder().order(), Holder().order(pct=True)""",
    "weak method": """
weak, plain = weakref.WeakMethod(df.rank), weakref.ref(df.rank)
weak()(), weak() == df.rank, plain()""",
    "nothing leaks": """
import gc
frame, grouped = df.copy(), df.groupby('q')
gone = [weakref.ref(frame), weakref.ref(grouped)]
frame.rank(), frame.rank, grouped.rank(), grouped.rank
gc.collect()
gc.disable()
del frame, grouped
[ref() is None for ref in gone]""",
    "held by its method": """
frame = df.copy()
order, alive = frame.rank, weakref.ref(frame)
del frame
order(), alive() is not None""",
    "dispatch": """
@functools.singledispatch
def kind(thing): return 'other'
kind.register(types.MethodType, lambda thing: 'method')
kind(df.rank)""",
    "patched on the class": """
before = pd.DataFrame.rank
with mock.patch.object(pd.DataFrame, 'rank', return_value=7): inside = df.rank(), Sub(df).rank()
inside, df.rank(), pd.DataFrame.rank is before""",
    "patched with autospec": """
with mock.patch.object(pd.DataFrame, 'rank', autospec=True) as double: df.rank(pct=True)
double.call_args.args[0] is df, double.call_args.kwargs, df.rank()""",
    "patched by a function": """
with mock.patch.object(pd.DataFrame, 'rank', lambda self, n: n): inside = df.rank(3)
inside, df.rank()""",
    "patched on a frame": """
with mock.patch.object(df, 'rank', return_value=7): inside = df.rank(), num.rank()
inside, df.rank(), vars(df).keys()""",
    "spied on": """
with mock.patch.object(df, 'rank', wraps=df.rank) as spy: seen = df.rank(pct=True)
seen, spy.call_args""",
    "found in the class": """
static = inspect.getattr_static(pd.DataFrame, 'rank')
static.__name__, static.__doc__, static.__module__, static.__code__, static(df, pct=True)""",
    "described in the class": """
static = inspect.getattr_static(pd.DataFrame, 'rank')
inspect.signature(static), inspect.isfunction(static), callable(static), static.__defaults__""",
    "double of it": "str(inspect.signature(mock.create_autospec(df.rank)))",
    "double refuses": "mock.create_autospec(df.rank)(nope=1)",
    # Subclasses
    "subclass": "Sub(df).rank(), Sub(df).apply('rank'), Sub(num).apply('rank', axis=1)",
    "subclass itself": "Sub.rank is pd.DataFrame.rank, Sub.rank(df), pd.DataFrame.rank(Sub(df))",
    "subclass groups": "Sub(df).groupby('q').rank(), Sub(df).groupby('q').transform('rank')",
    "own rank": "Own(df).rank(twice=True), Own(df).rank(pct=True), type(Own(df).rank)",
    "own rank by name": "Own(num).apply('rank'), Own(df).agg('rank'), Own(num).transform('rank')",
    "own rank passed by": "pd.DataFrame.rank(Own(df)), super(Own, Own(df)).rank()",
    "own rank's super": "super(Own, Own).rank, type(Own(df).rank), Own(df).rank.__qualname__",
    "own rank pickled": "pickle.loads(pickle.dumps(Own(df).rank))(twice=True)",
    "own property": """
class Prop(pd.DataFrame): rank = property(lambda self: 'mine')
Prop(df).rank, Prop(df)['x'].rank(), type(Prop.rank)""",
    "own attribute": """
class Fixed(pd.DataFrame): rank = 3
Fixed(df).rank, Fixed.rank""",
    "deleted in a subclass": """
class Gone(Sub): rank = None
del Gone.rank
Gone(df).rank()""",
    # A column called rank, and attributes
    "column": "ranked['rank'], ranked.rank(), ranked.loc[:, 'rank'], ranked.get('rank')",
    "column is no attribute": "inspect.ismethod(ranked.rank), 'rank' in ranked, ranked.columns",
    "column assigned": """
ranked['rank'] = 0
ranked['rank'], ranked.rank(), vars(ranked).keys()""",
    "column deleted": """
del ranked['rank']
ranked.rank(), ranked.columns""",
    "column in eval": "ranked.eval('rank + y'), ranked.eval('z = rank * 2')",
    "column in query": "ranked.query('rank > 1'), ranked.query('rank == 1 and y > 1')",
    "column through @": """
limit = 2
ranked.query('rank >= @limit'), ranked.query('@df.rank().y > 2', engine='python')""",
    "column in tuples": "[row.rank for row in ranked.itertuples()]",
    "column in apply": "ranked.apply(lambda r: r['rank'], axis=1), ranked.agg({'rank': 'rank'})",
    "column sorted": "ranked.sort_values('rank'), ranked.set_index('rank').rank()",
    "attribute set": """
df.rank = [1, 2]
df.rank, vars(df)['rank'], df.columns, type(df).rank(num), df.copy().rank()""",
    "attribute set over a column": """
ranked.rank = [5, 4, 3, 2, 1]
ranked.rank, ranked['rank'], ranked.columns""",
    "attribute deleted": """
df.rank = 1
del df.rank
df.rank()""",
    "attribute not there to delete": "delattr(df, 'rank')",
    "attribute of groups": """
groups.rank = 1
groups.rank, df.groupby('q').rank()""",
    "class attribute replaced": """
before, pd.DataFrame.rank = pd.DataFrame.rank, lambda self: 'replaced'
inside, pd.DataFrame.rank = (df.rank(), Sub(df).rank(), df['x'].rank()), before
inside, df.rank()""",
}
# The one question whose answer differs.
TYPE = "what it really is"
SNIPPETS[TYPE] = "type(df.rank).__name__"
# Their answer is an error; `groupby axis` is one in pandas 3 only.
FAIL = {
    "unknown method",
    "unknown keyword",
    "too many arguments",
    "self given twice",
    "class without a frame",
    "no axis of that name",
    "groupby axis",
    "double refuses",
    "apply with arguments",
    "attribute not there to delete",
}

ASK = """
import json, re, sys, warnings

snippets, setup, accessor = json.load(sys.stdin)
import pandas as pd
from pandas.api.typing import DataFrameGroupBy
if accessor:
    import rank_magic
pristine = [(owner, vars(owner).get("rank")) for owner in (pd.DataFrame, DataFrameGroupBy)]

def show(thing):
    if isinstance(thing, (tuple, list)):
        return f"{type(thing).__name__}({', '.join(map(show, thing))})"
    if isinstance(thing, (pd.DataFrame, pd.Series)):
        return f"{type(thing).__name__}\\n{thing.to_string()}\\n{thing.dtypes}\\n"
    return re.sub(" at 0x[0-9a-f]+", "", repr(thing))

def answer(name, snippet):
    *lines, last = snippet.strip().split("\\n")
    space = {"__name__": "__main__"}
    exec(setup, space)
    vars(sys.modules["__main__"]).update(Sub=space["Sub"], Own=space["Own"])  # for pickle
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            exec(compile("\\n".join(lines), name, "exec"), space)
            text = show(eval(compile(last, name, "eval"), space))
        except Exception as error:
            text = f"{type(error).__name__}: {error}"
            space["failed"] = True
    for owner, method in pristine:  # what one snippet breaks must not show in the next one's answer
        if method is not None and vars(owner)["rank"] is not method:
            setattr(owner, "rank", method)
        if method is None and "rank" in vars(owner):
            delattr(owner, "rank")
    seen = [f"{w.category.__name__} at {w.filename}:{w.lineno}: {w.message}" for w in caught]
    return text, seen, space.get("failed", False)

json.dump({name: answer(name, snippet) for name, snippet in snippets.items()}, sys.stdout)
"""


def python(code: str, *, stdin: str = "") -> str:
    """Run `code` in an interpreter of its own and return what it printed."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        input=stdin,
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "0"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def answers() -> tuple[dict[str, list], dict[str, list]]:
    """What an interpreter without rank_magic, and one with it, answer to every snippet."""

    def ask(accessor: bool) -> dict[str, list]:
        return json.loads(python(ASK, stdin=json.dumps([SNIPPETS, SETUP, accessor])))

    with ThreadPoolExecutor(2) as pool:
        without, with_it = pool.map(ask, [False, True])
    return without, with_it


@pytest.mark.parametrize("name", [name for name in SNIPPETS if name != TYPE])
def test_same_answer_as_without_rank_magic(name, answers):
    without, with_it = (answer[name] for answer in answers)
    assert with_it == without
    assert name in FAIL or not without[2], without[0]


def test_the_interpreters_compared_are_one_with_and_one_without(answers):
    assert answers[0][TYPE][0] == "'method'"
    assert answers[1][TYPE][0] == "'RankAccessor'"


def test_pandas_warnings_point_at_the_users_line(answers):
    # pandas 2 warns of groupby(...).rank(axis=0); pandas 3 has taken the argument out.
    seen = answers[1]["groupby axis"][1]
    assert len(seen) == (1 if pd.__version__ < "3" else 0)
    assert all(warning.startswith("FutureWarning at groupby axis:1:") for warning in seen)


# ---- The accessor ------------------------------------------------------------------------------


class Base:
    """Stands for pandas' NDFrame."""

    def order(self, by: int = 1) -> tuple[object, int]:
        """Order it."""
        warnings.warn("by what?", UserWarning, stacklevel=2)
        return self, by


class OrderAccessor(MethodAccessor):
    """What one may ask about an order."""

    def best(self) -> object:
        """Name the best."""
        return self._obj

    def __getattr__(self, name: str) -> object:
        if name == "beast":
            raise AttributeError("No 'beast'. Did you mean 'best'?")
        return super().__getattr__(name)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), "worst"]

    def _repr_html_(self) -> str:
        return "<b>best()</b>"


@pytest.fixture
def owner() -> type:
    """A class that inherits `order`, as DataFrame inherits `rank`, with the accessor."""

    class Owner(Base):
        pass

    install(OrderAccessor, Owner, "order")
    return Owner


def test_the_accessor_has_its_methods_and_is_the_method(owner):
    thing = owner()
    assert thing.order.best() is thing
    with pytest.warns(UserWarning, match="by what"):
        assert thing.order(by=2) == (thing, 2)
    assert isinstance(thing.order, OrderAccessor)
    assert isinstance(thing.order, types.MethodType)
    assert owner.order is Base.order


def test_no_python_frame_between_the_caller_and_the_method(owner):
    with pytest.warns(UserWarning, match="by what") as caught:
        owner().order()
    assert caught[0].filename == __file__
    assert caught[0].lineno == inspect.currentframe().f_lineno - 2


def test_a_subclass_may_have_getattr_dir_and_html(owner):
    order = owner().order
    assert {"best", "worst", "__func__", "__self__"} <= set(dir(order))
    assert order._repr_html_() == "<b>best()</b>"
    assert order.__defaults__ == (1,)
    with pytest.raises(AttributeError, match="Did you mean 'best'"):
        _ = order.beast
    with pytest.raises(AttributeError):
        _ = order.nothing_like_it
    assert not hasattr(order, "__wrapped__")


def test_nothing_is_looked_at_before_it_is_needed(owner):
    class Untouchable(owner):
        def __getattribute__(self, name):
            if name != "order":
                raise AssertionError(f"looked at {name}")
            return super().__getattribute__(name)

    thing = Untouchable()
    assert thing.order == thing.order
    assert thing.order.best() is thing


def test_accessors_of_frames_name_what_they_are_bound_to():
    frame = pd.DataFrame({"q": [1, 1], "x": [2, 1]})
    groups = frame.groupby("q")
    assert frame.rank._obj is frame
    assert groups.rank._obj is groups
    assert set(dir(types.MethodType(pd.DataFrame.rank, frame))) <= set(dir(frame.rank))


def test_ipython_shows_and_completes_it_as_a_method_and_more():
    interactiveshell = pytest.importorskip("IPython.core.interactiveshell")
    from IPython.core.completer import provisionalcompleter
    from traitlets.config import Config

    without_history = Config(HistoryManager={"enabled": False})
    shell = interactiveshell.InteractiveShell(config=without_history)
    shell.user_ns["df"] = frame = pd.DataFrame({"x": [2, 1]})
    shown = shell.object_inspect("df.rank")
    assert shown["definition"].startswith("df.rank(")
    assert shown["docstring"].strip().startswith("Compute numerical data ranks")
    methods = [name for name in vars(type(frame.rank)) if not name.startswith("_")]
    assert methods
    with provisionalcompleter():
        offered = shell.Completer.completions("df.rank.", 8)
        texts = {completion.text.lstrip(".") for completion in offered}
    assert set(methods) <= texts


def test_access_costs_next_to_nothing():
    frame = pd.DataFrame({"x": [2, 1]})
    times = timeit.repeat(lambda: frame.rank, timer=time.process_time, number=2_000, repeat=5)
    assert min(times) / 2_000 < 20e-6  # 0.9 µs, in truth


# ---- Installing and uninstalling ---------------------------------------------------------------


def test_only_the_class_itself_is_touched(owner):
    class Sibling(Base):
        pass

    assert type(Base().order) is types.MethodType
    assert type(Sibling().order) is types.MethodType
    assert "order" in vars(owner)
    assert [c.__name__ for c in pd.Series.__mro__ if "rank" in vars(c)] == ["NDFrame"]
    assert "rank" not in vars(SeriesGroupBy)
    assert isinstance(vars(pd.core.generic.NDFrame)["rank"], types.FunctionType)


def test_uninstalling_an_inherited_method_leaves_no_trace(owner):
    uninstall(owner, "order")
    assert "order" not in vars(owner)
    assert type(owner().order) is types.MethodType
    uninstall(owner, "order")  # once more does no harm
    assert owner.order is Base.order


def test_uninstalling_restores_the_very_same_function():
    class Owner:
        def order(self):
            return 1

    function = Owner.order
    install(OrderAccessor, Owner, "order")
    install(OrderAccessor, Owner, "order")
    assert Owner.order is function
    uninstall(Owner, "order")
    assert vars(Owner)["order"] is function


def test_installing_again_replaces_the_accessor_and_keeps_the_method(owner):
    class Other(MethodAccessor):
        pass

    install(Other, owner, "order")
    assert type(owner().order) is Other
    assert owner.order is Base.order
    uninstall(owner, "order")
    assert "order" not in vars(owner)


def test_a_reloaded_module_knows_what_the_old_one_installed(owner):
    spec = importlib.util.spec_from_file_location("rank_magic._patch_again", _patch.__file__)
    again = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(again)

    class NewAccessor(again.MethodAccessor):
        pass

    thing = owner()
    old = thing.order
    again.install(NewAccessor, owner, "order")
    assert type(thing.order) is NewAccessor
    assert thing.order.__func__ is Base.order
    assert old == thing.order
    assert hash(old) == hash(thing.order)
    install(OrderAccessor, owner, "order")  # and back, as when the reload is undone
    assert type(thing.order) is OrderAccessor
    again.uninstall(owner, "order")
    assert "order" not in vars(owner)


def test_what_somebody_else_wrapped_since_is_kept(owner):
    before = owner.order

    def wrapped(self):
        return "wrapped", before

    owner.order = wrapped
    uninstall(owner, "order")  # not ours to remove
    assert vars(owner)["order"] is wrapped
    install(OrderAccessor, owner, "order")
    assert owner().order() == ("wrapped", before)
    assert owner().order.best()
    uninstall(owner, "order")
    assert vars(owner)["order"] is wrapped


def test_a_subclass_can_have_an_accessor_of_its_own(owner):
    class Special(MethodAccessor):
        pass

    class Sub(owner):
        pass

    install(Special, Sub, "order")
    assert type(Sub().order) is Special
    assert type(owner().order) is OrderAccessor
    assert Sub.order is Base.order
    uninstall(Sub, "order")
    assert "order" not in vars(Sub)
    assert type(Sub().order) is OrderAccessor


def test_a_wrapping_subclass_reaches_the_accessor_through_super(owner):
    class Sub(owner):
        def order(self):
            return super().order.best()

    thing = Sub()
    assert thing.order() is thing


@pytest.mark.parametrize("other", [property(lambda self: 1), cached_property(lambda self: 1), 3])
def test_another_packages_accessor_is_refused_and_left_alone(other):
    class Owner:
        order = other

    with pytest.raises(RankMagicError, match=r"Owner\.order is no plain method"):
        install(OrderAccessor, Owner, "order")
    assert vars(Owner)["order"] is other


def test_a_method_that_is_not_there_cannot_be_replaced():
    with pytest.raises(AttributeError):
        install(OrderAccessor, Base, "nothing")


def test_mock_patches_on_top_and_takes_itself_off(owner):
    with mock.patch.object(owner, "order", return_value=7):
        assert owner().order() == 7
    assert isinstance(owner().order, OrderAccessor)


def test_an_object_dies_with_its_last_name(owner):
    thing = owner()
    alive = weakref.ref(thing)
    _ = thing.order, thing.order.best()
    del _
    gc.disable()
    try:
        del thing
        assert alive() is None
    finally:
        gc.enable()


def test_a_pickle_opens_where_rank_magic_is_not_imported():
    pickled = pickle.dumps(pd.DataFrame({"x": [2, 1]}).rank, protocol=4)
    opened = f"import pickle, sys; print(pickle.loads({pickled!r})().x.tolist(), end='');"
    assert python(opened + "print('rank_magic' in sys.modules)") == "[2.0, 1.0]False\n"


# ---- rank_magic's own installation, in interpreters that may be spoilt -------------------------


def test_importing_installs_on_both_classes():
    for owner in (pd.DataFrame, DataFrameGroupBy):
        assert hasattr(vars(owner)["rank"], _patch._MARKER)
    assert isinstance(pd.DataFrame().rank, MethodAccessor)
    assert rank_magic.__name__ in type(pd.DataFrame().rank).__module__


def test_rank_magic_can_be_reloaded_and_taken_off():
    python("""
        import importlib, sys
        import pandas as pd
        from pandas.api.typing import DataFrameGroupBy

        original, of_groups = pd.DataFrame.rank, DataFrameGroupBy.rank
        import rank_magic

        df = pd.DataFrame({"q": [1, 1, 2], "x": [3, 1, 2]})
        old = df.rank
        for _ in range(2):
            names = [n for n in sys.modules if n.split(".")[0] == "rank_magic"]
            ours = [n for n in names if hasattr(sys.modules[n], "install")]
            for name in ["rank_magic._patch", "rank_magic.errors", *ours, "rank_magic"]:
                importlib.reload(sys.modules[name])
            assert pd.DataFrame.rank is original is pd.core.generic.NDFrame.rank
            assert DataFrameGroupBy.rank is of_groups
            assert old == df.rank and old().equals(df.rank())
        from rank_magic._patch import MethodAccessor, uninstall

        assert type(df.rank) is not type(old)
        assert isinstance(df.rank, MethodAccessor)
        assert isinstance(df.groupby("q").rank, MethodAccessor)
        uninstall(pd.DataFrame, "rank")
        uninstall(DataFrameGroupBy, "rank")
        for owner in (pd.DataFrame, DataFrameGroupBy):
            assert "rank" not in vars(owner)
        assert pd.DataFrame.rank is original and DataFrameGroupBy.rank is of_groups
        assert type(df.rank).__name__ == "method"
        assert old == df.rank  # one handed out earlier still works
    """)


def test_rank_magic_can_be_imported_afresh():
    """As notebooks do that delete modules from sys.modules to get their edits."""
    python("""
        import sys
        import pandas as pd

        original = pd.DataFrame.rank
        for _ in range(3):
            import rank_magic
            from rank_magic._patch import MethodAccessor, uninstall

            assert isinstance(pd.DataFrame().rank, MethodAccessor)
            assert pd.DataFrame.rank is original
            for name in [n for n in sys.modules if n.split(".")[0] == "rank_magic"]:
                del sys.modules[name]
        uninstall(pd.DataFrame, "rank")
        assert "rank" not in vars(pd.DataFrame) and pd.DataFrame.rank is original
    """)
