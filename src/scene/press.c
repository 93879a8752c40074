#include "scene/press_private.h"

#include "core/memory.h"
#include "core/parallel.h"

#include <string.h>

enum { ROUNDS = 3 };
#define SHARE   0.4  /* of a limb's thickness that it may be drawn in */
#define DEEPEST 0.03 /* of the body's diagonal */

/* Lists of a fixed size: what they are, of what, how many. */
#define ARRAYS(p, A)                        \
    A(corner_start, int, p->node_count + 1) \
    A(corner, int, 3 * p->face_count)       \
    A(next_start, int, p->node_count + 1)   \
    A(patch_start, int, p->node_count + 1)  \
    A(link_start, int, p->node_count + 1)   \
    A(rest, vo_vec3, p->node_count)         \
    A(rest_normal, vo_vec3, p->node_count)  \
    A(rest_frame, vo_quat, p->node_count)   \
    A(rest_side, vo_vec3, p->face_count)    \
    A(limit, double, p->node_count)         \
    A(area, vo_vec3, p->face_count)         \
    A(turn[0], vo_quat, p->node_count)      \
    A(turn[1], vo_quat, p->node_count)      \
    A(normal, vo_vec3, p->node_count)       \
    A(base, vo_vec3, p->node_count)         \
    A(moved, vo_vec3, p->node_count)        \
    A(before, vo_vec3, p->node_count)       \
    A(box, vo_box, p->face_count)           \
    A(wish, double, p->node_count)          \
    A(draft, double, p->node_count)         \
    A(depth, double, p->node_count)         \
    A(list, int, p->node_count)

static bool allocate(vo_press *p) {
    p->face = vo_alloc(p->ctx, vo_array_bytes((size_t)p->face_count, sizeof *p->face));
    bool had = p->face != NULL;
#define MAKE(name, type, count)                  \
    p->name = vo_new_array(p->ctx, type, count); \
    had = had && p->name;
    ARRAYS(p, MAKE)
#undef MAKE
    return had;
}

/* Faces around each node. */
static void find_corners(vo_press *p) {
    memset(p->corner_start, 0, (size_t)(p->node_count + 1) * sizeof *p->corner_start);
    for (int i = 0; i < 3 * p->face_count; i++) p->corner_start[p->face[i / 3][i % 3] + 1]++;
    for (int n = 0; n < p->node_count; n++) p->corner_start[n + 1] += p->corner_start[n];
    for (int i = 3 * p->face_count - 1; i >= 0; i--) { /* start[n + 1] goes down to that of n */
        int n = p->face[i / 3][i % 3];
        p->corner[--p->corner_start[n + 1]] = i / 3;
    }
    for (int n = 0; n < p->node_count; n++) p->corner_start[n] = p->corner_start[n + 1];
    p->corner_start[p->node_count] = 3 * p->face_count;
}

