# Installs the build into a folder of its own and uses it from elsewhere.
set(prefix "${BUILD}/install-test")
file(REMOVE_RECURSE "${prefix}")
execute_process(COMMAND ${CMAKE_COMMAND} --install "${BUILD}" --prefix "${prefix}"
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(MAKE_DIRECTORY "${prefix}/elsewhere")
execute_process(COMMAND "${prefix}/bin/zoo" train configs/names/ngram.json --out run --quiet --json
  WORKING_DIRECTORY "${prefix}/elsewhere" OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
if(NOT EXISTS "${prefix}/elsewhere/run/summary.json")
  message(FATAL_ERROR "the installed program did not train")
endif()
