# How libpliant and the libraries beside it are built: each static and shared, of the same objects.

# The number in the sonames. It goes up when a program that was linked before would not run any more
# (docs/abi.md).
set(PLIANT_ABI 0)

# Adds lib<name> of objects: targets <name>_static and <name>_shared, and under their names for users
# pliant::<name>_static, pliant::<name>_shared and pliant::<name>, which BUILD_SHARED_LIBS chooses.
# lib<name>.map lists the symbols that the shared library exports; interface/generate writes it.
function(pliant_add_library name)
    foreach(kind static shared)
        string(TOUPPER ${kind} KIND)
        set(target ${name}_${kind})
        add_library(${target} ${KIND} ${ARGN})
        add_library(pliant::${target} ALIAS ${target})
        set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} VERSION ${PROJECT_VERSION}
            SOVERSION ${PLIANT_ABI})
        target_include_directories(${target} INTERFACE
            $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
            $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
        target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:pliant_flags>)
        # Who links libraries of both kinds would have two cores: CMake refuses.
        set_target_properties(${target} PROPERTIES INTERFACE_PLIANT_KIND ${kind}
            COMPATIBLE_INTERFACE_STRING PLIANT_KIND)
    endforeach()
    # Where there are no shared libraries, as in WebAssembly, CMake makes an archive of that name.
    get_property(has_shared GLOBAL PROPERTY TARGET_SUPPORTS_SHARED_LIBS)
    if(NOT has_shared)
        set_target_properties(${name}_shared PROPERTIES OUTPUT_NAME ${name}_shared EXCLUDE_FROM_ALL ON)
    endif()
    if(MINGW OR (UNIX AND NOT APPLE)) # on Windows a DLL has no versions, but exports no more than these
        set(map ${CMAKE_CURRENT_SOURCE_DIR}/lib${name}.map)
        target_link_options(${name}_shared PRIVATE -Wl,--version-script=${map})
        if(UNIX AND NOT PLIANT_SANITIZE) # whose symbols the program brings
            target_link_options(${name}_shared PRIVATE -Wl,-z,defs)
        endif()
        set_property(TARGET ${name}_shared PROPERTY LINK_DEPENDS ${map})
    endif()
    if(BUILD_SHARED_LIBS)
        add_library(pliant::${name} ALIAS ${name}_shared)
    else()
        add_library(pliant::${name} ALIAS ${name}_static)
    endif()
endfunction()

# Adds objects for such libraries: position-independent, compiled once for both.
function(pliant_add_objects name)
    add_library(${name} OBJECT ${ARGN})
    # Where there are no shared libraries, code that may lie anywhere would only be larger and slower.
    get_property(has_shared GLOBAL PROPERTY TARGET_SUPPORTS_SHARED_LIBS)
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ${has_shared} C_EXTENSIONS OFF
        C_VISIBILITY_PRESET hidden)
    target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR}/include)
    target_link_libraries(${name} PUBLIC pliant_flags)
endfunction()

set(PLIANT_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/${PROJECT_NAME})
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
