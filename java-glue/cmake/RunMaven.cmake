# Runs Maven on POM with GOALS: offline first, which is quick and works without a network once everything has been fetched;
# online when that fails. Maven's output is shown only if both fail.
set(common -q -B --no-transfer-progress -f ${POM} -DbuildDirectory=${BUILD_DIRECTORY} -Drevision=${VERSION} ${GOALS})
execute_process(COMMAND ${MAVEN} -o ${common} RESULT_VARIABLE failed OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(failed)
  execute_process(COMMAND ${MAVEN} ${common} RESULT_VARIABLE failed OUTPUT_VARIABLE output ERROR_VARIABLE output)
endif()
if(failed)
  message(FATAL_ERROR "Maven failed on ${POM}:\n${output}")
endif()
