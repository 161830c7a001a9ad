# Fails unless the text of PART stands in DOCUMENT, to the letter.
file(READ ${DOCUMENT} document)
file(READ ${PART} part)
string(FIND "${document}" "${part}" place)
if(place EQUAL -1)
  message(FATAL_ERROR "${DOCUMENT} does not show ${PART} as it is; copy it there")
endif()
