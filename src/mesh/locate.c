#include "mesh/locate.h"

#include "core/memory.h"
#include "mesh/morton.h"
#include "mesh/side_table.h"

enum { BLOCK = 4 }; /* faces per leaf */

/* ---- order ----------------------------------------------------------------------------------- */

static vo_vec2 centre_of(const vo_mesh *m, int face) {
    const int *v = m->face_vert[face];
    vo_vec2 sum = v2_add(v2_add(m->vert_u[v[0]], m->vert_u[v[1]]), m->vert_u[v[2]]);
    return v2_scale(1.0 / 3, sum);
}

/* The bounding square of all verts: minimum corner and side. */
static vo_vec2 find_bounding_square(const vo_mesh *m, double *side) {
    vo_vec2 low = v2(INFINITY, INFINITY), high = v2(-INFINITY, -INFINITY);
    for (int v = 0; v < m->vert_count; v++) {
        low = v2(vo_min(low.x, m->vert_u[v].x), vo_min(low.y, m->vert_u[v].y));
        high = v2(vo_max(high.x, m->vert_u[v].x), vo_max(high.y, m->vert_u[v].y));
    }
    *side = vo_max(high.x - low.x, high.y - low.y);
    return low;
}

/* The patch of a face; patch_count, which sorts last, if it is not indexed. */
static int patch_of(const vo_locator *l, int face) {
    int patch = l->mesh->vert_patch[l->mesh->face_vert[face][0]];
    return patch >= 0 && patch < l->patch_count ? patch : l->patch_count;
}

/* Computes the offsets of the faces and blocks of each patch. */
static void count_patches(vo_locator *l) {
    for (int p = 0; p <= l->patch_count; p++) l->first_face[p] = 0;
    for (int f = 0; f < l->face_count; f++) {
        int patch = patch_of(l, f);
        if (patch < l->patch_count) l->first_face[patch + 1]++;
    }
    l->first_block[0] = 0;
    for (int p = 0; p < l->patch_count; p++) {
        int blocks = (l->first_face[p + 1] + BLOCK - 1) / BLOCK;
        l->first_block[p + 1] = l->first_block[p] + blocks;
        l->first_face[p + 1] += l->first_face[p];
    }
}

/* Radix sort by patch and Morton code, least significant digit first. The capacity of `key` and
 * `scratch` is the number of faces, that of `start` the number of cells or patches. */
static void sort_faces(vo_locator *l, int *key, int *scratch, int *start) {
    double side;
    vo_vec2 low = find_bounding_square(l->mesh, &side);
    for (int f = 0; f < l->face_count; f++) l->order[f] = f;
    for (int digit = 0; digit < 2; digit++) {
        for (int f = 0; f < l->face_count; f++)
            key[f] = vo_morton_code(centre_of(l->mesh, f), low, side) >> digit * VO_MORTON_BITS &
                     (VO_MORTON_CELLS - 1);
        vo_sort_by_key(l->face_count, l->order, key, VO_MORTON_CELLS, scratch, start);
    }
    for (int f = 0; f < l->face_count; f++) key[f] = patch_of(l, f);
    vo_sort_by_key(l->face_count, l->order, key, l->patch_count + 1, scratch, start);
}

static bool make_order(vo_locator *l) {
    vo_context *ctx = l->ctx;
    int keys = vo_max_int(VO_MORTON_CELLS, l->patch_count + 1) + 1;
    int *key = vo_new_array(ctx, int, l->face_count);
    int *scratch = vo_new_array(ctx, int, l->face_count), *start = vo_new_array(ctx, int, keys);
    bool ok = key && scratch && start;
    if (ok) sort_faces(l, key, scratch, start);
    vo_free_array(ctx, key, l->face_count);
    vo_free_array(ctx, scratch, l->face_count);
    vo_free_array(ctx, start, keys);
    return ok;
}

/* ---- tree ------------------------------------------------------------------------------------ */

/* A subtree: faces begin to end - 1 of `order`, in `blocks` blocks. */
typedef struct branch {
    int node, begin, end, blocks;
} branch;

static branch left_of(branch b) {
    int blocks = b.blocks / 2;
    return (branch){b.node + 1, b.begin, b.begin + blocks * BLOCK, blocks};
}

static branch right_of(branch b) {
    int left = b.blocks / 2;
    return (branch){b.node + 2 * left, b.begin + left * BLOCK, b.end, b.blocks - left};
}

static branch trunk_of(const vo_locator *l, int patch) {
    return (branch){2 * l->first_block[patch], l->first_face[patch], l->first_face[patch + 1],
                    l->first_block[patch + 1] - l->first_block[patch]};
}

static vo_box2 box_of_faces(const vo_locator *l, branch b) {
    vo_box2 box = {v2(INFINITY, INFINITY), v2(-INFINITY, -INFINITY)};
    for (int i = b.begin; i < b.end; i++)
        for (int k = 0; k < 3; k++) {
            vo_vec2 u = l->mesh->vert_u[l->mesh->face_vert[l->order[i]][k]];
            box.low = v2(vo_min(box.low.x, u.x), vo_min(box.low.y, u.y));
            box.high = v2(vo_max(box.high.x, u.x), vo_max(box.high.y, u.y));
        }
    return box;
}

/* Computes the boxes of a subtree. Recursion depth: logarithm of the blocks. */
static vo_box2 build_subtree(vo_locator *l, branch b) {
    vo_box2 box;
    if (b.blocks == 1) {
        box = box_of_faces(l, b);
    } else {
        vo_box2 left = build_subtree(l, left_of(b)), right = build_subtree(l, right_of(b));
        box.low = v2(vo_min(left.low.x, right.low.x), vo_min(left.low.y, right.low.y));
        box.high = v2(vo_max(left.high.x, right.high.x), vo_max(left.high.y, right.high.y));
    }
    l->box[b.node] = box;
    return box;
}

