# spml_precompiled(TARGET): lets ccache work on a target that uses a precompiled header.
function(spml_precompiled target)
  if(CCACHE)
    target_compile_options(${target} PRIVATE -fpch-preprocess)
    set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER
      "${SPML_CCACHE};CCACHE_SLOPPINESS=pch_defines,time_macros;${CCACHE}")
  endif()
endfunction()
