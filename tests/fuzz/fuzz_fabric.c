/* Fabric files: any input gives a valid fabric or a message. */
#include "material/fabric.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition) {
    if (!condition) abort();
}

/* Preconditions of the simulation: finite and positive semidefinite at any strain. */
static void check_fabric(const vo_fabric *fabric) {
    require(fabric->density > 0 && isfinite(fabric->density));
    for (int n = 0; n < 27; n++) {
        vo_sym2 strain = {n % 3 - 0.9, n / 3 % 3 - 0.9, n / 9 - 0.9};
        vo_stiffness s = vo_fabric_stiffness(fabric, strain);
        require(s.c[0] >= 0 && s.c[2] >= 0 && s.c[3] >= 0 && isfinite(s.c[0] + s.c[2] + s.c[3]));
        require(s.c[1] * s.c[1] <= s.c[0] * s.c[2] * (1 + 1e-12));
    }
    for (int n = 0; n < 8; n++) {
        vo_plate plate = vo_fabric_plate(fabric, 7.0 * n);
        for (int c = 0; c < 3; c++) require(plate.d[c] >= 0 && isfinite(plate.d[c]));
        require(plate.d[2] >= 0.1 * (plate.d[0] + plate.d[1]));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    vo_context_def def = vo_context_def_default();
    def.threads = 1;
    vo_context *ctx;
    if (vo_context_create(&def, &ctx) != VO_OK) return 0;
    vo_fabric *fabric;
    vo_result result = vo_fabric_parse(ctx, "fuzz.json", (const char *)data, size, &fabric);
    require((result == VO_OK) == (fabric != NULL));
    if (fabric)
        check_fabric(fabric);
    else
        require(vo_context_message(ctx)[0] != '\0');
    vo_fabric_destroy(fabric);
    vo_context_destroy(ctx);
    return 0;
}
