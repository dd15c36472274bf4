"""Plans and redistributions that functions keep, with the communicator that they were made for.

They end when the communicator is freed, or before MPI is finalised at exit, oldest first and so in the same order on
all ranks. The least used of a communicator end when there are many.
"""

import atexit
import collections
import itertools
import weakref

from mpi4py import MPI

from ._library import Error, communicator, core

MOST = 32
_alive = weakref.WeakValueDictionary()
_of_communicators = weakref.WeakSet()


class _Kept(collections.OrderedDict):
    """What is kept of one communicator, the least used first."""

    __hash__ = object.__hash__
    __eq__ = object.__eq__


_numbers = itertools.count()


def keep_until_exit(thing):
    """Ends a plan or a redistribution at exit if nobody has done so before."""
    _alive[next(_numbers)] = thing
    return thing


@atexit.register
def _end_all():
    if not MPI.Is_finalized():
        for number in sorted(_alive.keys()):
            thing = _alive.get(number)
            if thing is not None:
                try:
                    thing.destroy()
                except Error:  # a halo that was started and never finished
                    pass
    for kept in list(_of_communicators):
        kept.clear()


def _clear(comm, keyval, kept):
    while kept:
        kept.popitem(last=False)[1].destroy()


_keyval = MPI.KEYVAL_INVALID  # made when it is first needed: MPI may not be initialised on import


def cached(comm, key, make):
    """What was made for that key and communicator, or make(), which all ranks call alike."""
    global _keyval
    communicator(comm)
    if _keyval == MPI.KEYVAL_INVALID:
        _keyval = MPI.Comm.Create_keyval(delete_fn=_clear, nopython=False)
    kept = comm.Get_attr(_keyval)
    if kept is None:
        kept = _Kept()
        _of_communicators.add(kept)
        comm.Set_attr(_keyval, kept)
    found = kept.get(key)
    if found is not None:
        kept.move_to_end(key)
        return found
    found = kept[key] = make()
    if len(kept) > MOST:
        kept.popitem(last=False)[1].destroy()
    return found


def redistribution(comm, from_layout, to_layout, type_string, strategy, periodic):
    number = communicator(comm)
    return cached(
        comm,
        ("redistribution", from_layout, to_layout, type_string, strategy, periodic),
        lambda: keep_until_exit(
            core.Redistribution(number, from_layout, to_layout, type_string, strategy, list(periodic))
        ),
    )
