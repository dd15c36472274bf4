"""The Python package, compared with numpy.fft and scipy.fft; run on any number of ranks."""

import faulthandler
import gc
import os
import pickle
import sys
import threading
import time
import unittest

import ends
import numpy as np
import scipy.fft
import weft
from case import Case, comm, field, part
from data import *  # noqa: F403
from halos import *  # noqa: F403
from lines import *  # noqa: F403
from mpi4py import MPI
from start import *  # noqa: F403
from stubs import *  # noqa: F403


class Functions(Case):
    shape = (8, 6, 10)

    def layouts(self, shape):
        yield weft.Layout.slab(shape, 0, comm.size)
        yield weft.Layout.slab(shape, 1, comm.size, "blocks", [1, 2, 0])
        yield weft.Layout.grid(shape, [1, 1, comm.size])

    def test_complex(self):
        for dtype in (np.complex128, np.complex64):
            for axes in (None, (0,), (2, 0), (-1, -2)):
                for norm in (None, "ortho", "forward"):
                    whole = field(self.shape, dtype)
                    for layout in self.layouts(self.shape):
                        u = part(whole, layout)
                        u_hat = weft.fftn(u, axes=axes, norm=norm)
                        self.assertEqual(u_hat.dtype, dtype)
                        self.close(u_hat, np.fft.fftn(whole, axes=axes, norm=norm))
                        self.close(u, whole)
                        back = weft.ifftn(u_hat, axes=axes, norm=norm)
                        self.assertEqual(back.layout, layout)
                        self.close(back, whole)

    def test_inverse_of_what_has_no_history(self):
        whole = field(self.shape, np.complex128)
        for layout in self.layouts(self.shape):
            self.close(weft.ifftn(part(whole, layout)), np.fft.ifftn(whole))

    def test_real(self):
        for dtype in (np.float64, np.float32):
            for shape in (self.shape, (4, 9), (7, 5, 3, 4)):
                for axes in (None, (0,), (1, 0)):
                    whole = field(shape, dtype)
                    for norm in (None, "ortho", "forward"):
                        u = part(whole, weft.Layout.slab(shape, 0, comm.size))
                        u_hat = weft.rfftn(u, axes=axes, norm=norm)
                        self.close(u_hat, np.fft.rfftn(whole, axes=axes, norm=norm))
                        self.close(weft.irfftn(u_hat, axes=axes, norm=norm), whole)
        whole = field((6, 5), np.complex128)
        u = part(whole, weft.Layout.slab((6, 5), 0, comm.size))
        self.close(weft.irfftn(u), np.fft.irfftn(whole))
        self.close(weft.irfftn(u, s=(6, 9)), np.fft.irfftn(whole, s=(6, 9), axes=(0, 1)))

    def test_real_array_as_complex(self):
        whole = field(self.shape, np.float32)
        u_hat = weft.fftn(part(whole, weft.Layout.slab(self.shape, 0, comm.size)))
        self.assertEqual(u_hat.dtype, np.complex64)
        self.close(u_hat, np.fft.fftn(whole).astype(np.complex64))

    # Before 1.11 scipy scaled the first point of DST-II and DST-III in place of the last one.
    _rows = scipy.fft.dst(np.eye(4), 2, norm="ortho")
    sines_are_sound = np.allclose(_rows @ _rows.T, np.eye(4))

    def test_cosines_and_sines(self):
        pairs = ((weft.dctn, weft.idctn, scipy.fft.dctn), (weft.dstn, weft.idstn, scipy.fft.dstn))
        ways = [(norm, None) for norm in (None, "ortho", "forward")] + [("ortho", False), (None, True)]
        for ours, inverse, theirs in pairs:
            for type in (1, 2, 3, 4):
                for axes in (None, (1,), (2, 0)):
                    for norm, ends in ways if axes == (2, 0) else ways[:2]:
                        orthogonal = ends or (ends is None and norm == "ortho")
                        if ours is weft.dstn and type in (2, 3) and orthogonal and not self.sines_are_sound:
                            continue
                        whole = field(self.shape, np.float64)
                        u = part(whole, weft.Layout.slab(self.shape, 0, comm.size))
                        u_hat = ours(u, type, axes=axes, norm=norm, orthogonalize=ends)
                        self.close(u_hat, theirs(whole, type, axes=axes, norm=norm, orthogonalize=ends))
                        self.close(u, whole)
                        self.close(inverse(u_hat, type, axes=axes, norm=norm, orthogonalize=ends), whole)

    def test_out_and_layout(self):
        whole = field(self.shape, np.complex128)
        u = part(whole, weft.Layout.slab(self.shape, 0, comm.size))
        wanted = weft.Layout.slab(self.shape, 2, comm.size, "blocks")
        out = weft.empty(comm, wanted, np.complex128)
        address = out.local.ctypes.data
        self.assertIs(weft.fftn(u, out=out), out)
        self.assertEqual(out.local.ctypes.data, address)
        self.close(out, np.fft.fftn(whole))
        self.assertEqual(weft.fftn(u, layout=wanted).layout, wanted)
        self.assertEqual(weft.ifftn(out, layout=wanted).layout, wanted)
        self.fails(TypeError, "complex128", weft.fftn, u, out=weft.empty(comm, wanted, np.complex64))

    def test_numpy_dispatches(self):
        whole = field(self.shape, np.complex128)
        u = part(whole, weft.Layout.slab(self.shape, 0, comm.size))
        u_hat = np.fft.fftn(u, norm="ortho")
        self.assertIsInstance(u_hat, weft.Array)
        self.close(u_hat, np.fft.fftn(whole, norm="ortho"))
        self.close(np.fft.ifftn(u_hat, norm="ortho"), whole)
        real = field(self.shape, np.float64)
        v_hat = np.fft.rfftn(part(real, weft.Layout.slab(self.shape, 0, comm.size)), axes=(0, 2))
        self.close(v_hat, np.fft.rfftn(real, axes=(0, 2)))
        self.close(np.fft.irfftn(v_hat, axes=(0, 2)), real)
        lines = np.fft.fft(u, axis=1)
        self.close(lines, np.fft.fft(whole, axis=1))
        self.close(np.fft.ifft(lines, axis=1), whole)
        self.close(np.fft.fft2(u, norm="forward"), np.fft.fft2(whole, norm="forward"))
        self.close(np.fft.irfft(np.fft.rfft(part(real, u.layout))), real)
        self.close(np.fft.irfft2(np.fft.rfft2(part(real, u.layout))), real)
        with self.assertRaises(TypeError):
            np.fft.hfft(u)

    def test_scipy_dispatches(self):
        whole, real = field(self.shape, np.complex128), field(self.shape, np.float64)
        layout = weft.Layout.slab(self.shape, 0, comm.size)
        names = ("fft", "fft2", "fftn", "ifft", "ifft2", "ifftn", "rfft", "rfft2", "rfftn", "irfft", "irfft2", "irfftn")
        sines = tuple(i + t + n for t in ("dct", "dst") for i in ("", "i") for n in ("", "n"))
        wanted = {}
        for name in names + sines:
            of = real if name.startswith("rfft") or name in sines else whole
            for norm in (None, "ortho") if "dst" not in name or self.sines_are_sound else (None,):
                wanted[name, norm] = of, getattr(scipy.fft, name)(of, norm=norm)
        with scipy.fft.set_backend(weft.scipy_backend):
            for (name, norm), (of, result) in wanted.items():
                u_hat = getattr(scipy.fft, name)(part(of, layout), norm=norm)
                self.assertIsInstance(u_hat, weft.Array)
                self.close(u_hat, result)
            self.close(scipy.fft.dct(part(real, layout), 3, None, 0), scipy.fft.dct(real, 3, None, 0))
            self.close(scipy.fft.fftn(part(whole, layout), workers=1, overwrite_x=True), scipy.fft.fftn(whole))
            self.assertIsInstance(scipy.fft.fftn(whole), np.ndarray)  # arrays of NumPy go where they went
            self.fails(TypeError, "weft has", scipy.fft.hfft, part(whole, layout))
            self.fails(TypeError, "plan", scipy.fft.fftn, part(whole, layout), plan=5)

    def test_plans_are_kept(self):
        layout = weft.Layout.slab(self.shape, 0, comm.size)
        other = comm.Dup()
        one = weft.from_local(other, layout, weft.zeros(comm, layout, np.complex128).local)
        weft.fftn(one)
        kept = [k for k in other.Get_attr(weft._cache._keyval).values()]
        self.assertEqual(len(kept), 1)
        weft.fftn(one)
        weft.ifftn(one, layout=layout)
        self.assertEqual(len(other.Get_attr(weft._cache._keyval)), 2)
        self.assertIs(other.Get_attr(weft._cache._keyval).popitem(last=False)[1], kept[0])
        last = list(other.Get_attr(weft._cache._keyval).values())[0]
        other.Free()
        self.fails(weft.Error, "destroyed", last.forward, one)

    def test_errors(self):
        u = weft.zeros(comm, self.shape, np.complex128)
        self.fails(TypeError, "weft.from_local", weft.fftn, np.zeros(self.shape))
        self.fails(ValueError, "allowed: different ones from -3 to 2", weft.fftn, u, axes=(0, 3))
        self.fails(ValueError, "different", weft.fftn, u, axes=(0, -3))
        self.fails(ValueError, "norm", weft.fftn, u, norm="loud")
        self.fails(ValueError, "not cut or padded", weft.fftn, u, s=(8, 6, 5))
        self.fails(ValueError, "allowed: 18 or 19", weft.irfftn, u, s=(8, 6, 10))
        self.fails(TypeError, "real arrays", weft.dctn, u)
        self.fails(ValueError, "type", weft.dctn, weft.zeros(comm, self.shape), 5)
        self.fails(weft.Error, "no option 'speed'", weft.fftn, u, speed="high")


