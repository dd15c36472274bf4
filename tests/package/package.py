#!/usr/bin/env python3
"""The installed package as pkg-config has it, as a client with another MPI meets it, and as a part of another project.

package.py CMAKE FOLDER COMPILER MPI_COMPILER ANOTHER_MPI_COMPILER PKG_CONFIG; the installed tree is
FOLDER/prefix. What is not there is an empty name or ends in NOTFOUND.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

here = pathlib.Path(__file__).resolve().parent
source = here.parent.parent
cmake, folder, compiler, mpi_compiler, another, pkg_config = sys.argv[1:7]
folder = pathlib.Path(folder)
prefix = folder / "prefix"


def there(program):
    return program and not program.endswith("NOTFOUND")


def run(*command, fails=False, **options):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, **options)
    assert (done.returncode != 0) == fails, f"{command} returned {done.returncode}:\n{done.stdout}"
    return done.stdout


def empty(name):
    path = folder / name
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    return path


def with_pc(path):
    return {**os.environ, "PKG_CONFIG_PATH": str(path)}


@unittest.skipUnless(there(pkg_config), "there is no pkg-config")
class PkgConfig(unittest.TestCase):
    def variable(self, pc_folder, name):
        return run(pkg_config, "--variable=" + name, "weft", env=with_pc(pc_folder)).strip()

    def test_the_lines_of_the_manual(self):
        moved = empty("moved") / "weft"  # a tree is found wherever it lies
        shutil.copytree(prefix, moved, symlinks=True)
        (pc, ) = moved.rglob("weft.pc")
        self.assertIn(str(moved), run(pkg_config, "--cflags", "weft", env=with_pc(pc.parent)).replace("/../..", ""))
        in_c = re.sub(r"mpi(cxx|c\+\+)", "mpicc", mpi_compiler)
        in_fortran = re.sub(r"mpi(cxx|c\+\+)", "mpifort", mpi_compiler)
        pages = [("install.md", "client.cpp", "mpicxx", mpi_compiler), ("c.md", "client.c", "mpicc", in_c)]
        if list(moved.rglob("weft-fortran.pc")):
            pages.append(("fortran.md", "fortran/client.f90", "mpifort", in_fortran))
        for page, name, wrapper, found in pages:
            if not shutil.which(found):
                continue  # a wrapper of another name
            suffix = name.split(".")[1]
            line = re.search(rf"^{wrapper} (.*) program\.{suffix} (.*)$", (source / "docs" / page).read_text(),
                             re.MULTILINE)
            flags, rest = line.groups()
            client = moved / f"client_{suffix}"
            run("sh", "-c", f'"{found}" {flags} "{here / name}" {rest} -o "{client}"', env=with_pc(pc.parent))
            environment = {
                **with_pc(""), "WEFT_WISDOM": "none", "OMPI_ALLOW_RUN_AS_ROOT": "1",
                "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "LD_LIBRARY_PATH": str(pc.parent.parent)
            }
            self.assertIn("c2c", run(client, env=environment))

    def test_the_drop_in(self):
        """A program that knows FFTW alone, compiled and linked as docs/from_fftw_mpi.md says; plans
        have to be weft's."""
        found = list(prefix.rglob("weft-fftw3-mpi.pc"))
        if not found:
            self.skipTest("the drop-in for FFTW's MPI transforms has not been built")
        (line, ) = re.findall(r"^mpicc program\.c (.*weft-fftw3-mpi\)) .*$",
                              (source / "docs" / "from_fftw_mpi.md").read_text(), re.MULTILINE)
        user = empty("drop_in") / "user"
        run("sh", "-c",
            f'"{mpi_compiler}" -std=c++20 "{source / "tests" / "fftw" / "user.cpp"}" {line} -ldl -o "{user}"',
            env=with_pc(found[0].parent))
        environment = {
            **os.environ, "WEFT_WISDOM": "none", "USER_EXPECTS": "weft", "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "LD_LIBRARY_PATH": str(found[0].parent.parent)
        }
        self.assertIn("0 failures", run(user, env=environment))
        single = run(pkg_config, "--libs", "weft-fftw3f-mpi", env=with_pc(found[0].parent))
        self.assertIn("-lweft_fftw3f_mpi -lfftw3f", single)
        self.assertTrue((found[0].parent.parent / "libweft_fftw3f_mpi.so").exists())

    def folders(self, name, libdir, includedir):
        build, target = empty(name), folder / name / "target"
        run(cmake, "-S", here / "pc", "-B", build / "build", f"-DCMAKE_INSTALL_LIBDIR={libdir}",
            f"-DCMAKE_INSTALL_INCLUDEDIR={includedir}", "-DCMAKE_INSTALL_PREFIX=/usr/local")
        run(cmake, "--install", build / "build", "--prefix", target)
        return target

    def test_folders(self):
        target = self.folders("relative", "lib/here", "include/there")
        pc = target / "lib/here/pkgconfig"
        self.assertEqual(os.path.normpath(self.variable(pc, "prefix")), str(target))
        self.assertEqual(os.path.normpath(self.variable(pc, "libdir")), str(target / "lib/here"))
        self.assertEqual(os.path.normpath(self.variable(pc, "includedir")), str(target / "include/there"))

    def test_absolute_folders(self):
        libraries, headers = folder / "absolute/libraries", folder / "absolute/headers"
        target = self.folders("absolute", libraries, headers)
        self.assertEqual(self.variable(libraries / "pkgconfig", "libdir"), str(libraries))
        self.assertEqual(self.variable(libraries / "pkgconfig", "includedir"), str(headers))
        self.assertEqual(self.variable(libraries / "pkgconfig", "prefix"), str(target))
        target = self.folders("absolute", libraries, "include")
        self.assertEqual(self.variable(libraries / "pkgconfig", "includedir"), str(target / "include"))
        target = self.folders("absolute", "lib", headers)
        self.assertEqual(os.path.normpath(self.variable(target / "lib/pkgconfig", "libdir")), str(target / "lib"))
        self.assertEqual(self.variable(target / "lib/pkgconfig", "includedir"), str(headers))


