# Tests of libpliant_cuda, on the emulator; with PLIANT_TEST_GPU set in the environment, and a library
# that has CUDA, on a GPU.
if(TARGET pliant_cuda AND PLIANT_HAVE_CMOCKA)
    add_library(pliant_cuda_fixture STATIC EXCLUDE_FROM_ALL libs/cuda/cuda_fixture.c libs/cuda/fan_fixture.c)
    target_link_libraries(pliant_cuda_fixture PUBLIC pliant_cuda pliant_test_support)
endif()
foreach(name cuda_fans cuda_grids cuda_growth cuda_rings cuda_triangles)
    pliant_test(libs/cuda/${name} LINK pliant_cuda_fixture)
endforeach()
pliant_test(libs/cuda/cuda_pairs LABELS slow LINK pliant_cuda_fixture)
pliant_test(libs/cuda/cuda_scene LABELS slow LINK pliant_cuda_fixture)
pliant_test(libs/cuda/cuda_clips LABELS files slow NEEDS JANSSON LINK pliant_cuda_fixture)

# The experiments, tiny and on the emulator: their lists are compared with the core's.
if(TARGET pliant_bench_cuda)
    add_test(NAME bench_cuda COMMAND pliant_bench_cuda --emulated --scale 0.004 --steps 1)
    set_tests_properties(bench_cuda PROPERTIES TIMEOUT 300)
    pliant_label(bench_cuda TARGETS pliant_bench_cuda)
endif()
