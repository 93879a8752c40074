# Libraries that Voile stands on, as the list voile_dependencies. docs/architecture.md says which
# folder uses which; voileConfig.cmake.in and VoileInstall.cmake name them once more for users.
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(JSONC REQUIRED IMPORTED_TARGET json-c)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
set(voile_dependencies Threads::Threads m PkgConfig::JSONC PkgConfig::ZSTD PkgConfig::XXHASH)

set(CHOLMOD_FOUND FALSE)
if(VOILE_CHOLMOD)
  find_package(CHOLMOD)
  if(CHOLMOD_FOUND)
    list(APPEND voile_dependencies CHOLMOD::CHOLMOD)
  else()
    message(STATUS "CHOLMOD not found: the direct solver is left out")
  endif()
endif()

if(VOILE_TESTS)
  pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
endif()
