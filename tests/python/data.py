"""Files, types of elements, layouts of lists, memory shared with others, traces; what one rank alone gets wrong."""

import os

import numpy as np
import weft
from case import Case, comm, field, part

_types = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()


def numbers(shape, dtype):
    """A field of a type, whose values it can hold."""
    values = field(shape, np.complex128)
    if np.dtype(dtype).kind in "biu":
        return (np.abs(values) * 40).astype(dtype)
    return (values if np.dtype(dtype).kind == "c" else values.real).astype(dtype)


class Named:
    """A file name of its own, which is removed."""

    def __init__(self, suffix):
        self.name = f"weft_python_{comm.bcast(os.getpid())}{suffix}"

    def __enter__(self):
        return self.name

    def __exit__(self, *_):
        comm.Barrier()
        if comm.rank == 0 and os.path.exists(self.name):
            os.remove(self.name)
        comm.Barrier()


class Files(Case):
    shape = (7, 6, 5)

    def test_npy(self):
        layout = weft.Layout.slab(self.shape, 1, comm.size, "blocks", [1, 2, 0])
        with Named(".npy") as name:
            for dtype in _types:
                whole = numbers(self.shape, dtype)
                weft.write(name, part(whole, layout))
                comm.Barrier()
                self.assertTrue(np.array_equal(np.load(name), whole))
                self.assertEqual(weft.inspect(comm, name), (self.shape, np.dtype(dtype)))
                self.same(weft.read(comm, name), whole)
                self.same(weft.read(comm, name, layout), whole)
                out = weft.empty(comm, weft.Layout.grid(self.shape, [1, 1, comm.size]), dtype)
                self.assertIs(weft.read(comm, name, out=out), out)
                self.same(out, whole)

    def test_another_precision(self):
        whole = numbers(self.shape, np.float64)
        u = part(whole, weft.Layout.slab(self.shape, 0, comm.size))
        with Named(".npy") as name:
            weft.write(name, u, np.float32)
            self.same(weft.read(comm, name), whole.astype(np.float32))
            self.same(weft.read(comm, name, dtype=np.float64), whole.astype(np.float32).astype(np.float64))
            self.fails_everywhere(weft.Error, "f4", weft.read, comm, name, file_dtype=np.float64)
            self.fails_everywhere(weft.Error, "i4", weft.write, name, u, np.int32)

    def test_fortran_order_and_raw(self):
        whole = numbers(self.shape, np.complex64)
        with Named(".npy") as name:
            if comm.rank == 0:
                np.save(name, np.asfortranarray(whole))
            comm.Barrier()
            self.same(weft.read(comm, name), whole)
        with Named(".raw") as name:
            weft.write(name, part(whole, weft.Layout.slab(self.shape, 2, comm.size)))
            comm.Barrier()
            self.assertTrue((np.fromfile(name, np.complex64).reshape(self.shape) == whole).all())
            self.same(weft.read(comm, name, self.shape, np.complex64), whole)
            self.same(weft.read(comm, name, self.shape, np.complex128, file_dtype="c8"), whole.astype(np.complex128))
            self.fails_everywhere(TypeError, "does not tell", weft.read, comm, name)
            self.fails_everywhere(weft.Error, name, weft.read, comm, name, (7, 6, 6), np.complex64)

    def test_with_ghost_points(self):
        halo = weft.Halo(comm, weft.Layout.slab(self.shape, 0, comm.size), 2)
        u, v = halo.zeros(), halo.zeros()
        u.ghosted[...], v.ghosted[...] = 9, 8
        whole = field(self.shape, np.float64)
        u.local[...] = whole[u.local_slice]
        with Named(".npy") as name:
            weft.write(name, u)
            weft.read(comm, name, out=v)
        self.same(v, whole)
        v.local[...] = 8
        self.assertTrue((v.ghosted == 8).all())  # ghost points were left alone

    def test_errors(self):
        u = weft.zeros(comm, self.shape)
        self.fails_everywhere(weft.Error, "nowhere.npy", weft.read, comm, "nowhere.npy")
        self.fails_everywhere(weft.Error, "there", weft.write, "not/there/u.npy", u)
        self.fails(TypeError, "weft.Array", weft.write, "u.npy", np.zeros(3))
        self.fails_everywhere(TypeError, "one of them", weft.read, comm, "u.npy", self.shape, out=u)
        with Named(".npy") as name:
            weft.write(name, u)
            self.fails_everywhere(TypeError, "leave dtype away", weft.read, comm, name, dtype=np.float32, out=u)
            last = comm.rank == comm.size - 1  # gets it wrong alone
            frozen = weft.zeros(comm, self.shape)
            frozen.local.flags.writeable = not last
            self.fails_everywhere(ValueError, "read-only", weft.read, comm, name, out=frozen)
            self.fails_everywhere(TypeError, "float128", weft.read, comm, name, dtype=np.longdouble if last else None)
            self.fails_everywhere(TypeError, "PathLike", weft.read, comm, 5 if last else name)