class Plans(Case):
    def test_arrays_without_copies(self):
        plan = weft.Plan(comm, weft.r2c((8, 6, 10)), strategy="alltoallv", natural_output=True)
        u, u_hat = plan.input(), plan.output()
        self.assertIs(plan.input(), u)
        self.assertEqual((u.dtype, u_hat.dtype), (np.float64, np.complex128))
        self.assertEqual((u.shape, u_hat.shape), ((8, 6, 10), (8, 6, 6)))
        for _ in range(3):
            whole = field((8, 6, 10), np.float64)
            u.local[...] = whole[u.local_slice]
            self.assertIs(plan.forward(u, u_hat), u_hat)
            self.close(u_hat, np.fft.rfftn(whole))
            v = plan.backward(u_hat)
            v.local[...] *= plan.scale
            self.close(v, whole)
        self.assertEqual(plan.effective()["strategy"], "alltoallv")
        self.assertEqual(np.asarray(u).ctypes.data, u.local.ctypes.data)
        self.assertIn("alltoallv", plan.describe())
        x, y, z = u.mesh()
        self.assertEqual(np.broadcast_shapes(x.shape, y.shape, z.shape), u.local.shape)
        self.assertTrue((x.ravel() == np.arange(u.box[0][0], u.box[1][0])).all())
        plan.measure()
        plan.forward(u, u_hat)
        self.assertGreater(plan.spent()["work_seconds"], 0)
        local = u.local
        local[...] = 5
        plan.destroy()
        del plan, u, u_hat
        gc.collect()
        self.assertTrue((local == 5).all())  # what is held stays

    def test_in_place_and_batches(self):
        with weft.Plan(comm, weft.r2c((6, 5, 8), dtype=np.float32), placement="in_place", batch=3) as plan:
            u, u_hat = plan.input(), plan.output()
            whole = field((3, 6, 5, 8), np.float32)
            u.local[...] = whole[u.local_slice]
            self.assertIs(plan.forward(u), u_hat)
            self.close(u_hat, np.fft.rfftn(whole, axes=(1, 2, 3)))
            self.assertIs(plan.backward(u_hat), u)
            self.close(u, whole / np.float32(plan.scale))
            self.fails(ValueError, "in place", plan.forward, u, np.zeros(3))
        self.fails(weft.Error, "destroyed", plan.forward, u)
        self.assertIn("destroyed", repr(plan))

    def test_wavenumbers_and_weights(self):
        n = (8, 6, 10)
        for options in ({}, {"batch": 2}):
            plan = weft.Plan(comm, weft.r2c(n), **options)
            u = plan.input()
            x = u.mesh()[-3]
            u.local[...] = np.sin(2 * np.pi * 2 * x / 8)
            u_hat = plan.forward(u)
            k = plan.wavenumbers(odd=True)
            energy = (plan.weights() * np.abs(u_hat.local) ** 2).sum() * plan.scale
            self.assertAlmostEqual(comm.allreduce(energy), comm.allreduce((u.local**2).sum()))
            u_hat.local[...] *= 1j * k[0] * plan.scale
            slope = plan.backward(u_hat)
            self.assertLess(np.abs(slope.local - 2 * np.cos(2 * np.pi * 2 * x / 8)).max(initial=0), 1e-12)
            lo, hi = u_hat.box
            for axis, m in enumerate(n):
                i = np.arange(lo[axis - 3], hi[axis - 3]) if u_hat.local.size else np.arange(0)
                signed = i if axis == 2 else np.where(2 * i < m, i, i - m)
                shape = [-1 if a == axis - 3 + len(lo) else 1 for a in range(len(lo))]
                off = np.abs(plan.wavenumbers()[axis] - signed.reshape(shape)).max(initial=0)
                self.assertEqual(off, 0)
                off = np.abs(k[axis] - np.where(2 * i == m, 0, signed).reshape(shape)).max(initial=0)
                self.assertEqual(off, 0)  # the wave of n/2 has no slope

    def test_maps(self):
        plan = weft.Plan(comm, weft.c2c((8, 6, 4)))
        u, out = plan.input(), plan.make_input()
        whole = field((8, 6, 4), np.complex128)
        u.local[...] = whole[u.local_slice]
        seen = []

        def at_origin(values, point, axis):
            seen.append(point)
            keep = values[0] if all(p == 0 for p in point) else 0
            values[:] = 0
            values[0] = keep

        plan.forward_map_backward(u, out, at_origin)
        self.close(out, np.full((8, 6, 4), whole.sum()))
        self.assertGreater(comm.allreduce(len(seen)), 0)

        def refuse(values, point, axis):
            raise KeyError("no")

        if u.local.size and plan.output().local.size:
            with self.assertRaises(KeyError):
                plan.forward_map_backward(u, out, refuse)
        else:
            plan.forward_map_backward(u, out, refuse)
        self.close(plan.forward(u), np.fft.fftn(whole))

    def test_wrong_arrays(self):
        plan = weft.Plan(comm, weft.c2c((8, 6, 4)), natural_output=True)
        u, u_hat = plan.input(), plan.output()
        self.fails(TypeError, "no array", plan.forward, "u", u_hat)
        self.fails(TypeError, "complex128", plan.forward, u.local.real, u_hat)
        self.fails(TypeError, "complex128", plan.forward, u.local.astype(np.complex64), u_hat)
        self.fails(TypeError, "complex128", plan.forward, u.local.astype(">c16"), u_hat)
        frozen = u_hat.local.copy()
        frozen.flags.writeable = False
        self.fails(ValueError, "read-only", plan.forward, u, frozen)
        if u.local.size:
            self.fails(ValueError, "shape", plan.forward, u.local[:, :, :3], u_hat)
            self.fails(ValueError, "strides", plan.forward, np.asfortranarray(u.local), u_hat)
            self.fails(weft.Error, "overlap", plan.forward, u, u)
        flat = np.zeros(u.local.size, np.complex128)
        plan.forward(u, flat)

    def test_wrong_plans(self):
        self.fails(weft.Error, 'unknown kind "treble"', weft.mixed, (4, 4), ["treble"])
        self.fails(weft.Error, "no option 'speed'", weft.Plan, comm, weft.c2c((4, 4)), speed=1)
        self.fails(weft.Error, "pigeon", weft.Plan, comm, weft.c2c((4, 4)), strategy="pigeon")
        self.fails(TypeError, "strategy", weft.Plan, comm, weft.c2c((4, 4)), strategy=object())
        self.fails(TypeError, "MPI.COMM_WORLD", weft.Plan, 5, weft.c2c((4, 4)))
        self.fails(weft.Error, "MPI_COMM_NULL", weft.Plan, MPI.COMM_NULL, weft.c2c((4, 4)))
        self.fails(TypeError, "problem", weft.Plan, comm, (4, 4))
        self.fails(TypeError, "int64", weft.c2c, (4, 4), dtype=np.int64)
        if comm.size > 1:
            with self.assertRaises(weft.Error) as raised:
                weft.Plan(comm, weft.c2c((4, 4 + comm.rank)))
            self.assertIn("ranks disagree about", str(raised.exception))
            self.assertEqual(len(set(comm.allgather(str(raised.exception)))), 1)
        self.assertTrue(issubclass(weft.Declined, weft.Error) and issubclass(weft.Error, RuntimeError))

    @unittest.skipIf(comm.size == 1, "nobody waits")
    def test_other_threads_run_meanwhile(self):
        plan = weft.Plan(comm, weft.c2c((8, 8, 8)))
        u, u_hat = plan.input(), plan.output()
        counted, done = [0], threading.Event()

        def count():
            while not done.wait(0.001):
                counted[0] += 1

        thread = threading.Thread(target=count, daemon=True)
        thread.start()
        comm.Barrier()
        if comm.rank != 0:
            time.sleep(0.5)  # rank 0 waits for the others
        before = counted[0]
        plan.forward(u, u_hat)
        meanwhile = counted[0] - before
        done.set()
        thread.join()
        if comm.rank == 0:
            self.assertGreater(meanwhile, 5)


