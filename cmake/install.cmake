# Install rules: headers, the libraries, the tool, and what find_package() and pkg-config read. Libraries
# beside the core have targets and .pc files of their own, for they need more than the core does. The
# components of an installation: core, asset, gl, mpi, cuda, tool.
include(CMakePackageConfigHelpers)

set(PLIANT_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/pliant)
# The .pc files find the prefix from their own place, so that an installed tree can be moved.
file(RELATIVE_PATH PLIANT_PC_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" PLIANT_PC_PREFIX "${PLIANT_PC_PREFIX}")

# Installs lib<name>, its targets in the file <export>-targets.cmake, and <name>.pc.
function(pliant_install_library name export component)
    install(TARGETS ${name}_static ${name}_shared EXPORT ${export}-targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${component}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${component}
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT ${component})
    install(EXPORT ${export}-targets NAMESPACE pliant:: DESTINATION ${PLIANT_CMAKE_DIR}
        COMPONENT ${component})
    configure_file(${PROJECT_SOURCE_DIR}/cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
        COMPONENT ${component})
endfunction()

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
set(PLIANT_MPI_TARGET pliant::no_mpi)
if(TARGET pliant_mpi)
    # What find_package() and pkg-config look for: the MPI that it was built with.
    list(GET PLIANT_MPIS 0 mpi)
    set(PLIANT_MPI_TARGET ${PLIANT_${mpi}_TARGET})
    set(PLIANT_MPI_PREFIX PLIANT_${mpi})
    set(PLIANT_MPI_MODULE)
    if(mpi STREQUAL OPENMPI)
        set(PLIANT_MPI_MODULE ompi-c)
    elseif(mpi STREQUAL MPICH)
        set(PLIANT_MPI_MODULE mpich)
    endif()
    pliant_install_library(pliant_mpi pliant-mpi mpi)
endif()
if(PLIANT_CUDA)
    pliant_install_library(pliant_cuda pliant-cuda cuda)
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
