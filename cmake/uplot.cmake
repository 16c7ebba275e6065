# uPlot (MIT), for the page of `cornet bench report`. Debian has no package of it; npm fetches it once, with the checksum of the lock file.
# Without npm, -DUPLOT_DIR=FOLDER names a folder that holds uPlot.iife.min.js and uPlot.min.css.
set(UPLOT_DIR "" CACHE PATH "Folder with uPlot.iife.min.js and uPlot.min.css; empty: fetched by npm")
set(CORNET_UPLOT "${UPLOT_DIR}")
if(NOT CORNET_UPLOT)
  set(CORNET_UPLOT "${CMAKE_BINARY_DIR}/web/node_modules/uplot/dist")
  if(NOT EXISTS "${CORNET_UPLOT}/uPlot.iife.min.js")
    find_program(NPM npm)
    if(NPM)
      file(COPY web/package.json web/package-lock.json DESTINATION "${CMAKE_BINARY_DIR}/web")
      execute_process(COMMAND ${NPM} ci --ignore-scripts --no-audit --no-fund WORKING_DIRECTORY "${CMAKE_BINARY_DIR}/web"
        OUTPUT_VARIABLE npm_output ERROR_VARIABLE npm_output RESULT_VARIABLE npm_result)
    else()
      set(npm_result 1)
      set(npm_output "npm is not installed")
    endif()
  endif()
endif()
if(NOT EXISTS "${CORNET_UPLOT}/uPlot.iife.min.js" OR NOT EXISTS "${CORNET_UPLOT}/uPlot.min.css")
  message(WARNING "uPlot is not in ${CORNET_UPLOT} and could not be fetched:\n${npm_output}\n"
    "`cornet bench report` will say so; everything else is complete. Install npm, or name a folder that has it with -DUPLOT_DIR=FOLDER.")
  set(CORNET_UPLOT "")
endif()
