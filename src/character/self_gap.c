#include "character/self_gap_private.h"

#include "core/memory.h"
#include "core/parallel.h"

#include <string.h>

enum { ROUNDS = 3 };
#define MAX_THICKNESS_RATIO 0.4  /* maximum depth, relative to the thickness of the limb */
#define MAX_DEPTH           0.03 /* maximum depth, relative to the diagonal of the body */

/* Arrays of fixed size: name, type, count. */
#define ARRAYS(p, A)                          \
    A(corner_start, int, p->node_count + 1)   \
    A(corner, int, 3 * p->face_count)         \
    A(next_start, int, p->node_count + 1)     \
    A(patch_start, int, p->node_count + 1)    \
    A(link_start, int, p->node_count + 1)     \
    A(rest, vo_vec3, p->node_count)           \
    A(rest_normal, vo_vec3, p->node_count)    \
    A(rest_frame, vo_quat, p->node_count)     \
    A(rest_side, vo_vec3, p->face_count)      \
    A(limit, double, p->node_count)           \
    A(area, vo_vec3, p->face_count)           \
    A(turn[0], vo_quat, p->node_count)        \
    A(turn[1], vo_quat, p->node_count)        \
    A(normal, vo_vec3, p->node_count)         \
    A(base, vo_vec3, p->node_count)           \
    A(moved, vo_vec3, p->node_count)          \
    A(unsmoothed, vo_vec3, p->node_count)     \
    A(box, vo_box, p->face_count)             \
    A(requested_depth, double, p->node_count) \
    A(next_depth, double, p->node_count)      \
    A(depth, double, p->node_count)           \
    A(list, int, p->node_count)

static bool allocate(vo_self_gap *p) {
    p->face = vo_alloc(p->ctx, vo_array_bytes((size_t)p->face_count, sizeof *p->face));
    bool allocated = p->face != NULL;
#define MAKE(name, type, count)                  \
    p->name = vo_new_array(p->ctx, type, count); \
    allocated = allocated && p->name;
    ARRAYS(p, MAKE)
#undef MAKE
    return allocated;
}

/* Lists the faces around each node. */
static void find_corners(vo_self_gap *p) {
    memset(p->corner_start, 0, (size_t)(p->node_count + 1) * sizeof *p->corner_start);
    for (int i = 0; i < 3 * p->face_count; i++) p->corner_start[p->face[i / 3][i % 3] + 1]++;
    for (int n = 0; n < p->node_count; n++) p->corner_start[n + 1] += p->corner_start[n];
    for (int i = 3 * p->face_count - 1; i >= 0; i--) { /* start[n + 1] decreases to start[n] */
        int n = p->face[i / 3][i % 3];
        p->corner[--p->corner_start[n + 1]] = i / 3;
    }
    for (int n = 0; n < p->node_count; n++) p->corner_start[n] = p->corner_start[n + 1];
    p->corner_start[p->node_count] = 3 * p->face_count;
}

/* Lists the neighbours of each node once, or only counts them. `seen` holds marks. */
static int list_next(vo_self_gap *p, int *seen, bool count_only) {
    int count = 0;
    for (int n = 0; n < p->node_count; n++) seen[n] = -1;
    for (int n = 0; n < p->node_count; n++) {
        if (!count_only) p->next_start[n] = count;
        for (int i = p->corner_start[n]; i < p->corner_start[n + 1]; i++)
            for (int k = 0; k < 3; k++) {
                int other = p->face[p->corner[i]][k];
                if (other == n || seen[other] == n) continue;
                seen[other] = n;
                if (!count_only) p->next[count] = other;
                count++;
            }
    }
    if (!count_only) p->next_start[p->node_count] = count;
    return count;
}

