#!/usr/bin/env python3
"""Programs that call FFTW's MPI transforms and know nothing of weft, without the drop-in and with it:
their results must be the same. What cannot be had here is skipped (exit code 77) with a note.

programs.py mpb|xmds2 EXAMPLE|petsc|dedalus|fluidfft --library LIBRARY --mpiexec MPIEXEC --folder FOLDER
    [--python PYTHON] [--ranks N] [--repeat N]

It prints a row of the table in docs/from_fftw_mpi.md: medians of so many runs.
"""
import argparse
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import time

here = pathlib.Path(__file__).resolve().parent
launch = here.parent.parent / "support" / "launch"
mpb_check = pathlib.Path("/usr/share/doc/mpb/examples/check.ctl")
xmds_examples = pathlib.Path("/usr/share/doc/xmds2/examples")


class Skip(Exception):
    pass


def run(*command, seconds=500, **options):
    done = subprocess.run([str(launch), str(seconds), *map(str, command)], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, **options)
    if done.returncode:
        raise AssertionError(f"{' '.join(map(str, command))} returned {done.returncode}:\n{done.stdout[-4000:]}")
    return done.stdout


def number_close(a, b, relative, absolute):
    return abs(a - b) <= max(absolute, relative * max(abs(a), abs(b)))


def compare(without, with_weft, relative, absolute):
    """Both are lists of numbers and words, in one order."""
    assert len(without) == len(with_weft) and without, f"{len(without)} values without weft, {len(with_weft)} with it"
    for place, (a, b) in enumerate(zip(without, with_weft)):
        same = a == b if isinstance(a, str) else number_close(a, b, relative, absolute)
        assert same, f"value {place} is {a} without weft and {b} with it"


class Program:
    """`words` is what to run, once `prepare` has made it; `result` what became of it, in numbers and words."""

    relative, absolute = 1e-9, 1e-9

    def __init__(self, given):
        self.given = given

    def prepare(self, folder):
        pass

    def times(self, folder):
        """Runs it both ways in turn; the seconds of each way, and the results of the last runs."""
        seconds, results = ([], []), [None, None]
        for turn in range(self.given.repeat):
            for weft in (0, 1) if turn % 2 == 0 else (1, 0):
                place = folder / ("with" if weft else "without")
                shutil.rmtree(place, ignore_errors=True)
                place.mkdir(parents=True)
                environment = {
                    "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "OMPI_ALLOW_RUN_AS_ROOT": "1",
                    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
                    "OMPI_MCA_hwloc_base_binding_policy": "none", "WEFT_WISDOM": "none",
                    "HOME": str(place)  # xmds2 would find FFTW's wisdom of the run before
                }
                words = [self.given.mpiexec, "-n", self.given.ranks]
                if weft:
                    words += ["-x", f"LD_PRELOAD={self.given.library}"]
                begin = time.time()
                text = run(*words, *self.words(folder, weft), cwd=place, env={**os.environ, **environment})
                seconds[weft].append(time.time() - begin)
                assert "weft_fftw3_mpi: " not in text, text  # nothing is handed on
                results[weft] = self.result(text, place)
        return seconds, results

    def result(self, text, place):
        return [
            float(v) if re.match(r"[-+0-9.]", v) else v for line in text.splitlines() if line.startswith("RESULT ")
            for v in line.split()[1:]
        ]


class Mpb(Program):
    """Photonic bands: the check that comes with its manual, which also knows the right answers."""

    relative, absolute = 0, 1e-5  # its solver stops when it is about as good

    def prepare(self, folder):
        if not shutil.which("mpb-mpi") or not mpb_check.exists():
            raise Skip("mpb-mpi and its check.ctl are not there (Debian: mpb-mpi, mpb-doc)")

    def words(self, folder, weft):
        return ["mpb-mpi", mpb_check]

    def result(self, text, place):
        assert "PASSED all tests." in text, text[-2000:]
        lines = [re.split(r", *", line)[6:] for line in text.splitlines() if re.match(r"\w*freqs:, \d", line)]
        return [float(value) for line in lines for value in line]


