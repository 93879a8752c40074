# Compiler settings of all targets, as the interface target voile_options.
include(CheckCCompilerFlag)
add_library(voile_options INTERFACE)
target_compile_definitions(voile_options INTERFACE _POSIX_C_SOURCE=200809L)
# -ffp-contract=off: bit-identical results on every x86-64, with or without FMA.
target_compile_options(voile_options INTERFACE
  -ffp-contract=off -fno-math-errno -fvisibility=hidden
  -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith
  -Wwrite-strings -Wundef -Wvla -Wno-missing-field-initializers)
# Vector types are passed between functions of one file only, so their ABI is irrelevant.
check_c_compiler_flag(-Wpsabi voile_has_psabi)
if(voile_has_psabi)
  target_compile_options(voile_options INTERFACE -Wno-psabi)
endif()
if(VOILE_WERROR)
  target_compile_options(voile_options INTERFACE -Werror)
endif()
if(VOILE_SANITIZE)
  target_compile_options(voile_options INTERFACE
    -fsanitize=${VOILE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(voile_options INTERFACE -fsanitize=${VOILE_SANITIZE})
endif()
if(VOILE_FUZZ)
  target_compile_options(voile_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
