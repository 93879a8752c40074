#include "material/fabric.h"

#include "core/memory.h"
#include "material/fabric_check.h"

#include <string.h>

vo_fabric_def vo_fabric_def_default(void) {
    return (vo_fabric_def){.density = 0.15,
                           .young_warp = 800,
                           .young_weft = 600,
                           .poisson = 0.2,
                           .shear = 50,
                           .bend_warp = 1.2e-5,
                           .bend_weft = 0.8e-5,
                           .bend_bias = 0.9e-5};
}

/* Fails with the message "<member> must be ...". */
static vo_result check_member(vo_context *ctx, const char *member, double value,
                              const char *defect) {
    if (!defect) return VO_OK;
    return vo_fail(ctx, VO_BAD_DATA, "fabric: %s %s, not %g", member, defect, value);
}

static vo_result check_def(vo_context *ctx, const vo_fabric_def *d) {
    VO_TRY(check_member(ctx, "density", d->density, vo_check_density(d->density)));
    VO_TRY(check_member(ctx, "young_warp", d->young_warp, vo_check_modulus(d->young_warp)));
    VO_TRY(check_member(ctx, "young_weft", d->young_weft, vo_check_modulus(d->young_weft)));
    VO_TRY(check_member(ctx, "poisson", d->poisson,
                        vo_check_poisson(d->poisson, d->young_warp, d->young_weft)));
    VO_TRY(check_member(ctx, "shear", d->shear, vo_check_modulus(d->shear)));
    VO_TRY(check_member(ctx, "bend_warp", d->bend_warp, vo_check_rigidity(d->bend_warp)));
    VO_TRY(check_member(ctx, "bend_weft", d->bend_weft, vo_check_rigidity(d->bend_weft)));
    return check_member(ctx, "bend_bias", d->bend_bias, vo_check_rigidity(d->bend_bias));
}

vo_result vo_fabric_create(vo_context *ctx, const vo_fabric_def *def, vo_fabric **out) {
    *out = NULL;
    VO_TRY(check_def(ctx, def));
    vo_fabric *fabric = vo_new(ctx, vo_fabric);
    if (!fabric) return vo_fail_memory(ctx, "a fabric");
    fabric->ctx = ctx;
    fabric->density = def->density;
    fabric->linear =
        vo_orthotropic_stiffness(def->young_warp, def->young_weft, def->poisson, def->shear);
    for (int i = 0; i < VO_BEND_CURVATURES; i++)
        vo_fabric_set_bending(fabric, i, def->bend_warp, def->bend_weft, def->bend_bias);
    *out = fabric;
    return VO_OK;
}

/* Validates a solid: all members are positive; Poisson's ratio may be zero. */
static vo_result check_solid(vo_context *ctx, const vo_solid *s) {
    const char *positive = "must be greater than 0";
    VO_TRY(check_member(ctx, "thickness", s->thickness, s->thickness > 0 ? NULL : positive));
    VO_TRY(check_member(ctx, "density", s->density, s->density > 0 ? NULL : positive));
    VO_TRY(check_member(ctx, "elastic_modulus", s->elastic_modulus,
                        s->elastic_modulus > 0 ? NULL : positive));
    bool sound = s->poisson_ratio >= 0 && s->poisson_ratio <= 0.5;
    return check_member(ctx, "poisson_ratio", s->poisson_ratio,
                        sound ? NULL : "must be between 0 and 0.5");
}

vo_result vo_fabric_from_solid(vo_context *ctx, const vo_solid *solid, vo_fabric **out) {
    *out = NULL;
    VO_TRY(check_solid(ctx, solid));
    double h = solid->thickness, nu = solid->poisson_ratio;
    double young = solid->elastic_modulus * h;
    double bend = young * h * h / (12 * (1 - nu * nu)); /* Kirchhoff plate */
    vo_fabric_def def = {.density = solid->density * h,
                         .young_warp = young,
                         .young_weft = young,
                         .poisson = nu,
                         .shear = young / (2 * (1 + nu)),
                         .bend_warp = bend,
                         .bend_weft = bend,
                         .bend_bias = bend};
    return vo_fabric_create(ctx, &def, out);
}

