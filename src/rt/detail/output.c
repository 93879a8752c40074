/* Bindings of output vertices to leaves, and published positions. */
#include "rt/detail/output.h"

#include "math/simd.h"
#include "rt/hierarchy/transition.h"

#include <string.h>

/* A change of the front is blended in by exp(-t / BLEND_TIME): 5 % remain after 6 frames at 60 Hz.
 */
#define BLEND_TIME (1.0f / 30)
#define MIN_BLEND  1e-5f  /* m, smaller offsets are dropped */
enum { PATH_LEVELS = 5 }; /* levels by which output vertices are sorted */

/* --- Memory --------------------------------------------------------------------------------- */

/* Reserves aligned space in the block; returns NULL while `memory` is NULL. */
static void *take(vo_rt_detail *detail, size_t *used, size_t count, size_t size) {
    void *array = detail->memory ? (char *)detail->memory + *used : NULL;
    *used += (count * size + 63) & ~(size_t)63;
    return array;
}

/* Sets the arrays; returns the size of the block. */
static size_t divide(vo_rt_detail *detail, const vo_rt_asset *asset) {
    size_t used = 0, n = (size_t)asset->render_vertex_count, t = (size_t)asset->triangle_count;
    detail->binding = take(detail, &used, n, sizeof *detail->binding);
    detail->current = take(detail, &used, n, sizeof *detail->current);
    detail->previous = take(detail, &used, n, sizeof *detail->previous);
    detail->blend = take(detail, &used, n, sizeof *detail->blend);
    detail->tangent = take(detail, &used, n, sizeof *detail->tangent);
    detail->order = take(detail, &used, n, sizeof *detail->order);
    detail->first = take(detail, &used, t + 1, sizeof *detail->first);
    detail->base_hash = take(detail, &used, t, sizeof *detail->base_hash);
    return used;
}

/* Child of a 1-to-4 split that contains the point; replaces the weights. Children 0 to 2 cut off
 * the corners, 3 is the centre: the order of configuration C10 in hierarchy/transition.c. */
static int descend(float w[3]) {
    float u = w[0], v = w[1], x = w[2];
    if (u >= v + x) return w[0] = u - v - x, w[1] = 2 * v, w[2] = 2 * x, 0;
    if (v >= u + x) return w[0] = v - u - x, w[1] = 2 * x, w[2] = 2 * u, 1;
    if (x >= u + v) return w[0] = x - u - v, w[1] = 2 * u, w[2] = 2 * v, 2;
    return w[0] = v + x - u, w[1] = u + x - v, w[2] = u + v - x, 3;
}

/* Two bits per level: the children that contain the point, the first level in the highest bits. */
static int path_of(const vo_rt_render_vertex *r) {
    float w[3] = {r->weight[0], r->weight[1], r->weight[2]};
    int path = 0;
    for (int level = 0; level < PATH_LEVELS; level++) path = 4 * path + descend(w);
    return path;
}

/* Sorts the output vertices by base triangle and path, so that vertices that are bound one after
 * the other mostly descend to the same leaf. Counting sort, `tangent` is temporary memory. */
static void sort_vertices(vo_rt_detail *detail, const vo_rt_asset *asset) {
    int32_t *first = detail->first, *by_path = (int32_t *)(void *)detail->tangent;
    int32_t offset[(1 << 2 * PATH_LEVELS) + 1] = {0};
    int count = asset->render_vertex_count;
    for (int i = 0; i < count; i++) offset[path_of(&asset->render_vertex[i]) + 1]++;
    for (int p = 1; p <= 1 << 2 * PATH_LEVELS; p++) offset[p] += offset[p - 1];
    for (int i = 0; i < count; i++) by_path[offset[path_of(&asset->render_vertex[i])]++] = i;
    for (int i = 0; i < count; i++) first[asset->render_vertex[i].triangle]++;
    for (int t = 0, sum = 0; t <= asset->triangle_count; t++) sum += first[t], first[t] = sum;
    for (int k = count - 1; k >= 0; k--)
        detail->order[--first[asset->render_vertex[by_path[k]].triangle]] = by_path[k];
}