class Spheres(Case):
    def test_cutoff_and_vectors(self):
        grid = (12, 12, 12)
        with weft.Plan(comm, weft.sphere(grid, cutoff=12.0)) as plan:
            g = plan.vectors()
        self.assertTrue((g == weft.sphere_vectors(12.0, comm.size, comm.rank)).all())
        self.assertTrue(((g**2).sum(axis=1) <= 12).all())
        self.assertEqual(
            comm.allreduce(len(g)),
            sum(1 for a in range(-4, 5) for b in range(-4, 5) for c in range(-4, 5) if a * a + b * b + c * c <= 12),
        )
        plan = weft.Plan(comm, weft.sphere(grid, g))
        c, psi = plan.output(), plan.input()
        values = field(grid, np.complex128)
        c.local[...] = values[tuple(g.T)]
        plan.backward(c, psi)
        whole = np.zeros(grid, np.complex128)
        all_g = np.concatenate(comm.allgather(g))
        whole[tuple(all_g.T)] = values[tuple(all_g.T)]
        self.close(psi, np.fft.ifftn(whole) * 12**3)
        again = plan.forward(psi)
        self.assertLess(np.abs(again.local * plan.scale - c.local).max(initial=0), 1e-12)
        self.fails(ValueError, "(n, 3)", weft.sphere, grid, [1, 2, 3])
        self.fails(TypeError, "one of them", weft.sphere, grid)

    def test_kept_box(self):
        with weft.Plan(comm, weft.kept_box((12, 12, 12), (8, 8, 8), real=True)) as plan:
            u = plan.input()
            whole = field((12, 12, 12), np.float64)
            u.local[...] = whole[u.local_slice]
            spectrum = np.fft.rfftn(whole)
            kept = spectrum[np.ix_([0, 1, 2, 3, 8, 9, 10, 11], [0, 1, 2, 3, 8, 9, 10, 11], range(5))]
            u_hat = plan.forward(u)
            inside = tuple(slice(0, 0) if s.stop <= s.start else s for s in u_hat.local_slice)
            off = np.abs(u_hat.local - kept[inside])
            lo = u_hat.box[0]
            for axis in range(3):  # modes of n/2 are sums of two; they are left out
                index = np.arange(off.shape[axis]) + lo[axis]
                off = np.compress(index != 4, off, axis=axis)
            self.assertLess(off.max(initial=0), 1e-11)


