# spml_build_id(TARGET): gives its sources "base/build_id.h" with spml::kBuild, a checksum of the sources
# that the program and its modules (libspml_torch.so, libspml_mpi.so) share, of the compiler and of its flags.
set(SPML_BUILD_HEADER ${PROJECT_BINARY_DIR}/build_id/base/build_id.h)
set(folders include src/base src/formats src/data src/loss src/metrics src/train src/linear
            src/cluster src/mpi src/vision src/libtorch)
set(patterns)
foreach(folder ${folders})
  list(APPEND patterns ${PROJECT_SOURCE_DIR}/${folder}/*.h ${PROJECT_SOURCE_DIR}/${folder}/*.cc)
endforeach()
file(GLOB_RECURSE SPML_BUILD_SOURCES CONFIGURE_DEPENDS ${patterns})
string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
set(compiler "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION} ${CMAKE_CXX_FLAGS} "
             "${CMAKE_CXX_FLAGS_${type}} ${SPML_SANITIZE}")
string(SHA256 compiler "${compiler}")
file(WRITE ${PROJECT_BINARY_DIR}/build_id/sources.txt.new "${SPML_BUILD_SOURCES}")
file(COPY_FILE ${PROJECT_BINARY_DIR}/build_id/sources.txt.new
     ${PROJECT_BINARY_DIR}/build_id/sources.txt ONLY_IF_DIFFERENT)

add_custom_command(OUTPUT ${SPML_BUILD_HEADER}
  COMMAND ${CMAKE_COMMAND} -DHEADER=${SPML_BUILD_HEADER} -DCOMPILER=${compiler}
          -DSOURCES=${PROJECT_BINARY_DIR}/build_id/sources.txt
          -P ${PROJECT_SOURCE_DIR}/cmake/write_build_id.cmake
  DEPENDS ${SPML_BUILD_SOURCES} ${PROJECT_BINARY_DIR}/build_id/sources.txt
          ${PROJECT_SOURCE_DIR}/cmake/write_build_id.cmake
  VERBATIM)
add_custom_target(spml_build_header DEPENDS ${SPML_BUILD_HEADER})

function(spml_build_id target)
  add_dependencies(${target} spml_build_header)
  target_include_directories(${target} PRIVATE ${PROJECT_BINARY_DIR}/build_id)
endfunction()
