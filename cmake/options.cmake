# Flags that every C target of the project is compiled with.
add_library(pliant_flags INTERFACE)
target_compile_features(pliant_flags INTERFACE c_std_17)
# Debug builds check whole structures, and stop where objects are destroyed before their users.
# Files of more than 2 GiB need offsets of 64 bits, which 32-bit systems and Windows have on demand.
target_compile_definitions(pliant_flags INTERFACE _POSIX_C_SOURCE=200809L _FILE_OFFSET_BITS=64
    $<$<CONFIG:Debug>:PLI_DEBUG>)
# The exactness proofs need every operation rounded once: no contraction, never fast-math.
target_compile_options(pliant_flags INTERFACE -ffp-contract=off -fno-math-errno -fno-trapping-math
    -Wall -Wextra -Wpedantic -Wshadow -Wvla -Wstrict-prototypes -Wmissing-prototypes
    -Wpointer-arith -Wwrite-strings -Wundef)

# The C library of mingw-w64 prints numbers as the standard says, not as old Windows did.
if(MINGW)
    target_compile_definitions(pliant_flags INTERFACE __USE_MINGW_ANSI_STDIO=1)
    target_compile_options(pliant_flags INTERFACE -Wno-format) # gcc thinks otherwise
endif()

set(PLIANT_SANITIZE "" CACHE STRING "Sanitizers to build with: address,undefined or thread")
option(PLIANT_SANITIZE_ALL "Sanitize the tests of gallery and laboratory too" OFF)
if(PLIANT_SANITIZE)
    target_compile_options(pliant_flags INTERFACE -fsanitize=${PLIANT_SANITIZE}
        -fno-omit-frame-pointer -fno-sanitize-recover=all)
    if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
        # Following variables through sanitised kernels takes gcc ten times as long.
        target_compile_options(pliant_flags INTERFACE -fno-var-tracking)
    endif()
    target_link_options(pliant_flags INTERFACE -fsanitize=${PLIANT_SANITIZE})
    # Hundreds of programs with a sanitizer in each are linked quicker by LLVM's linker.
    find_program(PLIANT_LLD ld.lld)
    mark_as_advanced(PLIANT_LLD)
    if(PLIANT_LLD)
        target_link_options(pliant_flags INTERFACE -fuse-ld=lld)
    endif()
endif()
