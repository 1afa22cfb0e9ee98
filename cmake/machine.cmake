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

# The proofs need float arithmetic that rounds to float. 32-bit x86 has it in SSE2, not in the older
# unit that its compilers use unless told otherwise; on s390x gcc computes in double for the sake of
# old programs unless told otherwise. (Notes about how older compilers passed arguments are of no use.)
include(CheckCSourceCompiles)
foreach(way "" "-msse2 -mfpmath=sse -Wno-psabi" "-fexcess-precision=fast")
    set(CMAKE_REQUIRED_FLAGS "-std=c17 ${way}")
    string(MAKE_C_IDENTIFIER "PLIANT_ROUNDS_TO_FLOAT${way}" rounds_to_float)
    check_c_source_compiles("
        #include <float.h>
        #if FLT_EVAL_METHOD != 0
        #error \"keeps more digits\"
        #endif
        int main(void) { return 0; }" ${rounds_to_float})
    if(${rounds_to_float})
        separate_arguments(way)
        target_compile_options(pliant_flags INTERFACE ${way})
        break()
    endif()
endforeach()
unset(CMAKE_REQUIRED_FLAGS)
if(NOT ${rounds_to_float})
    message(FATAL_ERROR "Pliant needs float arithmetic that rounds to float (FLT_EVAL_METHOD 0), and "
        "this compiler has none for this machine, with -msse2 -mfpmath=sse neither.")
endif()