class Clients(unittest.TestCase):
    @unittest.skipUnless(there(another), "there is no other MPI")
    def test_another_mpi_is_one_clear_line(self):
        said = run(cmake, "-S", here, "-B", empty("another"), f"-DCMAKE_PREFIX_PATH={prefix}",
                   f"-DCMAKE_CXX_COMPILER={compiler}", f"-DMPI_CXX_COMPILER={another}", fails=True)
        self.assertRegex(
            re.sub(r"\s+", " ", said), r"weft was built with .*, but this project found .*: configure with "
            r"-DMPI_CXX_COMPILER=<the compiler wrapper of ")

    def test_components(self):
        options = [
            f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_CXX_COMPILER={compiler}", f"-DMPI_CXX_COMPILER={mpi_compiler}"
        ]
        project = empty("components")
        for languages, components, said in (
            ("C CXX", "C CXX", None), ("CXX", "Python", "weft has no component Python; it has C, CXX and Fortran"),
            ("CXX", "Fortran", "needs the language: enable_language|was installed without its Fortran module")):
            lines = (f"cmake_minimum_required(VERSION 3.21)\nproject(some LANGUAGES {languages})\n"
                     f"find_package(weft REQUIRED COMPONENTS {components})\n")
            (project / "CMakeLists.txt").write_text(lines)
            shutil.rmtree(project / "build", ignore_errors=True)
            answer = run(cmake, "-S", project, "-B", project / "build", *options, fails=said is not None)
            if said is not None:
                self.assertRegex(re.sub(r"\s+", " ", answer), said)

    def test_a_parent_project_installs_weft_when_asked(self):
        for asked, fetched in ((False, False), (False, True), (True, False)):
            build, target = empty("parent"), folder / "parent" / "target"
            run(cmake, "-S", here / "parent", "-B", build / "build", *(["-DWEFT_INSTALL=ON"] if asked else []),
                f"-DBY_FETCH={'ON' if fetched else 'OFF'}", f"-DCMAKE_CXX_COMPILER={compiler}",
                f"-DMPI_CXX_COMPILER={mpi_compiler}",
                f"-DCMAKE_PREFIX_PATH={os.environ.get('CMAKE_PREFIX_PATH', '')}")
            said = run(cmake, "--install", build / "build", "--prefix", target,
                       fails=asked)  # the library has not been built
            if asked:
                self.assertIn("libweft", said)
            else:
                self.assertEqual([str(file.relative_to(target)) for file in target.rglob("*") if file.is_file()],
                                 ["share/parent/CMakeLists.txt"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
