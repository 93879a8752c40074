/* Connectivity of the levels of a hierarchy, by repeated 1-to-4 splits of the base mesh. */
#include "rt/asset/asset_private.h"

int64_t vo_rt_level_triangles(int base_triangles, int level) {
    return (int64_t)base_triangles << 2 * level;
}

/* Triangles around each vertex, from the triangles. */
static void build_stars(vo_rt_level *level) {
    vo_rt_build_fans(level->vertex, level->triangle_count, level->vertex_count, level->star_begin,
                     level->star);
}

static void add_edge_side(vo_rt_level *level, int triangle, int corner) {
    int e = level->edge[3 * triangle + corner];
    int32_t *side = level->edge_triangle + 2 * (size_t)e;
    side[side[0] >= 0] = triangle;
}

/* Triangles beside each edge. */
static void build_sides(vo_rt_level *level) {
    for (int i = 0; i < 2 * level->edge_count; i++) level->edge_triangle[i] = -1;
    for (int t = 0; t < level->triangle_count; t++)
        for (int i = 0; i < 3; i++) add_edge_side(level, t, i);
}

static bool allocate(vo_rt_level *level, vo_rt_scratch *scratch) {
    size_t t = (size_t)level->triangle_count, e = (size_t)level->edge_count;
    level->vertex = vo_rt_scratch_array(scratch, int32_t, 3 * t);
    level->edge = vo_rt_scratch_array(scratch, int32_t, 3 * t);
    level->edge_vertex = vo_rt_scratch_array(scratch, int32_t, 2 * e);
    level->edge_triangle = vo_rt_scratch_array(scratch, int32_t, 2 * e);
    level->star_begin = vo_rt_scratch_array(scratch, int32_t, (size_t)level->vertex_count + 1);
    level->star = vo_rt_scratch_array(scratch, int32_t, 3 * t);
    return !scratch->failed;
}

bool vo_rt_level_init(vo_rt_level *level, vo_rt_scratch *scratch, int vertex_count,
                      int triangle_count, const vo_rt_base_triangle *triangle, int edge_count,
                      const vo_rt_base_edge *edge) {
    *level = (vo_rt_level){
        .vertex_count = vertex_count, .triangle_count = triangle_count, .edge_count = edge_count};
    if (!allocate(level, scratch)) return false;
    for (int i = 0; i < 3 * triangle_count; i++) {
        level->vertex[i] = triangle[i / 3].vertex[i % 3];
        level->edge[i] = triangle[i / 3].edge[i % 3];
    }
    for (int i = 0; i < 2 * edge_count; i++) level->edge_vertex[i] = edge[i / 2].vertex[i % 2];
    build_stars(level);
    build_sides(level);
    return true;
}

/* Half of an edge at one of its ends. */
static int half_at(const vo_rt_level *coarse, int edge, int vertex) {
    return 2 * edge + (coarse->edge_vertex[2 * (size_t)edge] != vertex);
}

static void set_edge(vo_rt_level *fine, int edge, int a, int b) {
    fine->edge_vertex[2 * (size_t)edge] = a;
    fine->edge_vertex[2 * (size_t)edge + 1] = b;
}

static void set_triangle(vo_rt_level *fine, int t, const int vertex[3], const int edge[3]) {
    for (int i = 0; i < 3; i++) {
        fine->vertex[3 * (size_t)t + (size_t)i] = vertex[i];
        fine->edge[3 * (size_t)t + (size_t)i] = edge[i];
    }
}

/* Children in the order of the configuration C10: one at each corner, then the middle one. */
static void divide(const vo_rt_level *coarse, vo_rt_level *fine, int t) {
    const int32_t *v = coarse->vertex + 3 * (size_t)t, *e = coarse->edge + 3 * (size_t)t;
    int middle[3], inner[3];
    for (int i = 0; i < 3; i++) {
        middle[i] = coarse->vertex_count + e[i];
        inner[i] = 2 * coarse->edge_count + 3 * t + i;
    }
    for (int i = 0; i < 3; i++) {
        int p = (i + 1) % 3, q = (i + 2) % 3;
        set_edge(fine, inner[i], middle[p], middle[q]);
        set_triangle(fine, 4 * t + i, (int[3]){v[i], middle[q], middle[p]},
                     (int[3]){inner[i], half_at(coarse, e[p], v[i]), half_at(coarse, e[q], v[i])});
    }
    set_triangle(fine, 4 * t + 3, middle, inner);
}

bool vo_rt_level_divide(const vo_rt_level *coarse, vo_rt_level *fine, vo_rt_scratch *scratch) {
    *fine = (vo_rt_level){.vertex_count = coarse->vertex_count + coarse->edge_count,
                          .triangle_count = 4 * coarse->triangle_count,
                          .edge_count = 2 * coarse->edge_count + 3 * coarse->triangle_count};
    if (!allocate(fine, scratch)) return false;
    for (int e = 0; e < coarse->edge_count; e++)
        for (int k = 0; k < 2; k++)
            set_edge(fine, 2 * e + k, k ? coarse->vertex_count + e : coarse->edge_vertex[2 * e],
                     k ? coarse->edge_vertex[2 * e + 1] : coarse->vertex_count + e);
    for (int t = 0; t < coarse->triangle_count; t++) divide(coarse, fine, t);
    build_stars(fine);
    build_sides(fine);
    return true;
}
