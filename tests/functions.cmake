# How tests are added. A test that cannot run here is left out: ctest counts it among those not run
# and says why.
function(pliant_left_out name reason)
    add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -E echo "left out: ${reason}")
    set_tests_properties(${name} PROPERTIES SKIP_REGULAR_EXPRESSION "left out: ")
endfunction()

# Sets `reason` to what is missing of the packages (PLIANT_HAVE_X) and of the targets, or to "".
function(pliant_missing reason packages targets)
    set(missing)
    foreach(package IN LISTS packages)
        if(NOT PLIANT_HAVE_${package})
            list(APPEND missing ${package})
        endif()
    endforeach()
    foreach(target IN LISTS targets)
        if(NOT TARGET ${target})
            list(APPEND missing ${target})
        endif()
    endforeach()
    list(JOIN missing ", " missing)
    set(${reason} "${missing}" PARENT_SCOPE)
endfunction()

# Gives a test its labels; tests_<label> builds the targets of all tests with it. What the tool
# starts, the laboratory, is built with the tool.
function(pliant_label name)
    cmake_parse_arguments(arg "" "" "LABELS;TARGETS" ${ARGN})
    set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}")
    if(slow IN_LIST arg_LABELS) # begun first, so that no core waits for the last one
        set_tests_properties(${name} PROPERTIES COST 100)
    endif()
    if(pliant_tool IN_LIST arg_TARGETS AND TARGET pliant_bench)
        list(APPEND arg_TARGETS pliant_bench)
    endif()
    foreach(label IN LISTS arg_LABELS)
        if(NOT TARGET tests_${label})
            add_custom_target(tests_${label})
        endif()
        if(arg_TARGETS)
            add_dependencies(tests_${label} ${arg_TARGETS})
        endif()
    endforeach()
endfunction()

# What a test's own file is compiled with besides, the support library not: hundreds of files are
# compiled for each build, and most of their time goes into what they call.
set(PLIANT_TEST_OPTIONS "" CACHE STRING "More options for the files of tests, such as -O1")

# A test program: test_<name> from <folder>/test_<name>.c, beside what it tests.
#   LABELS   for ctest -L and -LE: `threads` makes threads (ThreadSanitizer runs these, no others),
#            `oracle` compares with answers by other means, `files` reads real files, `browser`
#            needs one, `slow` takes over ten seconds at its usual size, `long` is run by
#            `make check-long` only, `bare` runs in a build without optional packages, `machines` on
#            other machines
#   NEEDS    packages without which it is left out, as in PLIANT_HAVE_X
#   LINK     targets that it needs besides the support library; without them it is left out
#   ALONE    a case that needs what few machines have: it is a test <name>.<case>, so that the others
#            do not count as skipped with it
# A program that skips a case (skipping.h) ends with 77 and counts as skipped.
function(pliant_test path)
    cmake_parse_arguments(arg "" "ALONE" "LABELS;NEEDS;LINK" ${ARGN})
    get_filename_component(name ${path} NAME)
    get_filename_component(folder ${CMAKE_CURRENT_SOURCE_DIR}/${path} DIRECTORY)
    set(packages CMOCKA ${arg_NEEDS})
    pliant_missing(missing "${packages}" "${arg_LINK}")
    if(missing)
        pliant_left_out(${name} "needs ${missing}")
        return()
    endif()
    add_executable(test_${name} ${folder}/test_${name}.c)
    set_property(SOURCE ${folder}/test_${name}.c APPEND PROPERTY COMPILE_OPTIONS ${PLIANT_TEST_OPTIONS})
    target_link_libraries(test_${name} PRIVATE ${arg_LINK} pliant_test_support)
    add_test(NAME ${name} COMMAND test_${name})
    set_tests_properties(${name} PROPERTIES TIMEOUT 1200 SKIP_RETURN_CODE 77)
    pliant_label(${name} LABELS ${arg_LABELS} TARGETS test_${name})
    if(arg_ALONE)
        add_test(NAME ${name}.${arg_ALONE} COMMAND test_${name})
        set_tests_properties(${name} PROPERTIES ENVIRONMENT "PLIANT_TEST_CASE=-${arg_ALONE}")
        set_tests_properties(${name}.${arg_ALONE} PROPERTIES TIMEOUT 1200 SKIP_RETURN_CODE 77
            ENVIRONMENT "PLIANT_TEST_CASE=${arg_ALONE}" LABELS "${arg_LABELS}")
    endif()
endfunction()

# A test program as above that needs no framework and no library, so that it runs on every machine.
function(pliant_plain_test path)
    get_filename_component(name ${path} NAME)
    get_filename_component(folder ${CMAKE_CURRENT_SOURCE_DIR}/${path} DIRECTORY)
    add_executable(test_${name} ${folder}/test_${name}.c)
    target_include_directories(test_${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(test_${name} PRIVATE pliant_flags m)
    add_test(NAME ${name} COMMAND test_${name})
    pliant_label(${name} LABELS bare machines TARGETS test_${name})
endfunction()

# A test that is a script, <path>; status 77 counts as not run.
#   ARGS     what it is given: a target stands for its file
#   LABELS, NEEDS as above
function(pliant_script_test name path)
    cmake_parse_arguments(arg "" "" "ARGS;LABELS;NEEDS" ${ARGN})
    set(targets ${arg_ARGS})
    list(FILTER targets INCLUDE REGEX "^(pliant_|dump_)")
    pliant_missing(missing "${arg_NEEDS}" "${targets}")
    if(CMAKE_CROSSCOMPILING) # it would start programs of another machine
        list(APPEND missing "a machine of its own")
    endif()
    if(missing)
        pliant_left_out(${name} "needs ${missing}")
        return()
    endif()
    list(TRANSFORM arg_ARGS REPLACE "^((pliant_|dump_).*)$" "$<TARGET_FILE:\\1>")
    add_test(NAME ${name} COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/${path} ${arg_ARGS})
    set_tests_properties(${name} PROPERTIES TIMEOUT 1200 SKIP_RETURN_CODE 77)
    pliant_label(${name} LABELS ${arg_LABELS} TARGETS ${targets})
endfunction()