class Data(Case):
    def test_redistribution(self):
        whole = field((7, 9), np.float32)
        u = part(whole, weft.Layout.slab((7, 9), 0, comm.size))
        v = u.redistribute(weft.Layout.slab((7, 9), 1, comm.size, "blocks", [1, 0]), strategy="alltoallv")
        self.assertTrue((v.local == whole[v.local_slice]).all())
        self.assertTrue((v.gather() == whole).all())
        self.assertTrue((u.copy().local == u.local).all())
        self.fails(TypeError, "float64", u.redistribute, weft.zeros(comm, (7, 9)))
        self.fails(weft.Error, "ranks", weft.empty, comm, weft.Layout.slab((7, 9), 0, comm.size + 1))
        self.fails(ValueError, "shape", weft.from_local, comm, u.layout, np.zeros((1, 1)))
        self.fails(TypeError, "datetime64", weft.zeros, comm, (4, 4), "M8[s]")
        self.fails(TypeError, ">f8", weft.zeros, comm, (4, 4), ">f8")

    def test_layouts(self):
        layout = weft.Layout.boxes(
            (4, 4), [((0, 4 * r // comm.size), (4, 4 * (r + 1) // comm.size)) for r in range(comm.size)]
        )
        self.assertEqual(
            layout,
            weft.Layout.grid(
                (4, 4), [1, comm.size], "0," + ",".join(str(4 * (r + 1) // comm.size) for r in range(comm.size))
            ),
        )
        self.assertNotEqual(layout, weft.Layout.replicated((4, 4), comm.size + 1))
        self.assertEqual(len({layout, weft.Layout.boxes((4, 4), [layout.box(r) for r in range(comm.size)])}), 1)
        self.assertEqual(layout.order, (0, 1))
        self.assertEqual(layout.ordered([1, 0]).order, (1, 0))
        self.fails(weft.Error, "rank", layout.box, comm.size)
        self.assertNotEqual(layout, 5)

    def test_tuning_wisdom_traces(self):
        problem = weft.c2c((8, 8, 8), dtype=np.complex64)
        found = weft.tune(comm, problem, seconds=0.1)
        self.assertTrue(found.candidates and found.reason and found.json.startswith("{"))
        with weft.Plan(comm, problem, **found.options) as plan:
            trace = weft.Trace(comm)
            plan.record(trace)
            plan.forward(plan.input(), plan.output())
            name = f"weft_python_{comm.bcast(os.getpid())}.json"
            trace.write(name)
            comm.Barrier()
            with open(name) as file:
                self.assertIn("forward", file.read())
            comm.Barrier()
            if comm.rank == 0:
                os.remove(name)
        weft.remember(comm, problem, found)
        text = weft.export_wisdom()
        weft.forget_wisdom()
        if comm.rank == 0:
            self.assertNotEqual(text, weft.export_wisdom())
        weft.import_wisdom(text)
        self.assertEqual(text, weft.export_wisdom())
        weft.forget_wisdom()
        self.fails(weft.Error, "JSON", weft.import_wisdom, "nonsense")
        self.assertIsInstance(weft.wisdom_files(), list)
        self.assertIn("direct", weft.strategies())
        self.assertTrue(weft.kinds() and weft.engines() and "batch" in weft.option_list())
        self.fails((TypeError, pickle.PicklingError), "pickle", pickle.dumps, found)


class Overhead(unittest.TestCase):
    @unittest.skipUnless(
        comm.size == 1 and os.environ.get("WEFT_TEST_OVERHEAD"), "a timing, for one rank alone on a machine"
    )
    def test_a_call(self):
        for n in ((1, 1, 2), (32, 32, 32)):
            plan = weft.Plan(comm, weft.c2c(n))
            u, u_hat = plan.input(), plan.output()
            plan.measure()
            plan.forward(u, u_hat)
            best = 1e9
            for _ in range(50):
                before, begin = plan.spent(), time.perf_counter()
                for _ in range(50):
                    plan.forward(u, u_hat)
                seconds, after = time.perf_counter() - begin, plan.spent()
                inside = sum(after[name] - before[name] for name in ("work_seconds", "exchange_seconds"))
                best = min(best, (seconds - inside) / 50)
            print(f"{best * 1e6:.2f} us a call of {n} outside the plan's steps")
            self.assertLess(best, 10e-6)


if __name__ == "__main__":
    faulthandler.dump_traceback_later(float(os.environ.get("WEFT_TEST_SECONDS", 100)), exit=True)  # where it hangs
    result = unittest.main(exit=False, verbosity=0, buffer=False).result
    wrong = comm.allreduce(len(result.failures) + len(result.errors))
    left = ends.leave()  # ends by itself
    if comm.size % 2 == 1:
        wrong += ends.finalise(*left)
    sys.exit(1 if wrong else 0)
