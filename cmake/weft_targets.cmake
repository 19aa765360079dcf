# The two things every target of ours is made of:
#   weft_config           what we and our users must agree on; linked publicly by the libraries
#   weft_own_warnings     how strictly we read our own code; never reaches a user

find_package(Threads REQUIRED)
include(GNUInstallDirs)

# Users see include/ alone; what is ours also includes headers of src/, by their layer: "pool/pool_core.hpp".
set(weft_own_headers ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)

add_library(weft_config INTERFACE)
target_compile_features(weft_config INTERFACE cxx_std_20)
target_include_directories(weft_config INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_definitions(weft_config INTERFACE
  $<$<BOOL:${WEFT_CHECKED}>:WEFT_CHECKED=1>
  $<$<BOOL:${WEFT_MODEL}>:WEFT_MODEL=1>)
target_link_libraries(weft_config INTERFACE Threads::Threads)

# What the shared libraries are named after: programs link with those of the same number only (VERSIONING.md).
set(weft_abi_version ${PROJECT_VERSION_MAJOR})
if(PROJECT_VERSION_MAJOR EQUAL 0)
  string(APPEND weft_abi_version .${PROJECT_VERSION_MINOR})
endif()

if(WEFT_SANITIZE STREQUAL "address")
  set(sanitizer -fsanitize=address,undefined -fno-sanitize-recover=all)
elseif(WEFT_SANITIZE STREQUAL "thread")
  set(sanitizer -fsanitize=thread)
elseif(WEFT_SANITIZE)
  message(FATAL_ERROR "WEFT_SANITIZE is \"${WEFT_SANITIZE}\"; it must be empty, address or thread")
endif()
if(WEFT_SANITIZE)
  target_compile_options(weft_config INTERFACE ${sanitizer} -fno-omit-frame-pointer)
  target_link_options(weft_config INTERFACE ${sanitizer})
endif()

function(weft_own_warnings target)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wconversion
    # Where files are compiled together, a local name may hide a name of another file.
    $<$<NOT:$<BOOL:${CMAKE_UNITY_BUILD}>>:-Wshadow>
    $<$<BOOL:${WEFT_WERROR}>:-Werror>)
endfunction()

# weft_add_library(<target> [LINKS <library>...] SOURCES <source>...): a library for users, also named
# weft::<target without the weft_ prefix>; static, or shared with BUILD_SHARED_LIBS. A shared one shows only what is
# marked WEFT_API; so what is ours links <target>_inside, which is the same objects with everything in reach.
function(weft_add_library target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LINKS;SOURCES")
  string(REGEX REPLACE "^weft_" "" name ${target})
  add_library(${target} ${arg_SOURCES})
  add_library(weft::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES
    # A layer may consist of headers only; without a source the language cannot be guessed.
    LINKER_LANGUAGE CXX
    EXPORT_NAME ${name}
    VERSION ${PROJECT_VERSION}
    SOVERSION ${weft_abi_version}
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    INSTALL_RPATH $ORIGIN) # they find each other, wherever they are
  target_include_directories(${target} PRIVATE ${weft_own_headers})
  target_link_libraries(${target} PUBLIC weft_config ${arg_LINKS})
  weft_own_warnings(${target})

  get_target_property(type ${target} TYPE)
  if(type STREQUAL "STATIC_LIBRARY")
    add_library(${target}_inside ALIAS ${target})
  else()
    add_library(${target}_inside STATIC EXCLUDE_FROM_ALL $<TARGET_OBJECTS:${target}>)
    set_target_properties(${target}_inside PROPERTIES LINKER_LANGUAGE CXX)
    list(TRANSFORM arg_LINKS APPEND _inside)
    target_link_libraries(${target}_inside PUBLIC weft_config ${arg_LINKS})
  endif()
endfunction()

# weft_add_inner_library(<target> <source>...): a static library of ours, which may use everything.
function(weft_add_inner_library target)
  add_library(${target} STATIC EXCLUDE_FROM_ALL ${ARGN})
  target_include_directories(${target} PUBLIC ${weft_own_headers})
  target_link_libraries(${target} PUBLIC weft_inside)
  weft_own_warnings(${target})
endfunction()

# weft_add_program(<target> <source>...): an executable of ours, which may use everything.
function(weft_add_program target)
  add_executable(${target} ${ARGN})
  target_include_directories(${target} PRIVATE ${weft_own_headers})
  target_link_libraries(${target} PRIVATE weft_inside weft_explorer_inside)
  weft_own_warnings(${target})
endfunction()
