# weft_threadpool: libweft_threadpool.a, the C interface of include/threadpool.h as a library of its own. It holds
# all of weft that it needs, and nothing of it is a global symbol but the five functions; a program may have any
# other names, those of weft included, and any other version of weft.
#
# Everything needed is linked into one object, and there the other symbols are made local. Sections that the linker
# would share with equal ones of the program (COMDAT groups) become ordinary ones first, for otherwise the linker
# could drop ours in favour of the program's, which our local symbols cannot refer to.

# weft_add_threadpool(<target>): the archive, as a file of the build. Nothing without GNU ld and objcopy.
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
  set(archive ${CMAKE_CURRENT_BINARY_DIR}/lib${target}.a)
  add_custom_command(OUTPUT ${archive}
    COMMAND ${WEFT_GNU_LD} --relocatable --force-group-allocation ${wanted} -o ${object}
      --start-group $<TARGET_FILE:weft> $<TARGET_FILE:weft_error> --end-group
    COMMAND ${WEFT_GNU_OBJCOPY} ${kept} ${object}
    COMMAND ${CMAKE_COMMAND} -E rm -f ${archive}
    COMMAND ${CMAKE_AR} rcs ${archive} ${object}
    BYPRODUCTS ${object}
    DEPENDS weft weft_error
    VERBATIM)
  add_custom_target(${target} ALL DEPENDS ${archive})
  set_target_properties(${target} PROPERTIES WEFT_ARCHIVE ${archive})
endfunction()
