# What tests share, as one library that every test links: scenes, brute force, allocators that count
# and fail, files made on the spot, and, with GMP, exact answers by other means.
if(NOT PLIANT_HAVE_CMOCKA)
    return()
endif()
set(support ${CMAKE_CURRENT_LIST_DIR})
file(GLOB sources CONFIGURE_DEPENDS ${support}/*.c)
if(NOT PLIANT_HAVE_GMP)
    list(FILTER sources EXCLUDE REGEX "/(feature_truth|linear_program|one_body|oracle.*|rational_polynomial)\\.c$")
endif()
if(NOT TARGET pliant_check OR NOT PLIANT_HAVE_JANSSON)
    list(FILTER sources EXCLUDE REGEX "/check_fixture\\.c$")
endif()

add_library(pliant_test_support STATIC ${sources})
target_include_directories(pliant_test_support PUBLIC ${support} ${PROJECT_SOURCE_DIR}
    ${PROJECT_SOURCE_DIR}/src)
if(WIN32)
    target_compile_options(pliant_test_support PUBLIC -include ${support}/windows_memory.h)
endif()
target_compile_definitions(pliant_test_support PUBLIC
    PLIANT_ASSETS_DIR="${PROJECT_SOURCE_DIR}/../shared/assets"
    $<$<BOOL:${PLIANT_BUNNY}>:PLIANT_BUNNY_FILE="${PLIANT_BUNNY}">)
target_link_libraries(pliant_test_support PUBLIC pliant_flags pliant_gallery pliant_asset
    pliant_static ${PLIANT_CMOCKA})
if(PLIANT_HAVE_GMP)
    target_link_libraries(pliant_test_support PUBLIC pliant::gmp m)
endif()
if(TARGET pliant_check)
    target_link_libraries(pliant_test_support PUBLIC pliant_check)
endif()
if(PLIANT_HAVE_MESHOPTIMIZER) # some files are made by its encoder
    target_link_libraries(pliant_test_support PUBLIC pliant::meshoptimizer)
endif()

if(PLIANT_HAVE_DRACO)
    add_library(pliant_draco_maker STATIC ${support}/draco_maker.cpp)
    target_include_directories(pliant_draco_maker SYSTEM PRIVATE ${PLIANT_DRACO_INCLUDE})
    target_compile_features(pliant_draco_maker PRIVATE cxx_std_17)
    target_link_libraries(pliant_draco_maker PRIVATE pliant::draco)
endif()

# Common volumes by CGAL's exact Booleans.
if(CGAL IN_LIST PLIANT_PEERS_FOUND)
    add_library(pliant_exact_volume STATIC EXCLUDE_FROM_ALL ${support}/exact_common_volume.cpp)
    target_include_directories(pliant_exact_volume SYSTEM PRIVATE ${PLIANT_CGAL_INCLUDE})
    target_compile_features(pliant_exact_volume PRIVATE cxx_std_17)
    target_compile_options(pliant_exact_volume PRIVATE -O1 -frounding-math -Wall -Wextra
        -Wno-maybe-uninitialized)
    target_link_libraries(pliant_exact_volume PRIVATE ${PLIANT_MPFR_LIBRARY}
        ${PLIANT_GMP_LIBRARY})
endif()
