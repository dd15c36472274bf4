# weft_mpi_test(NAME target NP n [TIMEOUT seconds] [ARGS ...] [LONG] [TINY])
#
# Runs a program on n ranks with ${MPIEXEC_EXECUTABLE} and its flags (mpirun, srun, ...). The
# launcher ends every rank when time is up; ctest's own limit is only a net below it. Where ranks
# outnumber cores an MPI that spins while it waits needs milliseconds a call: MPICH over UCX is
# taught to give the core away (tests/support/yield.cpp), Open MPI is asked to
# (tests/support/launch); with others only tests marked TINY stay out of the label `long` there.
# A test takes as many cores as it has ranks, but no more than there are, so that others may run
# beside it where ctest is told of more (./test): ranks wait for one another and are late on purpose.
# What spins takes twice as many. Each test runs in a folder of its own.
include(ProcessorCount)
ProcessorCount(WEFT_CORES)

function(weft_mpi_test name target)
  cmake_parse_arguments(PARSE_ARGV 2 arg "LONG;TINY" "NP;TIMEOUT" "ARGS")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  set(flags ${MPIEXEC_PREFLAGS})
  set(environment OMP_NUM_THREADS=1 GTEST_COLOR=no WEFT_WISDOM=none WEFT_TIMEOUT=50 WEFT_TEST_SECONDS=100)
  if(WEFT_SANITIZE)
    list(APPEND environment ASAN_OPTIONS=detect_leaks=0)  # MPI libraries keep memory until the end
  endif()
  if(WEFT_OPEN_MPI)
    # The same wishes in Open MPI's and (since version 5) PRRTE's words; only what the MPI in use
    # knows is read.
    list(APPEND environment OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
      PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
      OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none)
    if(NOT WEFT_CMA)
      list(APPEND environment OMPI_MCA_btl_vader_single_copy_mechanism=none)
    endif()
    if(MPIEXEC_EXECUTABLE MATCHES "(mpirun|mpiexec|orterun)[^/]*$")
      list(PREPEND flags --oversubscribe)
    endif()
  elseif(arg_NP GREATER WEFT_CORES AND WEFT_UCX AND NOT WEFT_SANITIZE)
    list(APPEND environment LD_PRELOAD=$<TARGET_FILE:weft_yield>)
  elseif(arg_NP GREATER WEFT_CORES AND NOT arg_TINY)
    set(arg_LONG TRUE)
  endif()
  if(CMAKE_CROSSCOMPILING)  # an emulator is so much slower
    math(EXPR arg_TIMEOUT "10 * ${arg_TIMEOUT}")
    list(APPEND environment WEFT_TEST_SECONDS=1000)
  endif()
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/run/${name}")
  file(MAKE_DIRECTORY "${folder}")
  add_test(NAME ${name} COMMAND "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../tests/support/launch" ${arg_TIMEOUT}
    "${MPIEXEC_EXECUTABLE}" ${MPIEXEC_NUMPROC_FLAG} ${arg_NP} ${flags} $<TARGET_FILE:${target}> ${MPIEXEC_POSTFLAGS}
    ${arg_ARGS} WORKING_DIRECTORY "${folder}")
  math(EXPR net "${arg_TIMEOUT} + 20")
  set(processors ${arg_NP})
  if(WEFT_CORES GREATER 0 AND processors GREATER WEFT_CORES)
    set(processors ${WEFT_CORES})
  endif()
  if(NOT WEFT_OPEN_MPI AND (WEFT_SANITIZE OR NOT WEFT_UCX))
    math(EXPR processors "2 * ${processors}")
  endif()
  # Those that may take longest begin first.
  set_tests_properties(${name} PROPERTIES TIMEOUT ${net} COST ${arg_TIMEOUT} PROCESSORS ${processors}
    ENVIRONMENT "${environment}")
  if(arg_LONG)
    set_tests_properties(${name} PROPERTIES LABELS long)
  endif()
endfunction()

# weft_gtest_folder(folder NP n... [SUPPORT file...]) makes one program of tests/folder/*.cpp and
# the named files of tests/support, so that many cases share one start of MPI, and runs it on each
# number of ranks. With an MPI that spins, more ranks than cores run only the cases named *Tiny*.
function(weft_gtest_folder folder)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "NP;SUPPORT")
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  if(NOT sources)
    return()
  endif()
  if(NOT TARGET weft_tests_main)
    add_library(weft_tests_main OBJECT support/mpi_main.cpp)
    target_link_libraries(weft_tests_main PUBLIC weft_internal GTest::gtest)
    # As programs are compiled, which use its precompiled headers.
    set_target_properties(weft_tests_main PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(weft_tests_main PRIVATE ${CMAKE_CXX_COMPILE_OPTIONS_PIE})
    target_precompile_headers(weft_tests_main PRIVATE <gtest/gtest.h> <weft/weft.hpp>)
  endif()
  set(program weft_${folder}_tests)
  list(TRANSFORM arg_SUPPORT PREPEND support/)
  add_executable(${program} ${sources} ${arg_SUPPORT})
  target_include_directories(${program} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/src")
  target_link_libraries(${program} PRIVATE weft_tests_main)
  target_precompile_headers(${program} REUSE_FROM weft_tests_main)
  foreach(ranks IN LISTS arg_NP)
    set(kind "")
    set(timeout ${arg_TIMEOUT})
    # Minutes each: not for what other numbers of ranks, or another build, find too.
    if(folder MATCHES "^(mpi|changing)$")
      if(NOT WEFT_OPEN_MPI AND ranks GREATER 3)
        set(kind LONG)
        math(EXPR timeout "3 * ${timeout}")
      elseif(ranks EQUAL 4 OR (WEFT_ONLY_MPI AND NOT "${folder}.${ranks}" MATCHES "^(mpi.2|changing.3)$"))
        set(kind LONG)
      endif()
    endif()
    weft_mpi_test(${folder}.${ranks} ${program} NP ${ranks} TIMEOUT ${timeout} ${kind})
    set(tiny OFF)
    if(NOT WEFT_OPEN_MPI AND ranks GREATER WEFT_CORES AND ranks LESS_EQUAL 4 AND (WEFT_SANITIZE OR NOT WEFT_UCX))
      set(tiny ON)
    elseif(WEFT_ONLY_MPI AND "${folder}.${ranks}" STREQUAL "mpi.3")  # all of it is long there
      set(tiny ON)
    endif()
    if(tiny)
      set(kind TINY)
      if(ranks EQUAL 4 AND folder STREQUAL mpi)
        set(kind LONG)  # two minutes for what 3 ranks find too
      endif()
      weft_mpi_test(${folder}.tiny.${ranks} ${program} NP ${ranks} TIMEOUT ${arg_TIMEOUT} ${kind}
        ARGS --gtest_filter=*Tiny*)
    endif()
  endforeach()
endfunction()