static bool allocate(vo_locator *l) {
    l->order = vo_new_array(l->ctx, int, l->face_count);
    l->first_face = vo_new_array(l->ctx, int, l->patch_count + 1);
    l->first_block = vo_new_array(l->ctx, int, l->patch_count + 1);
    if (!l->order || !l->first_face || !l->first_block) return false;
    count_patches(l);
    l->box_count = 2 * l->first_block[l->patch_count] + 1;
    l->box = vo_new_array(l->ctx, vo_box2, l->box_count);
    return l->box && make_order(l);
}

vo_result vo_locator_create(vo_context *ctx, const vo_mesh *mesh, int patch_count,
                            vo_locator *out) {
    *out = (vo_locator){
        .ctx = ctx, .mesh = mesh, .patch_count = patch_count, .face_count = mesh->face_count};
    if (!allocate(out)) {
        vo_locator_free(out);
        return vo_fail_memory(ctx, "finding points on a mesh");
    }
    for (int p = 0; p < patch_count; p++)
        if (vo_locator_has_patch(out, p)) build_subtree(out, trunk_of(out, p));
    return VO_OK;
}

void vo_locator_free(vo_locator *l) {
    vo_free_array(l->ctx, l->order, l->face_count);
    vo_free_array(l->ctx, l->first_face, l->patch_count + 1);
    vo_free_array(l->ctx, l->first_block, l->patch_count + 1);
    vo_free_array(l->ctx, l->box, l->box_count);
    *l = (vo_locator){.ctx = l->ctx};
}

/* ---- search ---------------------------------------------------------------------------------- */

typedef struct search {
    vo_vec2 u;
    int face; /* best result, -1 */
    double distance2;
} search;

static double distance2_to_box(const vo_box2 *b, vo_vec2 u) {
    double x = vo_max(0, vo_max(b->low.x - u.x, u.x - b->high.x));
    double y = vo_max(0, vo_max(b->low.y - u.y, u.y - b->high.y));
    return x * x + y * y;
}

static double distance2_to_face(const vo_mesh *m, int face, vo_vec2 u) {
    double nearest = INFINITY;
    bool inside = true;
    for (int i = 0; i < 3; i++) {
        vo_vec2 a = m->vert_u[m->face_vert[face][i]],
                b = m->vert_u[m->face_vert[face][(i + 1) % 3]];
        double t = vo_segment_param(a, b, u);
        vo_vec2 d = v2_sub(u, v2_add(a, v2_scale(t, v2_sub(b, a))));
        nearest = vo_min(nearest, v2_dot(d, d));
        inside = inside && vo_triangle_cross(a, b, u) >= 0;
    }
    return inside ? 0 : nearest;
}

static void search_faces(const vo_locator *l, branch b, search *s) {
    for (int i = b.begin; i < b.end; i++) {
        double distance2 = distance2_to_face(l->mesh, l->order[i], s->u);
        if (s->face >= 0 && !(distance2 < s->distance2)) continue;
        s->face = l->order[i];
        s->distance2 = distance2;
    }
}

/* Searches the nearer child first and prunes subtrees that are not nearer than the best result. */
static void search_branch(const vo_locator *l, branch b, search *s) {
    if (b.blocks == 1) {
        search_faces(l, b, s);
        return;
    }
    branch near = left_of(b), far = right_of(b);
    double to_near = distance2_to_box(&l->box[near.node], s->u);
    double to_far = distance2_to_box(&l->box[far.node], s->u);
    if (to_far < to_near) {
        branch branch_swap = near;
        double distance_swap = to_near;
        near = far, far = branch_swap;
        to_near = to_far, to_far = distance_swap;
    }
    if (s->face < 0 || to_near < s->distance2) search_branch(l, near, s);
    if (s->face < 0 || to_far < s->distance2) search_branch(l, far, s);
}

static bool is_in_box(const vo_box2 *b, vo_vec2 u) {
    return u.x >= b->low.x && u.x <= b->high.x && u.y >= b->low.y && u.y <= b->high.y;
}

/* A face that contains u, -1 if there is none: cheaper than distances and usually sufficient. */
static int find_containing_face(const vo_locator *l, branch b, vo_vec2 u) {
    if (!is_in_box(&l->box[b.node], u)) return -1;
    if (b.blocks > 1) {
        int face = find_containing_face(l, left_of(b), u);
        return face >= 0 ? face : find_containing_face(l, right_of(b), u);
    }
    for (int i = b.begin; i < b.end; i++) {
        const int *v = l->mesh->face_vert[l->order[i]];
        vo_vec2 p = l->mesh->vert_u[v[0]], q = l->mesh->vert_u[v[1]], r = l->mesh->vert_u[v[2]];
        if (vo_triangle_cross(p, q, u) >= 0 && vo_triangle_cross(q, r, u) >= 0 &&
            vo_triangle_cross(r, p, u) >= 0)
            return l->order[i];
    }
    return -1;
}

int vo_locate_nearest(const vo_locator *l, int patch, vo_vec2 u) {
    search s = {.u = u, .face = -1, .distance2 = INFINITY};
    if (!vo_locator_has_patch(l, patch)) return -1;
    branch trunk = trunk_of(l, patch);
    int holder = find_containing_face(l, trunk, u);
    if (holder >= 0) return holder;
    search_branch(l, trunk, &s);
    return s.face;
}
