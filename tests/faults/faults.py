#!/usr/bin/env python3
"""Kills ranks, takes shared memory away and lets one rank alone do otherwise:
faults.py WEFT ALONE MPIEXEC [unittest options]."""
import os
import resource
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from processes import SHARED, killed  # noqa: E402
from program import MPIRUN, Result  # noqa: E402

WEFT, ALONE, MPIEXEC = os.path.realpath(sys.argv[1]), os.path.realpath(sys.argv[2]), sys.argv[3]


class Killed(unittest.TestCase):
    def test_one_rank(self):
        size = min(3, len(os.sched_getaffinity(0)))  # an MPI that spins needs a core a rank
        if size < 2:
            self.skipTest("one core: an MPI that spins never comes to the point")
        for strategy, per_node in ("direct", size), ("alltoallv", size), ("node", size), ("hierarchical", 1):
            for victim in 0, size - 1:
                with self.subTest(strategy=strategy, victim=victim):
                    text = killed(
                        self, [WEFT, "--ranks",
                               str(size), "bench", "--shape", "32x32x32", "--strategy", strategy], WEFT, size, victim,
                        {"WEFT_RANKS_PER_NODE": str(per_node)})
                    # or, where UCX reads a peer's memory, the peer says first that there is no such process
                    self.assertRegex(text, "(?i)signal:? 9|no such process")


class Alone(unittest.TestCase):
    """Rank 1 does otherwise than rank 0, which waits."""
    def alone(self, what, **environment):
        return Result([MPIEXEC, "-n", "2", ALONE, what], seconds=30, environment={**MPIRUN, **environment})

    def test_time_limit(self):
        for what, texts in {
                "plan": ["in planning (8x8x8, strategy alltoallv)", "MPI_"],
                "file": ["in inspecting a file (nothing.npy)"],
                "tune": ["in tuning (alltoallv)"],
                "redistribute": ["finish of exchange 0, tile 0, in redistribute (isend)"],
                "null": ["start of exchange 0, tile 0, in forward (8x8x8, strategy alltoallv)"],
                "null.direct": ["finish of exchange 0, tile 0, in forward (8x8x8, strategy direct)"],
                "null.thread": ["start of exchange 0, tile 0, in forward"],
                "absent": ["start of exchange 0, tile 0, in forward (8x8x8, strategy alltoallv)"],
        }.items():
            with self.subTest(what=what):
                result = self.alone(what, WEFT_TIMEOUT="1.5")
                self.assertNotEqual(result.code, 0, result)
                self.assertLess(result.seconds, 15, result)
                self.assertEqual(
                    result.err.count("weft: rank 0 of 2 has waited for other ranks for 1.5 s (WEFT_TIMEOUT) in "), 1,
                    result)
                for text in texts:
                    self.assertIn(text, result.err)

    def test_calls_are_compared(self):
        for what, text in {
                "null": "rank 1: forward: the input array is null on rank 1",
                "null.direct": "rank 1: forward: the input array is null on rank 1",
                "direction": "ranks disagree about the call: rank 0 has forward of plan 0 (8x8x8, strategy alltoallv), "
                "rank 1 has backward of plan 0",
                "which": "ranks disagree about the call: rank 0 has forward of plan 0 (8x8x8, strategy alltoallv), "
                "rank 1 has forward of plan 1 (8x8x4",
                "redistribute": "rank 1: the input array of a redistribution is a null pointer",
                "right": "nothing was thrown",
        }.items():
            with self.subTest(what=what):
                result = self.alone(what, WEFT_CHECK="1", WEFT_TIMEOUT="20")
                self.assertEqual(result.code, 0, result)
                self.assertEqual(result.out.count("says: " + text), 2, result)

    def test_comparing_is_asked_for_alike(self):
        result = self.alone("right", WEFT_CHECK="yes")
        self.assertEqual(result.out.count("says: rank 0: WEFT_CHECK=yes: give 1"), 2, result)

    def test_time_limit_is_of_waits(self):
        result = self.alone("right", WEFT_TIMEOUT="20")
        self.assertEqual(result.code, 0, result)
        self.assertEqual(result.out.count("nothing was thrown"), 2, result)

    def test_no_time_limit(self):
        for text in "soon", "0", "-1", "5s", "nan", "1e9":
            with self.subTest(text=text):
                result = self.alone("right", WEFT_TIMEOUT=text)
                self.assertEqual(result.out.count(f"says: rank 0: WEFT_TIMEOUT={text}: give the seconds"), 2, result)