class Memory(Case):
    class Shown:
        """Not an ndarray, and shows its memory by DLPack alone."""

        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **options):
            return self.array.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    class Described:
        """The same by NumPy's protocol."""

        def __init__(self, array):
            self.array = array
            self.__array_interface__ = array.__array_interface__

    def test_shown_to_others(self):
        u = part(field((6, 5), np.complex128), weft.Layout.slab((6, 5), 0, comm.size, order=[1, 0]))
        for seen in (np.from_dlpack(u), np.asarray(self.Described(u)), np.asarray(u)):
            self.assertTrue(np.array_equal(seen, u.local))
            self.assertEqual((seen.ctypes.data, seen.dtype), (u.local.ctypes.data, u.dtype))
            counts = [axis for axis, extent in enumerate(seen.shape) if extent > 1 and u.local.size]
            self.assertEqual([seen.strides[a] for a in counts], [u.local.strides[a] for a in counts])

    def test_taken_from_others(self):
        whole = field((6, 5, 4), np.complex128)
        layout = weft.Layout.slab((6, 5, 4), 0, comm.size)
        with weft.Plan(comm, weft.c2c((6, 5, 4)), input=layout, output=layout) as plan:
            for wrap in (self.Shown, self.Described):
                memory = whole[part(whole, layout).local_slice].copy()
                u = weft.from_local(comm, layout, wrap(memory))
                self.assertEqual(u.local.ctypes.data, memory.ctypes.data)
                self.close(weft.fftn(u), np.fft.fftn(whole))
                result = np.empty_like(memory)
                # NumPy 1 shows what it was handed by DLPack, but does not let it be written to.
                read_only = wrap is self.Shown and not np.from_dlpack(self.Shown(result)).flags.writeable
                plan.forward(wrap(memory), result if read_only else wrap(result))
                self.close(weft.from_local(comm, layout, result), np.fft.fftn(whole))
        self.fails(TypeError, "DLPack", weft.from_local, comm, layout, [1, 2, 3])
        self.fails_everywhere(
            ValueError, "shape", weft.from_local, comm, layout, memory[:, :3] if comm.rank == 0 else memory
        )


