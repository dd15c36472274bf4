"""numpy.fft and scipy.fft on distributed arrays. Plans are kept with the communicator.

The output is distributed as costs least, which is not as the input; `out`, or `layout`, asks for another layout. What
goes back from a result of one of these functions comes back to the layout of the first array.

`norm` is "backward" (None), "ortho" or "forward", as numpy.fft has it.
"""

from __future__ import annotations

from typing import Any, List, Optional, Sequence, Tuple

import numpy as np

from ._cache import cached
from ._library import Layout
from .arrays import Array, empty
from .plans import Plan, mixed

_scales = {"backward": "none", "ortho": "symmetric", "forward": "full"}


def _array(u: Any) -> Array:
    if not isinstance(u, Array):
        raise TypeError(
            f"a weft.Array is transformed, and {type(u).__name__} is given; weft.from_local makes one of a rank's part"
        )
    return u


def _out(out: Any) -> Optional[Array]:
    if out is not None and not isinstance(out, Array):
        raise TypeError(f"out is of type {type(out).__name__}; give a weft.Array, or None")
    return out


def _norm(norm: Optional[str]) -> str:
    norm = "backward" if norm is None else norm
    if norm not in _scales:
        raise ValueError(f'norm is {norm!r}; allowed: "backward", "ortho", "forward"')
    return norm


def _axes(u: Array, axes: Optional[Sequence[int]]) -> Tuple[int, ...]:
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


def _same_shape(u: Array, s: Optional[Sequence[int]], axes: Tuple[int, ...], last: Optional[int] = None) -> None:
    """`s` may name the extents that there are, but not others: nothing is cut or padded."""
    if s is None:
        return
    there = [u.shape[a] for a in axes]
    if last is not None:
        there[-1] = last
    if list(s) != there:
        raise ValueError(
            f"s is {tuple(s)}, and the axes have {tuple(there)} points; distributed arrays are not cut or padded"
        )


def _converted(u: Array, is_complex: bool) -> Array:
    """The array in the type that is transformed: as it is, where it can be."""
    if (u.dtype.kind == "c") == is_complex:
        return u
    if not is_complex:
        raise TypeError(f"an array of {u.dtype} is given; this transform is of real arrays")
    other = empty(u.comm, u.layout, np.complex64 if u.dtype.char == "f" else np.complex128)
    other.local[...] = u.local
    return other


def _plan(
    u: Array,
    forward: bool,
    shape: Tuple[int, ...],
    kinds: List[str],
    axes: Tuple[int, ...],
    norm: str,
    layout: Optional[Layout],
    options: dict,
) -> Plan:
    """The plan that has the array on one side and, where it is asked for, the layout on the other."""
    single = u.dtype.char in "fF"
    key = (
        "plan",
        forward,
        u.layout,
        layout,
        shape,
        tuple(kinds),
        axes,
        single,
        norm,
        tuple(
            sorted(
                (name, value if isinstance(value, (str, int, float, Layout, type(None))) else tuple(value))
                for name, value in options.items()
            )
        ),
    )
    sides = {"input": u.layout, "output": layout} if forward else {"input": layout, "output": u.layout}
    sides = {name: side for name, side in sides.items() if side is not None}
    return cached(
        u.comm,
        key,
        lambda: Plan(
            u.comm,
            mixed(shape, kinds, axes, np.float32 if single else np.float64),
            scale=_scales[norm],
            **sides,
            **options,
        ),
    )


def _forward(
    u: Array,
    kinds: List[str],
    axes: Tuple[int, ...],
    norm: str,
    out: Optional[Array],
    layout: Optional[Layout],
    options: dict,
) -> Array:
    plan = _plan(u, True, u.shape, kinds, axes, norm, _out(out).layout if out is not None else layout, options)
    result = plan.forward(u, out)
    result.made_of = (u.layout, u.dtype)
    return result


def _backward(
    u: Array,
    shape: Tuple[int, ...],
    kinds: List[str],
    axes: Tuple[int, ...],
    norm: str,
    out: Optional[Array],
    layout: Optional[Layout],
    options: dict,
) -> Array:
    if _out(out) is not None:
        layout = out.layout
    elif layout is None and u.made_of is not None and u.made_of[0].shape == shape:
        layout = u.made_of[0]
    plan = _plan(u, False, shape, kinds, axes, norm, layout, options)
    result = plan.backward(u, out)
    result.made_of = None
    if norm == "backward":
        result.local[...] *= result.dtype.type(plan.scale).real
    return result


def fftn(
    u: Array,
    s: Optional[Sequence[int]] = None,
    axes: Optional[Sequence[int]] = None,
    norm: Optional[str] = None,
    out: Optional[Array] = None,
    *,
    layout: Optional[Layout] = None,
    **options: Any,
) -> Array:
    """Collective: the transform of a complex (or real) array over `axes` (None: all). Options are those of a plan."""
    axes, norm = _axes(_array(u), axes), _norm(norm)
    _same_shape(u, s, axes)
    return _forward(_converted(u, True), ["c2c"], axes, norm, out, layout, options)


