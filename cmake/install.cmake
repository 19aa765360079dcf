# What an installation has, in three parts: runtime, the shared libraries; development, headers and what
# links; tools, the command line.
include(CMakePackageConfigHelpers)

set(config_folder ${CMAKE_INSTALL_LIBDIR}/cmake/weft)

set(libraries weft_config weft_error weft_explorer weft)
set_target_properties(weft_config PROPERTIES EXPORT_NAME config)
if(TARGET weft_threadpool)
  list(APPEND libraries weft_threadpool)
  get_target_property(archive weft_threadpool WEFT_ARCHIVE)
  install(FILES ${archive} DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
endif()
install(TARGETS ${libraries} EXPORT weft-targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)

# Headers of a library that is not installed are not either: the cluster never is.
set(libraries_without "cluster[a-z_]*\\.hpp|detail/cluster")
if(NOT WEFT_BUILD_LAB)
  string(APPEND libraries_without "|lab|lab\\.hpp|detail/petri")
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
  REGEX "/weft/(${libraries_without})$" EXCLUDE)

# As the shared libraries are named: before 1.0 each minor version is for itself (VERSIONING.md).
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(compatible SameMinorVersion)
else()
  set(compatible SameMajorVersion)
endif()
write_basic_package_version_file(${PROJECT_BINARY_DIR}/weft-config-version.cmake COMPATIBILITY ${compatible})
set(lab_is_shared OFF)
if(WEFT_BUILD_LAB)
  get_target_property(lab_type weft_lab TYPE)
  if(NOT lab_type STREQUAL "STATIC_LIBRARY")
    set(lab_is_shared ON)
  endif()
endif()
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/weft-config.cmake.in
  ${PROJECT_BINARY_DIR}/weft-config.cmake
  INSTALL_DESTINATION ${config_folder}
  NO_SET_AND_CHECK_MACRO)
install(EXPORT weft-targets NAMESPACE weft:: DESTINATION ${config_folder} COMPONENT development)
# In an export of its own, since an archive of the lab cannot be imported where pugixml is missing.
if(WEFT_BUILD_LAB)
  install(TARGETS weft_lab EXPORT weft-lab-targets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
  install(EXPORT weft-lab-targets NAMESPACE weft:: DESTINATION ${config_folder} COMPONENT development)
endif()
install(FILES ${PROJECT_BINARY_DIR}/weft-config.cmake ${PROJECT_BINARY_DIR}/weft-config-version.cmake
  DESTINATION ${config_folder}
  COMPONENT development)

# weft_install_pc(<name> <description> <libraries>): <name>.pc, which finds the rest from its own place.
function(weft_install_pc name description libraries)
  set(pc_folder ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
  string(REGEX REPLACE "[^/]+" ".." to_prefix ${pc_folder})
  set(defines)
  if(WEFT_CHECKED)
    set(defines " -DWEFT_CHECKED=1")
  endif()
  configure_file(${PROJECT_SOURCE_DIR}/cmake/weft.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${pc_folder} COMPONENT development)
endfunction()

weft_install_pc(weft "${PROJECT_DESCRIPTION}" "-lweft -lweft_error -pthread")
weft_install_pc(weft-explorer "Runs code for threads along all its interleavings within bounds"
  "-lweft_explorer -lweft_error -pthread")
if(WEFT_BUILD_LAB)
  set(lab_libraries "-lweft_lab")
  if(NOT lab_is_shared)
    string(APPEND lab_libraries " -lpugixml")
  endif()
  weft_install_pc(weft-lab "Coloured Petri nets: to be run, drawn and searched" "${lab_libraries}")
endif()
if(TARGET weft_threadpool)
  weft_install_pc(weft-threadpool "A work-stealing fork/join thread pool, for C"
    "-lweft_threadpool -lstdc++ -pthread")
endif()

install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT development)
if(TARGET weft_cli)
  install(TARGETS weft_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
endif()
