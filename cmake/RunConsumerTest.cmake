# Installs a build of Cornu into a folder of its own, builds examples/consumer against the installed
# package, and runs it.
#   cmake -DBUILD=<build> -DCONFIG=<config> -DSOURCE=<examples/consumer> -DWORK=<scratch folder>
#         -DGENERATOR=<generator> -DCOMPILER=<C++ compiler> -DFLAGS=<C++ flags> -P RunConsumerTest.cmake
file(REMOVE_RECURSE "${WORK}")

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

run("${CMAKE_COMMAND}" --install "${BUILD}" --config "${CONFIG}" --prefix "${WORK}/prefix")
run("${CMAKE_COMMAND}" -S "${SOURCE}" -B "${WORK}/build" -G "${GENERATOR}"
  "-DCMAKE_PREFIX_PATH=${WORK}/prefix" "-DCMAKE_CXX_COMPILER=${COMPILER}"
  "-DCMAKE_CXX_FLAGS=${FLAGS}" "-DCMAKE_BUILD_TYPE=${CONFIG}")
run("${CMAKE_COMMAND}" --build "${WORK}/build" --config "${CONFIG}")
run("${WORK}/build/consumer")
