# weft_embed(<target> <file> <namespace> <variable> <header>): the file's text as a std::string_view of that name, which
# the header declares, in a source that is made when the file changes.
function(weft_embed target file namespace variable header)
  set(source ${CMAKE_CURRENT_SOURCE_DIR}/${file})
  set(made ${CMAKE_CURRENT_BINARY_DIR}/${variable}.cpp)
  add_custom_command(OUTPUT ${made}
    COMMAND ${CMAKE_COMMAND} -Dfrom=${source} -Dto=${made} -Dnamespace=${namespace} -Dvariable=${variable}
      -Dheader=${header} -P ${PROJECT_SOURCE_DIR}/cmake/embed_file.cmake
    DEPENDS ${source} ${PROJECT_SOURCE_DIR}/cmake/embed_file.cmake
    VERBATIM)
  target_sources(${target} PRIVATE ${made})
endfunction()
