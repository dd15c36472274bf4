# What weft needs from the system, under Debian's names, and the steps that `run` and `test` share.
# To be sourced.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

needs_build="
g++                 the compiler
cmake               the build
ninja-build         the build
libopenmpi-dev      MPI: headers and libraries
openmpi-bin         MPI: mpirun
libfftw3-dev        FFTW, the first of the local transforms
libcli11-dev        options of the command line program
nlohmann-json3-dev  its JSON
libfmt-dev          its tables"

needs_crystal="
libtomlplusplus-dev the plane-wave solver: input files
libopenblas-serial-dev the plane-wave solver: matrices
libxc-dev           the plane-wave solver: exchange and correlation
libsymspg-dev       the plane-wave solver: symmetry, so that fewer k-points will do"

needs_run="
python3-numpy       the serial transform that the main job is checked against
python3-matplotlib  its picture
python3-nibabel     reads its input
mricron-data        its input: a measured volume, ch2.nii.gz"

needs_test="
python3             runs the checks of files
libgtest-dev        the tests' framework
gfortran            the Fortran module
python3-dev         the Python package: headers
python3-venv        a place for what it needs of the Python package index
python3-scipy       what it is compared with
libmpich-dev        a second MPI, to be right with both
mpich               its mpirun
iproute2            makes hosts of this machine, for tests of several nodes
libfftw3-mpi-dev    a peer to be compared with: FFTW's own transforms with MPI
libspfft-dev        a peer to be compared with: SpFFT"

needs_long="
clang               a second compiler
python3-pip         fetches DUCC, a second engine
doxygen             the API reference: reads the headers
g++-aarch64-linux-gnu another processor: its compiler
qemu-user-static    runs what that makes"

# Programs that call FFTW-MPI, to be run with the drop-in; what cannot be had is done without.
needs_programs="
mpb-mpi             photonic bands
mpb-doc             its check
xmds2               differential equations, with examples
libpetsc-complex-dev PETSc, whose MATFFTW is FFTW-MPI
pkg-config          finds PETSc"

# The same of the Python package index: a module, and the packages that bring it.
needs_python_programs="\
dedalus             dedalus==3.0.5
fluidfft_fftwmpi    fluidfft==0.4.5 fluidfft-fftwmpi==0.0.1 mpi4py pytest"

# Debian's modules belong to Debian's Python, also where another one comes first.
PYTHON=$(command -v /usr/bin/python3 python3 | head -n 1 || true)
export PYTHON

fail() { echo "$*" >&2; exit 1; }

