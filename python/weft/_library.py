"""Finds the compiled part that belongs to the MPI of mpi4py: there may be one for Open MPI and one for MPICH.

The compiled parts are linked with no MPI. They use the library that mpi4py has loaded, whatever its file is called:
that of the system, of a module, or of a wheel.
"""

import ctypes
import importlib
import os
import pathlib
import sys

_words = {"openmpi": "Open MPI", "mpich": "MPICH"}
_there = sorted(
    {path.name.split(".")[0].lstrip("_") for path in pathlib.Path(__file__).parent.glob("_*.so")} & _words.keys()
)

# mpi4py may be able to use several MPIs. If it has not chosen yet, and weft has one only, it is that one.
if "mpi4py.MPI" not in sys.modules and len(_there) == 1 and "MPI4PY_LIBMPI" not in os.environ:
    os.environ.setdefault("MPI4PY_MPIABI", _there[0])

from mpi4py import MPI  # noqa: E402


def _kind():
    """The MPI of mpi4py, by the name that weft's compiled parts have. Those that are no Open MPI are as MPICH is."""
    if getattr(MPI, "Get_abi_version", lambda: (-1, -1))()[0] > 0:
        return "the standard ABI"
    return "openmpi" if MPI.get_vendor()[0] == "Open MPI" else "mpich"


_wanted = _kind()
if _wanted not in _there:
    raise ImportError(
        f"mpi4py uses {MPI.Get_library_version().splitlines()[0].split(',')[0].strip()}"
        f"{'' if _wanted in _words else ' by ' + _wanted}, and weft was built with "
        f"{' and '.join(_words[name] for name in _there) or 'no MPI'}; install weft for that MPI, "
        f"or let mpi4py use another one "
        f"(MPI4PY_MPIABI={' or '.join(_there)})"
    )


class _Symbol(ctypes.Structure):
    """Dl_info of dlfcn.h."""

    _fields_ = [
        ("file", ctypes.c_char_p),
        ("base", ctypes.c_void_p),
        ("name", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
    ]


def _show_mpi():
    """Lets all that is loaded from now on see the MPI library that mpi4py uses."""
    found = _Symbol()
    address = ctypes.cast(ctypes.CDLL(MPI.__file__).PMPI_Init, ctypes.c_void_p)
    if ctypes.CDLL(None).dladdr(address, ctypes.byref(found)) and found.file:
        return ctypes.CDLL(os.fsdecode(found.file), ctypes.RTLD_GLOBAL)
    return None


_library = _show_mpi()
core = importlib.import_module(f"._{_wanted}", __package__)
if core.library_version().strip("\0") != MPI.Get_library_version().strip("\0"):
    raise ImportError(
        f"mpi4py and weft use two MPI libraries: {MPI.Get_library_version().splitlines()[0]!r} and "
        f"{core.library_version().splitlines()[0]!r}; install both for the same one"
    )

Declined = core.Declined
Error = core.Error
Layout = core.Layout
Problem = core.Problem
Candidate = core.Candidate
Tuning = core.Tuning
Span = core.Span
Timeline = core.Timeline
Profile = core.Profile
Forecast = core.Forecast
Fit = core.Fit
Prediction = core.Prediction
fit = core.fit
given_fit = core.given_fit
checkerboard_ghosts = core.checkerboard_ghosts
export_wisdom = core.export_wisdom
forget_wisdom = core.forget_wisdom
import_wisdom = core.import_wisdom
library_version = core.library_version
wisdom_files = core.wisdom_files


def communicator(comm):
    """Fortran's number of a communicator."""
    if not isinstance(comm, MPI.Comm):
        raise TypeError(f"the communicator is {comm!r}; give one of mpi4py, such as MPI.COMM_WORLD")
    if MPI.Is_finalized():
        raise Error("MPI has been finalised; weft is of no use after that")
    if not MPI.Is_initialized():
        raise Error("MPI is not initialised; call MPI.Init")
    if comm == MPI.COMM_NULL:
        raise Error("the communicator is MPI_COMM_NULL; give one that this rank belongs to")
    if comm.Is_inter():
        raise Error(
            "the communicator is an intercommunicator; give an intracommunicator, such as MPI_Intercomm_merge makes "
            "of it"
        )
    return comm.py2f()


_kinds = {kind.__name__: kind for kind in (Declined, TypeError, ValueError, OverflowError)}


def agreed(comm, check):
    """What check() gives on this rank. Collective: what it raises on one rank is raised on all, the lowest one's."""
    communicator(comm)
    value, raised = None, None
    try:
        value = check()
    except Exception as error:
        raised = error
    told = None if raised is None else (type(raised).__name__, str(raised))
    for first in comm.allgather(told):
        if first is not None:
            raise raised if first == told else _kinds.get(first[0], Error)(first[1])
    return value


class Trace(core.Trace):
    """What the ranks of a communicator did when. `Trace(comm)` is collective, and so are `trace.write(path)` and
    `trace.timeline()`. `spans` is the room for each thread of a rank."""

    def __init__(self, comm, spans=65536):
        super().__init__(communicator(comm), spans)
