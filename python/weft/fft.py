"""numpy.fft and scipy.fft on distributed arrays. Plans are kept with the communicator.

The output is distributed as costs least, which is not as the input; `out`, or `layout`, asks for another layout. What
goes back from a result of one of these functions comes back to the layout of the first array.

`norm` is "backward" (None), "ortho" or "forward", as numpy.fft has it. `s` may name the extents that there are: nothing
is cut or padded.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional, Sequence, Tuple

import numpy as np

from ._cache import cached
from ._library import Layout
from .arrays import Array, empty
from .plans import Plan, mixed

_Numbers = Optional[Sequence[int]]

_scales = {"backward": "none", "ortho": "symmetric", "forward": "full"}

# The first (0) and last (-1) points of an axis that scipy.fft's `orthogonalize` multiplies by sqrt(2) before the
# transform, and those that it divides by it afterwards.
_ends = {
    "dct1": ((0, -1), (0, -1)),
    "dct2": ((), (0,)),
    "dct3": ((0,), ()),
    "dst2": ((), (-1,)),
    "dst3": ((-1,), ()),
}


def _array(u: Any) -> Array:
    if not isinstance(u, Array):
        raise TypeError(
            f"a weft.Array is transformed, and {type(u).__name__} is given; weft.from_local makes one of a rank's part"
        )
    return u


def _norm(norm: Optional[str]) -> str:
    norm = "backward" if norm is None else norm
    if norm not in _scales:
        raise ValueError(f'norm is {norm!r}; allowed: "backward", "ortho", "forward"')
    return norm


def _axes(u: Array, axes: Any) -> Tuple[int, ...]:
    if axes is None:
        return tuple(range(u.ndim))
    if isinstance(axes, int):
        axes = (axes,)
    found = tuple(a + u.ndim if -u.ndim <= a < 0 else a for a in axes)
    if not found or any(a < 0 or a >= u.ndim for a in found) or len(set(found)) < len(found):
        raise ValueError(
            f"axes are {tuple(axes)}; allowed: different ones from {-u.ndim} to {u.ndim - 1}, one at least"
        )
    return found


def _real_extent(u: Array, s: _Numbers, axis: int, out: Optional[Array]) -> int:
    """Points along the last axis of the real array whose half spectrum `u` is."""
    half = u.shape[axis]
    n = 2 * (half - 1)
    if s is not None:
        n = list(s)[-1]
    elif out is not None:
        n = out.shape[axis]
    elif u.made_of is not None and len(u.made_of[0].shape) == u.ndim and u.made_of[0].shape[axis] // 2 + 1 == half:
        n = u.made_of[0].shape[axis]
    if n // 2 + 1 != half:
        raise ValueError(
            f"the last axis is to have {n} points and has {half} of its spectrum; "
            f"allowed: {2 * half - 2} or {2 * half - 1}"
        )
    return n


def _converted(u: Array, is_complex: bool) -> Array:
    """The array in the type that is transformed: as it is, where it can be."""
    if u.dtype.char not in "fdFD":
        raise TypeError(f"an array of {u.dtype} is given; allowed: float32, float64, complex64, complex128")
    if (u.dtype.kind == "c") == is_complex:
        return u
    if not is_complex:
        raise TypeError(f"an array of {u.dtype} is given; this transform is of real arrays")
    other = empty(u.comm, u.layout, np.complex64 if u.dtype.char == "f" else np.complex128)
    other.local[...] = u.local
    return other


def _scale_ends(u: Array, axes: Tuple[int, ...], ends: Tuple[int, ...], factor: float) -> None:
    """Multiplies the first or last global points of every axis."""
    for axis in axes:
        for end in ends:
            point = (end + u.shape[axis] if end < 0 else end) - u.box[0][axis]
            if 0 <= point < u.local.shape[axis]:
                u.local[(slice(None),) * axis + (point,)] *= u.dtype.type(factor)


def _plan(
    u: Array,
    forward: bool,
    shape: Tuple[int, ...],
    kind: str,
    axes: Tuple[int, ...],
    norm: str,
    layout: Optional[Layout],
    options: Dict[str, Any],
) -> Plan:
    """The plan that has the array on one side and, where it is asked for, the layout on the other."""
    dtype = np.float32 if u.dtype.char in "fF" else np.float64
    named = tuple(
        sorted(
            (name, value if isinstance(value, (str, int, float, Layout, type(None))) else tuple(value))
            for name, value in options.items()
        )
    )
    sides = {"input": u.layout, "output": layout} if forward else {"input": layout, "output": u.layout}
    sides = {name: side for name, side in sides.items() if side is not None}
    return cached(
        u.comm,
        ("plan", forward, u.layout, layout, shape, kind, axes, dtype, norm, named),
        lambda: Plan(u.comm, mixed(shape, [kind], axes, dtype), scale=_scales[norm], **sides, **options),
    )


def _transform(
    kind: str,
    forward: bool,
    u: Any,
    s: _Numbers,
    axes: Any,
    norm: Optional[str],
    out: Any,
    layout: Optional[Layout],
    options: Dict[str, Any],
    orthogonalize: Optional[bool] = False,
) -> Array:
    """All of the functions below. `kind` is a plan's; back from a result the layout is that of what it was made of."""
    axes, norm = _axes(_array(u), axes), _norm(norm)
    if out is not None and not isinstance(out, Array):
        raise TypeError(f"out is of type {type(out).__name__}; give a weft.Array, or None")
    u = _converted(u, kind == "c2c" or (kind == "r2c" and not forward))
    shape = list(u.shape)
    if kind == "r2c" and not forward:
        shape[axes[-1]] = _real_extent(u, s, axes[-1], out)
    there = [shape[a] for a in axes]
    if s is not None and list(s) != there:
        raise ValueError(
            f"s is {tuple(s)}, and the axes have {tuple(there)} points; distributed arrays are not cut or padded"
        )
    if out is not None:
        layout = out.layout
    elif layout is None and not forward and u.made_of is not None and u.made_of[0].shape == tuple(shape):
        layout = u.made_of[0]
    ends = _ends.get(kind) if orthogonalize or (orthogonalize is None and norm == "ortho") else None
    if ends is not None and ends[0 if forward else 1]:
        u = u.copy()
        _scale_ends(u, axes, ends[0 if forward else 1], np.sqrt(2))
    plan = _plan(u, forward, tuple(shape), kind, axes, norm, layout, options)
    result = plan.forward(u, out) if forward else plan.backward(u, out)
    result.made_of = (u.layout, u.dtype) if forward else None
    if not forward and norm == "backward":
        result.local[...] *= result.dtype.type(plan.scale).real
    if ends is not None:
        _scale_ends(result, axes, ends[1 if forward else 0], 1 / np.sqrt(2))
    return result


