# Writes HEADER from the checksum of the files listed in SOURCES and of COMPILER.
file(READ ${SOURCES} sources)
set(sums ${COMPILER})
foreach(source ${sources})
  file(SHA256 ${source} sum)
  string(APPEND sums ${sum})
endforeach()
string(SHA256 id "${sums}")
string(SUBSTRING ${id} 0 16 id)
file(WRITE ${HEADER}.new "// Made by cmake/build_id.cmake.
#pragma once

namespace spml {
inline constexpr char kBuild[] = \"${id}\";
}
")
file(COPY_FILE ${HEADER}.new ${HEADER} ONLY_IF_DIFFERENT)
