"""Long lines, plans in memory of the caller's or without any, forecasts and fits."""

import math
import weakref

import numpy as np
import weft
from case import Case, comm, field, part


class Lines(Case):
    def test_both_orders(self):
        for dtype in (np.complex128, np.complex64):
            for n, rows in ((60, None), (60, 4), (7, None), (96, 8)):
                for natural in (False, True):
                    whole = field((n,), dtype)
                    with weft.LongLine(comm, n, dtype=dtype, rows=rows, natural_output=natural) as line:
                        self.assertEqual(line.rows * line.columns, n)
                        self.assertEqual(rows in (None, line.rows), True)
                        u = line.make_input()
                        u.local[...] = whole[u.local_slice]
                        u_hat = line.forward(u)
                        modes = line.modes()
                        if natural:
                            self.assertTrue(np.array_equal(modes, u_hat.mesh()[0]))
                        expected = np.fft.fft(whole)[modes]
                        bound = (2e-5 if dtype == np.complex64 else 1e-13) * np.abs(whole).sum()
                        self.assertLess(np.abs(u_hat.local - expected).max(initial=0), bound)
                        self.same(u, whole)  # the input is left alone
                        back = line.backward(u_hat)
                        back.local[...] *= line.scale
                        self.close(back, whole)
                        self.assertIn("line of", line.describe())

    def test_in_one_array(self):
        whole = field((24,), np.complex128)
        line = weft.LongLine(comm, 24, rows=4, natural_output=True)
        u, u_hat = line.make_input(), line.make_output()
        room = np.zeros(max(u.local.size, u_hat.local.size), np.complex128)
        u.local[...] = whole[u.local_slice]
        room[: u.local.size] = u.local
        self.assertIs(line.forward(room, room), room)
        line.forward(u, u_hat)
        self.assertTrue(np.array_equal(room[: u_hat.local.size], u_hat.local))

    def test_bad_input(self):
        line = weft.LongLine(comm, 12 * comm.size)
        u = line.make_input().local
        if u.size:
            self.fails(TypeError, "complex128", line.forward, u.astype(np.complex64))
            self.fails(ValueError, "this long line", line.forward, u[1:])
        self.fails_everywhere(TypeError, "complex64, complex128", weft.LongLine, comm, 12, dtype=np.float64)
        self.fails_everywhere(weft.Error, "give at least 1", weft.LongLine, comm, 0)
        self.fails_everywhere(weft.Error, "in 5 rows; give a divisor", weft.LongLine, comm, 12, rows=5)
        self.fails_everywhere(weft.Error, "batch", weft.LongLine, comm, 12, batch=2)
        line.destroy()
        self.fails(weft.Error, "destroyed", line.forward, u)


class Memory(Case):
    def test_workspace_is_shared(self):
        plans = [weft.Plan(comm, weft.c2c(shape), memory="callers") for shape in ((12, 10, 8), (8, 9, 10))]
        workspace = np.empty(max(plan.workspace_bytes() for plan in plans), np.uint8)
        for plan in plans:
            plan.use_workspace(workspace)
            for _ in range(2):
                whole = field(plan.problem.shape, np.complex128)
                u_hat = plan.forward(part(whole, plan.input_layout))
                workspace[:] = 255  # it holds nothing between executions
                self.close(u_hat, np.fft.fftn(whole))
        self.fails(TypeError, "uint8", plans[0].use_workspace, np.zeros(workspace.size, np.float32))
        self.fails(ValueError, "workspace_bytes", plans[0].use_workspace, workspace[: plans[0].workspace_bytes() - 1])
        held = weakref.ref(workspace)
        del workspace
        self.assertIsNotNone(held())  # as long as a plan works in it
        for plan in plans:
            plan.destroy()
        self.assertIsNone(held())
        workspace = np.empty(1 << 20, np.uint8)
        own = weft.Plan(comm, weft.c2c((12, 10, 8)))
        self.fails(weft.Error, "callers", own.use_workspace, workspace)
        late = weft.Plan(comm, weft.c2c((12, 10, 8)), memory="callers")
        self.fails(weft.Error, "workspace", late.forward, late.make_input())

    def test_none(self):
        big = weft.Plan(comm, weft.c2c((1 << 12, 1 << 12, 1 << 12)), memory="none", effort="estimate")
        self.assertGreater(big.workspace_bytes() + big.bytes_owned(), 1 << 30)  # 2^40 bytes of array
        self.assertIn("4096", big.describe())
        small = weft.Plan(comm, weft.c2c((8, 6, 4)), memory="none")
        u = part(field((8, 6, 4), np.complex128), small.input_layout)
        self.fails(weft.Error, "no memory to work in", small.forward, u, part(u.gather(), small.output_layout))
        self.fails_everywhere(ValueError, "own, callers, none", weft.Plan, comm, weft.c2c((4, 4)), memory="mine")