void vo_fabric_destroy(vo_fabric *fabric) {
    if (!fabric) return;
    vo_free_string(fabric->ctx, fabric->description);
    if (fabric->table) vo_free_array(fabric->ctx, fabric->table, VO_STRETCH_TABLE);
    vo_delete(fabric->ctx, fabric);
}

/* Copies the separately allocated parts of a fabric. */
static vo_result copy_blocks(const vo_fabric *from, vo_fabric *to) {
    if (from->description) {
        to->description = vo_copy_string(to->ctx, from->description);
        if (!to->description) return vo_fail_memory(to->ctx, "a fabric's description");
    }
    if (from->table) {
        to->table = vo_new_array(to->ctx, vo_stiffness_sample, VO_STRETCH_TABLE);
        if (!to->table) return vo_fail_memory(to->ctx, "a fabric's stiffness table");
        memcpy(to->table, from->table, VO_STRETCH_TABLE * sizeof *to->table);
    }
    return VO_OK;
}

vo_result vo_fabric_copy(vo_context *ctx, const vo_fabric *fabric, vo_fabric **out) {
    *out = NULL;
    vo_fabric *copy = vo_new(ctx, vo_fabric);
    if (!copy) return vo_fail_memory(ctx, "a fabric");
    *copy = *fabric;
    copy->ctx = ctx;
    copy->description = NULL;
    copy->table = NULL;
    vo_result result = copy_blocks(fabric, copy);
    if (result != VO_OK) {
        vo_fabric_destroy(copy);
        return result;
    }
    *out = copy;
    return VO_OK;
}

/* Returns the sample below a position on an axis of the table, and the fraction to the next. */
static int table_cell(double position, double *fraction) {
    double clamped = vo_clamp(position, 0, VO_STRETCH_SAMPLES - 1);
    int cell = vo_min_int((int)clamped, VO_STRETCH_SAMPLES - 2);
    *fraction = clamped - cell;
    return cell;
}

vo_stiffness vo_fabric_stiffness(const vo_fabric *fabric, vo_sym2 strain) {
    if (!fabric->table) return fabric->linear;
    double t[3];
    int i = table_cell((strain.xx - VO_STRAIN_LOW) / VO_STRAIN_STEP, &t[0]);
    int j = table_cell((strain.yy - VO_STRAIN_LOW) / VO_STRAIN_STEP, &t[1]);
    int k = table_cell(fabs(strain.xy) / VO_STRAIN_STEP, &t[2]);
    vo_stiffness s = {{0}};
    for (int corner = 0; corner < 8; corner++) {
        int a = corner >> 2, b = corner >> 1 & 1, c = corner & 1;
        double weight = (a ? t[0] : 1 - t[0]) * (b ? t[1] : 1 - t[1]) * (c ? t[2] : 1 - t[2]);
        int index = ((i + a) * VO_STRETCH_SAMPLES + j + b) * VO_STRETCH_SAMPLES + k + c;
        for (int n = 0; n < 4; n++) s.c[n] += weight * (double)fabric->table[index].c[n];
    }
    return s;
}

vo_plate vo_fabric_plate(const vo_fabric *fabric, double curvature) {
    double position = vo_min(fabs(curvature) / VO_BEND_STEP, VO_BEND_CURVATURES - 1);
    int i = vo_min_int((int)position, VO_BEND_CURVATURES - 2);
    double t = position - i, b[VO_BEND_DIRECTIONS];
    for (int k = 0; k < VO_BEND_DIRECTIONS; k++)
        b[k] = (1 - t) * fabric->bend[k][i] + t * fabric->bend[k][i + 1];
    double warp = b[2], weft = b[0], sum = warp + weft;
    return (vo_plate){{warp, weft, vo_max(4 * b[1] - sum, 0.1 * sum)}};
}
