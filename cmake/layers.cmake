# spml_layer(FOLDER [USES FOLDER...] [LINKS LIBRARY...] [IN_LIBRARY] SOURCES FILE... [ALONE FILE...])
# One folder of src as the static library spml_FOLDER. It may include and link the folders named
# after USES and what those use in turn; a test per folder holds its includes to that
# (tests/layers). LINKS: libraries of others. IN_LIBRARY: part of the installed library spml::spml.
# ALONE: sources that cannot be compiled together with others (SPML_UNITY), since they compile
# themselves for several instruction sets or name things of their own as another file does.
function(spml_layer folder)
  cmake_parse_arguments(PARSE_ARGV 1 layer "IN_LIBRARY" "" "USES;LINKS;SOURCES;ALONE")
  set(target spml_${folder})
  add_library(${target} STATIC ${layer_SOURCES} ${layer_ALONE})
  spml_groups(${target} 10)
  set_source_files_properties(${layer_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR}/src
                             ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include)
  target_link_libraries(${target} PUBLIC ${layer_LINKS} PRIVATE spml_build_flags)
  set_target_properties(${target} PROPERTIES SPML_REACHABLE ${folder})
  spml_layer_uses(${folder} ${layer_USES})

  set_property(GLOBAL APPEND PROPERTY SPML_LAYERS ${folder})
  if(layer_IN_LIBRARY)
    set_property(GLOBAL APPEND PROPERTY SPML_LIBRARY_LAYERS ${folder})
  endif()
endfunction()

# spml_layer_uses(FOLDER OTHER...): what is used in some builds only, as if named after USES.
function(spml_layer_uses folder)
  foreach(other ${ARGN})
    target_link_libraries(spml_${folder} PUBLIC spml_${other})
    get_target_property(reachable spml_${other} SPML_REACHABLE)
    set_property(TARGET spml_${folder} APPEND PROPERTY SPML_REACHABLE ${reachable})
  endforeach()
endfunction()

# Highway with run-time dispatch between scalar, AVX2 and AVX-512; the targets between add only
# compile time. On ARM NEON alone: the vectors of SVE have no size and cannot be members of a struct.
add_library(spml_simd INTERFACE)
target_link_libraries(spml_simd INTERFACE hwy::hwy)
if(NOT SPML_DISPATCH)
  target_compile_definitions(spml_simd INTERFACE HWY_COMPILE_ONLY_STATIC)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  target_compile_definitions(spml_simd INTERFACE
    "HWY_DISABLED_TARGETS=(HWY_SVE|HWY_SVE2|HWY_SVE_256|HWY_SVE2_128)")
else()
  target_compile_definitions(spml_simd INTERFACE
    "HWY_DISABLED_TARGETS=(HWY_SSSE3|HWY_SSE4|HWY_AVX3_DL)")
endif()