class Refused(unittest.TestCase):
    """MPI itself fails on rank 1, in a call in which rank 0 waits: all hear of it, or the time limit
    ends the job with words."""
    REPLACED = ("node", "hierarchical")  # by `leader`, where the machine refuses what they need

    def refused(self, strategy, nth):
        program = os.path.join(os.path.dirname(ALONE), "weft_refused")

        def run():
            return Result([MPIEXEC, "-n", "2", program, strategy, str(nth)], seconds=30,
                          environment={**MPIRUN, "WEFT_TIMEOUT": "1.5"})

        result = run()
        if result.seconds >= 15:  # mpirun itself may fail to end after MPI_Abort, but seldom
            result = run()
        self.assertLess(result.seconds, 15, result)
        if "no such call" in result.out:
            self.assertEqual(result.out.count("says: nothing was thrown"), 2, result)
            return False
        if "has waited for other ranks for 1.5 s (WEFT_TIMEOUT) in MPI_" in result.err:
            self.assertNotEqual(result.code, 0, result)
        else:
            self.assertEqual(result.code, 0, result)
            said = {line.split(" says: ")[1] for line in result.out.splitlines() if " says: " in line}
            self.assertEqual(len(said), 1, result)
            instead = f"({strategy}: (rank [01]: on its node, )?)?" if strategy in self.REPLACED else ""
            self.assertRegex(said.pop(), f"^{instead}rank 1: MPI_[A-Z][a-z_]+ failed with code ")
        return True

    def test_collectives(self):
        if "WEFT_TEST_THOROUGH" not in os.environ:
            places = {"alltoallv": (0, 2, 14), "put": (20, ), "node": (14, 40, 45)}
        else:
            places = {strategy: range(1000) for strategy in ("alltoallv", "direct", "put", "node", "hierarchical")}
        for strategy, all_of_them in places.items():
            for nth in all_of_them:
                with self.subTest(strategy=strategy, nth=nth):
                    if not self.refused(strategy, nth):
                        break


@unittest.skipIf("WEFT_TEST_SANITIZED" in os.environ, "a sanitizer maps more than the limit")
class LittleMemory(unittest.TestCase):
    """Ranks that may map less than a plan needs: an error, and nobody waits."""
    LIMIT_KIB = 1000000

    def ends(self, result):
        self.assertLess(result.seconds, 30, result)
        self.assertNotEqual(result.code, 0, result)
        self.assertRegex(
            result.err,
            "weft: (rank [01]: )?no memory for a buffer of|weft: .*may not map as many|weft: .*out of memory")
        self.assertEqual(result.err.count("weft: "), 1, result)
        self.assertNotIn("has waited", result.err)

    def test_alike(self):
        limit = self.LIMIT_KIB << 10
        for strategy in "auto", "direct":
            with self.subTest(strategy=strategy):
                self.ends(
                    Result([
                        WEFT, "--ranks", "2", "plan", "--shape", "512x512x256", "--effort", "estimate", "--strategy",
                        strategy
                    ], seconds=40, restore_signals=False, environment={"WEFT_TIMEOUT": "30"},
                           preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit))))

    def test_one_alone(self):
        script = f'[ "${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}}" = 0 ] || ulimit -v {self.LIMIT_KIB}; exec "$0" "$@"'
        self.ends(
            Result([
                MPIEXEC, "-n", "2", "sh", "-c", script, WEFT, "plan", "--shape", "512x512x256", "--effort", "estimate"
            ], seconds=40, environment={**MPIRUN, "WEFT_TIMEOUT": "30"}))


