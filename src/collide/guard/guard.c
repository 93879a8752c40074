#include "collide/guard/guard.h"

#include "collide/guard/loose_octree.h"
#include "collide/guard/separation.h"
#include "collide/intersections.h"
#include "core/memory.h"
#include "math/predicates.h"

/* A mesh and, for cloth, the octree entries of its faces. */
typedef struct surface {
    const vo_edit *edit; /* NULL: an obstacle */
    const vo_mesh *mesh; /* NULL: absent */
    int *entry;          /* [face_count] -1: not in the octree */
    int entry_capacity;
} surface;

struct vo_guard {
    vo_context *ctx;
    int cloth_count, surface_count, surface_capacity;
    surface *surface; /* cloths, then obstacles */
    vo_loose_octree tree;
    double clearance;
    bool incomplete; /* out of memory: the octree does not contain all faces */
    vo_sweep sweep;  /* sweep of the current query */
};

vo_result vo_guard_create(vo_context *ctx, vo_guard **out) {
    *out = vo_new(ctx, vo_guard);
    if (!*out) return vo_fail_memory(ctx, "the edit guard");
    (*out)->ctx = ctx;
    (*out)->incomplete = true;
    return VO_OK;
}

void vo_guard_destroy(vo_guard *g) {
    if (!g) return;
    for (int i = 0; i < g->surface_capacity; i++)
        vo_free_array(g->ctx, g->surface[i].entry, g->surface[i].entry_capacity);
    vo_free_array(g->ctx, g->surface, g->surface_capacity);
    vo_loose_octree_free(g->ctx, &g->tree);
    vo_delete(g->ctx, g);
}

/* ---- faces ---------------------------------------------------------------------------------- */

/* Computes the box of a face; returns false if a corner is not a valid position. */
static bool find_box(const vo_mesh *m, const int node[3], vo_box *box) {
    vo_vec3 a = m->node_x[node[0]], b = m->node_x[node[1]], c = m->node_x[node[2]];
    *box = box_triangle(a, b, c);
    return vo_position_is_valid(a) && vo_position_is_valid(b) && vo_position_is_valid(c);
}

static void find_nodes(const vo_mesh *m, int face, int node[3]) {
    for (int k = 0; k < 3; k++) node[k] = vo_mesh_face_node(m, face, k);
}

static vo_result fail(vo_guard *g) {
    g->incomplete = true;
    return vo_fail_memory(g->ctx, "the edit guard");
}

/* Reserves entries for all faces of a cloth. */
static bool reserve_entries(vo_guard *g, surface *s, int count) {
    int old = s->entry_capacity;
    if (!vo_reserve(g->ctx, &s->entry, &s->entry_capacity, count)) return false;
    for (int i = old; i < s->entry_capacity; i++) s->entry[i] = -1;
    return true;
}

static vo_result add_cloth_face(vo_guard *g, int cloth, int face) {
    surface *s = &g->surface[cloth];
    int node[3];
    vo_box box;
    find_nodes(s->mesh, face, node);
    if (!find_box(s->mesh, node, &box)) return VO_OK;
    s->entry[face] = vo_loose_octree_add(g->ctx, &g->tree, box, cloth, face, node);
    return s->entry[face] >= 0 ? VO_OK : fail(g);
}

static vo_result add_cloth(vo_guard *g, int cloth) {
    surface *s = &g->surface[cloth];
    if (!reserve_entries(g, s, s->mesh->face_count)) return fail(g);
    for (int f = 0; f < s->entry_capacity; f++) s->entry[f] = -1;
    for (int f = 0; f < s->mesh->face_count; f++)
        if (vo_edit_has_face(s->edit, f)) VO_TRY(add_cloth_face(g, cloth, f));
    return VO_OK;
}

/* Adds the faces of an obstacle that an edit can come close to. */
static vo_result add_obstacle(vo_guard *g, int index, vo_box reachable) {
    const vo_mesh *m = g->surface[index].mesh;
    for (int f = 0; m && f < m->face_count; f++) {
        int node[3];
        vo_box box;
        find_nodes(m, f, node);
        if (!find_box(m, node, &box) || !box_overlaps(box, reachable)) continue;
        if (vo_loose_octree_add(g->ctx, &g->tree, box, index, f, node) < 0) return fail(g);
    }
    return VO_OK;
}

/* Returns the bounds of all cloth. New faces connect old nodes, so edits stay inside. */
static vo_box find_bounds(const vo_guard *g) {
    vo_box all = box_empty();
    for (int i = 0; i < g->cloth_count; i++) {
        const vo_mesh *m = g->surface[i].mesh;
        for (int n = 0; n < m->node_count; n++)
            if (vo_edit_has_node(g->surface[i].edit, n) && vo_position_is_valid(m->node_x[n]))
                all = box_add(all, m->node_x[n]);
    }
    return all;
}

static bool set_surfaces(vo_guard *g, int cloth_count, const vo_edit *const *cloth,
                         int obstacle_count, const vo_mesh *const *obstacle) {
    int count = cloth_count + obstacle_count;
    g->cloth_count = g->surface_count = 0;
    if (!vo_reserve(g->ctx, &g->surface, &g->surface_capacity, count)) return false;
    for (int i = 0; i < count; i++) {
        surface *s = &g->surface[i];
        s->edit = i < cloth_count ? cloth[i] : NULL;
        s->mesh = i < cloth_count ? cloth[i]->mesh : obstacle[i - cloth_count];
    }
    g->cloth_count = cloth_count;
    g->surface_count = count;
    return true;
}