bool vo_rt_detail_init(vo_rt_detail *detail, const vo_allocator *allocator,
                       const vo_rt_asset *asset) {
    *detail = (vo_rt_detail){0};
    detail->memory_bytes = divide(detail, asset);
    detail->memory = allocator->allocate(allocator->user, detail->memory_bytes, 64);
    if (!detail->memory) return false;
    memset(detail->memory, 0, detail->memory_bytes);
    divide(detail, asset);
    sort_vertices(detail, asset);
    detail->alpha = 1;
    return true;
}

void vo_rt_detail_free(vo_rt_detail *detail, const vo_allocator *allocator,
                       const vo_rt_asset *asset) {
    (void)asset;
    if (detail->memory) allocator->release(allocator->user, detail->memory, detail->memory_bytes);
    *detail = (vo_rt_detail){0};
}

/* --- Positions ------------------------------------------------------------------------------ */

static vo_rt_vec3 interpolate(const vo_rt_vec4 *values, const vo_rt_binding *b) {
    vo_f4 p = f4_load(&values[b->slot[0]]), q = f4_load(&values[b->slot[1]]);
    vo_f4 r = f4_load(&values[b->slot[2]]);
    vo_f4 x = b->weight[0] * p + b->weight[1] * q + b->weight[2] * r;
    return f3(x[0], x[1], x[2]);
}

/* All leaves are base triangles. */
static bool is_base_level(const vo_rt_mesh *mesh) {
    return mesh->front.triangle_count == mesh->asset->triangle_count;
}

/* Binding at the base level, from the asset, whose memory all instances share: those of the
 * instances of a crowd do not fit into the cache. */
static inline vo_rt_binding get_base_binding(const vo_rt_asset *asset, int i) {
    const vo_rt_render_vertex *r = &asset->render_vertex[i];
    const int32_t *v = asset->triangle[r->triangle].vertex;
    return (vo_rt_binding){{v[0] + 1, v[1] + 1, v[2] + 1},
                           {r->weight[0], r->weight[1], r->weight[2]}};
}

/* Positions of the leaf vertices at `alpha`; NULL: there is no room for them, `tangent` is
 * temporary memory. */
static const vo_rt_vec4 *blend_leaves(vo_rt_detail *detail, const vo_rt_mesh *mesh, float alpha) {
    const vo_rt_front *f = &mesh->front;
    if (alpha == 1) return f->position;
    if (f->vertex_end > mesh->asset->render_vertex_count) return NULL;
    for (int i = 0; i < f->vertex_end; i++) {
        vo_f4 a = f4_load(&f->shown[i]), b = f4_load(&f->position[i]);
        f4_store(&detail->tangent[i], a + alpha * (b - a));
    }
    return detail->tangent;
}

/* Position of an output vertex without its blend; `leaves`: of blend_leaves, or NULL. */
static vo_rt_vec3 evaluate(const vo_rt_detail *detail, const vo_rt_mesh *mesh, int i, float alpha,
                           const vo_rt_vec4 *leaves) {
    const vo_rt_binding *b = &detail->binding[i], base = get_base_binding(mesh->asset, i);
    if (is_base_level(mesh)) b = &base;
    vo_rt_vec3 x = interpolate(leaves ? leaves : mesh->front.position, b);
    if (!leaves && alpha != 1) x = f3_lerp(interpolate(mesh->front.shown, b), x, alpha);
    float offset = mesh->asset->render_vertex[i].offset;
    if (offset == 0) return x;
    return f3_add_scaled(x, offset, f3_normalize(interpolate(mesh->front.normal, b)));
}