/* Lists neighbours, each once, or only counts them. `seen` is for marks. */
static int list_next(vo_press *p, int *seen, bool count_only) {
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

static bool find_next(vo_press *p) {
    int *seen = vo_new_array(p->ctx, int, p->node_count);
    if (!seen) return false;
    p->next_count = list_next(p, seen, true);
    p->next = vo_new_array(p->ctx, int, p->next_count);
    p->length = vo_new_array(p->ctx, double, p->next_count);
    p->share = vo_new_array(p->ctx, double, p->next_count);
    bool had = p->next_count == 0 || (p->next && p->length && p->share);
    if (had) list_next(p, seen, false);
    vo_free_array(p->ctx, seen, p->node_count);
    return had;
}

/* Any unit vector across n. */
static vo_vec3 across(vo_vec3 n) {
    vo_vec3 axis = fabs(n.x) < 0.6 ? v3(1, 0, 0) : v3(0, 1, 0);
    return v3_normalize(v3_cross(n, axis));
}

/* Normal, tangent and what makes it of the edges, at rest. */
static void find_frames(vo_press *p) {
    vo_press_find_areas(p, p->rest);
    for (int f = 0; f < p->face_count; f++) p->rest_side[f] = v3_normalize(p->area[f]);
    for (int n = 0; n < p->node_count; n++) {
        p->rest_normal[n] = vo_press_area_normal(p, n);
        vo_vec3 t = across(p->rest_normal[n]);
        for (int i = p->next_start[n]; i < p->next_start[n + 1]; i++) {
            vo_vec3 edge = v3_sub(p->rest[p->next[i]], p->rest[n]);
            p->length[i] = v3_length(edge);
            p->share[i] = v3_dot(t, edge) / vo_max(v3_length2(edge), 1e-30);
        }
        p->rest_frame[n] = vo_press_frame(p, p->rest, n);
    }
}

static void find_size(vo_press *p) {
    vo_box box = box_empty();
    double sum = 0;
    for (int n = 0; n < p->node_count; n++) box = box_add(box, p->rest[n]);
    for (int i = 0; i < p->next_count; i++) sum += p->length[i];
    p->size = v3_distance(box.min, box.max);
    p->edge = sum > 0 ? sum / p->next_count : 1;
}

static void find_thickness(void *arg, int begin, int end, int chunk) {
    vo_press *p = arg;
    (void)chunk;
    for (int n = begin; n < end; n++) p->limit[n] = SHARE * vo_press_thickness(p, n);
}

/* How deep each node may go. */
static void find_limits(vo_press *p) {
    vo_parallel_for(p->ctx, p->node_count, VO_PRESS_GRAIN, find_thickness, p);
    vo_press_even_limits(p);
    double deepest = DEEPEST * p->size;
    for (int n = 0; n < p->node_count; n++) p->limit[n] = vo_min(p->limit[n], deepest);
}

static vo_result build(vo_press *p, const vo_vec3 *rest, const int (*face)[3]) {
    if (!allocate(p)) return vo_fail_memory(p->ctx, "drawing in a body");
    memcpy(p->face, face, (size_t)p->face_count * sizeof *face);
    memcpy(p->rest, rest, (size_t)p->node_count * sizeof *rest);
    find_corners(p);
    if (!find_next(p)) return vo_fail_memory(p->ctx, "drawing in a body");
    find_frames(p);
    find_size(p);
    if (!vo_press_make_patches(p)) return vo_fail_memory(p->ctx, "drawing in a body");
    for (int i = 0; i < p->face_count; i++)
        p->box[i] = box_triangle(rest[face[i][0]], rest[face[i][1]], rest[face[i][2]]);
    VO_TRY(vo_bvh_build(p->ctx, &p->tree, p->box, p->face_count));
    find_limits(p);
    return VO_OK;
}

vo_result vo_press_create(vo_context *ctx, int node_count, const vo_vec3 *rest, int face_count,
                          const int (*face)[3], vo_press **out) {
    *out = NULL;
    VO_REQUIRE(ctx, node_count > 0 && face_count > 0);
    vo_press *p = vo_new(ctx, vo_press);
    if (!p) return vo_fail_memory(ctx, "drawing in a body");
    p->ctx = ctx;
    p->node_count = node_count;
    p->face_count = face_count;
    vo_result result = build(p, rest, face);
    if (result == VO_OK)
        *out = p;
    else
        vo_press_destroy(p);
    return result;
}

void vo_press_destroy(vo_press *p) {
    if (!p) return;
    vo_context *ctx = p->ctx;
    vo_free_array(ctx, p->face, p->face_count);
#define FREE(name, type, count) vo_free_array(ctx, p->name, count);
    ARRAYS(p, FREE)
#undef FREE
    vo_free_array(ctx, p->next, p->next_count);
    vo_free_array(ctx, p->length, p->next_count);
    vo_free_array(ctx, p->share, p->next_count);
    vo_free_array(ctx, p->patch_node, p->patch_node_capacity);
    vo_free_array(ctx, p->patch_weight, p->patch_weight_capacity);
    vo_free_array(ctx, p->link_patch, p->link_count);
    vo_free_array(ctx, p->link_weight, p->link_count);
    vo_free_array(ctx, p->patch_turn, p->patch_count);
    vo_bvh_free(ctx, &p->tree);
    vo_delete(ctx, p);
}

typedef struct measuring {
    vo_press *press;
    double gap;
    double *depth;
    bool first;
} measuring;

/* What every node wishes; later on only those that are drawn in are asked again. */
static void look(void *arg, int begin, int end, int chunk) {
    const measuring *m = arg;
    vo_press *press = m->press;
    (void)chunk;
    for (int n = begin; n < end; n++) {
        double depth = m->depth[n];
        press->wish[n] = depth;
        if (m->first || depth > 0)
            press->wish[n] += vo_press_look(press, n, 2 * (press->limit[n] - depth), m->gap);
    }
}

/* Where a node is when it is drawn in; the same bits where it is not. */
static vo_vec3 drawn_in(const vo_press *press, double depth, int n) {
    return depth > 0 ? v3_add_scaled(press->base[n], -depth, press->normal[n]) : press->base[n];
}

static void draw_in(void *arg, int begin, int end, int chunk) {
    const measuring *m = arg;
    (void)chunk;
    for (int n = begin; n < end; n++) m->press->moved[n] = drawn_in(m->press, m->depth[n], n);
}

void vo_press_measure(vo_press *press, const vo_vec3 *x, double gap, double *depth) {
    measuring m = {press, gap > 0 ? gap : 0, depth, true};
    memset(depth, 0, (size_t)press->node_count * sizeof *depth);
    vo_press_unfold(press, x);
    for (int round = 0; round < ROUNDS; round++) {
        vo_parallel_for(press->ctx, press->node_count, VO_PRESS_GRAIN, draw_in, &m);
        vo_press_refit(press);
        vo_parallel_for(press->ctx, press->node_count, VO_PRESS_GRAIN, look, &m);
        if (!vo_press_any(press, press->wish)) return;
        vo_press_spread(press, depth);
        m.first = false;
    }
}

void vo_press_apply(vo_press *press, const double *depth, vo_vec3 *x) {
    vo_press_unfold(press, x);
    for (int n = 0; n < press->node_count; n++) x[n] = drawn_in(press, depth[n], n);
}

void vo_press_draw_in(vo_press *press, double gap, vo_vec3 *x) {
    vo_press_measure(press, x, gap, press->depth);
    for (int n = 0; n < press->node_count; n++) x[n] = drawn_in(press, press->depth[n], n);
}

double vo_press_limit(const vo_press *press, int node) { return press->limit[node]; }
