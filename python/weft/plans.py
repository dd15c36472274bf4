"""Problems and plans: a transform that is planned once and executed any number of times."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np
from mpi4py import MPI

from ._cache import keep_until_exit
from ._library import Candidate, Layout, Problem, Trace, Tuning, agreed, communicator, core
from .arrays import Array, local_of

_unit = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def _precision(dtype: Any) -> str:
    char = np.dtype(dtype).char
    if char not in "fdFD":
        raise TypeError(
            f"elements of type {np.dtype(dtype)} are asked for; allowed: float32, float64, complex64, complex128"
        )
    return "single" if char in "fF" else "double"


def mixed(
    shape: Sequence[int], kinds: Sequence[str], axes: Optional[Sequence[int]] = None, dtype: Any = np.float64
) -> Problem:
    """A kind for each axis, or one for all: "c2c", "r2c", "dct1" to "dct4", "dst1" to "dst4", "r2hc", "hc2r", "dht".

    `axes` are transformed (None: all), in the order of `kinds`. `dtype` tells the precision.
    """
    return core.problem(_precision(dtype), list(kinds), list(shape), list(axes) if axes is not None else [])


def c2c(shape: Sequence[int], axes: Optional[Sequence[int]] = None, dtype: Any = np.complex128) -> Problem:
    """Complex to complex."""
    return mixed(shape, ["c2c"], axes, dtype)


def r2c(shape: Sequence[int], axes: Optional[Sequence[int]] = None, dtype: Any = np.float64) -> Problem:
    """Real to complex: the last of `axes` becomes n/2+1 long. `shape` is that of the real array."""
    return mixed(shape, ["r2c"], axes, dtype)


def r2r(
    shape: Sequence[int],
    kinds: Union[str, Sequence[str]],
    axes: Optional[Sequence[int]] = None,
    dtype: Any = np.float64,
) -> Problem:
    """Real to real: sines, cosines, Hartley."""
    return mixed(shape, [kinds] if isinstance(kinds, str) else kinds, axes, dtype)


def sphere(
    grid: Sequence[int],
    vectors: Any = None,
    *,
    cutoff: Optional[float] = None,
    metric: Any = _unit,
    k: Sequence[float] = (0.0, 0.0, 0.0),
    real: bool = False,
    balance: str = "coefficients",
    dtype: Any = np.complex128,
) -> Problem:
    """Plane waves on a grid of three axes: this rank's G-vectors, an array of n x 3 integers, or all below a cutoff.

    Of a cutoff: all G with (k+G) metric (k+G) <= cutoff, shared among ranks by the rule `balance`, "coefficients" or
    "columns"; plan.vectors() has this rank's. `real`: real functions, of which one of every pair +-G is stored.
    """
    if (vectors is None) == (cutoff is None):
        raise TypeError("a sphere is given by `vectors` or by `cutoff`: one of them")
    if vectors is not None:
        g = np.ascontiguousarray(vectors)
        if g.size == 0:
            g = np.zeros((0, 3), np.int64)
        if g.ndim != 2 or g.shape[1] != 3 or g.dtype.kind not in "iu":
            raise ValueError(f"vectors are an array of {g.dtype} with shape {g.shape}; allowed: integers, (n, 3)")
        return core.problem_of_vectors(_precision(dtype), list(grid), g.astype(np.int64, copy=False), real)
    return core.problem_of_cutoff(
        _precision(dtype), list(grid), cutoff, _matrix(metric), [float(x) for x in k], balance, real
    )


def kept_box(
    grid: Sequence[int],
    kept: Sequence[int],
    low: Optional[Sequence[int]] = None,
    real: bool = False,
    dtype: Any = np.complex128,
) -> Problem:
    """A part of the spectrum of a grid: that of a smaller grid `kept`, or `kept[a]` indices from `low[a]` on."""
    return core.problem_of_box(_precision(dtype), list(grid), list(kept), list(low) if low is not None else None, real)


def sphere_vectors(
    cutoff: float,
    ranks: int,
    rank: int,
    *,
    metric: Any = _unit,
    k: Sequence[float] = (0.0, 0.0, 0.0),
    real: bool = False,
    balance: str = "coefficients",
) -> np.ndarray:
    """The G-vectors that a rank has of a cutoff, n x 3, as `sphere` shares them."""
    return core.sphere_vectors(cutoff, _matrix(metric), [float(x) for x in k], real, ranks, rank, balance)


def _matrix(metric: Any) -> List[List[float]]:
    return np.asarray(metric, float).tolist()


_memories = ("own", "callers", "none")


def _checked(problem: Any, options: Dict[str, Any], memory: Any = "own") -> None:
    if not isinstance(problem, Problem):
        raise TypeError(f"the problem is {problem!r}; weft.c2c, r2c, r2r, mixed, sphere and kept_box make one")
    if memory not in _memories:
        raise ValueError(f"a plan's memory is {memory!r}; allowed: {', '.join(_memories)}")
    core.check_options(options)


class Plan:
    """A distributed transform. Collective: `Plan(comm, problem, strategy="alltoallv", batch=4)`; options go by name.

    `memory` says whose the memory is that the plan works in: its "own", the "callers" (give `use_workspace` some before
    the first execution), or "none": it says what would be done and how much memory that takes, and cannot execute.

    A plan ends with `destroy`, at the end of a `with` block, when it is garbage, or at exit. Ranks should end plans in
    the same order: a plan in a cycle of references, which a collection ends some time, should be destroyed instead.
    """

    def __init__(self, comm: MPI.Comm, problem: Problem, *, memory: str = "own", **options: Any):
        number = communicator(comm)
        agreed(comm, lambda: _checked(problem, options, memory))
        self.comm = comm
        self._core = keep_until_exit(core.Plan(number, problem, options, memory))
        self.input_layout: Layout = self._core.input_layout
        self.output_layout: Layout = self._core.output_layout
        self.input_type = np.dtype(self._core.input_type)
        self.output_type = np.dtype(self._core.output_type)
        self._in_box, self._out_box = self._core.input_box, self._core.output_box
        self._in_place = self._core.in_place
        self._own: Dict[bool, Array] = {}

    # -- arrays --

    def input(self) -> Array:
        """The plan's own array, the same at every call: memory that is as fast as it can be for this plan."""
        return self._array(True)

    def output(self) -> Array:
        return self._array(False)

    def make_input(self) -> Array:
        """Another array at every call, zeroed."""
        return self._wrap(self._core.array(True, True), True)

    def make_output(self) -> Array:
        return self._wrap(self._core.array(False, True), False)

    def _array(self, of_input: bool) -> Array:
        if of_input not in self._own:
            self._own[of_input] = self._wrap(self._core.array(of_input, False), of_input)
        return self._own[of_input]

    def _wrap(self, local: np.ndarray, of_input: bool) -> Array:
        layout, box = (self.input_layout, self._in_box) if of_input else (self.output_layout, self._out_box)
        return Array(self.comm, layout, local, box)

    # -- execution --

    def forward(self, u: Any, out: Any = None) -> Any:
        """Collective. From an array like input() to one like output(), which is returned (None: a new one).

        Unnormalised. In place (option placement="in_place") `out` is not given, and the result lies in the memory of
        `u`: output() is returned for input(), and None for memory of yours.
        """
        return self._execute(u, out, True)

    def backward(self, u_hat: Any, out: Any = None) -> Any:
        """Collective. The way back, unnormalised: `scale` times backward(forward(u)) is u."""
        return self._execute(u_hat, out, False)

    def _execute(self, u: Any, out: Any, forward: bool) -> Any:
        from_array = local_of(u)
        if self._in_place:
            if out is not None and local_of(out) is not from_array:
                raise ValueError(
                    "the plan is in place: its result lies in the memory of its argument; leave `out` away"
                )
            self._core.execute(from_array, from_array, forward)
            return self._array(not forward) if from_array is self._array(forward).local else None
        if out is None:
            out = self.make_output() if forward else self.make_input()
        self._core.execute(from_array, local_of(out), forward)
        return out

    def forward_map_backward(self, u: Any, out: Any, f: Callable[[np.ndarray, Tuple[int, ...], int], None]) -> Any:
        """Collective: forward, f(values, point, axis) on every line of the transformed array, backward.

        `values` are to be changed in place: they lie at the global points `point`, `point` + 1 along `axis`, ...
        """
        self._core.map(local_of(u), local_of(out), f, True)
        return out

    def backward_map_forward(self, u: Any, out: Any, f: Callable[[np.ndarray, Tuple[int, ...], int], None]) -> Any:
        """Collective, plane waves only: backward, f on every line of real space, forward."""
        self._core.map(local_of(u), local_of(out), f, False)
        return out

    @property
    def scale(self) -> float:
        """What backward(forward(u)) is to be multiplied by to give u."""
        return self._core.scale

    # -- what it is --

    @property
    def problem(self) -> Problem:
        return self._core.problem

    def vectors(self) -> np.ndarray:
        """Plane waves only: this rank's G-vectors in the order of its coefficients, n x 3."""
        return self._core.vectors()

    def wavenumbers(self, odd: bool = False) -> Tuple[np.ndarray, ...]:
        """Signed wavenumbers of this rank's part of the output: for each axis an array that broadcasts against it.

        `odd`: 0 where the array has no mode -k beside it, as at n/2: what odd derivatives multiply by.
        """
        return tuple(self._modes(a)[1 if odd else 0] for a in range(len(self.problem.shape)))

    def weights(self) -> np.ndarray:
        """How many modes of the whole spectrum each value of the output is; broadcasts against this rank's part."""
        weight = np.ones([1] * len(self._out_box[0]))
        for axis in range(len(self.problem.shape)):
            weight = weight * self._modes(axis)[2]
        return weight

    def _modes(self, axis: int) -> List[np.ndarray]:
        lo, hi = self._out_box
        before = 1 if len(lo) > len(self.problem.shape) and int(self.requested()["batch"]) > 1 else 0
        empty = any(b <= a for a, b in zip(lo, hi))
        count = 0 if empty else hi[axis + before] - lo[axis + before]
        # Weights of a point are those of its axes multiplied: at index 0 of all other axes they are that of this axis.
        first = [l if a == axis + before else (l if a < before else 0) for a, l in enumerate(lo)]
        shape = [count if a == axis + before else 1 for a in range(len(lo))]
        return [np.reshape(np.asarray(values, float), shape) for values in self._core.modes(first, axis, count)]

    def requested(self) -> Dict[str, Any]:
        """The options that were asked for, by name."""
        return self._core.requested()

    def effective(self) -> Dict[str, Any]:
        """The options by which it is done."""
        return self._core.effective()

    def bytes_owned(self) -> int:
        """Bytes that the plan owns on this rank."""
        return self._core.bytes_owned()

    def workspace_bytes(self) -> int:
        """Bytes of the plan's workspace on this rank, which holds nothing between executions."""
        return self._core.workspace_bytes()

    def use_workspace(self, workspace: Any) -> None:
        """From now on the plan, made with memory="callers", works in this array of at least workspace_bytes() uint8.

        It is kept until the plan ends or gets another one. Plans that do not execute at the same time may share it.
        """
        self._core.use_workspace(local_of(workspace))

    def describe(self) -> str:
        """Stages, exchanges, strategies, memory: many lines."""
        return self._core.describe()

    def explain(self, json: bool = False) -> str:
        """How what was left open was chosen."""
        return self._core.explain(json)

    def record(self, trace: Trace) -> None:
        """Records every execution from now on."""
        self._core.record(trace)

    def measure(self, on: bool = True) -> None:
        """Measures every execution from now on; `spent` tells."""
        self._core.measure(on)

    def spent(self) -> Dict[str, Any]:
        """Seconds in local work and in exchanges, calls, messages and bytes since measuring began."""
        return dict(zip(("work_seconds", "exchange_seconds", "calls", "messages", "bytes"), self._core.spent()))

    def destroy(self) -> None:
        """Ends the plan. Its own arrays stay valid as long as they are held."""
        self._own.clear()
        self._core.destroy()

    def __enter__(self) -> "Plan":
        return self

    def __exit__(self, *_: Any) -> None:
        self.destroy()

    def __repr__(self) -> str:
        if not self._core.is_alive:
            return "<weft.Plan: destroyed>"
        problem = self.problem
        return f"<weft.Plan: {','.join(problem.kinds)} of {problem.shape} on {self.input_layout.ranks} ranks>"


def tune(comm: MPI.Comm, problem: Problem, *, seconds: float = 10, exhaustive: bool = False, **options: Any) -> Tuning:
    """Collective: looks for the fastest way to do what `options` leave open, and measures for so many seconds."""
    number = communicator(comm)
    agreed(comm, lambda: _checked(problem, options))
    return core.tune(number, problem, options, float(seconds), exhaustive)


def remember(comm: MPI.Comm, problem: Problem, found: Tuning, **options: Any) -> str:
    """Collective: keeps what `tune` found, in this process and in the user's own file. Says where, or why not."""
    number = communicator(comm)
    agreed(comm, lambda: _checked(problem, options))
    return core.remember(number, problem, options, found)


def strategies() -> Dict[str, str]:
    """Name and one line of each way that data can travel."""
    return dict(core.listed("strategies"))


def engines() -> Dict[str, str]:
    return dict(core.listed("engines"))


def kinds() -> Dict[str, str]:
    return dict(core.listed("kinds"))


def option_list() -> Dict[str, str]:
    """Name and one line of each option of a plan."""
    return dict(core.listed("options"))
