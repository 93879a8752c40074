/* Hierarchy of a mesh within a tolerance. */
#include "cook/levels.h"

#include "cook/remesh.h"
#include "core/memory.h"

#include <math.h>

enum { MIN_FACES = 24, MAX_BASE_FACES = 65535 };

#define GROWTH 1.7 /* of the number of base faces from one attempt to the next */

/* --- Arrays ----------------------------------------------------------------------------------- */

vo_result vo_cook_levels_allocate(vo_context *ctx, vo_cook_levels *levels) {
    size_t count =
        (size_t)levels->base->face_count * (size_t)vo_cook_lattice_count(levels->max_level);
    levels->point_count = count;
    levels->positions = vo_new_array(ctx, vo_rt_vec3, count);
    levels->coordinates = vo_new_array(ctx, vo_rt_vec2, count);
    return levels->positions && levels->coordinates ? VO_OK : vo_fail_memory(ctx, "a hierarchy");
}

void vo_cook_levels_free(vo_context *ctx, vo_cook_levels *levels) {
    size_t count = levels->point_count;
    vo_free_array(ctx, levels->positions, count);
    vo_free_array(ctx, levels->coordinates, count);
    vo_mesh_destroy(levels->base);
    *levels = (vo_cook_levels){.max_level = levels->max_level};
}

/* --- Validity --------------------------------------------------------------------------------- */

/* Heights relative to the longest side that the asset accepts, with a margin. */
#define MIN_HEIGHT 1e-4

static bool is_positive(const vo_rt_vec2 *u, int n, const int i[3], const int j[3]) {
    vo_vec2 p[3];
    double longest2 = 0;
    for (int k = 0; k < 3; k++) {
        vo_rt_vec2 q = u[vo_cook_lattice_index(n, i[k], j[k])];
        p[k] = v2((double)q.x, (double)q.y);
    }
    for (int k = 0; k < 3; k++) {
        vo_vec2 d = v2_sub(p[(k + 1) % 3], p[k]);
        longest2 = vo_max(longest2, v2_dot(d, d));
    }
    return v2_cross(v2_sub(p[1], p[0]), v2_sub(p[2], p[0])) > MIN_HEIGHT * longest2;
}

static bool is_level_positive(const vo_rt_vec2 *u, int n, int s) {
    for (int j = 0; j < n; j += s)
        for (int i = 0; i + j < n; i += s) {
            if (!is_positive(u, n, (int[3]){i, i + s, i}, (int[3]){j, j, j + s})) return false;
            if (i + j + s < n &&
                !is_positive(u, n, (int[3]){i + s, i + s, i}, (int[3]){j, j + s, j + s}))
                return false;
        }
    return true;
}

bool vo_cook_levels_are_valid(const vo_cook_levels *levels) {
    int n = 1 << levels->max_level, points = vo_cook_lattice_count(levels->max_level);
    for (int f = 0; f < levels->base->face_count; f++)
        for (int s = n; s > 0; s /= 2)
            if (!is_level_positive(levels->coordinates + (size_t)f * (size_t)points, n, s))
                return false;
    return true;
}

/* Deviation from a plane subdivision that is rounding, m. */
#define FLATNESS 2e-6

static double interpolate(double a, double b, double c, const double w[3]) {
    return w[0] * a + w[1] * b + w[2] * c;
}

/* Deviation of a point with these weights from its face. */
static double deviation(const vo_cook_levels *levels, size_t first, size_t at, const double w[3]) {
    size_t n = (size_t)1 << levels->max_level;
    size_t last = first + (size_t)vo_cook_lattice_count(levels->max_level) - 1;
    const vo_rt_vec3 *x = levels->positions;
    const vo_rt_vec2 *u = levels->coordinates;
    double worst = 0;
#define COMPARE(array, member)                                                                  \
    worst = vo_max(worst,                                                                       \
                   fabs((double)array[at].member - interpolate((double)array[first].member,     \
                                                               (double)array[first + n].member, \
                                                               (double)array[last].member, w)));
    COMPARE(x, x)
    COMPARE(x, y)
    COMPARE(x, z)
    COMPARE(u, x)
    COMPARE(u, y)
#undef COMPARE
    return worst;
}

