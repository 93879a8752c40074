/* Reads fabric files (docs/fabrics.md). `stretching` or `bending` as an object is in Voile's units;
 * as an array of rows it is measured data in ARCSim's format. */
#include "codec/json.h"
#include "core/memory.h"
#include "material/fabric_check.h"
#include "material/measured.h"

#include <string.h>

static vo_result require(vo_json_cursor at, const char *meaning) {
    return vo_json_is_present(at) ? VO_OK : vo_json_fail(at, "is missing: %s", meaning);
}

typedef const char *check_number(double value);

/* Reads a checked number; keeps the default if it is absent. */
static vo_result read_checked(vo_json_cursor at, check_number *check, double *out) {
    VO_TRY(vo_json_read_real(at, out));
    const char *wrong = check(*out);
    return wrong ? vo_json_fail(at, "%s, not %g", wrong, *out) : VO_OK;
}

/* Reads `count` checked numbers; the message names the invalid one. */
static vo_result read_row(vo_json_cursor at, check_number *check, double *out, int count) {
    VO_TRY(vo_json_read_reals(at, out, count));
    for (int i = 0; i < count; i++) {
        const char *wrong = check(out[i]);
        if (wrong) return vo_json_fail(vo_json_item(&at, i), "%s, not %g", wrong, out[i]);
    }
    return VO_OK;
}

/* Reads `rows` arrays of `count` numbers each into out[rows][count]. */
static vo_result read_rows(vo_json_cursor at, check_number *check, double *out, int rows,
                           int count) {
    if (vo_json_length(at) != rows)
        return vo_json_fail(at, "measured numbers come as %d rows of %d, found %d rows", rows,
                            count, vo_json_length(at));
    for (int i = 0; i < rows; i++) {
        vo_json_cursor row = vo_json_item(&at, i);
        VO_TRY(require(row, "a row of numbers"));
        VO_TRY(read_row(row, check, out + (size_t)i * (size_t)count, count));
    }
    return VO_OK;
}

/* Measured values may be negative, which is noise of the fit and treated as zero. */
static const char *check_measured_modulus(double value) {
    return fabs(value) <= 1e12 ? NULL : "must be between -1e12 and 1e12 N/m";
}
static const char *check_measured_rigidity(double value) {
    return fabs(value) <= 1e9 ? NULL : "must be between -1e9 and 1e9 N m";
}
static const char *check_any(double value) {
    (void)value; /* the readers reject values that are not finite */
    return NULL;
}

static vo_result read_description(vo_json_cursor at, vo_fabric *fabric) {
    const char *text = NULL;
    VO_TRY(vo_json_read_string(at, &text));
    if (!text) return VO_OK;
    if (strpbrk(text, "\r\n")) return vo_json_fail(at, "must be one line");
    fabric->description = vo_copy_string(fabric->ctx, text);
    return fabric->description ? VO_OK : vo_fail_memory(fabric->ctx, "a fabric's description");
}

/* {"stiffness": [c0, c1, c2, c3]} */
static vo_result read_stiffness(vo_json_cursor at, vo_stiffness *out) {
    VO_TRY(read_row(at, check_any, out->c, 4));
    for (int i = 0; i < 4; i++) {
        const char *wrong = vo_check_modulus(i == 1 ? fabs(out->c[i]) : out->c[i]);
        if (wrong) return vo_json_fail(vo_json_item(&at, i), "%s, not %g", wrong, out->c[i]);
    }
    const char *wrong = vo_check_coupling(out->c);
    return wrong ? vo_json_fail(at, "%s", wrong) : VO_OK;
}

/* {"warp", "weft", "poisson", "shear"} */
static vo_result read_moduli(const vo_json_cursor *object, vo_stiffness *out) {
    double warp = 0, weft, poisson = 0, shear = 0;
    vo_json_cursor at_warp = vo_json_get(object, "warp"), at_shear = vo_json_get(object, "shear");
    VO_TRY(require(at_warp, "Young's modulus along the warp, N/m"));
    VO_TRY(read_checked(at_warp, vo_check_modulus, &warp));
    weft = warp;
    VO_TRY(read_checked(vo_json_get(object, "weft"), vo_check_modulus, &weft));
    VO_TRY(require(at_shear, "the shear modulus, N/m"));
    VO_TRY(read_checked(at_shear, vo_check_modulus, &shear));
    VO_TRY(read_checked(vo_json_get(object, "poisson"), check_any, &poisson));
    const char *wrong = vo_check_poisson(poisson, warp, weft);
    if (wrong) return vo_json_fail(vo_json_get(object, "poisson"), "%s, not %g", wrong, poisson);
    *out = vo_orthotropic_stiffness(warp, weft, poisson, shear);
    return VO_OK;
}

static vo_result read_linear_stretching(const vo_json_cursor *object, vo_fabric *fabric) {
    static const char *const moduli[] = {"warp", "weft", "poisson", "shear", NULL};
    static const char *const known[] = {"warp", "weft", "poisson", "shear", "stiffness", NULL};
    VO_TRY(vo_json_check_keys(*object, known));
    vo_json_cursor stiffness = vo_json_get(object, "stiffness");
    if (!vo_json_is_present(stiffness)) return read_moduli(object, &fabric->linear);
    for (const char *const *key = moduli; *key; key++)
        if (vo_json_is_present(vo_json_get(object, *key)))
            return vo_json_fail(vo_json_get(object, *key),
                                "give either the four stiffness numbers or the moduli");
    return read_stiffness(stiffness, &fabric->linear);
}

