# Installs the libraries, their headers and what find_package(cornu) reads.
include(CMakePackageConfigHelpers)

set(cornu_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/cornu")
install(TARGETS cornu cornu_cpu EXPORT cornuTargets FILE_SET HEADERS FILE_SET tables)
# Not in the file set: in the build tree it is a link, and would be installed as one.
install(FILES cornu.h DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/cornu")
install(EXPORT cornuTargets NAMESPACE cornu:: DESTINATION "${cornu_package_dir}")

configure_package_config_file(
  "${CMAKE_CURRENT_LIST_DIR}/cornuConfig.cmake.in" "${PROJECT_BINARY_DIR}/cornuConfig.cmake"
  INSTALL_DESTINATION "${cornu_package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/cornuConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES
  "${PROJECT_BINARY_DIR}/cornuConfig.cmake"
  "${PROJECT_BINARY_DIR}/cornuConfigVersion.cmake"
  "${CMAKE_CURRENT_LIST_DIR}/CornuDependencies.cmake"
  DESTINATION "${cornu_package_dir}")