bool vo_cook_levels_are_flat(const vo_cook_levels *levels) {
    int n = 1 << levels->max_level;
    size_t points = (size_t)vo_cook_lattice_count(levels->max_level);
    for (size_t first = 0; first < levels->point_count; first += points)
        for (int j = 0; j <= n; j++)
            for (int i = 0; i + j <= n; i++) {
                double w[3] = {(double)(n - i - j) / n, (double)i / n, (double)j / n};
                size_t at = first + (size_t)vo_cook_lattice_index(n, i, j);
                if (deviation(levels, first, at, w) > FLATNESS) return false;
            }
    return true;
}

/* --- Attempts --------------------------------------------------------------------------------- */

static vo_result measure(vo_cooking *c, const vo_cook_levels *levels, vo_cook_error *finest) {
    for (int level = 0; level <= levels->max_level; level++) {
        VO_TRY(vo_cook_measure_level(c->ctx, c->base, levels, level, finest));
        c->report.level_max_error[level] = finest->max;
        c->report.level_rms_error[level] = finest->rms;
    }
    return VO_OK;
}

static vo_result fail_tolerance(const vo_cooking *c, double error) {
    return vo_fail(c->ctx, VO_BAD_DATA,
                   "%s: with %d base faces, the most that an asset has, and %d levels it is %.3g m "
                   "from the mesh, more than the tolerance %g; raise max_level or the tolerance",
                   c->def->input, MAX_BASE_FACES, c->def->max_level, error, c->def->tolerance);
}

/* Remeshes with more and more base faces until the finest level is within the tolerance, at last
 * with all faces of the input. */
static vo_result remesh(vo_cooking *c, vo_cook_levels *out) {
    int limit = vo_min_int(c->base->face_count, MAX_BASE_FACES), faces = c->def->face_count;
    vo_cook_error error = {INFINITY, INFINITY};
    if (faces == 0) faces = vo_max_int(MIN_FACES, c->base->face_count >> 2 * c->def->max_level);
    for (;; faces = vo_max_int(faces + 1, (int)(GROWTH * faces))) {
        VO_TRY(vo_check_cancel(c->ctx));
        VO_TRY(vo_cook_remesh(c->ctx, c->base, vo_min_int(faces, limit), c->def->max_level, out));
        if (out->base->face_count <= MAX_BASE_FACES && vo_cook_levels_are_valid(out))
            VO_TRY(measure(c, out, &error));
        if (error.max <= c->def->tolerance) return VO_OK;
        vo_cook_levels_free(c->ctx, out);
        if (faces >= limit) return fail_tolerance(c, error.max);
    }
}

/* A hierarchy of the mesh itself is used unless its base mesh has too many faces. */
static bool is_usable(const vo_cooking *c, int found, const vo_cook_levels *levels) {
    int limit = c->def->face_count > 0 ? c->def->face_count : MAX_BASE_FACES;
    return found > 0 && levels->base->face_count <= limit && vo_cook_levels_are_valid(levels);
}

/* Uses the hierarchy of a mesh with the vertices of the input, if it has one within the tolerance.
 * Otherwise *found is 0. */
static vo_result detect(vo_cooking *c, const vo_mesh *mesh, int *found, vo_cook_levels *levels) {
    vo_cook_error error = {0, 0};
    VO_TRY(vo_cook_detect_levels(c->ctx, mesh, c->def->max_level, found, levels));
    bool is_used = is_usable(c, *found, levels);
    if (is_used) VO_TRY(measure(c, levels, &error));
    if (is_used && error.max <= c->def->tolerance) return VO_OK;
    *found = 0;
    vo_cook_levels_free(c->ctx, levels);
    return VO_OK;
}

static vo_result detect_grid(vo_cooking *c, int *found, vo_cook_levels *levels) {
    vo_mesh *aligned;
    VO_TRY(vo_cook_align_grid(c->ctx, c->base, &aligned));
    if (!aligned) return VO_OK;
    vo_result result = detect(c, aligned, found, levels);
    vo_mesh_destroy(aligned);
    return result;
}

static vo_result create(vo_cooking *c, vo_cook_levels *levels) {
    int found;
    VO_TRY(detect(c, c->base, &found, levels));
    if (found == 0) VO_TRY(detect_grid(c, &found, levels));
    if (found == 0) return remesh(c, levels);
    c->report.detected_levels = found;
    return VO_OK;
}

vo_result vo_cook_create_levels(vo_cooking *c) {
    c->levels = vo_new(c->ctx, vo_cook_levels);
    if (!c->levels) return vo_fail_memory(c->ctx, "a hierarchy");
    VO_TRY(create(c, c->levels));
    if (c->def->render)
        vo_mesh_destroy(c->base);
    else
        c->render = c->base;
    c->base = c->levels->base;
    return VO_OK;
}
