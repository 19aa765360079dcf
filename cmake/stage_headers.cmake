# The headers as users see them. In the sources a header of ours names one of src/ by its layer, "sync/mutex.hpp"; here
# it is <weft/detail/sync/mutex.hpp>, so that one folder of headers does and no other "sync/" gets in the way. Of src/
# only what the public headers reach is taken.

# weft_stage_headers(<root> <to> <staged>): fills the folder, touching only what has changed; <staged> lists the sources.
function(weft_stage_headers root to staged)
  file(GLOB_RECURSE ahead RELATIVE ${root} ${root}/include/*.h ${root}/include/*.hpp)
  set(reached ${ahead})
  while(ahead)
    list(POP_FRONT ahead header)
    file(READ ${root}/${header} text)
    string(REGEX MATCHALL "#include \"[^\"]+\"" includes "${text}")
    list(TRANSFORM includes REPLACE "#include \"(.+)\"" "src/\\1")
    list(REMOVE_ITEM includes ${reached})
    list(APPEND reached ${includes})
    list(APPEND ahead ${includes})

    string(REGEX REPLACE "#include \"([^\"]+)\"" "#include <weft/detail/\\1>" text "${text}")
    string(REGEX REPLACE "^src/" "include/weft/detail/" place ${header})
    string(REGEX REPLACE "^include/" "" place ${place})
    file(WRITE ${to}.new "${text}")
    cmake_path(GET place PARENT_PATH folder)
    file(MAKE_DIRECTORY ${to}/${folder})
    file(COPY_FILE ${to}.new ${to}/${place} ONLY_IF_DIFFERENT)
  endwhile()
  file(REMOVE ${to}.new)
  list(TRANSFORM reached PREPEND ${root}/)
  set(${staged} ${reached} PARENT_SCOPE)
endfunction()
