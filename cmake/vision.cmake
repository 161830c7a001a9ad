# What SPML_VISION needs. Found here, at the top: imported targets are visible below their folder.
find_package(JPEG REQUIRED)
find_package(PNG REQUIRED)
find_package(ZLIB REQUIRED)
find_package(OpenMP REQUIRED)
# oneDNN by hand: Debian's package file for it insists on OpenCL, which is not needed here.
find_library(DNNL_LIBRARY dnnl REQUIRED)
find_path(DNNL_INCLUDE_DIR dnnl.hpp REQUIRED)