static int count_cloth_faces(const vo_guard *g) {
    int count = 0;
    for (int i = 0; i < g->cloth_count; i++) count += g->surface[i].mesh->face_count;
    return count;
}

vo_result vo_guard_begin(vo_guard *g, int cloth_count, const vo_edit *const *cloth,
                         int obstacle_count, const vo_mesh *const *obstacle, double clearance) {
    VO_REQUIRE(g->ctx, cloth_count >= 0 && obstacle_count >= 0 && clearance >= 0);
    g->incomplete = true;
    g->clearance = clearance;
    if (!set_surfaces(g, cloth_count, cloth, obstacle_count, obstacle)) return fail(g);
    vo_box all = find_bounds(g), reachable = box_grow(all, clearance);
    if (!vo_loose_octree_start(g->ctx, &g->tree, all, count_cloth_faces(g))) return fail(g);
    for (int i = 0; i < cloth_count; i++) VO_TRY(add_cloth(g, i));
    for (int i = cloth_count; i < g->surface_count; i++) VO_TRY(add_obstacle(g, i, reachable));
    vo_loose_octree_refit(&g->tree);
    g->incomplete = false;
    return VO_OK;
}

void vo_guard_remove_face(vo_guard *g, int cloth, int face) {
    VO_REQUIRE(g->ctx, cloth >= 0 && cloth < g->cloth_count);
    surface *s = &g->surface[cloth];
    if (face < 0 || face >= s->entry_capacity || s->entry[face] < 0) return;
    vo_loose_octree_remove(&g->tree, s->entry[face]);
    s->entry[face] = -1;
}

vo_result vo_guard_update_face(vo_guard *g, int cloth, int face) {
    VO_REQUIRE(g->ctx, cloth >= 0 && cloth < g->cloth_count);
    surface *s = &g->surface[cloth];
    VO_REQUIRE(g->ctx, face >= 0 && face < s->mesh->face_count);
    vo_guard_remove_face(g, cloth, face);
    if (!vo_edit_has_face(s->edit, face)) return VO_OK;
    if (!reserve_entries(g, s, face + 1)) return fail(g);
    return add_cloth_face(g, cloth, face);
}

/* ---- queries -------------------------------------------------------------------------------- */

typedef struct query {
    vo_guard *guard;
    int cloth;
} query;

/* Returns the corner of the sweep that a node is, or -1. */
static int find_corner(const vo_sweep *s, int node) {
    if (!(s->node_bits >> (node & 63) & 1)) return -1;
    for (int i = 0; i < s->corner_count; i++)
        if (s->node[i] == node) return i;
    return -1;
}

/* Finds the corners that a face of the same cloth shares with the sweep; returns false if the face
 * is part of the edit. */
static bool find_corners(const vo_sweep *s, const int node[3], vo_guard_face *f) {
    int core = 0;
    for (int k = 0; k < 3; k++) {
        f->corner[k] = find_corner(s, node[k]);
        f->shares |= f->corner[k] >= 0;
        core += f->corner[k] >= 0 && f->corner[k] < s->core_count;
    }
    return core < s->core_count;
}

/* Prepares a face of the octree for the tests; returns false if it is part of the edit, or
 * certainly above or below it. */
static bool prepare_face(const query *q, const vo_octree_entry *e, vo_guard_face *f) {
    const vo_mesh *m = q->guard->surface[e->surface].mesh;
    f->corner[0] = f->corner[1] = f->corner[2] = -1;
    f->shares = false;
    if (e->surface == q->cloth && !find_corners(&q->guard->sweep, e->node, f)) return false;
    for (int k = 0; k < 3; k++) f->x[k] = vo_exact_point(m->node_x[e->node[k]]);
    f->margin = f->shares ? 0 : q->guard->clearance;
    if (!f->shares && vo_guard_is_above(&q->guard->sweep, f)) return false;
    vo_guard_face_query(&q->guard->sweep, f);
    return true;
}

/* Returns true if a face allows the edit. */
static bool allows_edit(void *arg, const vo_octree_entry *e) {
    const query *q = arg;
    vo_sweep *s = &q->guard->sweep;
    vo_guard_face f;
    if (!prepare_face(q, e, &f) || vo_guard_is_separated(s, &f)) return true;
    bool close = false;
    for (int i = 0; i < s->tet_count; i++) {
        if (vo_guard_is_separated_tet(s, &s->tet[i], &f)) continue;
        if (vo_guard_meets_tet(s, &s->tet[i], &f)) return false;
        close = true;
    }
    return !close || f.margin == 0 || !vo_guard_breaks_clearance(s, &f);
}

/* Returns true if no face prevents the edit. */
static bool sweep_is_clear(vo_guard *g, int cloth) {
    query q = {g, cloth};
    if (vo_sweep_folds(&g->sweep)) return false;
    return vo_loose_octree_find(&g->tree, box_grow(g->sweep.box, g->clearance), allows_edit, &q);
}

bool vo_guard_can_flip(vo_guard *g, int cloth, int edge) {
    if (g->incomplete) return false;
    VO_REQUIRE(g->ctx, cloth >= 0 && cloth < g->cloth_count);
    return vo_sweep_flip(g->surface[cloth].edit, edge, &g->sweep) && sweep_is_clear(g, cloth);
}

bool vo_guard_can_collapse(vo_guard *g, int cloth, int edge, int end) {
    if (g->incomplete) return false;
    VO_REQUIRE(g->ctx, cloth >= 0 && cloth < g->cloth_count);
    return vo_sweep_collapse(g->surface[cloth].edit, edge, end, &g->sweep) &&
           sweep_is_clear(g, cloth);
}
