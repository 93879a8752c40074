# Linux on aarch64: Debian's gcc cross compiler; programs run under qemu-user.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_EXE_LINKER_FLAGS_INIT -static) # the emulator needs no library folder
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64)
