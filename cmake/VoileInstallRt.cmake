# make install, part of the real-time library: archive, headers, package files for pkg-config and
# CMake (find_package(voile-rt) defines voile::rt).
include(CMakePackageConfigHelpers)

set(voile_rt_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/voile-rt)
install(TARGETS voile_rt EXPORT voileRtTargets)
install(FILES ${PROJECT_SOURCE_DIR}/include/voile/rt.h ${PROJECT_SOURCE_DIR}/include/voile/base.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/voile)
install(EXPORT voileRtTargets FILE voile-rtTargets.cmake NAMESPACE voile:: DESTINATION ${voile_rt_cmake_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/voile-rtConfig.cmake.in
  ${PROJECT_BINARY_DIR}/voile-rtConfig.cmake INSTALL_DESTINATION ${voile_rt_cmake_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/voile-rtConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/voile-rtConfig.cmake ${PROJECT_BINARY_DIR}/voile-rtConfigVersion.cmake
  DESTINATION ${voile_rt_cmake_dir})

if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(voile_rt_pc_libdir "${CMAKE_INSTALL_LIBDIR}")
else()
  set(voile_rt_pc_libdir "\${exec_prefix}/${CMAKE_INSTALL_LIBDIR}")
endif()
if(IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
  set(voile_rt_pc_includedir "${CMAKE_INSTALL_INCLUDEDIR}")
else()
  set(voile_rt_pc_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
# Generated at install time, since `cmake --install --prefix` may override the prefix.
install(CODE "
  set(PROJECT_VERSION [[${PROJECT_VERSION}]])
  set(voile_rt_pc_libdir [[${voile_rt_pc_libdir}]])
  set(voile_rt_pc_includedir [[${voile_rt_pc_includedir}]])
  configure_file([[${PROJECT_SOURCE_DIR}/cmake/voile-rt.pc.in]]
    [[${PROJECT_BINARY_DIR}/voile-rt.pc]] @ONLY)")
install(FILES ${PROJECT_BINARY_DIR}/voile-rt.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
