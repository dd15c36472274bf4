#!/usr/bin/env python3
"""Kills ranks and takes shared memory away, from outside: faults.py WEFT [unittest options]."""
import os
import resource
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from program import Result  # noqa: E402

WEFT = os.path.realpath(sys.argv[1])
SHARED = "/dev/shm"


def marked(mark):
    """Processes with this entry in their environment, and the entries of each."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                entries = file.read().split(b"\0")
            if mark.encode() in entries and os.path.exists(f"/proc/{pid}/exe"):
                found[int(pid)] = entries
        except OSError:  # gone meanwhile
            pass
    return found


def ranks(mark):
    found = {}
    for pid, entries in marked(mark).items():
        for entry in entries:
            name, _, value = entry.decode(errors="replace").partition("=")
            if name in ("OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK") and os.path.realpath(f"/proc/{pid}/exe") == WEFT:
                found[int(value)] = pid
    return found


def abandoned():
    """Files of shared memory that no living process has mapped: other programs may be at work beside the test."""
    files = {os.path.join(SHARED, name) for name in os.listdir(SHARED)}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/maps") as file:
                files -= {line.split(None, 5)[-1].strip() for line in file if SHARED in line}
        except OSError:
            pass
    return files


def within(seconds, condition):
    end = time.time() + seconds
    while not condition():
        if time.time() > end:
            return False
        time.sleep(0.05)
    return True


class Killed(unittest.TestCase):
    def killed(self, strategy, victim, size, per_node):
        mark = f"WEFT_TEST_MARK={os.getpid()}.{time.time()}"
        before = abandoned()
        job = subprocess.Popen([WEFT, "--ranks", str(size), "bench", "--shape", "32x32x32", "--strategy", strategy, "--repeat", "1000000"],
                               env={**os.environ, "WEFT_RANKS_PER_NODE": str(per_node), **dict([mark.split("=")])}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True)
        try:
            text = ""
            while not text.endswith("timing 1000000 repeats of 1 strategies\n"):
                line = job.stdout.readline()
                self.assertTrue(line, text)
                text += line
            time.sleep(0.2)
            self.assertEqual(sorted(ranks(mark)), list(range(size)))
            os.kill(ranks(mark)[victim], signal.SIGKILL)
            text, _ = job.communicate(timeout=15)
            self.assertNotEqual(job.returncode, 0)
            self.assertRegex(text, "(?i)signal:? 9")
            self.assertTrue(within(5, lambda: not marked(mark)), marked(mark).keys())
            self.assertTrue(within(5, lambda: not abandoned() - before), abandoned() - before)
        finally:
            job.kill()
            for pid in marked(mark):
                os.kill(pid, signal.SIGKILL)

    def test_one_rank(self):
        size = min(3, len(os.sched_getaffinity(0)))  # an MPI that spins needs a core a rank
        if size < 2:
            self.skipTest("one core: an MPI that spins never comes to the point")
        for strategy, per_node in ("direct", size), ("alltoallv", size), ("node", size), ("hierarchical", 1):
            for victim in 0, size - 1:
                with self.subTest(strategy=strategy, victim=victim):
                    self.killed(strategy, victim, size, per_node)


class NoSharedMemory(unittest.TestCase):
    def plan(self, *words, ranks=2, before=(), **options):
        result = Result([*before, WEFT, "--ranks", str(ranks), "plan", "--shape", "128x128x64", "--effort", "estimate", *words], seconds=30, **options)
        self.assertLess(result.seconds, 20, result)
        return result

    def falls_back(self, why, **options):
        """`direct` is refused with the reason; `auto` takes another strategy and says why."""
        result = self.plan("--strategy", "direct", **options)
        self.assertEqual(result.code, 2, result)
        self.assertEqual(result.err.count("weft: "), 1, result)
        self.assertIn(why, result.err)
        result = self.plan(**options)
        self.assertEqual(result.code, 0, result)
        self.assertRegex(result.out, r"exchange: (?!direct)\w+")
        self.assertIn(why, result.out)

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
        # enough for MPI itself, too little for half a plan
        little = ["unshare", "--mount", "sh", "-c", f'mount -t tmpfs -o size=16m tmpfs {SHARED} && exec "$0" "$@"']
        if subprocess.run(little + ["true"], capture_output=True).returncode != 0:
            self.skipTest(f"a {SHARED} of one's own takes the right to mount")
        self.falls_back(f"and {SHARED} has", before=little, environment={"WEFT_SHARED_MEMORY": "window"})
        self.assertEqual(self.plan("--strategy", "direct", before=little).code, 0)  # our own memory needs none of it


if __name__ == "__main__":
    unittest.main(argv=["faults.py"] + sys.argv[2:])
