# Installs SPML_BUILD into a folder of its own under WORK, then configures, builds and runs CONSUMER.
function(run)
  execute_process(COMMAND ${ARGV} WORKING_DIRECTORY ${WORK} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
run(${CMAKE_COMMAND} --install ${SPML_BUILD} --prefix ${WORK}/prefix)

# The build folder must not be what makes it work.
run(${CMAKE_COMMAND} -S ${CONSUMER} -B ${WORK}/build -G Ninja -DCMAKE_BUILD_TYPE=Release
    -DCMAKE_PREFIX_PATH=${WORK}/prefix)
run(${CMAKE_COMMAND} --build ${WORK}/build)
if(NOT PROGRAM)
  file(GLOB sources ${CONSUMER}/*.cc)
  foreach(source ${sources})
    cmake_path(GET source STEM name)
    file(MAKE_DIRECTORY ${WORK}/${name})
    execute_process(COMMAND ${WORK}/build/${name} WORKING_DIRECTORY ${WORK}/${name}
                    COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
  file(REMOVE_RECURSE ${WORK})
  return()
endif()

run(${WORK}/prefix/bin/spml synth --out ${WORK}/toy --rows 400 --labels 6 --features 16)
run(${WORK}/build/program_1 ${WORK}/toy/train_features_imagenet_resnet50.npy
    ${WORK}/toy/formatted_train_labels_obs.npy)
# What the library saved is a run folder to the program.
run(${WORK}/prefix/bin/spml predict role-run --features
    ${WORK}/toy/val_features_imagenet_resnet50.npy --out ${WORK}/scores.npy)

execute_process(COMMAND ${WORK}/prefix/bin/spml --version OUTPUT_VARIABLE version
                OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
if(NOT version STREQUAL "spml ${VERSION}")
  message(FATAL_ERROR "expected the installed program to say 'spml ${VERSION}', found '${version}'")
endif()

# Only the installed libspml_torch.so knows this error.
if(TORCH)
  file(WRITE ${WORK}/none.pt "no program")
  execute_process(COMMAND ${WORK}/prefix/bin/spml extract ${WORK}/toy --backbone ${WORK}/none.pt
                          --trust-code
                  ERROR_VARIABLE error)
  if(NOT error MATCHES "none.pt: expected a TorchScript file")
    message(FATAL_ERROR "expected the installed program to load LibTorch, found '${error}'")
  endif()
endif()
file(REMOVE_RECURSE ${WORK})
