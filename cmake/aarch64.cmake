# For 64-bit Arm, on another processor: Debian's cross compiler, libraries from WEFT_ARM_SYSROOT
# (tools/arm_sysroot makes it), and qemu, which runs what is made. MPI's launcher is the system's
# own; it starts qemu.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_CXX_FLAGS_INIT -Wno-psabi)  # notes on what GCC passed otherwise before version 10

set(WEFT_ARM_SYSROOT "${CMAKE_CURRENT_LIST_DIR}/../build/arm_sysroot" CACHE PATH "Libraries for 64-bit Arm")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES WEFT_ARM_SYSROOT)
get_filename_component(sysroot "${WEFT_ARM_SYSROOT}" ABSOLUTE)
set(CMAKE_FIND_ROOT_PATH "${sysroot}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# Debian's headers for one architecture, as that of hwloc.
set(CMAKE_CXX_STANDARD_INCLUDE_DIRECTORIES "${sysroot}/usr/include/aarch64-linux-gnu")
set(MPI_CXX_COMPILER "${sysroot}/bin/mpicxx" CACHE FILEPATH "")
# Libraries that others need are found there, too; what those need of newer ones is the system's that runs them.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,-rpath-link,${sysroot}/usr/lib/aarch64-linux-gnu -Wl,--allow-shlib-undefined")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "${CMAKE_EXE_LINKER_FLAGS_INIT}")

find_program(WEFT_QEMU NAMES qemu-aarch64-static qemu-aarch64)
mark_as_advanced(WEFT_QEMU)
if(WEFT_QEMU)
  set(CMAKE_CROSSCOMPILING_EMULATOR "${WEFT_QEMU}" -L "${sysroot}")
  set(MPIEXEC_PREFLAGS ${CMAKE_CROSSCOMPILING_EMULATOR} CACHE STRING "")
endif()
