# What tests share, as one library that every test links: scenes, brute force, allocators that count
# and fail, files made on the spot, and, with GMP, exact answers by other means.
if(NOT PLIANT_HAVE_CMOCKA)
    return()
endif()
set(support ${CMAKE_CURRENT_LIST_DIR})
set(sources answer_checks asked_world asset_exercise asset_fixture asset_seeds broad_fixture brute containment contour_check counting_allocator creatures crowd dealer
    elastic_fixture failing_memory fixture flock flock_scene gltf_maker limb_products models moving_cases moving_mesh pieces placed proxy_truth random_meshes random_queries random_world real_mesh queries recorded_world records scene_options
    scene_player shape_exercise sheets skipping solid subjects tag_checks temporary torn_mesh triangle_cases world_of_bodies)
if(PLIANT_HAVE_GMP)
    list(APPEND sources feature_truth linear_program one_body oracle oracle_approach oracle_distance oracle_moving oracle_winding rational_polynomial)
endif()
if(TARGET pliant_check AND PLIANT_HAVE_JANSSON)
    list(APPEND sources check_fixture)
endif()
list(TRANSFORM sources PREPEND ${support}/)
list(TRANSFORM sources APPEND .c)

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
