# spml_embed(FUNCTION [HEADER FILE] FILE...): makes files part of the library of the folder that calls
# this. FUNCTION(name) gives the bytes of the file of that name, as a std::string_view; it must be
# declared in HEADER, a file of the folder ("embedded.h" unless given).
function(spml_embed function)
  cmake_parse_arguments(PARSE_ARGV 1 embed "" "HEADER" "")
  if(embed_HEADER)
    set(SPML_EMBED_HEADER ${embed_HEADER})
  else()
    set(SPML_EMBED_HEADER embedded.h)
  endif()
  set(files ${embed_UNPARSED_ARGUMENTS})
  set(SPML_EMBED_FUNCTION ${function})
  set(SPML_EMBED_BYTES "")
  set(SPML_EMBED_TABLE "")
  cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME SPML_EMBED_FOLDER)
  set(index 0)
  foreach(file ${files})
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
                              PROPERTIES OBJECT_DEPENDS "${files}" SKIP_UNITY_BUILD_INCLUSION ON)
  target_sources(spml_${SPML_EMBED_FOLDER} PRIVATE ${source})
endfunction()
