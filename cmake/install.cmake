# find_package(weft) and pkg-config, for the installed tree.
include(CMakePackageConfigHelpers)
include(weftMPI)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/weft")
weft_mpi_name(weft_mpi ${MPI_CXX_INCLUDE_DIRS})

install(TARGETS weft EXPORT weft)
install(DIRECTORY include/weft TYPE INCLUDE)
install(EXPORT weft NAMESPACE weft:: FILE weftTargets.cmake DESTINATION "${package_dir}")
configure_package_config_file(cmake/weftConfig.cmake.in weftConfig.cmake INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file(weftConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/weftConfig.cmake" "${CMAKE_CURRENT_BINARY_DIR}/weftConfigVersion.cmake"
  cmake/FindFFTW3.cmake cmake/weftMPI.cmake DESTINATION "${package_dir}")

if(WEFT_FFTW)
  set(pc_requires "fftw3 fftw3f")
endif()
# By name: hwloc.pc would ask for what hwloc alone was linked with, whose development packages need not be there.
if(WEFT_HAVE_HWLOC)
  set(pc_libs "-lhwloc ")
endif()
include(weft_pc)
