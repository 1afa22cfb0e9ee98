# Windows on x86-64, by mingw-w64; programs run by wine.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(triple x86_64-w64-mingw32)
set(CMAKE_C_COMPILER ${triple}-gcc)
# Where its C++ compiler is not installed there is none: this machine's own would be found.
find_program(PLIANT_CROSS_CXX ${triple}-g++)
if(PLIANT_CROSS_CXX)
    set(CMAKE_CXX_COMPILER ${PLIANT_CROSS_CXX})
else()
    set(CMAKE_CXX_COMPILER "")
endif()
# Programs in C++ run without the compiler's own libraries beside them.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static-libgcc -static-libstdc++")
set(CMAKE_RC_COMPILER ${triple}-windres)
# What scripts/machine-packages built is found as well.
set(CMAKE_FIND_ROOT_PATH /usr/${triple} ${CMAKE_CURRENT_LIST_DIR}/../../build/machines/packages/${triple})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind LIBRARY INCLUDE PACKAGE)
    set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
set(ENV{PKG_CONFIG_LIBDIR} /usr/${triple}/lib/pkgconfig)
set(CMAKE_CROSSCOMPILING_EMULATOR wine)
