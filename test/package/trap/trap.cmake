# A project that has all its own folders in sight of all its targets, weft's included.
include_directories(${CMAKE_CURRENT_LIST_DIR})
