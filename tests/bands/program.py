#!/usr/bin/env python3
"""The programs weft-bands and weft-scf as people run them: what they print, write and refuse.

  program.py WEFT-BANDS WEFT-SCF CRYSTALS MPIEXEC
"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from program import MPIRUN  # noqa: E402  (and what it sets in the environment makes MPI start sooner)

BANDS, SCF, CRYSTALS, MPIEXEC = sys.argv[1:5]
ENVIRONMENT = {**os.environ, **MPIRUN, "WEFT_WISDOM": "none"}


class Programs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def run_program(self, program, *arguments, ranks=2):
        return subprocess.run([MPIEXEC, "-n", str(ranks), program, *map(str, arguments)], env=ENVIRONMENT,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)

    def place(self, name):
        return Path(self.folder.name) / name

    def changed(self, crystal, *changes):
        text = (Path(CRYSTALS) / crystal).read_text()
        for old, new in changes:
            self.assertIn(old, text)
            text = text.replace(old, new)
        self.place("changed.toml").write_text(text)
        return self.place("changed.toml")

    def test_bands_of_a_path(self):
        crystal = self.changed("silicon.toml", ("steps = 20", "steps = 4"), ("cutoff_ry = 25", "cutoff_ry = 6"))
        ran = self.run_program(BANDS, crystal, "--json", self.place("b.json"))
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("valence top", ran.stdout)
        written = json.loads(self.place("b.json").read_text())
        self.assertEqual([k["label"] for k in written["kpoints"] if k["label"]], ["L", "Gamma", "X", "K", "Gamma"])
        distances = [k["distance_per_bohr"] for k in written["kpoints"]]
        self.assertEqual(distances, sorted(distances))
        self.assertEqual(len(written["kpoints"]), 17)
        self.assertTrue(0.7 < written["gap_ev"] < 1.1, written["gap_ev"])

    def test_scf(self):
        """What is printed, JSON, the cube file, and the page of weft report."""
        ran = self.run_program(SCF, self.small_silicon(), "--json", self.place("s.json"), "--cube",
                               self.place("rho.cube"), "--xsf", self.place("rho.xsf"))
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("iteration", ran.stdout)
        written = json.loads(self.place("s.json").read_text())
        parts = written["energy_ha"]
        self.assertAlmostEqual(sum(v for name, v in parts.items() if name != "total"), parts["total"], 9)
        self.assertLess(abs(written["iterations"][-1]["change_ha"]), 1e-8)
        points = written["path"]["kpoints"]
        self.assertEqual([point["label"] for point in points], ["L", "Gamma", "X"])
        for one, other in zip(points[1]["energies_ev"], written["kpoints"][0]["energies_ev"]):
            self.assertAlmostEqual(one, other, 6)
        self.check_cube()
        self.check_xsf()
        self.check_report()

    def test_ranks_that_idle_are_told_of(self):
        """Once, in the table and in JSON."""
        crystal = self.small_silicon(("mesh = [2, 1, 1]", "mesh = [1, 1, 1]"))
        ran = self.run_program(SCF, crystal, "--pools", 2, "--json", self.place("i.json"))
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual(ran.stdout.count("note: of 2 ranks 1 has no k-point; 1 could be left out"), 1, ran.stdout)
        written = json.loads(self.place("i.json").read_text())
        self.assertEqual(written["idle_ranks"]["no_kpoint"], 1)
        self.assertEqual(written["path"]["idle_ranks"]["nothing"], 0)

        crystal = self.changed("silicon.toml", ("steps = 20", "steps = 2"), ("cutoff_ry = 25", "cutoff_ry = 3"))
        ran = self.run_program(BANDS, crystal, "--pools", 1, "--json", self.place("i.json"), ranks=12)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        idle = json.loads(self.place("i.json").read_text())["idle_ranks"]
        planes = json.loads(self.place("i.json").read_text())["grid"][0]
        self.assertEqual(idle["no_planes"], 12 - planes)
        self.assertEqual(ran.stdout.count(f"{12 - planes} have no planes of real space"), 1, ran.stdout)

        ran = self.run_program(BANDS, crystal, "--json", self.place("i.json"))
        self.assertNotIn("note:", ran.stdout)
        self.assertEqual(set(json.loads(self.place("i.json").read_text())["idle_ranks"].values()), {0})

    def small_silicon(self, *changes):
        return self.changed("silicon_lda.toml", ("cutoff_ha = 25", "cutoff_ha = 5"), ("grid = [33, 33, 33]", ""),
                            ("mesh = [3, 3, 3]", "mesh = [2, 1, 1]"), ("steps = 10", "steps = 1"), *changes)

    def test_restart(self):
        file = self.place("rho.npy")
        self.refused(SCF, "did not converge in 3 iterations",
                     self.small_silicon(("[scf]", "[scf]\nmost_iterations = 3")), "--restart", file)
        results = []
        for restart in (["--restart", file], []):
            ran = self.run_program(SCF, self.small_silicon(), "--json", self.place("s.json"), *restart)
            self.assertEqual(ran.returncode, 0, ran.stderr)
            results.append(json.loads(self.place("s.json").read_text()))
        self.assertLess(len(results[0]["iterations"]), len(results[1]["iterations"]))
        self.assertAlmostEqual(results[0]["energy_ha"]["total"], results[1]["energy_ha"]["total"], 7)
        self.refused(SCF, "it is of another calculation", self.small_silicon(("charge = 4", "charge = 3")),
                     "--restart", file)
        self.refused(SCF, "is of another calculation: it has", self.small_silicon(("cutoff_ha = 5", "cutoff_ha = 8")),
                     "--restart", file)
        moved = self.small_silicon(("[0.125, 0.125, 0.125]", "[0.13, 0.125, 0.125]"))
        self.refused(SCF, "is of another calculation: it has", moved, "--restart", file)
        Path(f"{file}.of").unlink()
        self.refused(SCF, "rho.npy", self.small_silicon(("cutoff_ha = 5", "cutoff_ha = 8")), "--restart", file)

    def test_killed_runs_go_on(self):
        """A run that is killed in the middle: what it had found is there, and the next one ends as if nothing was."""
        file, crystal = self.place("rho.npy"), self.small_silicon(("tolerance_ha = 1e-8", "tolerance_ha = 1e-11"))
        killed = subprocess.Popen([MPIEXEC, "-n", "2", SCF, str(crystal), "--restart", str(file)], env=ENVIRONMENT,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True)
        for line in killed.stdout:
            if line.split()[:1] == ["4"]:
                break
        os.killpg(killed.pid, signal.SIGKILL)
        killed.wait()
        killed.stdout.close()
        self.assertTrue(file.exists())
        results = []
        for restart in (["--restart", file], []):
            ran = self.run_program(SCF, crystal, "--json", self.place("s.json"), *restart)
            self.assertEqual(ran.returncode, 0, ran.stderr)
            results.append(json.loads(self.place("s.json").read_text()))
        moves = [result["iterations"][0]["moves_electrons"] for result in results]
        self.assertLess(moves[0], 0.1 * moves[1])
        self.assertAlmostEqual(results[0]["energy_ha"]["total"], results[1]["energy_ha"]["total"], 9)

    def check_report(self):
        page, report = self.place("r.html"), Path(__file__).resolve().parents[2] / "tools/weft-report"
        drawn = subprocess.run([report, self.place("s.json"), "-o", page], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, timeout=60)
        if "need matplotlib" in drawn.stderr:
            return
        self.assertEqual(drawn.returncode, 0, drawn.stderr)
        text = page.read_text()
        for wanted in ("aria-label='convergence'", "aria-label='band structure'", "Total energy", "The gap is"):
            self.assertIn(wanted, text)

    def check_cube(self):
        lines = self.place("rho.cube").read_text().splitlines()
        self.assertEqual(lines[2].split()[0], "2")
        counts = [int(line.split()[0]) for line in lines[3:6]]
        steps = [[float(word) for word in line.split()[1:]] for line in lines[3:6]]
        (a, b, c), (d, e, f), (g, h, i) = steps
        volume = abs(a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g))
        self.assertEqual([line.split()[0] for line in lines[6:8]], ["14", "14"])
        values = [float(word) for line in lines[8:] for word in line.split()]
        self.assertEqual(len(values), counts[0] * counts[1] * counts[2])
        self.assertAlmostEqual(sum(values) * volume, 8, 3)
        self.assertGreater(values[0], 0.9 * max(values))  # the origin is the middle of a bond

    def check_xsf(self):
        """The same density as the cube's, which runs along the last axis first, and atoms in the same places."""
        words = self.place("rho.xsf").read_text().split("\n")
        cube = self.place("rho.cube").read_text().splitlines()
        at = words.index("BEGIN_DATAGRID_3D_field")
        counts = [int(word) for word in words[at + 1].split()]
        n = [int(line.split()[0]) for line in cube[3:6]]
        self.assertEqual(counts, [count + 1 for count in n])
        values = [float(word) for line in words[at + 6:words.index("END_DATAGRID_3D")] for word in line.split()]
        other = [float(word) for line in cube[8:] for word in line.split()]
        for i, j, k in ((0, 0, 0), (1, 2, 3), (4, 0, n[2] - 1), (n[0], n[1], 2)):
            here = values[(k * counts[1] + j) * counts[0] + i]
            self.assertEqual(here, other[((i % n[0]) * n[1] + j % n[1]) * n[2] + k])
        atoms = words[words.index("PRIMCOORD") + 2:][:2]
        for line, in_cube in zip(atoms, cube[6:8]):
            for one, bohr in zip(line.split()[1:], in_cube.split()[2:]):
                self.assertAlmostEqual(float(one), 0.529177210903 * float(bohr), 5)

    def refused(self, program, wanted, *arguments):
        ran = self.run_program(program, *arguments)
        self.assertNotEqual(ran.returncode, 0)
        self.assertIn(wanted, ran.stderr)
        self.assertEqual(ran.stderr.count(wanted), 1, ran.stderr)
        return ran

    def test_refusals(self):
        good = Path(CRYSTALS) / "silicon.toml"
        self.refused(BANDS, "cannot read", self.place("none.toml"))
        self.refused(BANDS, "cannot write", good, "--json", self.place("no/folder.json"))
        self.refused(BANDS, "give NAME=VALUE", good, "--set", "strategy")
        self.refused(BANDS, "run weft scf", self.small_silicon())
        self.refused(SCF, "is empirical", good)
        self.refused(SCF, "give scf.smearing_ha", self.changed("aluminium_lda.toml", ("smearing_ha = 0.01", "")))
        line = self.changed("silicon.toml", ("cutoff_ry", "cutof_ry"))
        self.refused(BANDS, "basis.cutoff_ry is missing", line)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
