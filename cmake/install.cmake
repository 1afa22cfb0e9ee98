# Install rules: headers, the libraries, the tool, and what find_package() and pkg-config read. Libraries
# beside the core have targets and .pc files of their own, for they need more than the core does. The
# components of an installation: core, asset, gl, tool.
include(CMakePackageConfigHelpers)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/pliant DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    COMPONENT core FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
pliant_install_library(pliant pliant core)

# What static linking of libpliant_asset needs: by .pc file where the package has one.
set(PLIANT_ASSET_REQUIRES)
set(PLIANT_ASSET_LIBS)
foreach(library IN LISTS PLIANT_ASSET_DEPENDENCIES)
    if(library STREQUAL meshoptimizer)
        string(APPEND PLIANT_ASSET_LIBS " -lmeshoptimizer")
    elseif(library STREQUAL draco) # which is C++
        string(APPEND PLIANT_ASSET_LIBS " -ldraco -lstdc++")
    else()
        string(APPEND PLIANT_ASSET_REQUIRES " ${library}")
    endif()
endforeach()
pliant_install_library(pliant_asset pliant-asset asset)
if(TARGET pliant_gl)
    pliant_install_library(pliant_gl pliant-gl gl)
endif()

if(TARGET pliant_tool)
    install(TARGETS pliant_tool RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tool)
    install(FILES ${PROJECT_SOURCE_DIR}/docs/pliant.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
        COMPONENT tool)
    install(FILES ${PROJECT_SOURCE_DIR}/docs/guide/pipeline.md ${PROJECT_SOURCE_DIR}/docs/check-json.md
        ${PROJECT_SOURCE_DIR}/docs/check.schema.json
        DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT tool)
endif()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT core)

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/pliant-config.cmake.in
    ${PROJECT_BINARY_DIR}/pliant-config.cmake INSTALL_DESTINATION ${PLIANT_CMAKE_DIR})
# Before 1.0 each minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/pliant-config-version.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/pliant-config.cmake
    ${PROJECT_BINARY_DIR}/pliant-config-version.cmake DESTINATION ${PLIANT_CMAKE_DIR}
    COMPONENT core)

if(PLIANT_TOP_LEVEL)
    add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -DBUILD=${PROJECT_BINARY_DIR}
        -P ${PROJECT_SOURCE_DIR}/cmake/uninstall.cmake VERBATIM)
endif()
