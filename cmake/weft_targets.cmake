# The two things every target of ours is made of:
#   weft_config           what we and our users must agree on; linked publicly by the libraries
#   weft_own_warnings     how strictly we read our own code; never reaches a user

find_package(Threads REQUIRED)

add_library(weft_config INTERFACE)
target_compile_features(weft_config INTERFACE cxx_std_20)
target_include_directories(weft_config INTERFACE
  ${PROJECT_SOURCE_DIR}/include
  ${PROJECT_SOURCE_DIR}/src)
target_compile_definitions(weft_config INTERFACE
  $<$<BOOL:${WEFT_CHECKED}>:WEFT_CHECKED=1>
  $<$<BOOL:${WEFT_MODEL}>:WEFT_MODEL=1>)
target_link_libraries(weft_config INTERFACE Threads::Threads)

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
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion
    $<$<BOOL:${WEFT_WERROR}>:-Werror>)
endfunction()

# weft_add_library(<target> <source>...): a static library, also named weft::<target without the weft_ prefix>.
function(weft_add_library target)
  string(REGEX REPLACE "^weft_" "" name ${target})
  add_library(${target} STATIC ${ARGN})
  add_library(weft::${name} ALIAS ${target})
  # A layer may consist of headers only; without a source the language cannot be guessed.
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
  target_link_libraries(${target} PUBLIC weft_config)
  weft_own_warnings(${target})
endfunction()

# weft_add_program(<target> <source>...): an executable of ours, which may use everything.
function(weft_add_program target)
  add_executable(${target} ${ARGN})
  target_link_libraries(${target} PRIVATE weft weft_explorer)
  weft_own_warnings(${target})
endfunction()
