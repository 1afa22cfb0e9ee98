# Read by the files beside it: cross compilers of Debian for Linux on `machine` with the names that
# begin with `triple`. Only what is there for that machine is found.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${machine})
set(CMAKE_C_COMPILER ${triple}-gcc)
# Where its C++ compiler is not installed there is none: this machine's own would be found.
find_program(PLIANT_CROSS_CXX ${triple}-g++)
if(PLIANT_CROSS_CXX)
    set(CMAKE_CXX_COMPILER ${PLIANT_CROSS_CXX})
else()
    set(CMAKE_CXX_COMPILER "")
endif()
# What scripts/machine-packages built is found as well.
set(CMAKE_FIND_ROOT_PATH /usr/${triple} ${CMAKE_CURRENT_LIST_DIR}/../../build/machines/packages/${triple})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind LIBRARY INCLUDE PACKAGE)
    set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
set(ENV{PKG_CONFIG_LIBDIR} /usr/${triple}/lib/pkgconfig)
