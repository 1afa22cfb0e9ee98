# Untested. The sources are those that this file lies in.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

vcpkg_check_features(OUT_FEATURE_OPTIONS features FEATURES
    gltf PLIANT_WITH_JANSSON
    gltf PLIANT_WITH_MESHOPTIMIZER
    fit PLIANT_WITH_LAPACKE
    gl PLIANT_WITH_EPOXY)
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}" OPTIONS ${features}
    -DPLIANT_BUILD_TOOL=OFF -DPLIANT_BUILD_LAB=OFF -DPLIANT_BUILD_TESTS=OFF -DPLIANT_WITH_ZLIB=OFF
    -DPLIANT_WITH_DRACO=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/pliant)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