static vo_result read_measured_stretching(vo_json_cursor at, vo_fabric *fabric) {
    vo_measured measured;
    VO_TRY(read_rows(at, check_measured_modulus, measured.k[0], VO_MEASURED_ROWS, 4));
    fabric->linear = vo_measured_stiffness(&measured, (vo_sym2){0, 0, 0});
    if (vo_measured_is_linear(&measured)) return VO_OK;
    fabric->table = vo_new_array(fabric->ctx, vo_stiffness_sample, VO_STRETCH_TABLE);
    if (!fabric->table) return vo_fail_memory(fabric->ctx, "a fabric's stiffness table");
    vo_measured_tabulate(&measured, fabric->table);
    return VO_OK;
}

static vo_result read_stretching(vo_json_cursor at, vo_fabric *fabric) {
    VO_TRY(require(at, "the moduli {warp, weft, poisson, shear} in N/m"));
    if (vo_json_kind(at) == VO_JSON_ARRAY) return read_measured_stretching(at, fabric);
    if (vo_json_kind(at) == VO_JSON_OBJECT) return read_linear_stretching(&at, fabric);
    return vo_json_fail(at, "expected {warp, weft, poisson, shear} or 6 measured rows");
}

/* Reads one rigidity for all curvatures or one each; keeps the defaults if it is absent. */
static vo_result read_rigidity(vo_json_cursor at, double out[VO_BEND_CURVATURES]) {
    if (vo_json_kind(at) == VO_JSON_ARRAY)
        return read_row(at, vo_check_rigidity, out, VO_BEND_CURVATURES);
    if (!vo_json_is_present(at)) return VO_OK;
    VO_TRY(read_checked(at, vo_check_rigidity, &out[0]));
    for (int i = 1; i < VO_BEND_CURVATURES; i++) out[i] = out[0];
    return VO_OK;
}

static vo_result read_directional_bending(const vo_json_cursor *object, vo_fabric *fabric) {
    static const char *const known[] = {"warp", "weft", "bias", NULL};
    double warp[VO_BEND_CURVATURES], weft[VO_BEND_CURVATURES], bias[VO_BEND_CURVATURES];
    VO_TRY(vo_json_check_keys(*object, known));
    vo_json_cursor at_warp = vo_json_get(object, "warp");
    VO_TRY(require(at_warp, "the rigidity against curving the warp, N m"));
    VO_TRY(read_rigidity(at_warp, warp));
    memcpy(weft, warp, sizeof weft);
    VO_TRY(read_rigidity(vo_json_get(object, "weft"), weft));
    for (int i = 0; i < VO_BEND_CURVATURES; i++) bias[i] = 0.5 * (warp[i] + weft[i]);
    VO_TRY(read_rigidity(vo_json_get(object, "bias"), bias));
    for (int i = 0; i < VO_BEND_CURVATURES; i++)
        vo_fabric_set_bending(fabric, i, warp[i], weft[i], bias[i]);
    return VO_OK;
}

/* Reads rows by direction of the edge. ARCSim's hinge energy is ke l^2/(2A) (angle - rest)^2/4 with
 * A the area of both faces: a grid of squares on a cylinder has ke kappa^2/8 per area, which equals
 * a plate's B kappa^2/2 with B = ke/4. */
static vo_result read_measured_bending(vo_json_cursor at, vo_fabric *fabric) {
    VO_TRY(read_rows(at, check_measured_rigidity, fabric->bend[0], VO_BEND_DIRECTIONS,
                     VO_BEND_CURVATURES));
    for (int row = 0; row < VO_BEND_DIRECTIONS; row++)
        for (int i = 0; i < VO_BEND_CURVATURES; i++)
            fabric->bend[row][i] = vo_max(fabric->bend[row][i], 0) / 4;
    return VO_OK;
}

static vo_result read_bending(vo_json_cursor at, vo_fabric *fabric) {
    VO_TRY(require(at, "the rigidities {warp, weft, bias} in N m"));
    if (vo_json_kind(at) == VO_JSON_ARRAY) return read_measured_bending(at, fabric);
    if (vo_json_kind(at) == VO_JSON_OBJECT) return read_directional_bending(&at, fabric);
    return vo_json_fail(at, "expected {warp, weft, bias} or 3 measured rows");
}

static vo_result read_fabric(vo_json_cursor root, vo_fabric *fabric) {
    static const char *const known[] = {"description", "density", "stretching", "bending", NULL};
    if (vo_json_kind(root) != VO_JSON_OBJECT)
        return vo_json_fail(root, "expected an object with density, stretching and bending");
    VO_TRY(vo_json_check_keys(root, known));
    VO_TRY(read_description(vo_json_get(&root, "description"), fabric));
    vo_json_cursor density = vo_json_get(&root, "density");
    VO_TRY(require(density, "the mass per area, kg/m^2"));
    VO_TRY(read_checked(density, vo_check_density, &fabric->density));
    VO_TRY(read_stretching(vo_json_get(&root, "stretching"), fabric));
    return read_bending(vo_json_get(&root, "bending"), fabric);
}

static vo_result fabric_from_json(vo_json_doc *doc, void *out) {
    vo_fabric *fabric = vo_new(doc->ctx, vo_fabric);
    if (!fabric) return vo_fail_memory(doc->ctx, "a fabric");
    fabric->ctx = doc->ctx;
    vo_result result = read_fabric(vo_json_root(doc), fabric);
    if (result != VO_OK) {
        vo_fabric_destroy(fabric);
        return result;
    }
    *(vo_fabric **)out = fabric;
    return VO_OK;
}

vo_result vo_fabric_parse(vo_context *ctx, const char *file, const char *text, size_t size,
                          vo_fabric **out) {
    *out = NULL;
    return vo_json_parse_object(ctx, file, text, size, fabric_from_json, out);
}

vo_result vo_fabric_load(vo_context *ctx, const char *path, vo_fabric **out) {
    *out = NULL;
    return vo_json_load_object(ctx, path, fabric_from_json, out);
}
