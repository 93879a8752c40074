/* Edges of the base mesh: half-edges are paired by open hashing of their directed ends. */
#include "rt/asset/asset_private.h"

int vo_rt_edge_table_size(int triangle_count) {
    int size = 16;
    while (size < 6 * triangle_count) size *= 2;
    return size;
}

static uint32_t hash_ends(int32_t from, int32_t to) {
    uint64_t key = (uint64_t)(uint32_t)from << 32 | (uint32_t)to;
    key *= 0x9e3779b97f4a7c15u;
    return (uint32_t)(key >> 32);
}

/* Index of the table that holds the half-edge from-to (plus 1), or the free one where it belongs.
 */
static int find_half_edge(const int32_t *triangles, const int32_t *table, int size, int32_t from,
                          int32_t to) {
    int i = (int)(hash_ends(from, to) & (uint32_t)(size - 1));
    while (table[i] != 0) {
        int h = table[i] - 1;
        if (vo_rt_half_edge_from(triangles, h) == from && vo_rt_half_edge_to(triangles, h) == to)
            break;
        i = (i + 1) & (size - 1);
    }
    return i;
}

/* Finds the first three half-edges between the ends of h, in either direction. */
static void describe_conflict(const int32_t *triangles, int triangle_count, int h,
                              vo_rt_edge_conflict *conflict) {
    int32_t a = vo_rt_half_edge_from(triangles, h), b = vo_rt_half_edge_to(triangles, h);
    int found = 0;
    *conflict = (vo_rt_edge_conflict){{-1, -1, -1}};
    for (int k = 0; k < 3 * triangle_count && found < 3; k++) {
        int32_t from = vo_rt_half_edge_from(triangles, k), to = vo_rt_half_edge_to(triangles, k);
        if ((from == a && to == b) || (from == b && to == a)) conflict->half_edge[found++] = k;
    }
}

bool vo_rt_pair_edges(const int32_t *triangles, int triangle_count, int32_t *table, int32_t *twin,
                      vo_rt_edge_conflict *conflict) {
    int size = vo_rt_edge_table_size(triangle_count);
    for (int i = 0; i < size; i++) table[i] = 0;
    for (int h = 0; h < 3 * triangle_count; h++) {
        int i = find_half_edge(triangles, table, size, vo_rt_half_edge_from(triangles, h),
                               vo_rt_half_edge_to(triangles, h));
        if (table[i] != 0) {
            describe_conflict(triangles, triangle_count, h, conflict);
            return false;
        }
        table[i] = h + 1;
    }
    for (int h = 0; h < 3 * triangle_count; h++)
        twin[h] = table[find_half_edge(triangles, table, size, vo_rt_half_edge_to(triangles, h),
                                       vo_rt_half_edge_from(triangles, h))] -
                  1;
    return true;
}

static vo_result fail_conflict(const vo_rt_asset_def *def, const vo_rt_edge_conflict *conflict,
                               vo_rt_message *message) {
    const int *h = conflict->half_edge;
    int a = vo_rt_half_edge_from(def->triangles, h[0]);
    int b = vo_rt_half_edge_to(def->triangles, h[0]);
    if (h[2] >= 0)
        return vo_rt_fail(message, VO_BAD_ARGUMENT,
                          "triangles[%d]: edge %d-%d belongs to the triangles %d, %d and %d; an "
                          "edge may have two, so remove one or give it vertices of its own",
                          h[2] - h[2] % 3, a, b, h[0] / 3, h[1] / 3, h[2] / 3);
    return vo_rt_fail(message, VO_BAD_ARGUMENT,
                      "triangles[%d]: the triangles %d and %d run along edge %d-%d in the same "
                      "direction; reverse the vertex order of one of them",
                      h[1] - h[1] % 3, h[0] / 3, h[1] / 3, a, b);
}

static vo_result check_vertices_used(const vo_rt_asset_def *def, uint8_t *used,
                                     vo_rt_message *message) {
    for (int i = 0; i < 3 * def->triangle_count; i++) used[def->triangles[i]] = 1;
    for (int v = 0; v < def->vertex_count; v++)
        if (!used[v])
            return vo_rt_fail(message, VO_BAD_ARGUMENT,
                              "positions[%d]: vertex %d belongs to no triangle; remove it", v, v);
    return VO_OK;
}

void vo_rt_build_fans(const int32_t *triangles, int triangle_count, int vertex_count,
                      int32_t *offset, int32_t *fan) {
    int count = 3 * triangle_count;
    for (int i = 0; i < count; i++) offset[triangles[i]]++;
    for (int v = 0, sum = 0; v <= vertex_count; v++) sum += offset[v], offset[v] = sum;
    for (int i = count - 1; i >= 0; i--) fan[--offset[triangles[i]]] = i / 3;
}

/* Creates the edge of half-edge h and of its twin, if there is one. */
static void add_edge(vo_rt_cook *cook, int h, int twin) {
    const int sides[2] = {h, twin};
    vo_rt_base_edge *edge = &cook->edge[cook->edge_count];
    *edge = (vo_rt_base_edge){.triangle = {h / 3, twin < 0 ? -1 : twin / 3}};
    edge->vertex[0] = vo_rt_half_edge_from(cook->def->triangles, h);
    edge->vertex[1] = vo_rt_half_edge_to(cook->def->triangles, h);
    for (int side = 0; side < 2; side++) {
        int k = sides[side];
        if (k < 0) continue;
        int first = k - k % 3 + (k + 1) % 3, second = k - k % 3 + (k + 2) % 3;
        edge->coordinate[side][0] = cook->coordinates[side == 0 ? first : second];
        edge->coordinate[side][1] = cook->coordinates[side == 0 ? second : first];
        cook->triangle[k / 3].edge[k % 3] = cook->edge_count;
    }
    edge->control =
        twin >= 0 && cook->controls && cook->controls[twin] && !cook->controls[h] ? 1 : 0;
    cook->edge_count++;
}

vo_result vo_rt_cook_edges(vo_rt_cook *cook, vo_rt_message *message) {
    const vo_rt_asset_def *def = cook->def;
    vo_rt_scratch *scratch = &cook->scratch;
    int count = def->triangle_count;
    int32_t *table = vo_rt_scratch_array(scratch, int32_t, vo_rt_edge_table_size(count));
    int32_t *twin = vo_rt_scratch_array(scratch, int32_t, 3 * count);
    uint8_t *used = vo_rt_scratch_array(scratch, uint8_t, def->vertex_count);
    cook->triangle = vo_rt_scratch_array(scratch, vo_rt_base_triangle, count);
    cook->edge = vo_rt_scratch_array(scratch, vo_rt_base_edge, 3 * count);
    if (scratch->failed) return vo_rt_fail(message, VO_NO_MEMORY, "no memory for edges");
    vo_rt_edge_conflict conflict;
    if (!vo_rt_pair_edges(def->triangles, count, table, twin, &conflict))
        return fail_conflict(def, &conflict, message);
    vo_result result = check_vertices_used(def, used, message);
    if (result != VO_OK) return result;
    for (int i = 0; i < 3 * count; i++) cook->triangle[i / 3].vertex[i % 3] = def->triangles[i];
    for (int h = 0; h < 3 * count; h++)
        if (twin[h] < 0 || twin[h] > h) add_edge(cook, h, twin[h]);
    vo_rt_cook_rest_angles(cook);
    return VO_OK;
}