static bool find_next(vo_self_gap *p) {
    int *seen = vo_new_array(p->ctx, int, p->node_count);
    if (!seen) return false;
    p->next_count = list_next(p, seen, true);
    p->next = vo_new_array(p->ctx, int, p->next_count);
    p->length = vo_new_array(p->ctx, double, p->next_count);
    p->tangent_weight = vo_new_array(p->ctx, double, p->next_count);
    bool allocated = p->next_count == 0 || (p->next && p->length && p->tangent_weight);
    if (allocated) list_next(p, seen, false);
    vo_free_array(p->ctx, seen, p->node_count);
    return allocated;
}

/* Returns a unit vector perpendicular to n. */
static vo_vec3 perpendicular(vo_vec3 n) {
    vo_vec3 axis = fabs(n.x) < 0.6 ? v3(1, 0, 0) : v3(0, 1, 0);
    return v3_normalize(v3_cross(n, axis));
}

/* Computes normals, tangents and the edge weights of the tangents at rest. */
static void find_frames(vo_self_gap *p) {
    vo_self_gap_find_areas(p, p->rest);
    for (int f = 0; f < p->face_count; f++) p->rest_side[f] = v3_normalize(p->area[f]);
    for (int n = 0; n < p->node_count; n++) {
        p->rest_normal[n] = vo_self_gap_area_normal(p, n);
        vo_vec3 t = perpendicular(p->rest_normal[n]);
        for (int i = p->next_start[n]; i < p->next_start[n + 1]; i++) {
            vo_vec3 edge = v3_sub(p->rest[p->next[i]], p->rest[n]);
            p->length[i] = v3_length(edge);
            p->tangent_weight[i] = v3_dot(t, edge) / vo_max(v3_length2(edge), 1e-30);
        }
        p->rest_frame[n] = vo_self_gap_frame(p, p->rest, n);
    }
}

static void find_size(vo_self_gap *p) {
    vo_box box = box_empty();
    double sum = 0;
    for (int n = 0; n < p->node_count; n++) box = box_add(box, p->rest[n]);
    for (int i = 0; i < p->next_count; i++) sum += p->length[i];
    p->size = v3_distance(box.min, box.max);
    p->edge = sum > 0 ? sum / p->next_count : 1;
}

static void find_thickness(void *arg, int begin, int end, int chunk) {
    vo_self_gap *p = arg;
    (void)chunk;
    for (int n = begin; n < end; n++)
        p->limit[n] = MAX_THICKNESS_RATIO * vo_self_gap_thickness(p, n);
}

/* Computes the maximum depth of each node. */
static void find_limits(vo_self_gap *p) {
    vo_parallel_for(p->ctx, p->node_count, VO_SELF_GAP_GRAIN, find_thickness, p);
    vo_self_gap_smooth_limits(p);
    double deepest = MAX_DEPTH * p->size;
    for (int n = 0; n < p->node_count; n++) p->limit[n] = vo_min(p->limit[n], deepest);
}

static vo_result build(vo_self_gap *p, const vo_vec3 *rest, const int (*face)[3]) {
    if (!allocate(p)) return vo_fail_memory(p->ctx, "the self gap of a body");
    memcpy(p->face, face, (size_t)p->face_count * sizeof *face);
    memcpy(p->rest, rest, (size_t)p->node_count * sizeof *rest);
    find_corners(p);
    if (!find_next(p)) return vo_fail_memory(p->ctx, "the self gap of a body");
    find_frames(p);
    find_size(p);
    if (!vo_self_gap_make_patches(p)) return vo_fail_memory(p->ctx, "the self gap of a body");
    for (int i = 0; i < p->face_count; i++)
        p->box[i] = box_triangle(rest[face[i][0]], rest[face[i][1]], rest[face[i][2]]);
    VO_TRY(vo_bvh_build(p->ctx, &p->tree, p->box, p->face_count));
    find_limits(p);
    return VO_OK;
}

