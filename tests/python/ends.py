"""What happens when a program ends while plans live: MPI is finalised first, or by itself at exit."""

import numpy as np
import weft
from case import comm
from mpi4py import MPI


def leave():
    """What a program forgets: nobody ends it."""
    plan = weft.Plan(comm, weft.c2c((4, 4)))
    halo = weft.Halo(comm, weft.Layout.slab((4, 4), 0, comm.size), 1, periodic=True)
    started = weft.Halo(comm, weft.Layout.slab((4, 4), 0, comm.size), 1, periodic=True)
    u = weft.zeros(comm, (4, 4))
    u.redistribute(weft.Layout.slab((4, 4), 1, comm.size))
    ghosted = started.zeros()
    started.start(ghosted)
    return plan, halo, u, started


def finalise(plan, halo, u, started):
    """Ends MPI first. Returns how many calls did not say so."""
    started.finish()
    v, w = plan.make_input(), halo.zeros()
    MPI.Finalize()
    wrong = 0
    calls = {
        "forward": lambda: plan.forward(v),
        "make_input": plan.make_input,
        "Plan": lambda: weft.Plan(comm, weft.c2c((4, 4))),
        "halo": lambda: halo(w),
        "Halo": lambda: weft.Halo(comm, u.layout, 1),
        "redistribute": lambda: u.redistribute(u.layout),
        "fftn": lambda: weft.fftn(u),
        "read": lambda: weft.read(comm, "u.npy"),
        "write": lambda: weft.write("u.npy", u),
        "Trace": lambda: weft.Trace(comm),
        "tune": lambda: weft.tune(comm, weft.c2c((4, 4))),
    }
    for name, call in calls.items():
        try:
            call()
        except weft.Error as error:
            if "finalised" in str(error):
                continue
            print(f"{name} says: {error}")
        except Exception as error:
            print(f"{name} raises {error!r}")
        else:
            print(f"{name} says nothing")
        wrong += 1
    halo.destroy()  # plan is left to the interpreter
    u.local[...] = 3  # arrays are NumPy's, and stay
    assert repr(plan) and "here" in repr(u) and np.asarray(u).ctypes.data == u.local.ctypes.data
    return wrong
