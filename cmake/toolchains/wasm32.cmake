# WebAssembly with the system interface WASI, by clang and wasi-libc; programs run by Node. It has no
# threads.
set(CMAKE_SYSTEM_NAME Generic) # CMake 3.25 knows no WASI
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER clang)
set(triple wasm32-wasi)
set(CMAKE_C_COMPILER_TARGET ${triple})
set(CMAKE_EXECUTABLE_SUFFIX .wasm)
# What scripts/machine-packages built is found as well.
set(CMAKE_FIND_ROOT_PATH /usr/lib/${triple} /usr/include/${triple}
    ${CMAKE_CURRENT_LIST_DIR}/../../build/machines/packages/${triple})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind LIBRARY INCLUDE PACKAGE)
    set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
set(ENV{PKG_CONFIG_LIBDIR} /nowhere)
set(PLIANT_THREADS OFF CACHE BOOL "WebAssembly has none here")
set(CMAKE_CROSSCOMPILING_EMULATOR node --no-warnings ${CMAKE_CURRENT_LIST_DIR}/wasi.mjs)
