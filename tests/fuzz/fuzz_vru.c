/* Upsampling files: the input is read as it is and with corrected checksums, since a wrong checksum
 * would reject every mutation. */
#include "fuzz.h"
#include "vof_checksum.h"

#include "upsample/file/vru.h"

/* Applies every operator, which reads all of its indices. */
static void use(const vo_vru *vru) {
    const vo_upsample_pairs *p = vru->pairs;
    for (int i = 0; i < vru->operator_count; i++) {
        const vo_upsample_operator *op = vru->operators[i].op;
        float *fine = malloc(3 * sizeof(float) * (size_t)op->fine_count);
        fuzz_require(fine != NULL, "no memory");
        vo_upsample_operator_apply_base(op, &p->coarse.position[0].x, fine);
        free(fine);
    }
    for (int t = 0; t < 3 * p->fine.triangle_count; t++)
        fuzz_require(p->fine.triangle[t] >= 0 && p->fine.triangle[t] < p->fine.vertex_count,
                     "an invalid vertex was accepted");
}

static void read_file(vo_context *ctx, const uint8_t *data, size_t size) {
    vo_vru *vru;
    if (fuzz_check(ctx, vo_vru_parse(ctx, "input", data, size, &vru)) != VO_OK) return;
    use(vru);
    vo_vru_destroy(vru);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_run run;
    vo_context *ctx = fuzz_begin(&run);
    read_file(ctx, data, size);
    uint8_t *copy = malloc(size ? size : 1);
    fuzz_require(copy != NULL, "no memory");
    memcpy(copy, data, size);
    fix_checksums(copy, size);
    read_file(ctx, copy, size);
    free(copy);
    fuzz_end(&run);
    return 0;
}
