# Packages that the project can do without. PLIANT_WITH_X is AUTO: X is used where it is installed;
# ON: it must be there; or OFF: the build is as if it were not. PLIANT_HAVE_X says how that went. What
# was not found is looked for again whenever CMake runs.
function(pliant_package_option name purpose)
    set(PLIANT_WITH_${name} AUTO CACHE STRING "${purpose}: AUTO (where it is installed), ON or OFF")
    set_property(CACHE PLIANT_WITH_${name} PROPERTY STRINGS AUTO ON OFF)
endfunction()

# Sets PLIANT_HAVE_<name> from what a search found.
macro(pliant_settle_package name found)
    set(PLIANT_HAVE_${name} OFF)
    if(PLIANT_WITH_${name} AND ${found})
        set(PLIANT_HAVE_${name} ON)
    elseif(PLIANT_WITH_${name} AND NOT PLIANT_WITH_${name} STREQUAL AUTO)
        message(FATAL_ERROR "PLIANT_WITH_${name} is ${PLIANT_WITH_${name}}, and it was not found")
    endif()
endmacro()

# A package that is one header and one library, PLIANT_<name>_INCLUDE and PLIANT_<name>_LIBRARY, and
# the target pliant::<library>.
macro(pliant_find_library name header library purpose)
    pliant_package_option(${name} "${purpose}")
    set(PLIANT_FOUND_${name} OFF)
    if(PLIANT_WITH_${name})
        find_path(PLIANT_${name}_INCLUDE ${header})
        find_library(PLIANT_${name}_LIBRARY ${library})
        mark_as_advanced(PLIANT_${name}_INCLUDE PLIANT_${name}_LIBRARY)
        if(PLIANT_${name}_INCLUDE AND PLIANT_${name}_LIBRARY)
            set(PLIANT_FOUND_${name} ON)
            if(NOT TARGET pliant::${library})
                add_library(pliant::${library} UNKNOWN IMPORTED GLOBAL)
                set_target_properties(pliant::${library} PROPERTIES
                    IMPORTED_LOCATION ${PLIANT_${name}_LIBRARY}
                    INTERFACE_INCLUDE_DIRECTORIES ${PLIANT_${name}_INCLUDE})
            endif()
        endif()
    endif()
    pliant_settle_package(${name} PLIANT_FOUND_${name})
endmacro()

pliant_find_library(JANSSON jansson.h jansson "glTF files, and earlier reports of pliant check")
pliant_find_library(MESHOPTIMIZER meshoptimizer.h meshoptimizer "compressed glTF files")
pliant_find_library(LAPACKE lapacke.h lapacke "pliant fit, and scenes of vibrating bodies")
pliant_package_option(ZLIB "compressed pages")
pliant_package_option(EPOXY "libepoxy and EGL, for libpliant_gl")
if(PLIANT_WITH_ZLIB)
    find_package(ZLIB QUIET)
endif()
pliant_settle_package(ZLIB ZLIB_FOUND)
if(PLIANT_WITH_EPOXY)
    find_package(PkgConfig QUIET)
    if(PKG_CONFIG_FOUND)
        pkg_check_modules(PLIANT_EPOXY QUIET IMPORTED_TARGET GLOBAL epoxy egl)
    endif()
endif()
pliant_settle_package(EPOXY PLIANT_EPOXY_FOUND)

if(PLIANT_BUILD_TESTS)
    pliant_find_library(GMP gmp.h gmp "tests against exact answers by other means")
    pliant_package_option(CMOCKA "tests in C")
    if(PLIANT_WITH_CMOCKA)
        find_package(PkgConfig QUIET)
        if(PKG_CONFIG_FOUND)
            pkg_check_modules(CMOCKA QUIET IMPORTED_TARGET cmocka)
        endif()
    endif()
    pliant_settle_package(CMOCKA CMOCKA_FOUND)
endif()

# check_language() remembers that there was no compiler; one may have come since.
if(DEFINED CACHE{CMAKE_CXX_COMPILER} AND NOT CMAKE_CXX_COMPILER)
    unset(CMAKE_CXX_COMPILER CACHE)
endif()
