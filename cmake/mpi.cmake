# MPI for src/mpi, where it can be used. FindMPI ends the whole configuration where there is a compiler
# wrapper but no header (openmpi-bin without libopenmpi-dev), so the wrapper is tried first.
find_program(SPML_MPI_WRAPPER NAMES mpicxx mpic++ mpiCC mpicxx.openmpi)
mark_as_advanced(SPML_MPI_WRAPPER)
set(wrapper_works TRUE)
if(SPML_MPI_WRAPPER)
  file(WRITE ${PROJECT_BINARY_DIR}/CMakeFiles/mpi_header.cc "#include <mpi.h>\n")
  execute_process(COMMAND ${SPML_MPI_WRAPPER} -fsyntax-only ${PROJECT_BINARY_DIR}/CMakeFiles/mpi_header.cc
                  RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
  if(NOT failed EQUAL 0)
    set(wrapper_works FALSE)
  endif()
endif()
if(wrapper_works)
  find_package(MPI COMPONENTS CXX)
endif()
if(NOT MPI_CXX_FOUND)
  message(STATUS "No MPI (libopenmpi-dev): the program will run in one process only")
endif()
