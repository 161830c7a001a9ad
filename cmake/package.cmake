# Debian packages, made by CPack: scripts/package.sh configures, builds and packs. Each component of
# cmake/install.cmake is a package; what they depend on is what dpkg-shlibdeps finds.
set(so ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME spml)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "The spml authors <spml-authors@users.noreply.github.com>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_COMPONENTS_ALL program library development)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# So that CMake and dpkg-shlibdeps find the library of this build, which no package has yet.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/src)

# spml_package(COMPONENT NAME SECTION DEPENDS SUMMARY DESCRIPTION): with its copyright and changelog.
function(spml_package component name section depends summary description)
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS ${depends} PARENT_SCOPE)
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${summary}\n${description}" PARENT_SCOPE)
  set(folder ${PROJECT_BINARY_DIR}/debian/${name})
  set(SPML_PACKAGE ${name})
  configure_file(packaging/copyright.in ${folder}/copyright @ONLY)
  configure_file(packaging/changelog.in ${folder}/changelog @ONLY)
  execute_process(COMMAND gzip -9nf ${folder}/changelog COMMAND_ERROR_IS_FATAL ANY)
  install(FILES ${folder}/copyright ${folder}/changelog.gz DESTINATION share/doc/${name}
          COMPONENT ${component})
endfunction()

string(TIMESTAMP SPML_DATE "%a, %d %b %Y %H:%M:%S +0000" UTC)  # SOURCE_DATE_EPOCH's, where it is set
set(exactly "(= ${PROJECT_VERSION})")
spml_package(program spml science ""
  "learn many labels from one positive label per example"
  "Trains classifiers on data of which one present label per example is known.\nIt chooses its settings by itself, decides labels for new examples, suggests\nlabels that are missing and reproduces the published experiments.")
spml_package(library libspml${so} libs ""
  "multi-label learning from single positive labels: shared library"
  "What programs that use the library of spml need to run.")
spml_package(development libspml-dev libdevel "libspml${so} ${exactly}"
  "multi-label learning from single positive labels: headers"
  "Headers and the CMake package of the library of spml.")
# Whoever is linked with the library depends on its package, and the linker's cache learns of it.
file(WRITE ${PROJECT_BINARY_DIR}/debian/shlibs
     "libspml ${so} libspml${so} (>= ${PROJECT_VERSION})\n")
file(WRITE ${PROJECT_BINARY_DIR}/debian/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA "${PROJECT_BINARY_DIR}/debian/shlibs"
    "${PROJECT_BINARY_DIR}/debian/triggers")
if(SPML_TORCH)
  list(APPEND CPACK_COMPONENTS_ALL torch)
  spml_package(torch spml-torch science "spml ${exactly}"
    "learn many labels from one positive label: networks by LibTorch"
    "The module of spml that trains networks on cards and opens TorchScript files.")
endif()
if(TARGET spml_mpi_module)
  list(APPEND CPACK_COMPONENTS_ALL mpi)
  spml_package(mpi spml-mpi science "spml ${exactly}"
    "learn many labels from one positive label: several machines"
    "The module of spml that spreads training and sweeps over machines by MPI.")
endif()

# As Debian has them: documents compressed, zsh's completion among the system's.
install(CODE [[
  set(root "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}")
  file(GLOB pages "${root}/share/man/man1/*.1")
  if(pages)
    execute_process(COMMAND gzip -9nf ${pages} COMMAND_ERROR_IS_FATAL ANY)
  endif()
  if(EXISTS "${root}/share/zsh/site-functions/_spml")
    file(MAKE_DIRECTORY "${root}/share/zsh/vendor-completions")
    file(RENAME "${root}/share/zsh/site-functions/_spml"
         "${root}/share/zsh/vendor-completions/_spml")
    file(REMOVE_RECURSE "${root}/share/zsh/site-functions")
  endif()
]] COMPONENT program)

include(CPack)
