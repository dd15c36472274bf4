# weft_versioned(target): symbols of the C interface have a version in this shared library, where the linker knows how.
include(CheckCXXSourceCompiles)
set(WEFT_VERSION_SCRIPT "${PROJECT_SOURCE_DIR}/src/c/weft.map")
set(CMAKE_REQUIRED_LINK_OPTIONS "-Wl,--version-script=${WEFT_VERSION_SCRIPT}")
check_cxx_source_compiles("int main() {}" WEFT_VERSIONED)
unset(CMAKE_REQUIRED_LINK_OPTIONS)

function(weft_versioned target)
  if(WEFT_VERSIONED)
    target_link_options(${target} PRIVATE "-Wl,--version-script=${WEFT_VERSION_SCRIPT}")
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS "${WEFT_VERSION_SCRIPT}")
  endif()
endfunction()