void vo_rt_detail_publish(vo_rt_detail *detail, const vo_rt_mesh *mesh, float alpha, float dt) {
    float decay = dt > 0 ? expf(-dt / BLEND_TIME) : 1;
    alpha = alpha >= 0 && alpha <= 2 ? alpha : 1;
    const vo_rt_vec4 *leaves = blend_leaves(detail, mesh, alpha);
    vo_rt_vec3 *next = detail->previous;
    detail->previous = detail->current;
    detail->current = next;
    bool has_blend = false;
    for (int i = 0; i < mesh->asset->render_vertex_count; i++) {
        vo_rt_vec3 x = evaluate(detail, mesh, i, alpha, leaves);
        if (!detail->has_blend) {
            next[i] = x;
            continue;
        }
        vo_rt_vec3 blend = detail->blend[i];
        if (blend.x != 0 || blend.y != 0 || blend.z != 0) {
            blend = f3_scale(decay, blend);
            if (!(f3_length2(blend) > MIN_BLEND * MIN_BLEND)) blend = f3(0, 0, 0);
            detail->blend[i] = blend;
            has_blend = has_blend || blend.x != 0 || blend.y != 0 || blend.z != 0;
            x = f3_add(x, blend);
        }
        next[i] = x;
    }
    if (!detail->has_output)
        memcpy(detail->previous, next,
               (size_t)mesh->asset->render_vertex_count * sizeof *detail->previous);
    detail->alpha = alpha;
    detail->has_output = true;
    detail->has_blend = has_blend;
}

void vo_rt_detail_reset(vo_rt_detail *detail) {
    detail->has_output = detail->has_blend = false;
    if (detail->memory) /* `blend` ends where `tangent` begins */
        memset(detail->blend, 0, (size_t)((char *)detail->tangent - (char *)detail->blend));
}

void vo_rt_detail_shift(vo_rt_detail *detail, const vo_rt_asset *asset, vo_rt_vec3 offset) {
    for (int i = 0; i < asset->render_vertex_count; i++) {
        detail->current[i] = f3_sub(detail->current[i], offset);
        detail->previous[i] = f3_sub(detail->previous[i], offset);
    }
}

/* --- Bindings ------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
}

/* Hash of the configurations below a base triangle, in depth-first order, and of the slots of its
 * leaves: they determine all bindings. Never 0. */
static uint64_t hash_subtree(const vo_rt_mesh *mesh, int base_triangle) {
    int stack[3 * VO_RT_MAX_LEVEL + 8], depth = 0;
    uint64_t hash = 1;
    stack[depth++] = base_triangle;
    while (depth > 0) {
        const vo_rt_triangle *t = &mesh->triangle[stack[--depth]];
        if (t->configuration == 0) {
            hash = mix(hash, (uint64_t)(uint32_t)t->vertex[0] << 32 | (uint32_t)t->vertex[1]);
            hash = mix(hash, (uint32_t)t->vertex[2]);
            continue;
        }
        hash = mix(hash, t->configuration);
        for (int k = 0; k < 4; k++) {
            if (t->child[k] < 0) continue;
            stack[depth++] = t->child[k];
            __builtin_prefetch(&mesh->triangle[t->child[k]]); /* cache misses dominate */
            __builtin_prefetch(&mesh->triangle[t->child[k]].configuration);
        }
    }
    return hash ? hash : 1;
}

/* Same as vo_rt_mesh_locate, with 1-to-4 splits, which are most levels, in closed form. */
static void bind_vertex(vo_rt_detail *detail, const vo_rt_mesh *mesh, int i) {
    const vo_rt_render_vertex *r = &mesh->asset->render_vertex[i];
    vo_rt_binding *b = &detail->binding[i];
    float w[3] = {r->weight[0], r->weight[1], r->weight[2]};
    int t = r->triangle;
    while (mesh->triangle[t].configuration == VO_RT_ALL_SPLIT)
        t = mesh->triangle[t].child[descend(w)];
    vo_rt_mesh_locate(mesh, t, w, b->slot, b->weight);
}

/* Which base triangles bind_changed tests: those without a hash are marked. */
typedef enum bind_set { BIND_ALL, BIND_MARKED } bind_set;

