# What the compiler and the machine that the build is for have.

# The ways around what some compilers lack, for tests on one that lacks nothing.
if(PLIANT_PLAIN_C)
    set(PLIANT_THREADS OFF)
    target_compile_definitions(pliant_flags INTERFACE PLI_NO_ATOMICS PLI_NO_INT128)
endif()

# What some tests ask of the system: threads; files mapped into memory, processes, signals.
set(PLIANT_HAVE_THREADS ${PLIANT_THREADS})
set(PLIANT_HAVE_POSIX ON)
if(WIN32 OR NOT PLIANT_THREADS)
    set(PLIANT_HAVE_POSIX OFF)
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
        set(PLIANT_ROUNDING_FLAGS "${way}") # what src/CMakeLists.txt looks for instructions with
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

# gcc 12 for s390x may end a loop too early when it counts the rounds in a register: at -O1,
#     for (; (size_t)(end - list) >= 2; list += 2)
# runs once. Bounds of bodies came out too small.
if(CMAKE_SYSTEM_PROCESSOR STREQUAL s390x AND CMAKE_C_COMPILER_ID STREQUAL GNU)
    target_compile_options(pliant_flags INTERFACE -fno-branch-count-reg)
endif()

# gcc 12 for aarch64 breaks down at -O3 over the least of many floats in double. Loops whose length it
# does not know it then leaves as they are, as at -O2; kernels do not depend on that.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64" AND CMAKE_C_COMPILER_ID STREQUAL GNU)
    set(CMAKE_REQUIRED_FLAGS "-O3 -fno-math-errno")
    check_c_source_compiles("
        double fmin(double, double);
        double least(const float *values, int count, double found)
        {
            for (int i = 0; i < count; i++) {
                found = fmin(found, (double)values[3 * i]);
            }
            return found;
        }
        int main(void) { return 0; }" PLIANT_HAS_LOOPS_OF_FMIN)
    unset(CMAKE_REQUIRED_FLAGS)
    if(NOT PLIANT_HAS_LOOPS_OF_FMIN)
        target_compile_options(pliant_flags INTERFACE -fvect-cost-model=very-cheap)
    endif()
endif()
