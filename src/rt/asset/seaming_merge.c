/* Assets of a seaming: with links as constraints, or merged.
 *
 * Merging (Simnett et al. 2010, 4): the vertices of a group become one, triangles refer to it, and
 * boundary edges with the same ends become one edge with two sides. Masses need no summing, because
 * a vertex carries a third of its triangles. Material coordinates belong to triangle corners, so
 * they stay as they are on each side. */
#include "rt/asset/seaming_private.h"

#include <float.h>
#include <string.h>

typedef struct merge {
    const vo_rt_seaming *seaming;
    vo_rt_scratch scratch;
    vo_rt_asset_def def; /* merged; refers to the arrays below */
    int32_t *map;        /* [vertex_count of the seaming] merged vertex */
    int32_t *source;     /* [merged vertex_count] smallest member of the group */
    vo_rt_vec3 *positions;
    int32_t *triangles;
    float *attachment, *max_distance, *backstop, *backstop_radius, *stiffness;
    uint16_t *bones;
    float *weights;
    uint8_t *controls;
} merge;

/* --- Vertices ------------------------------------------------------------------------------- */

/* Numbers the groups in the order of their smallest members. */
static int number_groups(const vo_rt_seaming *s, int32_t *map, int32_t *source) {
    int count = 0;
    for (int32_t v = 0; v < s->def.vertex_count; v++) map[v] = -1;
    for (int32_t v = 0; v < s->def.vertex_count; v++) {
        if (map[v] >= 0) continue;
        int32_t member = v;
        do map[member] = count, member = s->next[member];
        while (member != v);
        source[count++] = v;
    }
    return count;
}

/* Rules by which the values of a group become one. */
static float merge_max(float a, float b) { return f_max(a, b); }
static float merge_min(float a, float b) { return f_min(a, b); }
/* The smaller backstop restricts more; -FLT_MAX is no backstop. */
static float merge_backstop(float a, float b) {
    return a == -FLT_MAX ? b : b == -FLT_MAX ? a : f_min(a, b);
}

static void merge_map(const merge *m, const float *from, float *to, float (*rule)(float, float)) {
    if (!from) return;
    for (int i = 0; i < m->def.vertex_count; i++) to[i] = from[m->source[i]];
    for (int v = 0; v < m->seaming->def.vertex_count; v++)
        to[m->map[v]] = rule(to[m->map[v]], from[v]);
}

static void merge_positions(const merge *m, const vo_rt_vec3 *from) {
    for (int i = 0; i < m->def.vertex_count; i++) {
        int32_t first = m->source[i], v = first;
        vo_rt_vec3 sum = {0, 0, 0};
        int count = 0;
        do sum = f3_add(sum, from[v]), count++, v = m->seaming->next[v];
        while (v != first);
        m->positions[i] = count == 1 ? from[first] : f3_scale(1 / (float)count, sum);
    }
}

/* Adds the weight of a bone to a list of four; the smallest is replaced if there is no room. */
static void add_bone(uint16_t *bones, float *weights, uint16_t bone, float weight) {
    int smallest = 0;
    for (int i = 0; i < VO_RT_BONES_PER_VERTEX; i++) {
        if (bones[i] == bone && weights[i] > 0) {
            weights[i] += weight;
            return;
        }
        if (weights[i] < weights[smallest]) smallest = i;
    }
    if (!(weight > weights[smallest])) return;
    bones[smallest] = bone;
    weights[smallest] = weight;
}

static void copy_skin(const merge *m, int vertex) {
    const vo_rt_asset_def *from = &m->seaming->def;
    for (int k = 0; k < VO_RT_BONES_PER_VERTEX; k++) {
        int to = VO_RT_BONES_PER_VERTEX * vertex + k;
        m->bones[to] = from->skin_bones[VO_RT_BONES_PER_VERTEX * m->source[vertex] + k];
        m->weights[to] = from->skin_weights[VO_RT_BONES_PER_VERTEX * m->source[vertex] + k];
    }
}

