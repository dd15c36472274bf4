# weft_mpi_name(name [compiler's include folders...]) tells which MPI a header mpi.h belongs to:
# "Open MPI 4", "MPICH" (and all that keep its binary interface), or "" where it does not say. Used
# when weft is built and when a client finds it: the two must be the same.
function(weft_mpi_name name)
  set(found "")
  foreach(folder IN LISTS ARGN)
    if(NOT found AND EXISTS "${folder}/mpi.h")
      file(STRINGS "${folder}/mpi.h" lines
        REGEX "^[ \t]*#[ \t]*define[ \t]+(OMPI_MAJOR_VERSION|MPICH_VERSION|MPICH_NUMVERSION)[ \t]")
      if(lines MATCHES "OMPI_MAJOR_VERSION[ \t]+([0-9]+)")
        set(found "Open MPI ${CMAKE_MATCH_1}")
      elseif(lines MATCHES "MPICH")
        set(found "MPICH")
      endif()
    endif()
  endforeach()
  set(${name} "${found}" PARENT_SCOPE)
endfunction()

# weft_same_fortran_wrapper() sets MPI_Fortran_COMPILER, unless it is set, to the wrapper of the
# same MPI as MPI_CXX_COMPILER: CMake looks for each language by itself, and where there are two
# MPIs may find the other one.
macro(weft_same_fortran_wrapper)
  if(NOT MPI_Fortran_COMPILER)
    string(REGEX REPLACE "mpi(cxx|c\\+\\+|CC)([^/]*)$" "mpifort\\2" weft_same_mpi "${MPI_CXX_COMPILER}")
    if(NOT IS_ABSOLUTE "${weft_same_mpi}")
      find_program(WEFT_MPIFORT "${weft_same_mpi}")
      mark_as_advanced(WEFT_MPIFORT)
      set(weft_same_mpi "${WEFT_MPIFORT}")
    endif()
    if(EXISTS "${weft_same_mpi}" AND NOT weft_same_mpi STREQUAL MPI_CXX_COMPILER)
      set(MPI_Fortran_COMPILER "${weft_same_mpi}" CACHE FILEPATH "The Fortran wrapper of weft's MPI")
    endif()
    unset(weft_same_mpi)
  endif()
endmacro()

# weft_options_of_fortran() keeps MPI's options for Fortran from compilers of other languages, which do not know them.
function(weft_options_of_fortran)
  if(TARGET MPI::MPI_Fortran)
    get_target_property(options MPI::MPI_Fortran INTERFACE_COMPILE_OPTIONS)
    if(options AND NOT options MATCHES "COMPILE_LANGUAGE")
      set_property(TARGET MPI::MPI_Fortran PROPERTY INTERFACE_COMPILE_OPTIONS
        "$<$<COMPILE_LANGUAGE:Fortran>:${options}>")
    endif()
  endif()
endfunction()
