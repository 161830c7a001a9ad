# The LibTorch loop, compiled once for the benchmark and the trajectory test.
include_guard(GLOBAL)
add_library(spml_torch_loop STATIC ${CMAKE_CURRENT_LIST_DIR}/torch_loop.cc)
target_include_directories(spml_torch_loop PUBLIC ${CMAKE_CURRENT_LIST_DIR})
target_link_libraries(spml_torch_loop PUBLIC spml_loss PRIVATE spml_build_flags ${TORCH_LIBRARIES})
