# A library beside the core that is a project of its own, as libs/mpi is, includes this file behind
# project(). It then has an installed core, the flags and functions that the core is built by, and,
# with PLIANT_BUILD_TESTS, the tests' support and the gallery, both from their sources.
get_filename_component(PLIANT_ROOT ${CMAKE_CURRENT_LIST_DIR} DIRECTORY)
option(PLIANT_BUILD_TESTS "Build tests, the example and the experiments" ON)
option(PLIANT_THREADS "Use the threads of the system" ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
include(GNUInstallDirs)
include(${PLIANT_ROOT}/cmake/options.cmake)
include(${PLIANT_ROOT}/cmake/machine.cmake)
include(${PLIANT_ROOT}/cmake/libraries.cmake)
include(${PLIANT_ROOT}/cmake/packages.cmake)
find_package(pliant ${PROJECT_VERSION} REQUIRED COMPONENTS static asset)
get_target_property(PLIANT_CORE_INCLUDE pliant::pliant_static INTERFACE_INCLUDE_DIRECTORIES)
get_filename_component(PLIANT_STAGE ${PLIANT_CORE_INCLUDE} DIRECTORY)
# The project's own programs and tests use the static libraries, by the names that the core has for them.
add_library(pliant_static ALIAS pliant::pliant_static)
add_library(pliant_asset ALIAS pliant::pliant_asset_static)

# Installs the library that is called like the project: headers, archives, <name>.pc, and what
# find_package(<name>) reads. `find_more` is CMake code that finds what else its users need.
function(pliant_install_beside component find_more)
    include(CMakePackageConfigHelpers)
    set(PLIANT_FIND_MORE ${find_more})
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/pliant DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        COMPONENT ${component})
    pliant_install_library(${PROJECT_NAME} ${PROJECT_NAME} ${component})
    set(config ${PROJECT_BINARY_DIR}/${PROJECT_NAME}-config)
    configure_package_config_file(${PLIANT_ROOT}/cmake/beside-config.cmake.in ${config}.cmake
        INSTALL_DESTINATION ${PLIANT_CMAKE_DIR})
    write_basic_package_version_file(${config}-version.cmake COMPATIBILITY SameMinorVersion)
    install(FILES ${config}.cmake ${config}-version.cmake DESTINATION ${PLIANT_CMAKE_DIR}
        COMPONENT ${component})
endfunction()

if(NOT PLIANT_BUILD_TESTS)
    return()
endif()
enable_testing()
include(${PLIANT_ROOT}/tests/functions.cmake)
add_subdirectory(${PLIANT_ROOT}/gallery gallery EXCLUDE_FROM_ALL)
if(NOT PLIANT_HAVE_CMOCKA)
    return()
endif()
set(sources asset_exercise asset_fixture brute counting_allocator failing_memory fixture models skipping
    tag_checks temporary triangle_cases)
list(TRANSFORM sources PREPEND ${PLIANT_ROOT}/tests/support/)
list(TRANSFORM sources APPEND .c)
add_library(pliant_test_support STATIC ${sources})
target_include_directories(pliant_test_support PUBLIC ${PLIANT_ROOT}/tests/support ${PLIANT_ROOT}
    PRIVATE ${PLIANT_ROOT}/src) # brute.c
target_compile_definitions(pliant_test_support PUBLIC
    PLIANT_ASSETS_DIR="${PLIANT_ROOT}/../shared/assets")
target_link_libraries(pliant_test_support PUBLIC pliant_flags pliant_gallery pliant_asset pliant_static
    ${PLIANT_CMOCKA})