/* Binds the vertices of the base triangles that changed; `blends`: keeps their positions. */
static void bind_changed(vo_rt_detail *detail, const vo_rt_mesh *mesh, bind_set set, bool blends) {
    for (int t = 0; t < mesh->asset->triangle_count; t++) {
        if (set == BIND_MARKED && detail->base_hash[t] != 0) continue;
        uint64_t hash = hash_subtree(mesh, t);
        if (hash == detail->base_hash[t]) continue;
        detail->base_hash[t] = hash;
        for (int k = detail->first[t]; k < detail->first[t + 1]; k++) {
            int i = detail->order[k];
            bind_vertex(detail, mesh, i);
            if (!blends) continue;
            vo_rt_vec3 blend =
                f3_sub(detail->current[i], evaluate(detail, mesh, i, detail->alpha, NULL));
            detail->blend[i] = f3_is_finite(blend) ? blend : f3(0, 0, 0);
            detail->has_blend = true;
        }
    }
    detail->topology = mesh->front.topology;
}

static bool is_bound(const vo_rt_detail *detail, const vo_rt_mesh *mesh) {
    return mesh->asset->triangle_count > 0 && detail->base_hash[0] != 0;
}

void vo_rt_detail_rebind(vo_rt_detail *detail, const vo_rt_mesh *mesh) {
    if (is_bound(detail, mesh) && detail->topology == mesh->front.topology) return;
    bind_changed(detail, mesh, BIND_ALL, detail->has_output);
}

/* Forgets the hashes of the base triangles above the triangles beside an edge. */
static void mark_edge(vo_rt_detail *detail, const vo_rt_mesh *mesh, int edge) {
    for (int s = 0; s < 2; s++) {
        int t = mesh->edge[edge].face[s];
        while (t >= 0 && mesh->triangle[t].parent >= 0) t = mesh->triangle[t].parent;
        if (t >= 0) detail->base_hash[t] = 0;
    }
}

void vo_rt_detail_rebind_edits(vo_rt_detail *detail, const vo_rt_mesh *mesh,
                               const vo_rt_edits *edits) {
    bind_set set = is_bound(detail, mesh) ? BIND_MARKED : BIND_ALL;
    for (int i = 0; i < edits->split_count; i++) mark_edge(detail, mesh, edits->split[i]);
    for (int i = 0; i < edits->join_count; i++) mark_edge(detail, mesh, edits->join[i]);
    bind_changed(detail, mesh, set, detail->has_output);
}

/* --- Snapshots ------------------------------------------------------------------------------ */

typedef struct snapshot_head {
    float alpha;
    uint32_t has_output;
} snapshot_head;

size_t vo_rt_detail_save(const vo_rt_detail *detail, const vo_rt_asset *asset, void *data) {
    size_t bytes = (size_t)asset->render_vertex_count * sizeof(vo_rt_vec3);
    snapshot_head head = {detail->alpha, detail->has_output};
    if (data) {
        char *to = data;
        memcpy(to, &head, sizeof head);
        memcpy(to + sizeof head, detail->current, bytes);
        memcpy(to + sizeof head + bytes, detail->previous, bytes);
        memcpy(to + sizeof head + 2 * bytes, detail->blend, bytes);
    }
    return sizeof head + 3 * bytes;
}

bool vo_rt_detail_restore(vo_rt_detail *detail, const vo_rt_mesh *mesh, const void *data,
                          size_t bytes) {
    size_t size = (size_t)mesh->asset->render_vertex_count * sizeof(vo_rt_vec3);
    if (bytes != vo_rt_detail_save(detail, mesh->asset, NULL)) return false;
    snapshot_head head;
    const char *from = data;
    memcpy(&head, from, sizeof head);
    memcpy(detail->current, from + sizeof head, size);
    memcpy(detail->previous, from + sizeof head + size, size);
    memcpy(detail->blend, from + sizeof head + 2 * size, size);
    detail->alpha = head.alpha >= 0 && head.alpha <= 2 ? head.alpha : 1;
    detail->has_output = head.has_output != 0;
    detail->has_blend = true;
    bind_changed(detail, mesh, BIND_ALL, false);
    return true;
}