class Forecasts(Case):
    def test_a_machine_by_hand(self):
        machine = weft.profile('{"message_seconds": 1e-5, "flops_per_second": 1e9}')
        self.assertEqual(machine.machine["flops_per_second"], 1e9)
        self.assertEqual(str(weft.profile(str(machine))), str(machine))
        all_of_them = weft.forecast(weft.c2c((64, 64, 64)), [0, 0, 1, 1], machine)
        can = [f for f in all_of_them if not f.declined]
        self.assertEqual([f.seconds for f in can], sorted(f.seconds for f in can))
        # of every rank's quarter of the points, 16 bytes each, three quarters leave it, forward and backward
        self.assertEqual(can[0].bytes, 2 * 3 * 64**3 * 16 // 16)
        self.assertTrue(can[0].least_seconds <= can[0].seconds <= can[0].most_seconds)
        one = weft.forecast(weft.c2c((64, 64, 64)), [0, 0, 1, 1], machine, strategy=can[0].strategy)
        self.assertEqual([(f.strategy, f.seconds) for f in one], [(can[0].strategy, can[0].seconds)])
        together = weft.forecast(weft.c2c((64, 64, 64)), [0, 0, 0, 0], machine)
        decline = [{f.strategy for f in each if f.declined} for each in (all_of_them, together)]
        self.assertEqual(["direct" in names for names in decline], [True, False])  # it needs shared memory
        faster = weft.profile('{"message_seconds": 1e-5, "flops_per_second": 1e10}')
        self.assertLess(
            weft.forecast(weft.c2c((64, 64, 64)), [0, 0, 1, 1], faster)[0].work_seconds, can[0].work_seconds
        )
        self.fails(weft.Error, "speed", weft.profile, '{"speed": 1}')
        self.fails(TypeError, "weft.profile make", weft.forecast, weft.c2c((4, 4)), [0], "fast")

    def test_measured(self):
        machine = weft.measure_profile(comm, seconds=1)
        self.assertEqual(machine.ranks, comm.size)
        self.assertEqual(len(set(comm.allgather(str(machine)))), 1)
        self.assertTrue(weft.forecast(weft.c2c((32, 32, 32)), list(range(8)), machine))

    def test_fits(self):
        self.assertEqual(set(weft.fit_forms()), {"comm", "comp", "amdahl"})
        found = weft.fit("comp", [(p, 3 + 10 / p) for p in (1, 2, 4, 8)])
        self.assertLess(np.abs(np.subtract(found.coefficients, [3, 10])).max(), 1e-9)
        self.assertAlmostEqual(found.at(3).value, 3 + 10 / 3)
        self.assertAlmostEqual(found.at(4, work=2).value, 11)
        self.assertEqual((found.at(3).warning, found.freedom, math.isinf(found.zero())), ("", 2, True))
        self.assertIn("8", found.at(100).warning)
        amdahl = weft.given_fit("amdahl", [0.1], 1, 8, 0.2)
        self.assertAlmostEqual(amdahl.limit(), 10)
        self.assertAlmostEqual(amdahl.at(1).error, 0.2)
        self.fails(weft.Error, "comp", weft.fit, "log", [(1, 1), (2, 1), (3, 1)])
