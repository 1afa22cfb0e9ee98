# Tests of libpliant_cuda, on the emulator; with PLIANT_TEST_GPU set in the environment, and a library
# that has CUDA, on a GPU.
if(TARGET pliant_cuda AND PLIANT_HAVE_CMOCKA)
    add_library(pliant_cuda_fixture STATIC EXCLUDE_FROM_ALL libs/cuda/cuda_fixture.c)
    target_link_libraries(pliant_cuda_fixture PUBLIC pliant_cuda pliant_test_support)
endif()
foreach(name cuda_growth cuda_pairs cuda_scene cuda_triangles)
    pliant_test(libs/cuda/${name} LINK pliant_cuda_fixture)
endforeach()
