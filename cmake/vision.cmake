# What SPML_VISION needs. Found here, at the top: imported targets are visible below their folder.
find_package(JPEG REQUIRED)
find_package(PNG REQUIRED)
find_package(ZLIB REQUIRED)
find_package(OpenMP REQUIRED)
# oneDNN by hand: Debian's package file for it insists on OpenCL, which is not needed here.
find_library(DNNL_LIBRARY dnnl REQUIRED)
find_path(DNNL_INCLUDE_DIR dnnl.hpp REQUIRED)

# Its version, for --version --verbose.
file(GLOB headers ${DNNL_INCLUDE_DIR}/dnnl_version.h ${DNNL_INCLUDE_DIR}/oneapi/dnnl/dnnl_version.h)
set(DNNL_VERSION "")
foreach(part MAJOR MINOR PATCH)
  foreach(header ${headers})
    file(STRINGS ${header} line REGEX "define DNNL_VERSION_${part} +[0-9]+")
    if(line MATCHES "([0-9]+)$")
      list(APPEND DNNL_VERSION ${CMAKE_MATCH_1})
    endif()
  endforeach()
endforeach()
list(JOIN DNNL_VERSION "." DNNL_VERSION)