def fftn(
    u: Array, s: _Numbers = None, axes: _Numbers = None, norm: Optional[str] = None, out: Optional[Array] = None,
    *, layout: Optional[Layout] = None, **options: Any,
) -> Array:  # fmt: skip
    """Collective: the transform of a complex (or real) array over `axes` (None: all). Options are those of a plan."""
    return _transform("c2c", True, u, s, axes, norm, out, layout, options)


def ifftn(
    u: Array, s: _Numbers = None, axes: _Numbers = None, norm: Optional[str] = None, out: Optional[Array] = None,
    *, layout: Optional[Layout] = None, **options: Any,
) -> Array:  # fmt: skip
    """Collective: the inverse of fftn."""
    return _transform("c2c", False, u, s, axes, norm, out, layout, options)


def rfftn(
    u: Array, s: _Numbers = None, axes: _Numbers = None, norm: Optional[str] = None, out: Optional[Array] = None,
    *, layout: Optional[Layout] = None, **options: Any,
) -> Array:  # fmt: skip
    """Collective: the transform of a real array; the last of `axes` becomes n/2+1 long."""
    return _transform("r2c", True, u, s, axes, norm, out, layout, options)


def irfftn(
    u: Array, s: _Numbers = None, axes: _Numbers = None, norm: Optional[str] = None, out: Optional[Array] = None,
    *, layout: Optional[Layout] = None, **options: Any,
) -> Array:  # fmt: skip
    """Collective: the inverse of rfftn. `s` may end with the length n of the last axis; else it is that of the array
    that `u` is the transform of, or 2 (m - 1) where u has m points."""
    return _transform("r2c", False, u, s, axes, norm, out, layout, options)


