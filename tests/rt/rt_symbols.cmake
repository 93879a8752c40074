# libvoile-rt calls only the functions that test_rt_symbols.sh lists.
add_test(NAME rt_symbols
  COMMAND ${PROJECT_SOURCE_DIR}/tests/rt/test_rt_symbols.sh $<TARGET_FILE:voile_rt> ${CMAKE_NM})
if(VOILE_SANITIZE OR VOILE_FUZZ) # the instrumentation calls its own library
  set_tests_properties(rt_symbols PROPERTIES DISABLED ON)
endif()