vo_result vo_self_gap_create(vo_context *ctx, int node_count, const vo_vec3 *rest, int face_count,
                             const int (*face)[3], vo_self_gap **out) {
    *out = NULL;
    VO_REQUIRE(ctx, node_count > 0 && face_count > 0);
    vo_self_gap *p = vo_new(ctx, vo_self_gap);
    if (!p) return vo_fail_memory(ctx, "the self gap of a body");
    p->ctx = ctx;
    p->node_count = node_count;
    p->face_count = face_count;
    vo_result result = build(p, rest, face);
    if (result == VO_OK)
        *out = p;
    else
        vo_self_gap_destroy(p);
    return result;
}

void vo_self_gap_destroy(vo_self_gap *p) {
    if (!p) return;
    vo_context *ctx = p->ctx;
    vo_free_array(ctx, p->face, p->face_count);
#define FREE(name, type, count) vo_free_array(ctx, p->name, count);
    ARRAYS(p, FREE)
#undef FREE
    vo_free_array(ctx, p->next, p->next_count);
    vo_free_array(ctx, p->length, p->next_count);
    vo_free_array(ctx, p->tangent_weight, p->next_count);
    vo_free_array(ctx, p->patch_node, p->patch_node_capacity);
    vo_free_array(ctx, p->patch_weight, p->patch_weight_capacity);
    vo_free_array(ctx, p->link_patch, p->link_count);
    vo_free_array(ctx, p->link_weight, p->link_count);
    vo_free_array(ctx, p->patch_turn, p->patch_count);
    vo_bvh_free(ctx, &p->tree);
    vo_delete(ctx, p);
}

typedef struct measuring {
    vo_self_gap *self_gap;
    double gap;
    double *depth;
    bool first;
} measuring;

/* Computes the requested depth of every node; in later passes only of nodes with an inset. */
static void request_depths(void *arg, int begin, int end, int chunk) {
    const measuring *m = arg;
    vo_self_gap *self_gap = m->self_gap;
    (void)chunk;
    for (int n = begin; n < end; n++) {
        double depth = m->depth[n];
        self_gap->requested_depth[n] = depth;
        if (m->first || depth > 0)
            self_gap->requested_depth[n] +=
                vo_self_gap_node_depth(self_gap, n, 2 * (self_gap->limit[n] - depth), m->gap);
    }
}

/* Returns the inset position of a node; bit-identical to the original where the depth is 0. */
static vo_vec3 inset(const vo_self_gap *self_gap, double depth, int n) {
    return depth > 0 ? v3_add_scaled(self_gap->base[n], -depth, self_gap->normal[n])
                     : self_gap->base[n];
}

static void inset_range(void *arg, int begin, int end, int chunk) {
    const measuring *m = arg;
    (void)chunk;
    for (int n = begin; n < end; n++) m->self_gap->moved[n] = inset(m->self_gap, m->depth[n], n);
}

void vo_self_gap_measure(vo_self_gap *self_gap, const vo_vec3 *x, double gap, double *depth) {
    measuring m = {self_gap, gap > 0 ? gap : 0, depth, true};
    memset(depth, 0, (size_t)self_gap->node_count * sizeof *depth);
    vo_self_gap_unfold(self_gap, x);
    for (int round = 0; round < ROUNDS; round++) {
        vo_parallel_for(self_gap->ctx, self_gap->node_count, VO_SELF_GAP_GRAIN, inset_range, &m);
        vo_self_gap_refit(self_gap);
        vo_parallel_for(self_gap->ctx, self_gap->node_count, VO_SELF_GAP_GRAIN, request_depths, &m);
        if (!vo_self_gap_any(self_gap, self_gap->requested_depth)) return;
        vo_self_gap_spread(self_gap, depth);
        m.first = false;
    }
}

void vo_self_gap_resolve(vo_self_gap *self_gap, double gap, vo_vec3 *x) {
    vo_self_gap_measure(self_gap, x, gap, self_gap->depth);
    for (int n = 0; n < self_gap->node_count; n++) x[n] = inset(self_gap, self_gap->depth[n], n);
}
