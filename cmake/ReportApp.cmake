# The browser app (report-app/), bundled by esbuild: MEMPROF_APP holds app.js, app.css and app_hash.inc. npm installs what the lock
# file names, anew only when that changes. Any Node.js from 18 on.
find_program(NODE node)
find_program(NPM npm)
if(NOT NODE OR NOT NPM)
  message(FATAL_ERROR "The report's browser app is bundled with Node.js 18 or later and npm: apt-get install nodejs npm")
endif()

set(MEMPROF_APP ${CMAKE_BINARY_DIR}/report-app)
set(MEMPROF_APP_FILES ${MEMPROF_APP}/app.js ${MEMPROF_APP}/app.css ${MEMPROF_APP}/app_hash.inc)
set(report_app_folder ${CMAKE_SOURCE_DIR}/report-app)
file(GLOB_RECURSE report_app_sources CONFIGURE_DEPENDS ${report_app_folder}/src/*)

# Custom commands belong to the directory of the target that uses them.
function(memprof_build_report_app target)
  add_custom_command(
    OUTPUT ${MEMPROF_APP_FILES}
    COMMAND ${report_app_folder}/build.sh ${MEMPROF_APP}
    DEPENDS ${report_app_sources} ${report_app_folder}/build.sh ${report_app_folder}/build.mjs ${report_app_folder}/package.json
            ${report_app_folder}/package-lock.json ${report_app_folder}/tsconfig.json ${report_app_folder}/LICENSES.md
    COMMENT "Bundling the report's browser app" VERBATIM)
  add_custom_target(${target}_app DEPENDS ${MEMPROF_APP_FILES})
  add_dependencies(${target} ${target}_app)
endfunction()
