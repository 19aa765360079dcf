# weft_threadpool: libweft_threadpool.a, the C interface of include/threadpool.h as a library of its own. It holds
# all of weft that it needs, and nothing of it is a global symbol but the five functions; a program may have any
# other names, those of weft included, and any other version of weft.
#
# Everything needed is linked into one object, and there the other symbols are made local. Sections that the linker
# would share with equal ones of the program (COMDAT groups) become ordinary ones first, for otherwise the linker
# could drop ours in favour of the program's, which our local symbols cannot refer to.

# weft_add_threadpool(<target>): the archive, and a library of that name to link with, also named weft::threadpool. Its
# property WEFT_ARCHIVE is the file. Nothing without GNU ld and objcopy.
function(weft_add_threadpool target)
  set(functions
    thread_pool_new thread_pool_shutdown_and_destroy thread_pool_submit future_get future_free)
  # By name: CMake's own choice follows the compiler, and LLVM's linker cannot allocate groups.
  find_program(WEFT_GNU_LD ld.bfd)
  find_program(WEFT_GNU_OBJCOPY objcopy)
  mark_as_advanced(WEFT_GNU_LD WEFT_GNU_OBJCOPY)
  if(NOT WEFT_GNU_LD OR NOT WEFT_GNU_OBJCOPY)
    message(STATUS "${target} is left out: it needs ld.bfd and objcopy")
    return()
  endif()

  # g++ marks static variables of inline functions as unique in the process, which objcopy cannot undo.
  foreach(library IN ITEMS weft weft_error)
    target_compile_options(${library} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>)
  endforeach()

  set(wanted ${functions})
  list(TRANSFORM wanted PREPEND --undefined=)
  set(kept ${functions})
  list(TRANSFORM kept PREPEND --keep-global-symbol=)
  set(object ${CMAKE_CURRENT_BINARY_DIR}/${target}.o)
  set(whole ${CMAKE_CURRENT_BINARY_DIR}/${target}_whole.a)
  set(archive ${CMAKE_CURRENT_BINARY_DIR}/lib${target}.a)
  add_custom_command(OUTPUT ${archive}
    COMMAND ${CMAKE_COMMAND} -E rm -f ${whole} ${archive}
    COMMAND ${CMAKE_AR} rcs ${whole} $<TARGET_OBJECTS:weft> $<TARGET_OBJECTS:weft_error>
    COMMAND ${WEFT_GNU_LD} --relocatable --force-group-allocation ${wanted} -o ${object} ${whole}
    COMMAND ${WEFT_GNU_OBJCOPY} ${kept} ${object}
    COMMAND ${CMAKE_AR} rcs ${archive} ${object}
    BYPRODUCTS ${object} ${whole}
    DEPENDS $<TARGET_OBJECTS:weft> $<TARGET_OBJECTS:weft_error>
    COMMAND_EXPAND_LISTS
    VERBATIM)
  add_custom_target(${target}_archive ALL DEPENDS ${archive})

  add_library(${target} INTERFACE)
  add_library(weft::threadpool ALIAS ${target})
  add_dependencies(${target} ${target}_archive)
  set_target_properties(${target} PROPERTIES EXPORT_NAME threadpool WEFT_ARCHIVE ${archive})
  target_include_directories(${target} INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${target} INTERFACE
    $<BUILD_INTERFACE:${archive}>
    $<INSTALL_INTERFACE:$<INSTALL_PREFIX>/${CMAKE_INSTALL_LIBDIR}/lib${target}.a>
    stdc++ Threads::Threads)
endfunction()
