# Runs a program twice and fails unless both runs succeed and print the same bytes, which are kept in a
# file.
#
#   cmake -DCOMMAND=PROGRAM;ARGUMENT... -DOUTPUT=FILE -P run_twice.cmake
foreach(run first second)
  execute_process(COMMAND ${COMMAND} OUTPUT_VARIABLE ${run} RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${COMMAND}: status ${status}")
  endif()
endforeach()
string(REPLACE "\r" "" first "${first}") # Windows
string(REPLACE "\r" "" second "${second}")
file(WRITE ${OUTPUT} "${first}")
if(NOT first STREQUAL second)
  file(WRITE ${OUTPUT}.second "${second}")
  message(FATAL_ERROR "two runs differ; compare ${OUTPUT} and ${OUTPUT}.second")
endif()
