# The C++ headers, with exceptions and without. test_cpp_returning is the same source.
pliant_script_test(cpp_reachable cpp/reachable_test.sh ARGS ${root})
# Sanitised builds do without, as the example does: what is sanitised is C.
if(PLIANT_SANITIZE)
    return()
endif()
include(CheckLanguage)
check_language(CXX)
if(NOT CMAKE_CXX_COMPILER)
    pliant_left_out(cpp "needs a C++ compiler")
    return()
endif()
enable_language(CXX)
pliant_script_test(cpp_compile cpp/compile_test.sh ARGS ${root})

# pliant_cpp_test(NAME SOURCE STANDARD LIBRARY ARGUMENTS...): test_NAME
function(pliant_cpp_test name source standard library)
    add_executable(test_${name} cpp/${source}.cpp)
    target_link_libraries(test_${name} PRIVATE ${library})
    target_compile_features(test_${name} PRIVATE cxx_std_${standard})
    set_target_properties(test_${name} PROPERTIES CXX_EXTENSIONS OFF)
    target_compile_options(test_${name} PRIVATE -Wall -Wextra -Wpedantic -Wshadow)
    add_test(NAME ${name} COMMAND test_${name} ${ARGN})
endfunction()

set(press "${root}/examples/press.#.obj")
pliant_cpp_test(cpp test_cpp 17 pliant::pliant)
pliant_cpp_test(cpp_returning test_cpp 20 pliant::pliant)
pliant_cpp_test(cpp_misuse test_misuse 17 pliant::pliant)
target_compile_options(test_cpp_misuse PRIVATE -O0) # hundreds of calls that are made once
if(UNIX) # pages that cannot be read
    pliant_cpp_test(cpp_sizes test_sizes 17 pliant::pliant_asset)
endif()
pliant_cpp_test(cpp_asset test_cpp_asset 17 pliant::pliant_asset ${press})
pliant_cpp_test(cpp_asset_returning test_cpp_asset 20 pliant::pliant_asset ${press})
foreach(name cpp_returning cpp_asset_returning)
    target_compile_options(test_${name} PRIVATE -fno-exceptions -fno-rtti)
endforeach()
