# weft_versioned(target): symbols of the C interface have a version in this shared library, if the linker knows how.
include(CheckCXXSourceCompiles)
set(CMAKE_REQUIRED_LINK_OPTIONS "-Wl,--version-script=${CMAKE_CURRENT_LIST_DIR}/../src/c/weft.map")
check_cxx_source_compiles("int main() {}" WEFT_VERSIONED)
unset(CMAKE_REQUIRED_LINK_OPTIONS)

function(weft_versioned target)
  set(script "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../src/c/weft.map")
  if(WEFT_VERSIONED)
    target_link_options(${target} PRIVATE "-Wl,--version-script=${script}")
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS "${script}")
  endif()
endfunction()