def dctn(
    u: Array, type: int = 2, s: _Numbers = None, axes: _Numbers = None, norm: Optional[str] = None,
    out: Optional[Array] = None, *, orthogonalize: Optional[bool] = None, layout: Optional[Layout] = None,
    **options: Any,
) -> Array:  # fmt: skip
    """Collective: cosines of type 1 to 4, as scipy.fft.dctn. `orthogonalize` is on by default where norm is "ortho"."""
    return _transform(_numbered("dct", type), True, u, s, axes, norm, out, layout, options, orthogonalize)


def idctn(
    u: Array, type: int = 2, s: _Numbers = None, axes: _Numbers = None, norm: Optional[str] = None,
    out: Optional[Array] = None, *, orthogonalize: Optional[bool] = None, layout: Optional[Layout] = None,
    **options: Any,
) -> Array:  # fmt: skip
    """Collective: the inverse of dctn."""
    return _transform(_numbered("dct", type), False, u, s, axes, norm, out, layout, options, orthogonalize)


def dstn(
    u: Array, type: int = 2, s: _Numbers = None, axes: _Numbers = None, norm: Optional[str] = None,
    out: Optional[Array] = None, *, orthogonalize: Optional[bool] = None, layout: Optional[Layout] = None,
    **options: Any,
) -> Array:  # fmt: skip
    """Collective: sines of type 1 to 4, as scipy.fft.dstn. `orthogonalize` is on by default where norm is "ortho"."""
    return _transform(_numbered("dst", type), True, u, s, axes, norm, out, layout, options, orthogonalize)


def idstn(
    u: Array, type: int = 2, s: _Numbers = None, axes: _Numbers = None, norm: Optional[str] = None,
    out: Optional[Array] = None, *, orthogonalize: Optional[bool] = None, layout: Optional[Layout] = None,
    **options: Any,
) -> Array:  # fmt: skip
    """Collective: the inverse of dstn."""
    return _transform(_numbered("dst", type), False, u, s, axes, norm, out, layout, options, orthogonalize)


def _numbered(name: str, type: int) -> str:
    if type not in (1, 2, 3, 4):
        raise ValueError(f"type is {type!r}; allowed: 1, 2, 3, 4")
    return f"{name}{type}"


def _along(function: Callable[..., Array]) -> Callable[..., Array]:
    """The function of one axis that numpy.fft and scipy.fft have beside that of several."""

    def one(u: Any, n: Optional[int] = None, axis: int = -1, norm: Optional[str] = None, out: Any = None,
            **options: Any) -> Array:  # fmt: skip
        return function(u, None if n is None else (n,), (axis,), norm, out, **options)

    return one


def _along_as(function: Callable[..., Array]) -> Callable[..., Array]:
    """The same of sines and cosines."""

    def one(u: Any, type: int = 2, n: Optional[int] = None, axis: int = -1, norm: Optional[str] = None,
            out: Any = None, **options: Any) -> Array:  # fmt: skip
        return function(u, type, None if n is None else (n,), (axis,), norm, out, **options)

    return one


def _planar(function: Callable[..., Array]) -> Callable[..., Array]:
    """The function of two axes."""

    def two(u: Any, s: _Numbers = None, axes: Sequence[int] = (-2, -1), norm: Optional[str] = None, out: Any = None,
            **options: Any) -> Array:  # fmt: skip
        return function(u, s, axes, norm, out, **options)

    return two


# The functions of numpy.fft by name, and those that scipy.fft has besides.
of_numpy: Dict[str, Callable[..., Array]] = {}
for _function in (fftn, ifftn, rfftn, irfftn):
    _name = _function.__name__[:-1]
    of_numpy.update({_name + "n": _function, _name: _along(_function), _name + "2": _planar(_function)})
of_scipy: Dict[str, Callable[..., Array]] = dict(of_numpy)
for _function in (dctn, idctn, dstn, idstn):
    of_scipy.update({_function.__name__: _function, _function.__name__[:-1]: _along_as(_function)})