/* Mean of the skins of a group, restricted to the four largest weights. */
static void merge_skin(const merge *m) {
    const vo_rt_asset_def *from = &m->seaming->def;
    for (int i = 0; i < m->def.vertex_count; i++) {
        uint16_t *bones = m->bones + VO_RT_BONES_PER_VERTEX * i;
        float *weights = m->weights + VO_RT_BONES_PER_VERTEX * i, sum = 0;
        int32_t first = m->source[i], v = first;
        if (m->seaming->next[v] == v) {
            copy_skin(m, i);
            continue;
        }
        do {
            for (int k = VO_RT_BONES_PER_VERTEX * v; k < VO_RT_BONES_PER_VERTEX * (v + 1); k++)
                add_bone(bones, weights, from->skin_bones[k], from->skin_weights[k]);
            v = m->seaming->next[v];
        } while (v != first);
        for (int k = 0; k < VO_RT_BONES_PER_VERTEX; k++) sum += weights[k];
        for (int k = 0; k < VO_RT_BONES_PER_VERTEX; k++) weights[k] /= sum;
    }
}

/* --- Connectivity --------------------------------------------------------------------------- */

static vo_result fail_conflict(const vo_rt_seaming *s, const vo_rt_edge_conflict *conflict,
                               vo_rt_message *message) {
    int a[3] = {-1, -1, -1}, b[3] = {-1, -1, -1};
    const int *h = conflict->half_edge;
    for (int i = 0; i < 3 && h[i] >= 0; i++) {
        a[i] = vo_rt_half_edge_from(s->def.triangles, h[i]);
        b[i] = vo_rt_half_edge_to(s->def.triangles, h[i]);
    }
    if (h[2] >= 0)
        return vo_rt_fail(message, VO_BAD_ARGUMENT,
                          "edges %d-%d, %d-%d and %d-%d would become one edge with the triangles "
                          "%d, %d and %d; an edge joins two, so unlink the vertices of one of them",
                          a[0], b[0], a[1], b[1], a[2], b[2], h[0] / 3, h[1] / 3, h[2] / 3);
    return vo_rt_fail(message, VO_BAD_ARGUMENT,
                      "edges %d-%d and %d-%d would be merged in the same direction, which flips "
                      "triangle %d or %d; link %d with %d and %d with %d, or reverse the triangles "
                      "of a piece",
                      a[0], b[0], a[1], b[1], h[0] / 3, h[1] / 3, a[0], b[1], b[0], a[1]);
}

static vo_result merge_triangles(merge *m, vo_rt_message *message) {
    int count = m->def.triangle_count;
    int32_t *table = vo_rt_scratch_array(&m->scratch, int32_t, vo_rt_edge_table_size(count));
    int32_t *twin = vo_rt_scratch_array(&m->scratch, int32_t, 3 * count);
    if (m->scratch.failed) return vo_rt_fail(message, VO_NO_MEMORY, "no memory for merging");
    for (int i = 0; i < 3 * count; i++) m->triangles[i] = m->map[m->seaming->def.triangles[i]];
    for (int i = 0; i < m->seaming->edge_count; i++) {
        const vo_rt_edge_link *link = &m->seaming->edge[i];
        m->controls[link->half_edge[link->second_controls ? 1 : 0]] = 1;
    }
    vo_rt_edge_conflict conflict;
    if (vo_rt_pair_edges(m->triangles, count, table, twin, &conflict)) return VO_OK;
    return fail_conflict(m->seaming, &conflict, message);
}

/* --- Assets --------------------------------------------------------------------------------- */

static bool allocate(merge *m) {
    const vo_rt_asset_def *def = &m->seaming->def;
    size_t v = (size_t)def->vertex_count;
    vo_rt_scratch *scratch = &m->scratch;
    m->map = vo_rt_scratch_array(scratch, int32_t, v);
    m->source = vo_rt_scratch_array(scratch, int32_t, v);
    m->positions = vo_rt_scratch_array(scratch, vo_rt_vec3, v);
    m->triangles = vo_rt_scratch_array(scratch, int32_t, 3 * def->triangle_count);
    m->attachment = vo_rt_scratch_array(scratch, float, v);
    m->max_distance = vo_rt_scratch_array(scratch, float, v);
    m->backstop = vo_rt_scratch_array(scratch, float, v);
    m->backstop_radius = vo_rt_scratch_array(scratch, float, v);
    m->stiffness = vo_rt_scratch_array(scratch, float, v);
    m->bones = vo_rt_scratch_array(scratch, uint16_t, VO_RT_BONES_PER_VERTEX * v);
    m->weights = vo_rt_scratch_array(scratch, float, VO_RT_BONES_PER_VERTEX *v);
    m->controls = vo_rt_scratch_array(scratch, uint8_t, 3 * def->triangle_count);
    return !scratch->failed;
}

