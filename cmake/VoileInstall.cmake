# make install: library, headers, command, manual pages, assets, and package files for pkg-config and
# CMake.
include(CMakePackageConfigHelpers)

set(voile_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/voile)
install(TARGETS voile EXPORT voileTargets)
# Everything that is installed; `make install` builds no tests.
add_custom_target(voile_installed DEPENDS voile voile_rt voile_cli)
if(OpenCL_FOUND)
  add_dependencies(voile_installed voile_opencl)
  install(TARGETS voile_opencl ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/voile DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/assets/ DESTINATION ${CMAKE_INSTALL_DATADIR}/voile)
install(EXPORT voileTargets NAMESPACE voile:: DESTINATION ${voile_cmake_dir})

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/voileConfig.cmake.in
  ${PROJECT_BINARY_DIR}/voileConfig.cmake INSTALL_DESTINATION ${voile_cmake_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/voileConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/voileConfig.cmake ${PROJECT_BINARY_DIR}/voileConfigVersion.cmake
  ${PROJECT_SOURCE_DIR}/cmake/FindCHOLMOD.cmake ${PROJECT_SOURCE_DIR}/cmake/FindEmbree.cmake
  DESTINATION ${voile_cmake_dir})

# Relative run path: the installed command finds the shared library under any prefix.
file(RELATIVE_PATH voile_bin_to_lib
  ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
set_target_properties(voile_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${voile_bin_to_lib}")

# voile.pc. Dependencies of a static library are public, those of a shared one private.
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(voile_pc_libdir "${CMAKE_INSTALL_LIBDIR}")
else()
  set(voile_pc_libdir "\${exec_prefix}/${CMAKE_INSTALL_LIBDIR}")
endif()
if(IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
  set(voile_pc_includedir "${CMAKE_INSTALL_INCLUDEDIR}")
else()
  set(voile_pc_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
set(voile_pc_requires "json-c libzstd libxxhash")
if(LAPACKE_FOUND)
  string(APPEND voile_pc_requires " lapacke")
endif()
if(OPENBLAS_FOUND)
  string(APPEND voile_pc_requires " openblas")
endif()
if(ARPACK_FOUND)
  string(APPEND voile_pc_requires " arpack")
endif()
if(ASSIMP_FOUND)
  string(APPEND voile_pc_requires " assimp")
endif()
set(voile_pc_libs "-lm -pthread")
if(CHOLMOD_FOUND)
  set(voile_pc_libs "-lcholmod ${voile_pc_libs}")
endif()
if(Embree_FOUND)
  set(voile_pc_libs "-lembree3 ${voile_pc_libs}")
endif()
if(PNG_FOUND)
  string(APPEND voile_pc_requires " libpng")
endif()
if(LIBAV_FOUND) # as libraries: their packages would require about fifty others for static links
  set(voile_pc_libs "-lavformat -lavcodec -lavutil ${voile_pc_libs}")
endif()
if(BUILD_SHARED_LIBS)
  set(voile_pc_links
    "Libs: -L\${libdir} -lvoile\nRequires.private: ${voile_pc_requires}\nLibs.private: ${voile_pc_libs}")
else()
  set(voile_pc_links "Requires: ${voile_pc_requires}\nLibs: -L\${libdir} -lvoile ${voile_pc_libs}")
endif()
# Generated at install time, since `cmake --install --prefix` may override the prefix.
install(CODE "
  set(PROJECT_DESCRIPTION [[${PROJECT_DESCRIPTION}]])
  set(PROJECT_VERSION [[${PROJECT_VERSION}]])
  set(voile_pc_libdir [[${voile_pc_libdir}]])
  set(voile_pc_includedir [[${voile_pc_includedir}]])
  set(voile_pc_links [[${voile_pc_links}]])
  configure_file([[${PROJECT_SOURCE_DIR}/cmake/voile.pc.in]]
    [[${PROJECT_BINARY_DIR}/voile.pc]] @ONLY)")
install(FILES ${PROJECT_BINARY_DIR}/voile.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
