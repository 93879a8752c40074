# WebAssembly with SIMD128 and WASI: clang, wasm-ld and wasi-libc, without threads; programs run under
# node.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER clang)
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
set(CMAKE_SYSROOT /usr)
set(CMAKE_C_FLAGS_INIT -msimd128)
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,-z,stack-size=4194304 -Wl,--stack-first")
# Fast calls of node's WASI crash after the memory of a program has grown.
set(CMAKE_CROSSCOMPILING_EMULATOR
  node --no-warnings --no-turbo-fast-api-calls ${CMAKE_CURRENT_LIST_DIR}/../../tests/port/run_wasm.mjs)