static void merge_vertices(merge *m, const vo_rt_vec3 *positions) {
    const vo_rt_asset_def *from = &m->seaming->def;
    m->def.vertex_count = number_groups(m->seaming, m->map, m->source);
    merge_positions(m, positions);
    merge_map(m, from->attachment, m->attachment, merge_max);
    merge_map(m, from->max_distance, m->max_distance, merge_min);
    merge_map(m, from->backstop, m->backstop, merge_backstop);
    merge_map(m, from->backstop_radius, m->backstop_radius, merge_max);
    merge_map(m, from->stiffness_factor, m->stiffness, merge_max);
    if (from->bone_count > 0) merge_skin(m);
    m->def.positions = m->positions;
    m->def.triangles = m->triangles;
    m->def.attachment = from->attachment ? m->attachment : NULL;
    m->def.max_distance = from->max_distance ? m->max_distance : NULL;
    m->def.backstop = from->backstop ? m->backstop : NULL;
    m->def.backstop_radius = from->backstop_radius ? m->backstop_radius : NULL;
    m->def.stiffness_factor = from->stiffness_factor ? m->stiffness : NULL;
    m->def.skin_bones = from->bone_count > 0 ? m->bones : NULL;
    m->def.skin_weights = from->bone_count > 0 ? m->weights : NULL;
}

static vo_result create_merged(merge *m, const vo_rt_vec3 *positions, vo_rt_asset **out,
                               vo_rt_message *message) {
    const vo_rt_seaming *s = m->seaming;
    if (!allocate(m)) return vo_rt_fail(message, VO_NO_MEMORY, "no memory for merging");
    merge_vertices(m, positions);
    vo_result result = merge_triangles(m, message);
    if (result != VO_OK) return result;
    vo_rt_cook cook = {.def = &m->def,
                       .shape_positions = s->def.positions,
                       .shape_triangles = s->def.triangles,
                       .shape_vertex_count = s->def.vertex_count,
                       .controls = m->controls};
    return vo_rt_cook_asset(&s->allocator, &cook, out, message);
}

/* Each member of a group is linked with its smallest one. */
static int list_links(const vo_rt_seaming *s, vo_rt_link *link, int32_t *map, int32_t *source) {
    int count = 0;
    number_groups(s, map, source);
    for (int32_t v = 0; v < s->def.vertex_count; v++)
        if (source[map[v]] != v) link[count++] = (vo_rt_link){source[map[v]], v};
    return count;
}

/* Cloths stay at the base level and are not tethered while the pieces move. */
static vo_result create_linked(merge *m, const vo_rt_vec3 *positions, vo_rt_asset **out,
                               vo_rt_message *message) {
    const vo_rt_seaming *s = m->seaming;
    size_t v = (size_t)s->def.vertex_count;
    vo_rt_link *link = vo_rt_scratch_array(&m->scratch, vo_rt_link, v);
    m->map = vo_rt_scratch_array(&m->scratch, int32_t, v);
    m->source = vo_rt_scratch_array(&m->scratch, int32_t, v);
    if (m->scratch.failed) return vo_rt_fail(message, VO_NO_MEMORY, "no memory for the links");
    m->def.positions = positions;
    m->def.max_level = 0;
    m->def.tethers = false;
    vo_rt_cook cook = {.def = &m->def,
                       .shape_positions = s->def.positions,
                       .shape_triangles = s->def.triangles,
                       .shape_vertex_count = s->def.vertex_count,
                       .link = link,
                       .link_count = list_links(s, link, m->map, m->source)};
    return vo_rt_cook_asset(&s->allocator, &cook, out, message);
}

vo_result vo_rt_seaming_create_asset(const vo_rt_seaming *seaming, bool is_merged,
                                     const vo_rt_vec3 *positions, vo_rt_asset **out,
                                     vo_rt_message *message) {
    if (!out) return vo_rt_fail(message, VO_BAD_ARGUMENT, "out is NULL; set it to a pointer");
    *out = NULL;
    if (!seaming) return vo_rt_fail(message, VO_BAD_ARGUMENT, "seaming is NULL; create one");
    vo_result result = VO_OK;
    if (positions)
        result = vo_rt_check_positions("positions", positions, seaming->def.vertex_count, message);
    if (result != VO_OK) return result;
    if (!positions) positions = seaming->def.positions;
    merge m = {.seaming = seaming, .scratch = {.allocator = &seaming->allocator}};
    m.def = seaming->def;
    result = is_merged ? create_merged(&m, positions, out, message)
                       : create_linked(&m, positions, out, message);
    vo_rt_scratch_free(&m.scratch);
    return result;
}