class NoSharedMemory(unittest.TestCase):
    def plan(self, *words, ranks=2, before=(), **options):
        result = Result(
            [*before, WEFT, "--ranks",
             str(ranks), "plan", "--shape", "128x128x128", "--effort", "estimate", *words], seconds=30, **options)
        self.assertLess(result.seconds, 20, result)
        return result

    def falls_back(self, why, **options):
        """`direct` is refused with the reason; `auto` takes another strategy and says why; strategies
        that know nodes have one in their place."""
        result = self.plan("--strategy", "direct", **options)
        self.assertEqual(result.code, 2, result)
        self.assertEqual(result.err.count("weft: "), 1, result)
        self.assertIn(why, result.err)
        result = self.plan(**options)
        self.assertEqual(result.code, 0, result)
        self.assertRegex(result.out, r"exchange: (?!direct)\w+")
        self.assertIn(why, result.out)
        result = self.plan("--strategy", "hierarchical", **options)
        self.assertEqual(result.code, 0, result)
        self.assertIn("exchange: leader (as requested, but in the place of hierarchical: ", result.out)
        self.assertIn(why, result.out)

    def mounted(self, script):
        """What runs a command in a file system of its own, made by these lines of shell."""
        before = ["unshare", "--mount", "sh", "-c", f'{{ {script}; }} && exec "$0" "$@"']
        if subprocess.run(before + ["true"], capture_output=True).returncode != 0:
            self.skipTest("a file system of one's own takes the right to mount")
        return before

    def test_forbidden(self):
        self.falls_back("WEFT_SHARED_MEMORY=none", environment={"WEFT_SHARED_MEMORY": "none"})

    def test_window_is_noted(self):
        result = self.plan("--strategy", "direct", environment={"WEFT_SHARED_MEMORY": "window"})
        self.assertEqual(result.code, 0, result)
        self.assertRegex(result.out, "note: shared memory is a window of MPI.*WEFT_SHARED_MEMORY=window")
        self.assertNotIn("note:", self.plan("--strategy", "direct").out)

    def test_files_may_not_be_large(self):
        # MPI itself needs a few MiB
        self.falls_back("RLIMIT_FSIZE", environment={"WEFT_SHARED_MEMORY": "own"}, restore_signals=False,
                        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (6 << 20, 6 << 20)))

    def test_little_of_it(self):
        little = self.mounted(
            f"mount -t tmpfs -o size=16m tmpfs {SHARED}")  # enough for MPI itself, too little for half a plan
        self.falls_back(f"and {SHARED} has", before=little, environment={"WEFT_SHARED_MEMORY": "window"})
        self.assertEqual(self.plan("--strategy", "direct", before=little).code, 0)  # our own memory needs none of it

    def test_none_of_it(self):
        none = self.mounted(f"""mount -t tmpfs tmpfs /mnt; for f in /dev/*; do n=/mnt/${{f##*/}}
            if [ $f = {SHARED} ]; then :; elif [ -L $f ]; then cp -P $f $n
            elif [ -d $f ]; then mkdir $n; mount --rbind $f $n; else : >$n; mount --bind $f $n; fi
            done; mount --rbind /mnt /dev; [ ! -e {SHARED} ]""")
        for memory in "own", "window":  # MPI has other places for its own
            result = self.plan("--strategy", "direct", before=none, environment={"WEFT_SHARED_MEMORY": memory})
            self.assertEqual(result.code, 0, result)
            self.assertIn("exchange: direct (as requested)", result.out)


if __name__ == "__main__":
    unittest.main(argv=["faults.py"] + sys.argv[4:])
