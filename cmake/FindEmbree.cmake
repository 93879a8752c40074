# Defines Embree 3 as the target Embree::Embree. Embree's own package file requires TBB, which only a
# static Embree needs. Installed with voileConfig.cmake for programs that link libvoile statically.
find_path(EMBREE_INCLUDE_DIR embree3/rtcore.h)
find_library(EMBREE_LIBRARY embree3)
mark_as_advanced(EMBREE_INCLUDE_DIR EMBREE_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Embree REQUIRED_VARS EMBREE_LIBRARY EMBREE_INCLUDE_DIR)

if(Embree_FOUND AND NOT TARGET Embree::Embree)
  add_library(Embree::Embree UNKNOWN IMPORTED)
  set_target_properties(Embree::Embree PROPERTIES
    IMPORTED_LOCATION "${EMBREE_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${EMBREE_INCLUDE_DIR}")
endif()