class Petsc(Program):
    """MATFFTW of PETSc for complex numbers."""
    def prepare(self, folder):
        found = sorted(pathlib.Path("/usr/lib/petscdir").glob("*/*-complex/lib/pkgconfig/PETSc.pc"))
        compiler = shutil.which("mpicc.openmpi") or shutil.which("mpicc")
        if not found or not compiler or not shutil.which("pkg-config"):
            raise Skip("PETSc for complex numbers is not there (Debian: libpetsc-complex-dev, pkg-config)")
        environment = {**os.environ, "PKG_CONFIG_PATH": str(found[-1].parent)}
        flags = run("pkg-config", "--cflags", "--libs", "PETSc", env=environment)
        run(compiler, here / "petsc.c", "-o", folder / "petsc", *flags.split(), "-lm")

    def words(self, folder, weft):
        return [folder / "petsc"] + ([] if weft else ["planned"])  # FFTW's serial entry crashes on its MPI plans

    def result(self, text, place):
        lines = [line for line in text.splitlines() if line.startswith("RESULT ")]
        assert len(lines) == (2 if place.name == "with" else 1) and "wrong" not in text, text
        return lines[:1]


class InPython(Program):
    """A script in this folder, over a package of the Python package index."""
    def prepare(self, folder):
        python = self.given.python
        if not shutil.which(python) or subprocess.run([python, "-c", f"import {self.package}"],
                                                      capture_output=True).returncode:
            raise Skip(f"a Python with {self.package} is not there")

    def words(self, folder, weft):
        return [self.given.python, here / self.script]


class Dedalus(InPython):
    """Partial differential equations in Python; its transpositions are FFTW-MPI's."""

    package, script = "dedalus", "dedalus3.py"


class Fluidfft(InPython):
    """Transforms and operators for fluid dynamics in Python; its plugin calls FFTW-MPI in two and three dimensions."""

    package, script = "fluidfft_fftwmpi", "fluidfft_flow.py"


class Xmds2(Program):
    """Stochastic and other differential equations: one of its own examples with a distributed field."""

    relative = 1e-6
    # Steps of these two are as long as errors of 1e-5 allow, and rounding changes how many they are.
    loose = {"cpc_example4": 1e-5, "vibstring_circle_mpi": 1e-7}

    def __init__(self, given):
        super().__init__(given)
        self.absolute = self.loose.get(given.example, 1e-9)

    def prepare(self, folder):
        if not shutil.which("xmds2") or not xmds_examples.exists():
            raise Skip("xmds2 and its examples are not there (Debian: xmds2)")
        home = folder.parent / "xmds2"  # what it finds out about this machine serves all its examples
        environment = {**os.environ, "HOME": str(home)}
        if not list(home.rglob("mpi_cache.py")):
            home.mkdir(parents=True, exist_ok=True)
            run("xmds2", "--configure", cwd=home, env=environment, seconds=600)
            # It links FFTW statically where it can. Then nothing that is preloaded could take its place.
            for cache in home.rglob("mpi_cache.py"):
                cache.write_text(re.sub(r"^STLIB_(fftw3\w*)", r"LIB_\1", cache.read_text(), flags=re.MULTILINE))
        run("xmds2", xmds_examples / f"{self.given.example}.xmds", cwd=folder, env=environment, seconds=600)

    def words(self, folder, weft):
        (program, ) = (path for path in folder.iterdir() if path.is_file() and os.access(path, os.X_OK))
        return [program]

    def result(self, text, place):
        import h5py

        values = []
        for path in sorted(place.glob("*.h5")):
            with h5py.File(path) as file:

                def add(name, item):
                    if isinstance(item, h5py.Dataset):
                        values.append(name)
                        values.extend(float(v) for v in item[...].ravel())

                file.visititems(add)
        return values


programs = {"mpb": Mpb, "petsc": Petsc, "dedalus": Dedalus, "fluidfft": Fluidfft, "xmds2": Xmds2}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", choices=programs)
    parser.add_argument("example", nargs="?", default="diffusion_mpi", help="of xmds2")
    parser.add_argument("--library", type=os.path.abspath, required=True)
    parser.add_argument("--mpiexec", required=True)
    parser.add_argument("--folder", type=os.path.abspath, required=True)
    parser.add_argument("--python", default="")
    parser.add_argument("--ranks", default="2")
    parser.add_argument("--repeat", type=int, default=1)
    given = parser.parse_args()
    name = given.program + (f" {given.example}" if given.program == "xmds2" else "")
    folder = pathlib.Path(given.folder) / name.replace(" ", "_")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    program = programs[given.program](given)
    try:
        program.prepare(folder)
    except Skip as why:
        print(f"skipped: {name}: {why}")
        return 77
    seconds, results = program.times(folder)
    compare(*results, program.relative, program.absolute)
    numbers = [abs(a - b) for a, b in zip(*results) if not isinstance(a, str)]
    same = f"{len(numbers)} numbers, the same to {max(numbers):.1e}" if numbers else "right"
    print(f"| {name} | {same} | "
          f"{statistics.median(seconds[0]):.2f} s | {statistics.median(seconds[1]):.2f} s |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
