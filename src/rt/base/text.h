/* Messages without stdio. */
#ifndef VO_RT_BASE_TEXT_H
#define VO_RT_BASE_TEXT_H

#include <voile/rt.h>

/* Writes a message and returns `code`. Supports %s, %d, %u, %g (six digits) and %%; the text is
 * truncated to fit. `message` may be NULL. */
vo_result vo_rt_fail(vo_rt_message *message, vo_result code, const char *format, ...)
    VO_PRINTF(3, 4);

/* 64-bit hash (FNV-1a over 8-byte words, then bytes) of data; the checksum of files and snapshots.
 * Independent of the byte order of the machine. */
uint64_t vo_rt_hash(uint64_t seed, const void *data, size_t bytes);

#endif
