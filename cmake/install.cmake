# Install rules: headers, both libraries, the tool, and what find_package() and pkg-config read.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(PLIANT_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/pliant)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/pliant DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    FILES_MATCHING PATTERN "*.h")
install(TARGETS pliant_static pliant_shared EXPORT pliant-targets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# Readers of files: a static library that goes with the static libpliant.
install(TARGETS pliant_asset EXPORT pliant-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
# OpenGL: its targets are read only where the component `gl` is asked for, for they need libepoxy.
if(TARGET pliant_gl)
    install(TARGETS pliant_gl EXPORT pliant-gl-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
    install(EXPORT pliant-gl-targets NAMESPACE pliant:: DESTINATION ${PLIANT_CMAKE_DIR})
endif()
if(TARGET pliant_tool)
    install(TARGETS pliant_tool RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    install(FILES ${PROJECT_SOURCE_DIR}/docs/pliant.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    install(FILES ${PROJECT_SOURCE_DIR}/docs/pipeline.md ${PROJECT_SOURCE_DIR}/docs/check-json.md
        DESTINATION ${CMAKE_INSTALL_DOCDIR})
endif()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

install(EXPORT pliant-targets NAMESPACE pliant:: DESTINATION ${PLIANT_CMAKE_DIR})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/pliant-config.cmake.in
    ${PROJECT_BINARY_DIR}/pliant-config.cmake INSTALL_DESTINATION ${PLIANT_CMAKE_DIR})
# Before 1.0 each minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/pliant-config-version.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/pliant-config.cmake
    ${PROJECT_BINARY_DIR}/pliant-config-version.cmake DESTINATION ${PLIANT_CMAKE_DIR})

# The .pc file finds the prefix from its own place, so that an installed tree can be moved.
file(RELATIVE_PATH PLIANT_PC_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" PLIANT_PC_PREFIX "${PLIANT_PC_PREFIX}")
set(PLIANT_PC_NAMES pliant)
if(TARGET pliant_gl)
    list(APPEND PLIANT_PC_NAMES pliant_gl)
endif()
foreach(name IN LISTS PLIANT_PC_NAMES)
    configure_file(${PROJECT_SOURCE_DIR}/cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
