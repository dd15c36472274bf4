# weft_mpi_name(name [compiler's include folders...]) tells which MPI a header mpi.h belongs to: "Open MPI 4", "MPICH" (and all
# that keep its binary interface), or "" where it does not say. Used when weft is built and when a client finds it: the
# two must be the same.
function(weft_mpi_name name)
  set(found "")
  foreach(folder IN LISTS ARGN)
    if(NOT found AND EXISTS "${folder}/mpi.h")
      file(STRINGS "${folder}/mpi.h" lines REGEX "^[ \t]*#[ \t]*define[ \t]+(OMPI_MAJOR_VERSION|MPICH_VERSION|MPICH_NUMVERSION)[ \t]")
      if(lines MATCHES "OMPI_MAJOR_VERSION[ \t]+([0-9]+)")
        set(found "Open MPI ${CMAKE_MATCH_1}")
      elseif(lines MATCHES "MPICH")
        set(found "MPICH")
      endif()
    endif()
  endforeach()
  set(${name} "${found}" PARENT_SCOPE)
endfunction()
