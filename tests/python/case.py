"""What the tests of the Python package share: fields that are never the same twice, and comparisons."""

import unittest

import numpy as np
import weft
from mpi4py import MPI

comm = MPI.COMM_WORLD
rounds = iter(range(1, 10**6))


def field(shape, dtype):
    """A global array with another value at every point, and in every call; the same on all ranks."""
    number = next(rounds)
    random = np.random.default_rng(number)
    values = random.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * random.standard_normal(shape)
    return values.astype(dtype)


def part(whole, layout):
    """The array of this rank."""
    u = weft.empty(comm, layout, whole.dtype)
    u.local[...] = whole[u.local_slice]
    return u


class Case(unittest.TestCase):
    def close(self, u, whole):
        """This rank's part of what the whole is."""
        self.assertEqual(u.shape, whole.shape)
        self.assertEqual(u.local.shape, whole[u.local_slice].shape)
        bound = 2e-5 if u.dtype.char in "fF" else 1e-12
        off = np.abs(u.local - whole[u.local_slice]).max(initial=0) / np.abs(whole).max()
        self.assertLess(off, bound)

    def same(self, u, whole):
        """This rank's part of what the whole is, bit by bit."""
        self.assertEqual((u.shape, u.dtype), (whole.shape, whole.dtype))
        self.assertTrue(np.array_equal(u.local, whole[u.local_slice]))

    def fails_everywhere(self, error, words, call, *arguments, **options):
        """All ranks raise the same."""
        with self.assertRaises(error) as raised:
            call(*arguments, **options)
        self.assertIn(words, str(raised.exception))
        self.assertEqual(len(set(comm.allgather(str(raised.exception)))), 1)

    def fails(self, error, words, call, *arguments, **options):
        with self.assertRaises(error) as raised:
            call(*arguments, **options)
        self.assertIn(words, str(raised.exception))
