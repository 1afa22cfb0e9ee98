# 32-bit x86 under Linux. An x86-64 machine runs its programs, by the loader that comes with the
# compiler's C library.
set(machine i686)
set(triple i686-linux-gnu)
include(${CMAKE_CURRENT_LIST_DIR}/linux.cmake)
set(CMAKE_CROSSCOMPILING_EMULATOR /usr/${triple}/lib/ld-linux.so.2 --library-path
    /usr/${triple}/lib)
