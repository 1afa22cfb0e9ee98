# What the machine that the build is for has: threads, and arithmetic that rounds as it should.

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
