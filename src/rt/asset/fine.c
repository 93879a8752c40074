/* Points of the finer levels of a remeshed garment: rest positions and material coordinates that
 * differ from the midpoints of the edges of the base mesh. */
#include "rt/asset/asset_private.h"

/* Lattice points of the corners of a triangle. */
typedef struct lattice_triangle {
    int i[3], j[3];
} lattice_triangle;

/* Child in the order of the configuration C10. */
static lattice_triangle child_of(const lattice_triangle *t, int child) {
    lattice_triangle out;
    int mi[3], mj[3];
    for (int k = 0; k < 3; k++) {
        mi[k] = (t->i[(k + 1) % 3] + t->i[(k + 2) % 3]) / 2;
        mj[k] = (t->j[(k + 1) % 3] + t->j[(k + 2) % 3]) / 2;
    }
    if (child == 3) {
        for (int k = 0; k < 3; k++) out.i[k] = mi[k], out.j[k] = mj[k];
        return out;
    }
    int p = (child + 1) % 3, q = (child + 2) % 3;
    out.i[0] = t->i[child], out.i[1] = mi[q], out.i[2] = mi[p];
    out.j[0] = t->j[child], out.j[1] = mj[q], out.j[2] = mj[p];
    return out;
}

static lattice_triangle find_corners(const vo_rt_asset *asset, int level, int address) {
    int n = vo_rt_refined_segments(asset->max_level);
    lattice_triangle t = {{0, n, 0}, {0, 0, n}};
    for (int k = level - 1; k >= 0; k--) t = child_of(&t, address >> 2 * k & 3);
    return t;
}

void vo_rt_asset_fine_middles(const vo_rt_asset *asset, int level, int address, vo_rt_vec2 out[3]) {
    int n = vo_rt_refined_segments(asset->max_level);
    lattice_triangle t = find_corners(asset, level, address);
    const vo_rt_fine_point *points =
        asset->fine + (size_t)(address >> 2 * level) * (size_t)vo_rt_fine_points(asset->max_level);
    for (int k = 0; k < 3; k++) {
        int p = (k + 1) % 3, q = (k + 2) % 3;
        out[k] =
            points[vo_rt_fine_index(n, (t.i[p] + t.i[q]) / 2, (t.j[p] + t.j[q]) / 2)].coordinate;
    }
}

/* --- Checks --------------------------------------------------------------------------------- */

static bool is_positive(const vo_rt_fine_point *points, int n, const int i[3], const int j[3]) {
    vo_rt_vec2 p[3];
    for (int k = 0; k < 3; k++) p[k] = points[vo_rt_fine_index(n, i[k], j[k])].coordinate;
    return !vo_rt_is_degenerate(p) && f2_cross(f2_sub(p[1], p[0]), f2_sub(p[2], p[0])) > 0;
}

/* The triangles of a level, s segments wide, have positive areas. */
static bool is_level_positive(const vo_rt_fine_point *points, int n, int s) {
    for (int j = 0; j < n; j += s)
        for (int i = 0; i + j < n; i += s) {
            if (!is_positive(points, n, (int[3]){i, i + s, i}, (int[3]){j, j, j + s})) return false;
            if (i + j + s < n &&
                !is_positive(points, n, (int[3]){i + s, i + s, i}, (int[3]){j, j + s, j + s}))
                return false;
        }
    return true;
}

static bool is_point_valid(const vo_rt_fine_point *p) {
    const float m = VO_RT_MAX_EXTENT;
    const float value[5] = {p->position.x, p->position.y, p->position.z, p->coordinate.x,
                            p->coordinate.y};
    for (int k = 0; k < 5; k++)
        if (!(value[k] >= -m && value[k] <= m)) return false;
    return true;
}

int vo_rt_find_invalid_fine(const vo_rt_fine_point *points, const vo_rt_vec2 corner[3],
                            int max_level) {
    int n = vo_rt_refined_segments(max_level), count = vo_rt_fine_points(max_level);
    const int at[3] = {0, n, count - 1};
    for (int i = 0; i < count; i++)
        if (!is_point_valid(&points[i])) return i;
    for (int k = 0; k < 3; k++)
        if (points[at[k]].coordinate.x != corner[k].x || points[at[k]].coordinate.y != corner[k].y)
            return at[k];
    for (int s = n; s > 0; s /= 2)
        if (!is_level_positive(points, n, s)) return count;
    return -1;
}

/* --- Creation ------------------------------------------------------------------------------- */

static void copy_points(const vo_rt_cook *cook, int t, vo_rt_fine_point *out) {
    const vo_rt_asset_def *def = cook->def;
    int n = vo_rt_refined_segments(def->max_level), count = vo_rt_fine_points(def->max_level);
    const vo_rt_vec2 *corner = cook->coordinates + 3 * t;
    const vo_rt_vec2 *uv = cook->uv + 3 * t;
    float mirror = f2_cross(f2_sub(uv[1], uv[0]), f2_sub(uv[2], uv[0])) < 0 ? -1.0f : 1.0f;
    for (int i = 0; i < count; i++) {
        size_t from = (size_t)t * (size_t)count + (size_t)i;
        vo_rt_vec2 u = def->fine_coordinates[from];
        out[i] = (vo_rt_fine_point){def->fine_positions[from], f2(mirror * u.x, u.y)};
    }
    out[0].coordinate = corner[0];
    out[n].coordinate = corner[1];
    out[count - 1].coordinate = corner[2];
}

vo_result vo_rt_cook_fine(vo_rt_cook *cook, vo_rt_message *message) {
    const vo_rt_asset_def *def = cook->def;
    if (!def->fine_positions) return VO_OK;
    int count = vo_rt_fine_points(def->max_level);
    cook->fine = vo_rt_scratch_array(&cook->scratch, vo_rt_fine_point,
                                     (size_t)def->triangle_count * (size_t)count);
    if (!cook->fine) return vo_rt_fail(message, VO_NO_MEMORY, "no memory for the finer levels");
    for (int t = 0; t < def->triangle_count; t++) {
        vo_rt_fine_point *points = cook->fine + (size_t)t * (size_t)count;
        copy_points(cook, t, points);
        int invalid = vo_rt_find_invalid_fine(points, cook->coordinates + 3 * t, def->max_level);
        if (invalid < 0) continue;
        if (invalid == count)
            return vo_rt_fail(
                message, VO_BAD_ARGUMENT,
                "fine_coordinates[%d]: a part of triangle %d has almost no area or is "
                "mirrored in a finer level; move its points, or omit the finer levels",
                t * count, t);
        return vo_rt_fail(message, VO_BAD_ARGUMENT,
                          "fine_positions[%d] or fine_coordinates[%d] is out of range; coordinates "
                          "must be finite, at most %g",
                          t * count + invalid, t * count + invalid, (double)VO_RT_MAX_EXTENT);
    }
    return VO_OK;
}
