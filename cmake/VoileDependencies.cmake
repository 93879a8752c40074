# Third-party libraries, as one list per folder of src/ that uses them, voile_FOLDER_dependencies, and
# all together as voile_dependencies. voileConfig.cmake.in and VoileInstall.cmake name them again for
# programs that link the installed library.
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(JSONC REQUIRED IMPORTED_TARGET json-c)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
set(voile_core_dependencies Threads::Threads m)
set(voile_codec_dependencies PkgConfig::JSONC PkgConfig::ZSTD PkgConfig::XXHASH)
set(voile_dependencies ${voile_core_dependencies} ${voile_codec_dependencies})

set(voile_definitions)

# voile_use(FOUND FOLDER TARGET NAME MESSAGE): lets a folder use an optional library if it was found,
# and defines VO_HAVE_<NAME> for the sources; otherwise prints the message.
macro(voile_use found folder target name message)
  if(${found})
    list(APPEND voile_${folder}_dependencies ${target})
    list(APPEND voile_dependencies ${target})
    list(APPEND voile_definitions VO_HAVE_${name}=1)
  else()
    message(STATUS "${message}")
  endif()
endmacro()

set(CHOLMOD_FOUND FALSE)
if(VOILE_CHOLMOD)
  find_package(CHOLMOD)
  voile_use(CHOLMOD_FOUND linalg CHOLMOD::CHOLMOD CHOLMOD
    "CHOLMOD not found: building without the direct solver")
endif()

set(LAPACKE_FOUND FALSE)
set(OPENBLAS_FOUND FALSE)
set(ARPACK_FOUND FALSE)
if(VOILE_LAPACK)
  pkg_check_modules(LAPACKE IMPORTED_TARGET lapacke)
  voile_use(LAPACKE_FOUND linalg PkgConfig::LAPACKE LAPACK
    "LAPACK not found: building without training of upsampling operators")
  if(LAPACKE_FOUND) # limited to one thread during calls; another BLAS is used as it is
    pkg_check_modules(OPENBLAS IMPORTED_TARGET openblas)
    voile_use(OPENBLAS_FOUND linalg PkgConfig::OPENBLAS OPENBLAS
      "OpenBLAS not found: eigenvectors by another BLAS may depend on its number of threads")
  endif()
endif()
if(VOILE_ARPACK)
  pkg_check_modules(ARPACK IMPORTED_TARGET arpack)
  voile_use(ARPACK_FOUND linalg PkgConfig::ARPACK ARPACK
    "ARPACK not found: harmonics of meshes are computed by LAPACK, all of them at once")
endif()

set(ASSIMP_FOUND FALSE)
if(VOILE_ASSIMP)
  pkg_check_modules(ASSIMP IMPORTED_TARGET assimp>=5.0)
  voile_use(ASSIMP_FOUND character PkgConfig::ASSIMP ASSIMP
    "Assimp not found: characters can be imported from OBJ files only")
endif()

set(Embree_FOUND FALSE)
if(VOILE_EMBREE)
  find_package(Embree MODULE)
  voile_use(Embree_FOUND spatial Embree::Embree EMBREE
    "Embree 3 not found: building without rendering and visibility rays")
endif()

set(PNG_FOUND FALSE)
if(VOILE_PNG)
  pkg_check_modules(PNG IMPORTED_TARGET libpng)
  voile_use(PNG_FOUND codec PkgConfig::PNG PNG "libpng not found: building without PNG files")
endif()

set(LIBAV_FOUND FALSE)
if(VOILE_MOVIE)
  pkg_check_modules(LIBAV IMPORTED_TARGET libavformat libavcodec libavutil)
  voile_use(LIBAV_FOUND codec PkgConfig::LIBAV LIBAV
    "libavformat, libavcodec not found: building without movies")
endif()

# A library of its own beside libvoile-rt, which does not depend on it.
set(OpenCL_FOUND FALSE)
if(VOILE_OPENCL)
  find_package(OpenCL QUIET)
  if(NOT OpenCL_FOUND)
    message(STATUS "OpenCL not found: building without libvoile-opencl")
  endif()
endif()

if(VOILE_TESTS)
  pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
endif()
