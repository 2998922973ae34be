# Runs Maven on POM with GOALS: offline first, which is quick and works without a network once everything has been fetched;
# online when something is still to be fetched. A test that fails is not run again.
set(common -q -B --no-transfer-progress -f ${POM} -DbuildDirectory=${BUILD_DIRECTORY} -Drevision=${VERSION} ${GOALS})
execute_process(COMMAND ${MAVEN} -o ${common} RESULT_VARIABLE failed OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(failed AND output MATCHES "offline mode")
  execute_process(COMMAND ${MAVEN} ${common} RESULT_VARIABLE failed OUTPUT_VARIABLE output ERROR_VARIABLE output)
endif()
if(failed)
  message(FATAL_ERROR "Maven failed on ${POM}:\n${output}")
endif()
