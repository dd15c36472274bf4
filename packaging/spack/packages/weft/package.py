# Spack's recipe: `spack repo add packaging/spack` in a clone of weft, then `spack install weft`.
from spack.package import *

try:  # where Spack 1.0 and later keep it
    from spack_repo.builtin.build_systems.cmake import CMakePackage, generator
except ImportError:
    pass


class Weft(CMakePackage):
    """Distributed-memory FFTs on MPI over named redistributions, in C++, C, Fortran and Python, with a drop-in for
    FFTW's MPI transforms."""

    # A recipe outside of Spack's own repositories knows no address: `spack develop --path CLONE weft@0.1.0`, or
    # `spack dev-build weft@0.1.0` in a clone, builds what is there.
    version("0.1.0")

    variant("shared", default=True, description="A shared library")
    variant("fortran", default=True, description="The Fortran module")
    variant("drop_in", default=True, description="The drop-in for FFTW's MPI transforms")
    variant("tools", default=True, description="The command line program")
    variant("hwloc", default=True, description="Ask hwloc for caches of which Linux does not tell")
    variant("site_wisdom", default="none", values=lambda text: True, multi=False,
            description="Folder of a site's wisdom; none: etc/weft of the prefix, and /etc/weft")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.21:", type="build")
    depends_on("ninja", type="build")
    generator("ninja")
    depends_on("mpi@3:")
    depends_on("fftw@3.3: precision=float,double")
    depends_on("hwloc@2:", when="+hwloc")
    depends_on("cli11", when="+tools")
    depends_on("nlohmann-json", when="+tools")
    depends_on("fmt", when="+tools")

    conflicts("%gcc@:11", msg="weft needs C++20: GCC 12 or Clang 14")
    conflicts("%clang@:13", msg="weft needs C++20: GCC 12 or Clang 14")

    def cmake_args(self):
        spec = self.spec
        args = [
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("WEFT_ENABLE_FORTRAN", "fortran"),
            self.define_from_variant("WEFT_ENABLE_FFTW_MPI", "drop_in"),
            self.define_from_variant("WEFT_ENABLE_TOOLS", "tools"),
            self.define_from_variant("WEFT_HWLOC", "hwloc"),
            self.define("WEFT_ENABLE_APPS", False),
            self.define("WEFT_ENABLE_BENCH", False),
            self.define("WEFT_ENABLE_EXAMPLES", False),
            self.define("WEFT_ENABLE_PYTHON", False),
            self.define("WEFT_ENABLE_TESTS", False),
            self.define("FFTW3_ROOT", spec["fftw"].prefix),
            self.define("MPI_CXX_COMPILER", spec["mpi"].mpicxx),
        ]
        if spec.satisfies("+fortran"):
            args.append(self.define("MPI_Fortran_COMPILER", spec["mpi"].mpifc))
        if spec.variants["site_wisdom"].value != "none":
            args.append(self.define("WEFT_SITE_WISDOM", spec.variants["site_wisdom"].value))
        return args

    def setup_run_environment(self, env):
        env.prepend_path("LD_LIBRARY_PATH", self.prefix.lib)
