# Finds FFTW 3 in double and single precision: targets FFTW3::fftw3 and FFTW3::fftw3f. Looks in
# FFTW3_ROOT or CMAKE_PREFIX_PATH.
find_path(FFTW3_INCLUDE_DIR fftw3.h)
find_library(FFTW3_LIBRARY fftw3)
find_library(FFTW3F_LIBRARY fftw3f)
mark_as_advanced(FFTW3_INCLUDE_DIR FFTW3_LIBRARY FFTW3F_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(FFTW3 REQUIRED_VARS FFTW3_LIBRARY FFTW3F_LIBRARY FFTW3_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "weft needs FFTW 3 in double and single precision (Debian, Ubuntu: libfftw3-dev, Fedora: \
fftw-devel, conda: fftw, spack: fftw precision=double,float). If it lies in a place of its own, configure with \
-DFFTW3_ROOT=<prefix>.")

if(FFTW3_FOUND)
  foreach(precision IN ITEMS fftw3 fftw3f)
    if(NOT TARGET FFTW3::${precision})
      string(TOUPPER ${precision}_LIBRARY library)
      add_library(FFTW3::${precision} UNKNOWN IMPORTED)
      set_target_properties(FFTW3::${precision} PROPERTIES
        IMPORTED_LOCATION "${${library}}" INTERFACE_INCLUDE_DIRECTORIES "${FFTW3_INCLUDE_DIR}")
    endif()
  endforeach()
endif()
