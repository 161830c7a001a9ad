# cmake -DDOCUMENT=... -DOUTPUT=... -P extract_cpp.cmake: writes the first ```cpp block of a document
# to a file, unless it is there already with that content.
file(READ ${DOCUMENT} text)
string(FIND "${text}" "\n```cpp\n" begin)
if(begin EQUAL -1)
  message(FATAL_ERROR "${DOCUMENT}: expected a block that opens with ```cpp, found none")
endif()
math(EXPR begin "${begin} + 8")
string(SUBSTRING "${text}" ${begin} -1 text)
string(FIND "${text}" "\n```\n" end)
string(SUBSTRING "${text}" 0 ${end} text)
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "${text}\n" @ONLY)
