# spml_build_flags: the warnings and sanitizers every target of the project is built with.
add_library(spml_build_flags INTERFACE)
target_compile_options(spml_build_flags INTERFACE -Wall -Wextra -Wshadow -Wno-psabi)
if(SPML_WERROR)
  target_compile_options(spml_build_flags INTERFACE -Werror)
endif()
if(SPML_SANITIZE)
  target_compile_options(spml_build_flags INTERFACE -fsanitize=${SPML_SANITIZE}
                         -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(spml_build_flags INTERFACE -fsanitize=${SPML_SANITIZE})
endif()
if(SPML_FUZZ)  # coverage for libFuzzer in everything a target links
  target_compile_options(spml_build_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
