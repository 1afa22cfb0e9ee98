# IBM Z under Linux, a machine that puts the high byte first; programs run by qemu-user-static.
set(machine s390x)
set(triple s390x-linux-gnu)
include(${CMAKE_CURRENT_LIST_DIR}/linux.cmake)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-s390x-static -L /usr/${triple})