def ifftn(
    u: Array,
    s: Optional[Sequence[int]] = None,
    axes: Optional[Sequence[int]] = None,
    norm: Optional[str] = None,
    out: Optional[Array] = None,
    *,
    layout: Optional[Layout] = None,
    **options: Any,
) -> Array:
    """Collective: the inverse of fftn."""
    axes, norm = _axes(_array(u), axes), _norm(norm)
    _same_shape(u, s, axes)
    return _backward(_converted(u, True), u.shape, ["c2c"], axes, norm, out, layout, options)


def rfftn(
    u: Array,
    s: Optional[Sequence[int]] = None,
    axes: Optional[Sequence[int]] = None,
    norm: Optional[str] = None,
    out: Optional[Array] = None,
    *,
    layout: Optional[Layout] = None,
    **options: Any,
) -> Array:
    """Collective: the transform of a real array; the last of `axes` becomes n/2+1 long."""
    axes, norm = _axes(_array(u), axes), _norm(norm)
    _same_shape(u, s, axes)
    return _forward(_converted(u, False), ["r2c"], axes, norm, out, layout, options)


def irfftn(
    u: Array,
    s: Optional[Sequence[int]] = None,
    axes: Optional[Sequence[int]] = None,
    norm: Optional[str] = None,
    out: Optional[Array] = None,
    *,
    layout: Optional[Layout] = None,
    **options: Any,
) -> Array:
    """Collective: the inverse of rfftn. `s` may end with the length n of the last axis; else it is that of the array that
    `u` is the transform of, or 2 (m - 1) where u has m points."""
    axes, norm = _axes(_array(u), axes), _norm(norm)
    half = u.shape[axes[-1]]
    n = 2 * (half - 1)
    if s is not None:
        n = list(s)[-1]
    elif _out(out) is not None:
        n = out.shape[axes[-1]]
    elif u.made_of is not None and len(u.made_of[0].shape) == u.ndim and u.made_of[0].shape[axes[-1]] // 2 + 1 == half:
        n = u.made_of[0].shape[axes[-1]]
    if n // 2 + 1 != half:
        raise ValueError(
            f"the last axis is to have {n} points and has {half} of its spectrum; "
            f"allowed: {2 * half - 2} or {2 * half - 1}"
        )
    _same_shape(u, s, axes, n)
    shape = tuple(n if a == axes[-1] else extent for a, extent in enumerate(u.shape))
    return _backward(_converted(u, True), shape, ["r2c"], axes, norm, out, layout, options)


def _type_of(type: int) -> int:
    if type not in (1, 2, 3, 4):
        raise ValueError(f"type is {type!r}; allowed: 1, 2, 3, 4")
    return type


def _r2r(
    name: str,
    forward: bool,
    u: Array,
    number: int,
    axes: Any,
    norm: Optional[str],
    out: Any,
    layout: Any,
    options: dict,
) -> Array:
    found, how = _axes(_array(u), axes), _norm(norm)
    kind = [f"{name}{_type_of(number)}"]
    u = _converted(u, False)
    if forward:
        return _forward(u, kind, found, how, out, layout, options)
    return _backward(u, u.shape, kind, found, how, out, layout, options)


def dctn(
    u: Array,
    type: int = 2,
    axes: Optional[Sequence[int]] = None,
    norm: Optional[str] = None,
    out: Optional[Array] = None,
    *,
    layout: Optional[Layout] = None,
    **options: Any,
) -> Array:
    """Collective: cosines of type 1 to 4, as scipy.fft.dctn with orthogonalize=False."""
    return _r2r("dct", True, u, type, axes, norm, out, layout, options)


def idctn(
    u: Array,
    type: int = 2,
    axes: Optional[Sequence[int]] = None,
    norm: Optional[str] = None,
    out: Optional[Array] = None,
    *,
    layout: Optional[Layout] = None,
    **options: Any,
) -> Array:
    """Collective: the inverse of dctn."""
    return _r2r("dct", False, u, type, axes, norm, out, layout, options)


def dstn(
    u: Array,
    type: int = 2,
    axes: Optional[Sequence[int]] = None,
    norm: Optional[str] = None,
    out: Optional[Array] = None,
    *,
    layout: Optional[Layout] = None,
    **options: Any,
) -> Array:
    """Collective: sines of type 1 to 4, as scipy.fft.dstn with orthogonalize=False."""
    return _r2r("dst", True, u, type, axes, norm, out, layout, options)


def idstn(
    u: Array,
    type: int = 2,
    axes: Optional[Sequence[int]] = None,
    norm: Optional[str] = None,
    out: Optional[Array] = None,
    *,
    layout: Optional[Layout] = None,
    **options: Any,
) -> Array:
    """Collective: the inverse of dstn."""
    return _r2r("dst", False, u, type, axes, norm, out, layout, options)
