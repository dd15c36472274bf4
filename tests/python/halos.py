"""Halo exchange: ghost points by their global index; sums; lists; arrays with ghost points in transforms."""

import numpy as np
import weft
from case import Case, comm, field
from mpi4py import MPI


def layouts(shape):
    yield weft.Layout.slab(shape, 0, comm.size)
    yield weft.Layout.slab(shape, 1, comm.size, "blocks", [1, 0])
    yield weft.Layout.boxes(
        shape, [weft.Layout.slab(shape, 0, comm.size).box(r) for r in range(comm.size)], padding=[0, 3]
    )


def points(u):
    """Global indices of an array with its ghost points, not wrapped."""
    lo, hi = u.ghosted_box
    return np.meshgrid(*(np.arange(a, b) for a, b in zip(lo, hi)), indexing="ij")


class Halos(Case):
    shape = (6, 8)

    def test_filled(self):
        for layout in layouts(self.shape):
            for width, behind in ((1, None), ((1, 2), None), ((0, 3), (2, 1)), (9, None)):
                for periodic, dtype in ((True, np.float64), ((0, 1), np.int32), (None, np.complex64)):
                    whole = (100 * field(self.shape, np.float64)).astype(dtype)
                    halo = weft.Halo(comm, layout, width, behind=behind, periodic=periodic, dtype=dtype)
                    u = halo.zeros()
                    self.assertEqual(u.shape, self.shape)
                    u.local[...] = whole[u.local_slice]
                    halo(u)
                    x, y = points(u)
                    wraps = (True, True) if periodic is True else periodic or (False, False)
                    wanted = whole[x % 6, y % 8]
                    for at, n, wrap in ((x, 6, wraps[0]), (y, 8, wraps[1])):
                        if not wrap:
                            wanted = np.where((at >= 0) & (at < n), wanted, 0)
                    self.assertTrue(np.array_equal(u.ghosted, wanted))
                    halo.destroy()

    def test_in_halves_and_fields(self):
        layout = weft.Layout.slab(self.shape, 0, comm.size)
        halo = weft.Halo(comm, layout, 1, periodic=True, corners=False, fields=2, dtype=(np.complex64, (3, 2)))
        arrays = [halo.empty(), halo.from_local(np.zeros(halo.zeros().ghosted.shape, np.complex64))]
        wholes = [field((*self.shape, 3, 2), np.complex64) for _ in arrays]
        for u, whole in zip(arrays, wholes):
            u.ghosted[...] = 7
            u.local[...] = whole[u.local_slice]
        halo.start(*arrays)
        self.assertIn(halo.test(), (True, False))
        self.fails(weft.Error, "before", halo.start, *arrays)
        self.fails(weft.Error, "finish", halo.destroy)
        halo.finish()
        for u, whole in zip(arrays, wholes):
            x, y = points(u)
            wanted = whole[x % 6, y % 8]
            (lo, left), (hi, right) = layout.box(comm.rank)
            wanted[((x < lo) | (x >= hi)) & ((y < left) | (y >= right))] = 7  # corners
            self.assertTrue(np.array_equal(u.ghosted, wanted))
        self.assertIn(halo.strategy, halo.describe())
        with halo:
            pass
        self.fails(weft.Error, "destroyed", halo, *arrays)

    def test_added(self):
        for dtype in (np.float64, np.complex64, np.int64, np.uint8):
            layout = weft.Layout.slab(self.shape, 0, comm.size)
            halo = weft.Halo(comm, layout, 2, periodic=True, adds=True, dtype=dtype)
            u = halo.zeros()
            x, y = points(u)
            charge = (np.arange(x.size).reshape(x.shape) % 5 + 1 + comm.rank).astype(dtype)
            u.ghosted[...] = charge
            inside = np.zeros(u.ghosted.shape, bool)
            own = u.local_slice
            lo = u.ghosted_box[0]
            inside[tuple(slice(s.start - a, s.stop - a) for s, a in zip(own, lo))] = True
            total = np.zeros(self.shape, np.complex128 if np.dtype(dtype).kind == "c" else np.int64)
            np.add.at(total, (x % 6, y % 8), charge.astype(total.dtype))
            comm.Allreduce(MPI.IN_PLACE, total)
            halo.add(u)
            self.assertTrue(np.array_equal(u.local, total[own].astype(dtype)))
            self.assertTrue(np.array_equal(u.ghosted[~inside], charge[~inside]))
        halo = weft.Halo(comm, layout, 1)
        self.fails(weft.Error, "adds", halo.add, halo.zeros())
        halo = weft.Halo(comm, layout, 1, adds=True, dtype=bool)
        self.fails(weft.Error, "bool", halo.add, halo.zeros())

    def test_lists(self):
        shape = (4, 6)
        parts = weft.Layout.slab(shape, 0, comm.size)
        lattice = weft.Layout.checkerboard(shape, [parts.box(r) for r in range(comm.size)])
        for parity in (-1, 0, 1):
            ghosts = weft.checkerboard_ghosts(parts, [1, 1], parity, corners=False, periodic=[1, 1])
            halo = weft.Halo(comm, lattice, ghosts=ghosts, dtype=np.complex128)
            whole = field(shape, np.complex128)
            u = halo.zeros()
            u.local[...] = whole[u.local_slice]
            halo(u)
            behind = [i for first, count in ghosts.runs_of(comm.rank) for i in range(first, first + count)]
            self.assertTrue(np.array_equal(u.ghosted[u.local.size :], whole.ravel()[behind]))
            if parity >= 0:
                self.assertTrue(all((i // 6 + i % 6) % 2 == parity for i in behind))

    def test_transforms_take_them_as_they_are(self):
        shape = (6, 5, 8)
        for layout in (weft.Layout.slab(shape, 0, comm.size), weft.Layout.slab(shape, 1, comm.size, order=[2, 0, 1])):
            halo = weft.Halo(comm, layout, (1, 2, 1), behind=(2, 2, 3), periodic=True)
            u = halo.zeros()
            whole = field(shape, np.float64)
            u.ghosted[...] = 1e9
            u.local[...] = whole[u.local_slice]
            self.assertTrue(np.shares_memory(u.local, u.ghosted) or u.local.size == 0)
            u_hat = weft.rfftn(u)
            self.close(u_hat, np.fft.rfftn(whole))
            v = halo.zeros()
            v.ghosted[...] = 5
            weft.irfftn(u_hat, out=v)
            self.close(v, whole)
            v.local[...] = 5
            self.assertTrue((v.ghosted == 5).all())  # ghost points were left alone
            self.assertTrue(np.array_equal(u.gather(), whole))

    def test_errors(self):
        layout = weft.Layout.slab(self.shape, 0, comm.size)
        self.fails(TypeError, "one of them", weft.Halo, comm, layout)
        self.fails(TypeError, "weft.Layout", weft.Halo, comm, self.shape, 1)
        self.fails(TypeError, "datetime64", weft.Halo, comm, layout, 1, dtype="M8[s]")
        self.fails_everywhere(weft.Error, "width", weft.Halo, comm, layout, (1, 2, 3))
        self.fails_everywhere(weft.Error, "pigeon", weft.Halo, comm, layout, 1, strategy="pigeon")
        if comm.size > 1:
            self.fails_everywhere(weft.Error, "disagree", weft.Halo, comm, layout, 1 + (comm.rank == 0))
            self.fails_everywhere(TypeError, "one of them", weft.Halo, comm, layout, 1 if comm.rank else None)
        halo = weft.Halo(comm, layout, 1)
        u = halo.zeros()
        self.fails(weft.Error, "arrays 2", halo, u, u)
        self.fails(TypeError, "float64", halo, u.ghosted.astype(np.float32))
        self.fails(weft.Error, "started", halo.finish)
        self.fails(TypeError, "needs float64", halo.from_local, u.ghosted.astype(np.float32))
        if u.local.size:
            self.fails(ValueError, "shape", halo, u.local)
            frozen = u.ghosted.copy()
            frozen.flags.writeable = False
            self.fails(ValueError, "read-only", halo, frozen)
        self.fails_everywhere(ValueError, "shape", halo.from_local, np.zeros((1, 1)) if comm.rank == 0 else u.ghosted)
