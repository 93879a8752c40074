/* Frame files: the input is read as it is and with corrected checksums, since a wrong checksum
 * would reject every mutation. */
#include "fuzz.h"
#include "vof_checksum.h"

#include "codec/hash.h"
#include "codec/vof.h"
#include "codec/vof_private.h"

static void read_frame(vo_context *ctx, const uint8_t *data, size_t size) {
    vo_vof_reader *reader;
    int count;
    const void *rows;
    if (fuzz_check(ctx, vo_vof_parse(ctx, "input", data, size, &reader)) != VO_OK) return;
    if (fuzz_check(ctx, vo_vof_find(reader, "face", 0, VO_VOF_I32, 3, &count, &rows)) == VO_OK) {
        unsigned sum = 0; /* reads every byte */
        for (size_t i = 0; i < (size_t)count * 12; i++) sum += ((const uint8_t *)rows)[i];
        fuzz_require(sum < UINT32_MAX, "unreachable");
    }
    fuzz_check(ctx, vo_vof_find(reader, "node_x", 0, VO_VOF_F64, 3, &count, &rows));
    vo_vof_close(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_run run;
    vo_context *ctx = fuzz_begin(&run);
    read_frame(ctx, data, size);
    uint8_t *copy = malloc(size ? size : 1);
    fuzz_require(copy != NULL, "no memory");
    memcpy(copy, data, size);
    fix_checksums(copy, size);
    read_frame(ctx, copy, size);
    free(copy);
    fuzz_end(&run);
    return 0;
}