# Installs those of the named packages that are missing, after saying which and why.
install_missing() {
    command -v dpkg-query >/dev/null || { echo "not a Debian system: taking what there is"; return; }
    local name why missing=() as_root=() apt
    while read -r name why; do
        [ -n "$name" ] || continue
        [[ $(dpkg-query --show --showformat='${db:Status-Status}' "$name" 2>/dev/null) != installed ]] || continue
        printf 'missing: %-20s %s\n' "$name" "$why"
        missing+=("$name")
    done <<<"$1"
    [ ${#missing[@]} -gt 0 ] || return 0

    if [ "$(id -u)" -ne 0 ]; then
        sudo -n true 2>/dev/null || fail "This needs root once. Run, then try again:
sudo apt-get update && sudo apt-get install --yes --no-install-recommends ${missing[*]}"
        as_root=(sudo)
    fi
    apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get --yes --quiet)
    mkdir -p build
    echo "installing these; the log is build/setup.log"
    # Package lists may be absent or out of date: they are fetched only when installing fails
    # without.
    { "${apt[@]}" install --no-install-recommends "${missing[@]}" ||
        { "${apt[@]}" update && "${apt[@]}" install --no-install-recommends "${missing[@]}"; }
    } >build/setup.log 2>&1 ||
        { tail -n 20 build/setup.log; fail "could not install: ${missing[*]}"; }
}

# DUCC's source in build/ducc, for -D WEFT_DUCC_ROOT=build/ducc.
fetch_ducc() {
    [ ! -f build/ducc/src/ducc0/fft/fft.h ] || return 0
    echo "fetching DUCC's source into build/ducc"
    mkdir -p build/ducc
    "$PYTHON" -m pip download --quiet --no-deps --no-binary ducc0 --dest build/ducc ducc0==0.42.0 &&
        tar --extract --file build/ducc/ducc0-0.42.0.tar.gz --directory build/ducc --strip-components 1 ||
        fail "could not fetch DUCC's source: ducc0 0.42.0 from the Python package index"
}

# Libraries for 64-bit Arm in build/arm_sysroot.
fetch_arm() {
    mkdir -p build
    tools/arm_sysroot >build/arm_sysroot.log 2>&1 ||
        { tail -n 20 build/arm_sysroot.log; fail "could not fetch libraries for 64-bit Arm"; }
}

# A Python in build/python that has what the Python package needs: nanobind to be built, mpi4py to
# run; and clang-format, whose versions differ in what they do. The package index may be out of
# reach: then the package is neither built nor tested, as CMake says.
python_environment() {
    local folder=build/python
    if ! "$folder/bin/python" -c "import nanobind, mpi4py, clang_format" 2>/dev/null; then
        echo "fetching nanobind, mpi4py and clang-format into $folder"
        "$PYTHON" -m venv --clear --system-site-packages "$folder" &&
            "$folder/bin/python" -m pip install --quiet "nanobind>=2" "mpi4py>=4" clang-format==14.0.6 ||
            echo "could not fetch nanobind, mpi4py and clang-format from the Python package index: no Python package"
    fi
}

# Sphinx and what shows Doxygen's findings in it, beside what the Python package needs: for the API
# reference.
documentation() {
    local python=build/python/bin/python
    "$python" -c "import breathe, sphinx_design" 2>/dev/null && return
    echo "fetching Sphinx, breathe and sphinx-design into build/python"
    "$python" -m pip install --quiet "sphinx>=7,<9" "breathe>=4.35" sphinx-design ||
        echo "could not fetch Sphinx from the Python package index: no API reference"
}

# The programs of others that tests run with the drop-in, as far as they can be had; those in Python
# in build/programs.
programs_of_others() {
    local line folder=build/programs
    while read -r line; do
        [ -z "$line" ] || (install_missing "$line") || echo "without ${line%% *}"
    done <<<"$needs_programs"
    local mpi headers
    mpi=$(command -v mpicc.openmpi mpicc | head -n 1)
    read -r headers _ <<<"$("$mpi" --showme:incdirs)"
    [ -x "$folder/bin/python" ] || "$PYTHON" -m venv "$folder"
    while read -r module packages; do
        "$folder/bin/python" -c "import $module" >/dev/null 2>&1 && continue
        echo "fetching $packages into $folder"
        env MPICC="$mpi" CC="$mpi" MPI_INCLUDE_PATH="$headers" MPI_LIBRARY_PATH="$("$mpi" --showme:libdirs)" \
            FFTW_INCLUDE_PATH=/usr/include FFTW_LIBRARY_PATH="/usr/lib/$("${CXX:-g++}" -print-multiarch)" \
            "$folder/bin/python" -m pip install --quiet $packages >"build/$module.log" 2>&1 ||
            echo "without $packages: the log is build/$module.log"
    done <<<"$needs_python_programs"
}

# build PRESET [CMake options...]: configures and builds, or of the build the targets that are named
# in `targets`. Shows one line of progress; without a terminal it shows none, and the log alone has
# the steps. Open MPI is named where two MPIs may lie side by side; Python is that of
# python_environment where it has been made.
targets=()
build() {
    local preset=$1 named=() log; shift
    log=build/$preset.log
    if [ "$preset" = arm ]; then
        named=(-D MPIEXEC_EXECUTABLE="$(command -v mpirun.openmpi mpirun | head -n 1)")
    elif [ "$preset" != mpich ] && command -v mpicxx.openmpi mpirun.openmpi >/dev/null; then
        named=(-D MPI_CXX_COMPILER="$(command -v mpicxx.openmpi)" -D MPIEXEC_EXECUTABLE="$(command -v mpirun.openmpi)")
    fi
    # Reading headers takes most of the time: files are compiled many at a time. The long presets
    # compile them one by one, which shows that each includes what it needs; so does a folder where
    # someone works already.
    if [[ $preset =~ ^(release|ci|mpich)$ && ! -f build/$preset/CMakeCache.txt ]]; then
        named+=(-D CMAKE_UNITY_BUILD=ON -D CMAKE_UNITY_BUILD_BATCH_SIZE=10)
    fi
    [ ! -x build/python/bin/python ] || [ "$preset" = arm ] ||
        named+=(-D Python_EXECUTABLE="$PWD/build/python/bin/python")
    mkdir -p build
    echo "configuring build/$preset"
    cmake --preset "$preset" "${named[@]}" "$@" >"$log" 2>&1 || { cat "$log"; return 1; }
    local make=(cmake --build "build/$preset" --parallel "$(cores)")
    [ ${#targets[@]} -eq 0 ] || make+=(--target "${targets[@]}")
    export NINJA_STATUS="building %f of %t, %e s: "
    if [ -t 1 ]; then
        "${make[@]}" || return 1
    else
        echo "building build/$preset; the log is $log"
        "${make[@]}" >>"$log" 2>&1 || { tail -n 50 "$log"; return 1; }
    fi
}

cores() { env -u OMP_NUM_THREADS nproc; }
