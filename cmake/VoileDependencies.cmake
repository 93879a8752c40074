# Libraries that Voile stands on, as the list voile_dependencies. docs/architecture.md says which
# folder uses which; voileConfig.cmake.in and VoileInstall.cmake name them once more for users.
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(JSONC REQUIRED IMPORTED_TARGET json-c)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
set(voile_dependencies Threads::Threads m PkgConfig::JSONC PkgConfig::ZSTD PkgConfig::XXHASH)

set(voile_definitions)

# Takes an optional library that was found, and tells the sources by VO_HAVE_<name>; says what is
# left out if it was not.
macro(voile_take found target name lost)
  if(${found})
    list(APPEND voile_dependencies ${target})
    list(APPEND voile_definitions VO_HAVE_${name}=1)
  else()
    message(STATUS "${lost}")
  endif()
endmacro()

set(CHOLMOD_FOUND FALSE)
if(VOILE_CHOLMOD)
  find_package(CHOLMOD)
  voile_take(CHOLMOD_FOUND CHOLMOD::CHOLMOD CHOLMOD
    "CHOLMOD not found: the direct solver is left out")
endif()

set(ASSIMP_FOUND FALSE)
if(VOILE_ASSIMP)
  pkg_check_modules(ASSIMP IMPORTED_TARGET assimp>=5.0)
  voile_take(ASSIMP_FOUND PkgConfig::ASSIMP ASSIMP
    "Assimp not found: characters can only be imported from OBJ files")
endif()

set(Embree_FOUND FALSE)
if(VOILE_EMBREE)
  find_package(Embree MODULE)
  voile_take(Embree_FOUND Embree::Embree EMBREE "Embree 3 not found: pictures are left out")
endif()

set(PNG_FOUND FALSE)
if(VOILE_PNG)
  pkg_check_modules(PNG IMPORTED_TARGET libpng)
  voile_take(PNG_FOUND PkgConfig::PNG PNG "libpng not found: PNG files are left out")
endif()

set(LIBAV_FOUND FALSE)
if(VOILE_MOVIE)
  pkg_check_modules(LIBAV IMPORTED_TARGET libavformat libavcodec libavutil)
  voile_take(LIBAV_FOUND PkgConfig::LIBAV LIBAV
    "libavformat, libavcodec not found: movies are left out")
endif()

if(VOILE_TESTS)
  pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
endif()
