#!/usr/bin/env python3
"""bench/ground_states: what it gives to other codes, and that it refuses what it does not translate.

  ground_states.py BENCH/GROUND_STATES CRYSTALS

Stand-ins take the places of the three codes: they keep what they were given, and print what the real ones print.
"""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT, CRYSTALS = Path(sys.argv[1]), Path(sys.argv[2])

WEFT = f"""#!{sys.executable}
import json, sys
done = {{"cell_bohr": [[1, 0, 0], [0, 2, 0], [0, 0, 3]], "cutoff_ha": 1.5, "grid": [8, 9, 10], "iterations": [0, 0],
        "kpoints": [{{"k": [0, 0, 0.5], "weight": 0.25}}, {{"k": [0, 0, 0], "weight": 0.75}}],
        "energy_ha": {{"total": -2.5}}, "seconds": {{"wall": 1, "sums": 0.5}}}}
json.dump(done, open(sys.argv[sys.argv.index("--json") + 1], "w"))
"""
ESPRESSO = """#!/bin/sh
echo "!    total energy              =      -5.00000002 Ry"
echo "     convergence has been achieved in   4 iterations"
"""
ABINIT = """#!/bin/sh
echo " ETOT  1  -2.40000000    -2.4E+00 1.1E-02 8.6E+00"
echo " ETOT  2  -2.50000003    -1.0E-01 1.1E-02 8.6E+00"
echo " At SCF step    2, etot is converged :"
"""


class GroundStates(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        for name, text in (("weft-scf", WEFT), ("pw.x", ESPRESSO), ("abinit", ABINIT)):
            self.program(name, text)

    def program(self, name, text):
        (self.folder / name).write_text(text)
        (self.folder / name).chmod(0o755)

    def compared(self, crystal, *options):
        environment = {**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}"}
        words = [SCRIPT, self.folder / "weft-scf", crystal, "--ranks", "1", "--keep", self.folder / "kept", *options]
        return subprocess.run(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=60)

    def changed(self, crystal, *changes):
        text = (CRYSTALS / crystal).read_text()
        for old, new in changes:
            self.assertIn(old, text)
            text = text.replace(old, new)
        (self.folder / "changed.toml").write_text(text)
        return self.folder / "changed.toml"

    def given(self, name):
        return (self.folder / "kept" / name).read_text()

    def test_refused_before_anything_runs(self):
        silicon = "silicon_8_lda.toml"
        for wanted, crystal, *change in (
            ("scf.symmetry is true", silicon, ("[scf]", "[scf]\nsymmetry = true")),
            ("basis.largest_index is not", silicon, ("[basis]", "[basis]\nlargest_index = 2")),
            ("path: weft alone", "silicon_lda.toml"),
            ("magnetic is not translated", silicon, ("[cell]", "magnetic = 1\n[cell]")),
            ("scf.magnetic is not translated", silicon, ("[scf]", "[scf]\nmagnetic = 1")),
            ("atoms.spin is not translated", silicon, ("species =", "spin = 1\nspecies =")),
            ("ions.Si.f is not translated", silicon, ("charge =", "f = 1\ncharge =")),
            ("potential.ions.Si.p: the format", silicon, ("s = {", "# {")),
            ("potential.ions.Xx is no chemical", silicon, ('"Si"', '"Xx"'), ("ions.Si", "ions.Xx")),
            ('potential.form is "four', "silicon_8.toml"),
            ("scf.functionals is ['lda_x']", silicon, ('"lda_x", "lda_c_vwn"', '"lda_x"')),
            ('scf.distribution is "cold"', "nanotube_40.toml"),
        ):
            with self.subTest(wanted):
                ran = self.compared(self.changed(crystal, *change))
                self.assertNotEqual(ran.returncode, 0)
                self.assertIn(wanted, ran.stderr)
                self.assertEqual(ran.stderr.count("\n"), 1, ran.stderr)
                self.assertFalse((self.folder / "kept").exists())

    def test_insulator(self):
        ran = self.compared(self.changed("silicon_8_lda.toml", ("[scf]", "[scf]\nsymmetry = false")))
        self.assertEqual(ran.returncode, 0, ran.stderr)
        for row in ("| weft | ", "| Quantum ESPRESSO | ", "| ABINIT | "):
            self.assertIn(row, ran.stdout)
        for energy in ("| 2 |", "-2.500000000 |", "| 4 |", "-2.500000010 |", "-2.500000030 |"):
            self.assertIn(energy, ran.stdout)
        self.has("pw.in", "ecutwfc = 3.0", "nbnd = 16,", "nosym = .true., noinv = .true.", "conv_thr = 2.000000e-08",
                 "nr1 = 8, nr2 = 9, nr3 = 10", "0 2 0", "Si 0.125 0.625 0.625", "K_POINTS crystal\n2\n0 0 0.5 0.25\n")
        self.has("abinit.abi", "ecut 1.5\n", "ngfft 8 9 10\n", "nband 16\n", "nsym 1\n", "occopt 1\n", "znucl 14\n",
                 "kpt 0 0 0.5\n 0 0 0\nwtk 0.25\n 0.75\n", "toldfe 1.000000e-08\n", "rprim 1 0 0\n 0 2 0\n 0 0 3\n")
        self.assertNotIn("smearing", self.given("pw.in"))
        self.assertNotIn("tsmear", self.given("abinit.abi"))
        self.assertEqual(self.given("Si.gth").split("\n")[1:], [
            " 14 4 070301 zatom,zion,pspdat", " 10 1 1 0 2001 0 pspcod,pspxc,lmax,lloc,mmax,r2well",
            " 0.44 1 -7.33610297", " 2", " 0.42273813 2 5.90692831 -1.26189397", "  3.25819622",
            " 0.48427842 1 2.72701346", " 0.0", ""])

    def has(self, name, *lines):
        for line in lines:
            self.assertIn(line, self.given(name))

    def test_metals(self):
        """Widths are in Ry in one of the codes; a cold distribution goes to the code that has the same one."""
        ran = self.compared(CRYSTALS / "aluminium_lda.toml")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.has("pw.in", "occupations = 'smearing', smearing = 'fermi-dirac', degauss = 0.02\n")
        self.has("abinit.abi", "occopt 3\ntsmear 0.01\n")
        ran = self.compared(CRYSTALS / "nanotube_40.toml", "--only", "espresso")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.has("pw.in", "smearing = 'cold', degauss = 0.01\n")
        self.assertNotIn("ABINIT", ran.stdout)

    def test_rounds(self):
        ran = self.compared(CRYSTALS / "silicon_64_lda.toml", "--rounds", "3", "--only", "espresso")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual(ran.stdout.count("| weft |"), 1)

    def test_what_does_not_converge(self):
        self.program("abinit", "#!/bin/sh\necho ' ETOT  1  -2.4 -2.4E+00'\necho not enough steps to be converged\n")
        ran = self.compared(CRYSTALS / "silicon_8_lda.toml")
        self.assertNotEqual(ran.returncode, 0)
        self.assertIn("abinit did not converge", ran.stderr)
        self.program("pw.x", "#!/bin/sh\necho convergence NOT achieved after 100 iterations: stopping\n")
        ran = self.compared(CRYSTALS / "silicon_8_lda.toml")
        self.assertIn("pw.x did not converge", ran.stderr)
        self.program("weft-scf", "#!/bin/sh\necho no such crystal; exit 1\n")
        ran = self.compared(CRYSTALS / "silicon_8_lda.toml")
        self.assertIn("no such crystal", ran.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
