#!/usr/bin/env python3
"""Wisdom in files, as jobs treat it that know nothing of each other, and as machines end
them: wisdom.py WEFT [unittest options]."""
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from program import Result  # noqa: E402

WEFT = os.path.abspath(sys.argv[1])


def weft(*words, ranks=0, files=None, **environment):
    return Result([WEFT] + (["--ranks", str(ranks)] if ranks else []) + list(words),
                  environment={"WEFT_WISDOM": files or "none", "WEFT_SITE_WISDOM": "none", **environment})


class Wisdom(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """Eight files with an entry each."""
        cls.kept = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.kept.cleanup)
        cls.ones = [os.path.join(cls.kept.name, f"{k}.json") for k in range(8)]
        for k, file in enumerate(cls.ones):
            result = weft("tune", "--shape", f"{k + 3}x4", "--seconds", "0", "--effort", "estimate", ranks=1,
                          files=file)
            assert result.code == 0, result

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.file = self.path("wisdom.json")

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def fine(self, result):
        self.assertEqual(result.code, 0, result)
        return result

    def count(self, file=None):
        with open(file or self.file) as text:
            return len(json.load(text)["entries"])

    def test_commands(self):
        self.fine(weft("wisdom", "merge", *self.ones[:3], files=self.file))
        lines = self.fine(weft("wisdom", "list", files=self.file)).out.splitlines()
        self.assertEqual(len(lines), 3)
        self.assertIn("3x4 c2c", "".join(lines))
        name = lines[0].split()[0]
        self.assertIn("choice:", self.fine(weft("wisdom", "show", name, files=self.file)).out)
        self.assertIn("mpi",
                      json.loads(self.fine(weft("wisdom", "show", name, "--json", files=self.file)).out)["key"])
        named = self.fine(weft("wisdom", "list", "--file", self.ones[4], files=self.file)).out
        self.assertIn("7x4 c2c", named)
        self.assertEqual(len(named.splitlines()), 1)
        self.fine(weft("wisdom", "forget", name, files=self.file))
        self.assertEqual(self.count(), 2)
        self.assertEqual(weft("wisdom", "forget", name, files=self.file).code, 1)
        self.assertEqual(weft("wisdom", "show", "xyz", files=self.file).code, 1)
        self.fine(weft("wisdom", "forget", "all", files=self.file))
        self.assertEqual(self.count(), 0)
        self.assertIn("no wisdom yet", self.fine(weft("wisdom", "list", files=self.file)).out)
        self.assertEqual(weft("wisdom", "merge", self.ones[0]).code, 2)
        self.assertEqual(weft("wisdom").code, 2)
        self.assertEqual(weft("wisdom", "merge", self.path("missing"), files=self.file).code, 2)

    def test_site_wide_under_ones_own(self):
        own = self.path("own.json")
        self.assertIn(
            "wisdom of",
            self.fine(
                weft("plan", "--shape", "3x4", "--effort", "estimate", "--explain", ranks=1,
                     files=f"{own}:{self.ones[0]}")).out)
        self.assertFalse(os.path.exists(own))
        self.fine(
            weft("tune", "--shape", "99x4", "--seconds", "0", "--effort", "estimate", ranks=1,
                 files=f"{own}:{self.ones[0]}"))
        self.assertEqual((self.count(own), self.count(self.ones[0])), (1, 1))

    def test_folders_of_a_site(self):
        own, site, other = self.path("own.json"), self.path("site"), self.path("other")
        for folder, kept in ((site, "b.json"), (other, "a.json")):
            os.mkdir(folder)
            shutil.copy(self.ones[0 if folder == site else 1], os.path.join(folder, kept))
            with open(os.path.join(folder, "README.txt"), "w") as text:
                text.write("no wisdom, and not read")

        def plan(shape, **variables):
            return self.fine(weft("plan", "--shape", shape, "--effort", "estimate", "--explain", ranks=1,
                                  **variables)).out

        both = f"{site}:{other}:{self.path('missing')}"
        for shape in ("3x4", "4x4"):
            self.assertIn("wisdom of", plan(shape, files=own, WEFT_SITE_WISDOM=both))
        self.assertNotIn("README", plan("3x4", files=own, WEFT_SITE_WISDOM=both))
        self.assertNotIn("wisdom of", plan("4x4", files=own, WEFT_SITE_WISDOM=site))
        self.assertNotIn("wisdom of", plan("3x4", files=own))
        self.assertNotIn("wisdom of", plan("3x4", WEFT_SITE_WISDOM=site))  # WEFT_WISDOM=none is none at all
        self.assertIn("wisdom of", plan("3x4", files=":", WEFT_SITE_WISDOM=site))
        self.fine(
            weft("tune", "--shape", "99x4", "--seconds", "0", "--effort", "estimate", ranks=1, files=own,
                 WEFT_SITE_WISDOM=site))
        self.assertEqual((self.count(own), sorted(os.listdir(site))), (1, ["README.txt", "b.json"]))
        self.assertEqual(self.count(os.path.join(site, "b.json")), 1)

    def test_eight_writers(self):
        writers = [
            subprocess.Popen([WEFT, "wisdom", "merge", one], env={**os.environ, "WEFT_WISDOM": self.file},
                             stdout=subprocess.DEVNULL) for one in self.ones
        ]
        self.assertEqual([writer.wait() for writer in writers], [0] * 8)
        self.assertEqual(self.count(), 8)

    def test_killed_while_writing(self):
        self.fine(weft("wisdom", "merge", *self.ones, files=self.file))
        random.seed(1)
        for _ in range(40):
            writer = subprocess.Popen([WEFT, "wisdom", "merge", *self.ones],
                                      env={**os.environ, "WEFT_WISDOM": self.file}, stdout=subprocess.DEVNULL)
            time.sleep(random.uniform(0, 0.02))
            writer.send_signal(signal.SIGKILL)
            writer.wait()
            self.assertEqual(self.count(), 8)
        self.fine(weft("wisdom", "forget", "all", files=self.file))

    def test_full_disk(self):
        self.fine(weft("wisdom", "merge", self.ones[0], files=self.file))
        os.symlink("/dev/full", self.file + ".next")
        result = weft("wisdom", "merge", self.ones[1], files=self.file)
        self.assertEqual(result.code, 1, result)
        self.assertIn("No space left", result.err)
        self.assertEqual(self.count(), 1)
        os.symlink("/dev/full", self.file + ".next")
        result = self.fine(
            weft("tune", "--shape", "5x5", "--seconds", "0", "--effort", "estimate", ranks=2, files=self.file))
        self.assertIn("in this process alone", result.out)
        self.assertEqual(self.count(), 1)

    def test_no_place_to_write(self):
        result = self.fine(
            weft("tune", "--shape", "5x5", "--seconds", "0", "--effort", "estimate", ranks=2,
                 files="/proc/nowhere/wisdom.json"))
        self.assertIn("in this process alone", result.out)
        self.assertEqual(weft("wisdom", "merge", self.ones[0], files="/proc/nowhere/wisdom.json").code, 1)

    def test_garbage(self):
        with open(self.file, "w") as file:
            file.write("garbage")
        self.assertIn("no JSON", self.fine(weft("wisdom", "list", files=self.file)).err)
        self.assertIn("note:", self.fine(weft("plan", "--shape", "5x5", "--explain", ranks=2, files=self.file)).out)
        result = weft("wisdom", "merge", self.ones[0], files=self.file)
        self.assertEqual(result.code, 1, result)
        self.assertIn("left as it is", result.err)
        with open(self.file) as file:
            self.assertEqual(file.read(), "garbage")
        self.assertFalse(os.path.exists(self.file + ".broken"))

    def test_damaged(self):
        self.fine(weft("wisdom", "merge", *self.ones[:2], files=self.file))
        with open(self.file) as file:
            half = file.read()[:1000]
        with open(self.file, "w") as file:
            file.write(half)
        self.assertIn(".broken", self.fine(weft("wisdom", "merge", self.ones[0], files=self.file)).err)
        self.assertEqual(self.count(), 1)
        with open(self.file + ".broken") as file:
            self.assertEqual(file.read(), half)

    def test_folder(self):
        os.mkdir(self.file)
        with open(os.path.join(self.file, "precious"), "w"):
            pass
        for words in ["wisdom", "merge", self.ones[0]], ["wisdom", "forget",
                                                         "all"], ["wisdom", "list", "--file", self.file]:
            result = weft(*words, files=self.file)
            self.assertEqual(result.code, 1, result)
            self.assertIn("is a folder", result.err)
        self.assertIn(
            "in this process alone",
            self.fine(
                weft("tune", "--shape", "5x5", "--seconds", "0", "--effort", "estimate", ranks=2,
                     files=self.file)).out)
        self.assertEqual(os.listdir(self.folder.name), ["wisdom.json"])
        self.assertEqual(os.listdir(self.file), ["precious"])

    def test_pipe(self):
        os.mkfifo(self.file)
        self.assertIn("no regular file", self.fine(weft("wisdom", "list", files=self.file)).err)
        self.assertEqual(weft("wisdom", "merge", self.ones[0], files=self.file).code, 1)
        self.assertIn("note:", self.fine(weft("plan", "--shape", "5x5", "--explain", ranks=2, files=self.file)).out)

    def test_unreadable(self):
        self.fine(weft("wisdom", "merge", self.ones[0], files=self.file))
        os.chmod(self.folder.name, 0o755)
        os.chmod(self.file, 0o000)
        if os.access(self.file, os.R_OK):
            self.skipTest("nothing is forbidden to this user")
        self.assertEqual(weft("wisdom", "merge", self.ones[1], files=self.file).code, 1)
        self.assertEqual([name for name in os.listdir(self.folder.name) if "broken" in name], [])

    def test_link(self):
        there = self.path("there.json")
        for make in (lambda: None), (lambda: os.remove(there)):  # the file that the link points to, there and not
            if not os.path.lexists(self.file):
                os.symlink("there.json", self.file)
            self.fine(weft("wisdom", "merge", self.ones[0], files=self.file))
            self.assertTrue(os.path.islink(self.file))
            self.assertEqual(self.count(there), 1)
            make()
        os.remove(self.file)
        os.symlink("wisdom.json", self.file)
        self.assertEqual(weft("wisdom", "merge", self.ones[0], files=self.file).code, 1)

    def test_tune(self):
        out = self.path("found.json")
        result = self.fine(
            weft("tune", "--shape", "8x6x4", "--seconds", "0.3", "--effort", "estimate", "--json", out, ranks=2,
                 files=self.file))
        self.assertIn("tuning", result.err)
        with open(out) as file:
            found = json.load(file)
        best = found["candidates"][0]
        self.assertEqual((best["verdict"], best["strategy"]), ("the best", found["choice"]["strategy"]))
        told = json.loads(
            self.fine(
                weft("plan", "--shape", "8x6x4", "--effort", "estimate", "--explain", "--json", ranks=2,
                     files=self.file)).out)
        self.assertEqual(told["choice"]["strategy"], found["choice"]["strategy"])
        every = self.fine(
            weft("tune", "--shape", "8x6", "--seconds", "0", "--strategy", "isend", "--tiles", "one", "--exhaustive",
                 "--effort", "estimate", "--no-wisdom", ranks=2))
        self.assertRegex(every.out, r"([1-9][0-9]*) of \1 candidates measured")
        self.assertEqual(weft("tune", "--shape", "8x6", "--seconds", "-1", ranks=1).code, 2)
        self.assertEqual(weft("tune", "--shape", "8x6", "--seconds", "soon", ranks=1).code, 2)
        self.assertEqual(weft("tune", "--shape", "8x6", "--json", "/proc/nowhere/f", ranks=1).code, 1)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
