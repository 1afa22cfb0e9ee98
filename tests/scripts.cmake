# Tests that are scripts, around the tool and other programs.

# A test that cannot be run here, and why: ctest counts it among those not run.
function(pliant_left_out name reason)
    add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -E echo "left out: ${reason}")
    set_tests_properties(${name} PROPERTIES SKIP_REGULAR_EXPRESSION "left out: ")
endfunction()

if(PLIANT_BUILD_TOOL)
    add_test(NAME cli COMMAND bash ${CMAKE_CURRENT_LIST_DIR}/cli_test.sh
        $<TARGET_FILE:pliant_tool>)
    set_tests_properties(cli PROPERTIES TIMEOUT 1200)
    if(NOT PLIANT_SANITIZE) # it runs the experiments once more, which the test above does as well
        add_test(NAME bench_docs COMMAND bash ${CMAKE_CURRENT_LIST_DIR}/bench_docs_test.sh
            $<TARGET_FILE:pliant_bench_docs> ${PROJECT_SOURCE_DIR}/docs)
        set_tests_properties(bench_docs PROPERTIES TIMEOUT 1200)
    endif()
    if(PLIANT_HAVE_LAPACKE)
        add_test(NAME cli_asset COMMAND bash ${CMAKE_CURRENT_LIST_DIR}/cli_asset_test.sh
            $<TARGET_FILE:pliant_tool>)
    else()
        pliant_left_out(cli_asset "pliant fit needs LAPACKE")
    endif()
    if(PLIANT_HAVE_JANSSON)
        add_test(NAME check_tool COMMAND bash ${CMAKE_CURRENT_LIST_DIR}/check_test.sh
            $<TARGET_FILE:pliant_tool> ${PROJECT_SOURCE_DIR}/../shared/assets)
        set_tests_properties(check_tool PROPERTIES TIMEOUT 1200)
    else()
        pliant_left_out(check_tool "glTF files need jansson")
    endif()
endif()

# What is missing says so.
set(absent)
foreach(package JANSSON MESHOPTIMIZER LAPACKE)
    if(NOT PLIANT_HAVE_${package} AND (PLIANT_HAVE_JANSSON OR NOT package STREQUAL MESHOPTIMIZER))
        list(APPEND absent ${package})
    endif()
endforeach()
if(PLIANT_BUILD_TOOL AND absent)
    add_test(NAME absent COMMAND bash ${CMAKE_CURRENT_LIST_DIR}/absent_test.sh
        $<TARGET_FILE:pliant_tool> ${absent})
endif()

# scripts/build, with a CMake that only takes notes.
add_test(NAME build_script COMMAND bash ${CMAKE_CURRENT_LIST_DIR}/build_script_test.sh
    ${PROJECT_SOURCE_DIR})

# Evaluated vertices against three.js. Skipped, with a message, where Node, its packages or the real
# files are missing.
if(PLIANT_HAVE_JANSSON AND NOT PLIANT_SANITIZE)
    add_executable(dump_vertices dump_vertices.c)
    target_link_libraries(dump_vertices PRIVATE pliant_flags pliant_asset pliant_static)
    add_test(NAME vertices COMMAND bash ${CMAKE_CURRENT_LIST_DIR}/vertices_test.sh
        $<TARGET_FILE:dump_vertices> ${PROJECT_SOURCE_DIR})
    set_tests_properties(vertices PROPERTIES TIMEOUT 1200 SKIP_RETURN_CODE 77)
endif()

# The page in a browser, and the exporter under Khronos' validator. Skipped, with a message, where
# Node, its packages or Chromium are missing (`make web` gets them).
if(PLIANT_BUILD_TOOL AND PLIANT_HAVE_JANSSON AND NOT PLIANT_SANITIZE)
    add_test(NAME page COMMAND bash ${CMAKE_CURRENT_LIST_DIR}/page_test.sh
        $<TARGET_FILE:pliant_tool> ${PROJECT_SOURCE_DIR})
    set_tests_properties(page PROPERTIES TIMEOUT 1200 SKIP_RETURN_CODE 77)
endif()
