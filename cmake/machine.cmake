# What the compiler and the machine that the build is for have.

# The ways around what some compilers lack, for tests on one that lacks nothing.
if(PLIANT_PLAIN_C)
    set(PLIANT_THREADS OFF)
    target_compile_definitions(pliant_flags INTERFACE PLI_NO_ATOMICS PLI_NO_INT128)
endif()

# Threads, as src/base/thread.h has them: posix, windows or none.
set(PLIANT_THREAD_LIBRARY)
if(NOT PLIANT_THREADS)
    set(PLIANT_THREAD_KIND none)
    target_compile_definitions(pliant_flags INTERFACE PLI_NO_THREADS)
elseif(WIN32)
    set(PLIANT_THREAD_KIND windows)
else()
    set(PLIANT_THREAD_KIND posix)
    find_package(Threads REQUIRED)
    set(PLIANT_THREAD_LIBRARY Threads::Threads)
endif()
