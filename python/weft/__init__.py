"""Distributed FFTs on MPI.

    from mpi4py import MPI
    import weft

    plan = weft.Plan(MPI.COMM_WORLD, weft.r2c((256, 256, 256)))
    u, u_hat = plan.input(), plan.output()      # this rank's parts: u.local is a numpy.ndarray, without a copy
    x, y, z = u.mesh()                          # global indices, which broadcast against u.local
    u.local[...] = x * y + z
    plan.forward(u, u_hat)

Or without plans, as numpy.fft, on arrays that are distributed:

    u_hat = weft.rfftn(u)
    v = weft.irfftn(u_hat)

Axis 0 is the slowest of C order. All that make plans, or move data, are collective: every rank calls them alike. Every
failure raises weft.Error, or TypeError and ValueError for what cannot be an argument, with a message that says what was
given, what is allowed and what to do. The interpreter's lock is released while ranks wait for each other.
"""

from . import scipy_backend
from ._library import Declined, Error, Fit, Forecast, Layout, Prediction, Problem, Profile, Span, Timeline, Trace
from ._library import checkerboard_ghosts, export_wisdom, fit, forget_wisdom, given_fit, import_wisdom
from ._library import library_version, wisdom_files
from .arrays import Array, empty, from_local, zeros
from .fft import dctn, dstn, fftn, idctn, idstn, ifftn, irfftn, rfftn
from .files import inspect, read, write
from .forecasts import fit_forms, forecast, measure_profile, profile
from .halo import Ghosted, Halo
from .lines import LongLine
from .plans import (
    Candidate,
    Plan,
    Tuning,
    c2c,
    engines,
    kept_box,
    kinds,
    mixed,
    option_list,
    r2c,
    r2r,
    remember,
    sphere,
    sphere_vectors,
    strategies,
    tune,
)

__version__ = "0.1.0"
__all__ = [
    "Array",
    "Candidate",
    "Declined",
    "Error",
    "Fit",
    "Forecast",
    "Ghosted",
    "Halo",
    "Layout",
    "LongLine",
    "Plan",
    "Prediction",
    "Problem",
    "Profile",
    "Span",
    "Timeline",
    "Trace",
    "Tuning",
    "c2c",
    "checkerboard_ghosts",
    "dctn",
    "dstn",
    "empty",
    "engines",
    "export_wisdom",
    "fftn",
    "fit",
    "fit_forms",
    "forecast",
    "forget_wisdom",
    "from_local",
    "given_fit",
    "idctn",
    "idstn",
    "ifftn",
    "import_wisdom",
    "inspect",
    "irfftn",
    "kept_box",
    "kinds",
    "library_version",
    "measure_profile",
    "mixed",
    "option_list",
    "profile",
    "r2c",
    "r2r",
    "read",
    "remember",
    "rfftn",
    "scipy_backend",
    "sphere",
    "sphere_vectors",
    "strategies",
    "tune",
    "wisdom_files",
    "write",
    "zeros",
]