class Lists(Case):
    def test_checkerboard_and_runs(self):
        shape = (4, 6)
        whole = numbers(shape, np.int32)
        boxes = [weft.Layout.slab(shape, 1, comm.size).box(r) for r in range(comm.size)]
        lattice = weft.Layout.checkerboard(shape, boxes)
        u = part(whole, weft.Layout.slab(shape, 0, comm.size)).redistribute(lattice)
        self.same(u, whole)
        x, y = u.mesh()
        self.assertTrue((np.diff((x + y) % 2) >= 0).all())  # even ones first
        self.assertFalse(lattice.has_boxes)
        backwards = [[(i, 1) for i in range(23, -1, -1) if i % comm.size == r] for r in range(comm.size)]
        v = u.redistribute(weft.Layout.runs(shape, backwards))
        self.same(v, whole)
        self.assertEqual(sum(count for _, count in v.layout.runs_of(comm.rank)), v.local.size)
        sticks = [[((i,), 0, 6) for i in range(4) if i % comm.size == r] for r in range(comm.size)]
        self.same(v.redistribute(weft.Layout.sticks(shape, sticks)), whole)
        line = numbers((9,), np.float32)
        odd = [[(i, 1) for i in range(9) if (i + 1) % comm.size == r] for r in range(comm.size)]
        self.same(part(line, weft.Layout.slab((9,), 0, comm.size)).redistribute(weft.Layout.runs((9,), odd)), line)
        self.fails(weft.Error, "runs_of", lattice.box, 0)
        self.fails(weft.Error, "boxes", weft.Layout.slab(shape, 0, 2).runs_of, 0)
        self.fails(TypeError, "int32", weft.fftn, u)

    def test_ends_meet(self):
        whole = numbers((5, 7), np.uint16)
        layout = weft.Layout.slab((5, 7), 0, comm.size)
        grown = layout.grown([1, 2])
        v = part(whole, layout).redistribute(grown, periodic=(1, 1))
        if layout.box(comm.rank)[0][0] < layout.box(comm.rank)[1][0]:
            x, y = v.mesh()
            self.assertTrue(np.array_equal(v.local, whole[x % 5, y % 7]))


class OneRankAlone(Case):
    """What one rank gets wrong is said on all of them, in the same words."""

    def test_planning(self):
        last = comm.rank == comm.size - 1
        problem = weft.c2c((4, 4))
        self.fails_everywhere(weft.Error, "pigeon", weft.Plan, comm, problem, strategy="pigeon" if last else "auto")
        wrong = {"speed": 1} if last else {}
        self.fails_everywhere(weft.Error, "no option 'speed'", weft.Plan, comm, problem, **wrong)
        self.fails_everywhere(TypeError, "weft.c2c", weft.Plan, comm, "c2c" if last else problem)
        self.fails_everywhere(TypeError, "strategy", weft.Plan, comm, problem, strategy=[{}] if last else "auto")
        self.fails_everywhere(weft.Error, "pigeon", weft.tune, comm, problem, engine="pigeon" if last else "fftw")
        other = comm.Split(comm.rank % 2)
        if other.size != comm.size:  # a layout of the whole communicator
            self.fails(weft.Error, "ranks", weft.empty, other, weft.Layout.slab((4, 4), 0, comm.size))
            self.fails(weft.Error, "ranks", weft.Plan, other, problem, input=weft.Layout.slab((4, 4), 0, comm.size))
        other.Free()
        if comm.size > 1:
            inter = comm.Split(comm.rank % 2).Create_intercomm(0, comm, 1 - comm.rank % 2)
            self.fails(weft.Error, "intercommunicator", weft.Plan, inter, problem)


class Traces(Case):
    def test_timeline(self):
        trace = weft.Trace(comm, spans=1000)
        with weft.Plan(comm, weft.c2c((8, 8, 8))) as plan:
            plan.record(trace)
            plan.forward(plan.input(), plan.output())
        halo = weft.Halo(comm, weft.Layout.slab((8, 8), 0, comm.size), 1, periodic=True)
        halo.record(trace)
        halo(halo.zeros())
        told = trace.timeline()
        self.assertEqual((trace.left_out, trace.bytes_owned > 0), (0, True))
        if comm.rank > 0:
            self.assertEqual(told.spans, [])
        else:
            self.assertEqual(len(told.hosts), comm.size)
            self.assertEqual({span.rank for span in told.spans}, set(range(comm.size)))
            self.assertIn("forward", {span.name for span in told.spans if span.phase == "execution"})
            self.assertTrue(any("halo" in span.plan for span in told.spans))
            self.assertTrue(all(span.end_seconds >= span.begin_seconds for span in told.spans))
            self.assertAlmostEqual(told.integral_seconds, told.communication_seconds)
        self.fails_everywhere(weft.Error, "spans", weft.Trace, comm, -1)
