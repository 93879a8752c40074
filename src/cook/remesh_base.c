/* The base mesh of a simplified mesh, and the entry point of remeshing. */
#include "cook/remesh.h"

#include <string.h>

/* Numbers that nodes and verts of the input have in the base mesh; -1: removed. */
typedef struct numbering {
    int *node, *vert;
} numbering;

static bool number_elements(vo_remesh *r, numbering *n) {
    const vo_mesh *m = r->mesh;
    n->node = vo_arena_array(&r->arena, int, m->node_count);
    n->vert = vo_arena_array(&r->arena, int, m->vert_count);
    if (!n->node || !n->vert) return false;
    memset(n->node, -1, (size_t)m->node_count * sizeof *n->node);
    memset(n->vert, -1, (size_t)m->vert_count * sizeof *n->vert);
    for (int f = 0; f < m->face_count; f++)
        for (int k = 0; k < 3 && !r->is_removed[f]; k++) {
            n->node[r->face[f][k]] = 0;
            n->vert[r->vert[f][k]] = 0;
        }
    return true;
}

/* Replaces marks by numbers in ascending order; returns how many there are. */
static int count_marks(int *number, int count) {
    int next = 0;
    for (int i = 0; i < count; i++)
        if (number[i] >= 0) number[i] = next++;
    return next;
}

static bool allocate_data(vo_remesh *r, vo_mesh_data *d) {
    vo_arena *a = &r->arena;
    d->node_x = vo_arena_array(a, vo_vec3, d->node_count);
    d->node_label = vo_arena_array(a, int, d->node_count);
    d->vert_u = vo_arena_array(a, vo_vec2, d->vert_count);
    d->vert_node = vo_arena_array(a, int, d->vert_count);
    d->vert_label = vo_arena_array(a, int, d->vert_count);
    d->face_vert = vo_arena_alloc(a, (size_t)d->face_count * sizeof *d->face_vert);
    d->face_label = vo_arena_array(a, int, d->face_count);
    d->edge_node = vo_arena_alloc(a, ((size_t)r->curve_count + 1) * sizeof *d->edge_node);
    d->edge_label = vo_arena_array(a, int, r->curve_count + 1);
    return d->node_x && d->node_label && d->vert_u && d->vert_node && d->vert_label &&
           d->face_vert && d->face_label && d->edge_node && d->edge_label;
}

/* Label of the first edge of a curve. */
static int curve_label(const vo_remesh *r, const vo_remesh_curve *c) {
    while (c->edge < 0) c = &r->curve[c->child[0]];
    return r->mesh->edge_label[c->edge];
}

static void fill_data(const vo_remesh *r, const numbering *n, vo_mesh_data *d, int *face_of) {
    const vo_mesh *m = r->mesh;
    int faces = 0;
    for (int i = 0; i < m->node_count; i++) {
        if (n->node[i] < 0) continue;
        d->node_x[n->node[i]] = m->node_x[i];
        d->node_label[n->node[i]] = m->node_label[i];
    }
    for (int i = 0; i < m->vert_count; i++) {
        if (n->vert[i] < 0) continue;
        d->vert_u[n->vert[i]] = m->vert_u[i];
        d->vert_node[n->vert[i]] = n->node[m->vert_node[i]];
        d->vert_label[n->vert[i]] = m->vert_label[i];
    }
    for (int f = 0; f < m->face_count; f++) {
        if (r->is_removed[f]) continue;
        for (int k = 0; k < 3; k++) d->face_vert[faces][k] = n->vert[r->vert[f][k]];
        d->face_label[faces] = m->face_label[f];
        face_of[faces++] = f;
    }
    for (int c = 0; c < r->curve_count; c++) {
        int label = r->curve[c].is_used ? curve_label(r, &r->curve[c]) : 0;
        if (label == 0) continue;
        for (int k = 0; k < 2; k++) d->edge_node[d->edge_count][k] = n->node[r->curve[c].node[k]];
        d->edge_label[d->edge_count++] = label;
    }
}

vo_result vo_remesh_create_base(vo_remesh *r, vo_mesh **out, int **face_of) {
    numbering n;
    vo_mesh_data data = {.face_count = r->face_count};
    if (!number_elements(r, &n)) return vo_fail_memory(r->ctx, "a base mesh");
    data.node_count = count_marks(n.node, r->mesh->node_count);
    data.vert_count = count_marks(n.vert, r->mesh->vert_count);
    *face_of = vo_arena_array(&r->arena, int, r->face_count);
    if (!*face_of || !allocate_data(r, &data)) return vo_fail_memory(r->ctx, "a base mesh");
    fill_data(r, &n, &data, *face_of);
    return vo_mesh_build(r->ctx, &data, out);
}

/* --- Entry point ------------------------------------------------------------------------------ */

static vo_result init(vo_remesh *r) {
    const vo_mesh *m = r->mesh;
    vo_arena *a = &r->arena;
    r->face_count = m->face_count;
    r->face = vo_arena_alloc(a, (size_t)m->face_count * sizeof *r->face);
    r->vert = vo_arena_alloc(a, (size_t)m->face_count * sizeof *r->vert);
    r->is_removed = vo_arena_array(a, bool, m->face_count);
    r->first_corner = vo_arena_array(a, int, m->node_count);
    r->next_corner = vo_arena_array(a, int, 3 * m->face_count);
    if (!r->face || !r->vert || !r->is_removed || !r->first_corner || !r->next_corner)
        return vo_fail_memory(r->ctx, "a remeshed garment");
    for (int n = 0; n < m->node_count; n++) r->first_corner[n] = -1;
    for (int c = 3 * m->face_count - 1; c >= 0; c--) {
        int f = c / 3, k = c % 3, node = vo_mesh_face_node(m, f, k);
        r->is_removed[f] = false;
        r->face[f][k] = node;
        r->vert[f][k] = m->face_vert[f][k];
        r->next_corner[c] = r->first_corner[node];
        r->first_corner[node] = c;
    }
    return vo_remesh_find_features(r);
}

static vo_result create_levels(vo_remesh *r, int faces, vo_cook_levels *out) {
    int *face_of;
    VO_TRY(init(r));
    VO_TRY(vo_remesh_simplify(r, faces));
    VO_TRY(vo_remesh_create_base(r, &out->base, &face_of));
    VO_TRY(vo_cook_levels_allocate(r->ctx, out));
    return vo_remesh_resample(r, face_of, out);
}

static void free_remesh(vo_remesh *r) {
    vo_free_array(r->ctx, r->collapse, r->collapse_capacity);
    vo_free_array(r->ctx, r->sector, r->sector_capacity);
    vo_free_array(r->ctx, r->fan_face, r->fan_face_capacity);
    vo_free_array(r->ctx, r->fan_node, r->fan_node_capacity);
    vo_free_array(r->ctx, r->fan_u, r->fan_u_capacity);
    vo_arena_free(&r->arena);
}

vo_result vo_cook_remesh(vo_context *ctx, const vo_mesh *mesh, int faces, int max_level,
                         vo_cook_levels *out) {
    vo_remesh r = {.ctx = ctx, .mesh = mesh};
    *out = (vo_cook_levels){.max_level = max_level};
    vo_arena_init(&r.arena, ctx);
    vo_result result = create_levels(&r, faces, out);
    free_remesh(&r);
    if (result != VO_OK) vo_cook_levels_free(ctx, out);
    return result;
}
