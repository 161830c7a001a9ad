# spml_embed(FUNCTION FILE...): makes files part of the library of the folder that calls this.
# FUNCTION(name) gives the bytes of the file of that name, as a std::string_view; it must be declared
# in the folder's "embedded.h".
function(spml_embed function)
  set(SPML_EMBED_FUNCTION ${function})
  set(SPML_EMBED_BYTES "")
  set(SPML_EMBED_TABLE "")
  cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME SPML_EMBED_FOLDER)
  set(index 0)
  foreach(file ${ARGN})
    cmake_path(GET file FILENAME name)
    set(symbol spml_embedded_${SPML_EMBED_FOLDER}_${index})
    string(APPEND SPML_EMBED_BYTES "extern \"C\" const char ${symbol}[], ${symbol}_end[];\n"
      "__asm__(R\"(\n.pushsection .rodata\n${symbol}:\n.incbin \"${file}\"\n"
      "${symbol}_end:\n.byte 0\n.popsection\n)\");\n")
    string(APPEND SPML_EMBED_TABLE "    {\"${name}\", ${symbol}, ${symbol}_end},\n")
    math(EXPR index "${index} + 1")
  endforeach()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/embedded.cc)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/embed.cc.in ${source} @ONLY)
  # Alone: among others (SPML_UNITY) it would not be compiled anew when one of the files changes.
  set_source_files_properties(${source} TARGET_DIRECTORY spml_${SPML_EMBED_FOLDER}
                              PROPERTIES OBJECT_DEPENDS "${ARGN}" SKIP_UNITY_BUILD_INCLUSION ON)
  target_sources(spml_${SPML_EMBED_FOLDER} PRIVATE ${source})
endfunction()
