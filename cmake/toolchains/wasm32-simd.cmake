# WebAssembly with registers of 128 bits.
set(CMAKE_C_FLAGS_INIT -msimd128)
include(${CMAKE_CURRENT_LIST_DIR}/wasm32.cmake)
