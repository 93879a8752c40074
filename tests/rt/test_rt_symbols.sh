#!/bin/sh
# Fails when the archive of the real-time library uses a function that is not on the list: it needs
# libc (without stdio and malloc), libm and threads only.
#
#   test_rt_symbols.sh ARCHIVE [NM]
set -eu

archive=$1
nm=${2:-nm}
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

# Memory and strings, mathematics, clock, threads, and the compiler's support library (libgcc: stack
# probes on Windows, atomics on aarch64; the linker on WebAssembly).
cat >"$work/allowed" <<'END'
memchr memcmp memcpy memmove memset strlen strcmp strncmp
acosf asinf atan2f atanf cbrtf ceilf cos cosf exp expf floorf fmaxf fminf fmodf hypotf log logf lrintf
pow powf rintf roundf sin sincos sincosf sinf sqrt sqrtf tanf acos atan2 fabs fmax fmin fmod floor ceil frexp ldexp tan
clock_gettime clock_gettime64
pthread_cond_broadcast pthread_cond_destroy pthread_cond_init pthread_cond_wait
pthread_create pthread_join pthread_mutex_destroy pthread_mutex_init pthread_mutex_lock
pthread_mutex_unlock sched_yield
__popcountdi2 __cpu_model __cpu_features2 __cpu_indicator_init ___chkstk_ms __aarch64_cas8_acq_rel
__aarch64_ldadd4_acq_rel __aarch64_ldadd4_rel _CLOCK_MONOTONIC __stack_pointer __stack_chk_fail __stack_chk_guard _GLOBAL_OFFSET_TABLE_
END
tr ' ' '\n' <"$work/allowed" | LC_ALL=C sort -u >"$work/allowed_lines"

"$nm" -P "$archive" >"$work/symbols"
if ! grep -q '^vo_rt_world_step T' "$work/symbols"; then
    echo "$archive: vo_rt_world_step is missing; pass the archive of libvoile-rt" >&2
    exit 1
fi
awk 'NF >= 2 && $2 ~ /^[A-TV-Z]$/ { print $1 }' "$work/symbols" | LC_ALL=C sort -u >"$work/defined"
awk '$2 == "U" { print $1 }' "$work/symbols" | LC_ALL=C sort -u >"$work/used"
cat "$work/defined" "$work/allowed_lines" | LC_ALL=C sort -u >"$work/known"
LC_ALL=C comm -23 "$work/used" "$work/known" >"$work/unknown"
if [ -s "$work/unknown" ]; then
    echo "$archive uses symbols outside libc without stdio and malloc, libm and threads:" >&2
    cat "$work/unknown" >&2
    exit 1
fi
