# cmake --install: the program, the library with its headers and CMake package, the documents.
include(CMakePackageConfigHelpers)

set(SPML_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/spml)

if(SPML_PROGRAM)
  install(TARGETS spml_program)
endif()
if(SPML_TORCH)
  install(TARGETS spml_torch_module DESTINATION ${CMAKE_INSTALL_LIBDIR}/spml COMPONENT torch)
endif()
if(TARGET spml_mpi_module)
  install(TARGETS spml_mpi_module DESTINATION ${CMAKE_INSTALL_LIBDIR}/spml COMPONENT mpi)
endif()
install(TARGETS spml EXPORT spml-targets
        LIBRARY COMPONENT library NAMELINK_COMPONENT development
        ARCHIVE COMPONENT development)
install(DIRECTORY include/spml DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
        FILES_MATCHING PATTERN "*.h")
install(FILES ${PROJECT_BINARY_DIR}/include/spml/version.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/spml COMPONENT development)
if(NOT SPML_DEBIAN)  # which has its own names for them
  install(FILES CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
endif()
install(FILES README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md"
        PATTERN "*.png" PATTERN "*.jpg")

install(EXPORT spml-targets NAMESPACE spml:: DESTINATION ${SPML_PACKAGE_DIR}
        COMPONENT development)
configure_package_config_file(cmake/spml-config.cmake.in ${PROJECT_BINARY_DIR}/spml-config.cmake
                              INSTALL_DESTINATION ${SPML_PACKAGE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/spml-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/spml-config.cmake
              ${PROJECT_BINARY_DIR}/spml-config-version.cmake
        DESTINATION ${SPML_PACKAGE_DIR} COMPONENT development)
