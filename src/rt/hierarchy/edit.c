/* Splits and joins of edges.
 *
 * The edits of a major step have three phases: edges split (new vertices and children) or are
 * marked as joining; each structural triangle beside them is retriangulated once; children and
 * midpoints of joined edges are released. */
#include "rt/hierarchy/mesh_private.h"

#include <float.h>

int vo_rt_mesh_side(const vo_rt_mesh *mesh, int edge, int side) {
    const vo_rt_edge *e = &mesh->edge[edge];
    int face = e->face[side];
    if (face < 0 || e->child >= 0) return face;
    const vo_rt_triangle *t = &mesh->triangle[face];
    if (!t->is_transitional) return face;
    return mesh->triangle[t->parent].level == e->level ? t->parent : -1;
}

bool vo_rt_mesh_can_split(const vo_rt_mesh *mesh, int edge) {
    const vo_rt_edge *e = &mesh->edge[edge];
    if (!(e->flags & VO_RT_EDGE_USED) || (e->flags & VO_RT_EDGE_FIXED)) return false;
    if (e->child >= 0 || e->level >= mesh->max_level) return false;
    if (e->face[0] < 0 && e->face[1] < 0) return false; /* created in this major step */
    for (int s = 0; s < 2; s++)
        if (e->face[s] >= 0 && vo_rt_mesh_side(mesh, edge, s) < 0) return false;
    return !vo_rt_mesh_blocks_division(mesh, edge, 0) && !vo_rt_mesh_blocks_division(mesh, edge, 1);
}

static bool is_split_or_marked(const vo_rt_edge *e) {
    return e->child >= 0 || (e->flags & VO_RT_EDGE_MARKED) != 0;
}

static bool has_split_child(const vo_rt_mesh *mesh, const vo_rt_edge *e) {
    return e->child >= 0 && (is_split_or_marked(&mesh->edge[e->child]) ||
                             is_split_or_marked(&mesh->edge[e->child + 1]));
}

/* True if a C10 triangle has a split child or interior edge, or one that is marked. */
static bool is_refined(const vo_rt_mesh *mesh, int triangle) {
    const vo_rt_triangle *t = &mesh->triangle[triangle];
    if (t->configuration != VO_RT_ALL_SPLIT) return false;
    for (int i = 0; i < 3; i++) {
        if (has_split_child(mesh, &mesh->edge[t->edge[i]])) return true;
        if (is_split_or_marked(&mesh->edge[t->interior[i]])) return true;
    }
    return false;
}

bool vo_rt_mesh_can_join(const vo_rt_mesh *mesh, int edge) {
    const vo_rt_edge *e = &mesh->edge[edge];
    if (!(e->flags & VO_RT_EDGE_USED) || e->child < 0 || has_split_child(mesh, e)) return false;
    for (int s = 0; s < 2; s++)
        if (e->face[s] >= 0 &&
            (is_refined(mesh, e->face[s]) || vo_rt_mesh_blocks_union(mesh, e->face[s])))
            return false;
    return true;
}

/* --- Splitting ----------------------------------------------------------------------------- */

static vo_rt_vec4 middle(vo_rt_vec4 a, vo_rt_vec4 b) {
    return f4_make(f3_lerp(f4_xyz(a), f4_xyz(b), 0.5f), 0.5f * a.w + 0.5f * b.w);
}

/* Mean of two values; `none` if one of them is. */
static float mean_or(float a, float b, float none) {
    return a == none || b == none ? none : 0.5f * a + 0.5f * b;
}

static vo_rt_vertex_maps middle_maps(vo_rt_vertex_maps a, vo_rt_vertex_maps b) {
    return (vo_rt_vertex_maps){.attachment = 0.5f * a.attachment + 0.5f * b.attachment,
                               .max_distance = mean_or(a.max_distance, b.max_distance, FLT_MAX),
                               .backstop = mean_or(a.backstop, b.backstop, -FLT_MAX),
                               .backstop_radius =
                                   0.5f * a.backstop_radius + 0.5f * b.backstop_radius};
}

static int create_middle(vo_rt_mesh *mesh, int edge) {
    vo_rt_front *f = &mesh->front;
    int v = vo_rt_mesh_take_vertex(mesh);
    int a = mesh->edge[edge].vertex[0], b = mesh->edge[edge].vertex[1];
    f->position[v] = middle(f->position[a], f->position[b]);
    f->velocity[v] = middle(f->velocity[a], f->velocity[b]);
    f->previous[v] = middle(f->previous[a], f->previous[b]);
    f->shown[v] = middle(f->shown[a], f->shown[b]);
    f->target[v] = middle(f->target[a], f->target[b]);
    f->normal[v] = f4_make(f3_normalize(f4_xyz(middle(f->normal[a], f->normal[b]))), 0);
    f->maps[v] = middle_maps(f->maps[a], f->maps[b]);
    f->flags[v] = VO_RT_VERTEX_USED | VO_RT_VERTEX_NEW;
    if (f->maps[v].attachment >= 1) f->flags[v] |= VO_RT_VERTEX_ATTACHED;
    f->level[v] = (uint8_t)(mesh->edge[edge].level + 1);
    f->position[v].w = f->mass[v] = 0;
    mesh->mass_units[v] = 0;
    mesh->vertex_edge[v] = edge;
    mesh->stiffness[v] = 0.5f * mesh->stiffness[a] + 0.5f * mesh->stiffness[b];
    return v;
}

/* Material coordinates of the middle of an edge on a side. */
static vo_rt_vec2 middle_coordinate(const vo_rt_mesh *mesh, int edge, int side) {
    const vo_rt_edge *e = &mesh->edge[edge];
    int face = mesh->asset->fine ? vo_rt_mesh_side(mesh, edge, side) : -1;
    if (face < 0) return f2_mid(e->coordinate[side][0], e->coordinate[side][1]);
    const vo_rt_triangle *t = &mesh->triangle[face];
    vo_rt_vec2 middle[3];
    vo_rt_asset_fine_middles(mesh->asset, t->level, t->address, middle);
    return middle[t->edge[0] == edge ? 0 : t->edge[1] == edge ? 1 : 2];
}

static void create_child(vo_rt_mesh *mesh, int edge, int child, int end) {
    const vo_rt_edge *e = &mesh->edge[edge];
    vo_rt_edge c = *e;
    c.vertex[!end] = e->middle;
    c.face[0] = c.face[1] = -1;
    for (int s = 0; s < 2; s++) c.coordinate[s][!end] = middle_coordinate(mesh, edge, s);
    c.parent = edge;
    c.child = c.middle = c.spring = c.bend = -1;
    c.rest = vo_rt_child_rest(mesh->asset, e, &c);
    c.level = (uint8_t)(e->level + 1);
    c.wait = 0;
    c.flags = VO_RT_EDGE_USED | (mesh->edge[child].flags & VO_RT_EDGE_DIRTY);
    mesh->edge[child] = c;
}

/* Waits are staggered by up to half of their length, so that edges that split together are not
 * tested for joining together. */
static uint8_t next_wait(vo_rt_mesh *mesh) {
    mesh->random = mesh->random * 1664525u + 1013904223u;
    int wait = mesh->join_wait < 0 ? 0 : mesh->join_wait > 160 ? 160 : mesh->join_wait;
    return (uint8_t)(wait + (int)((mesh->random >> 16) % (unsigned)(1 + wait / 2)));
}

void vo_rt_mesh_restart_wait(vo_rt_mesh *mesh, int edge) {
    mesh->edge[edge].wait = next_wait(mesh);
}

static void count_split(vo_rt_mesh *mesh, int level, int change) {
    mesh->split_count[level] += change;
    mesh->front.topology++;
    int finest = VO_RT_MAX_LEVEL;
    while (finest > 0 && mesh->split_count[finest - 1] == 0) finest--;
    mesh->finest_level = finest;
}

void vo_rt_mesh_divide_edge(vo_rt_mesh *mesh, int edge) {
    vo_rt_edge *e = &mesh->edge[edge];
    int faces[2] = {vo_rt_mesh_side(mesh, edge, 0), vo_rt_mesh_side(mesh, edge, 1)};
    int child = vo_rt_mesh_take_edge_pair(mesh);
    e->middle = create_middle(mesh, edge);
    create_child(mesh, edge, child, 0);
    create_child(mesh, edge, child + 1, 1);
    for (int s = 0; s < 2; s++) e->face[s] = faces[s];
    e->child = child;
    e->wait = next_wait(mesh);
    vo_rt_mark_dirty(mesh, edge);
    count_split(mesh, e->level, 1);
}

/* --- Joining --------------------------------------------------------------------------------- */

void vo_rt_mesh_begin_join(vo_rt_mesh *mesh, int edge) {
    vo_rt_edge *e = &mesh->edge[edge];
    e->flags |= VO_RT_EDGE_JOINING;
    vo_rt_mesh_merge_momentum(mesh, e);
}

void vo_rt_mesh_end_join(vo_rt_mesh *mesh, int edge) {
    vo_rt_edge *e = &mesh->edge[edge];
    for (int k = 0; k < 2; k++) {
        vo_rt_mesh_remove_spring(mesh, e->child + k);
        vo_rt_mesh_remove_bend(mesh, e->child + k);
    }
    vo_rt_mesh_release_edge_pair(mesh, e->child);
    vo_rt_mesh_release_vertex(mesh, e->middle);
    e->child = e->middle = -1;
    e->wait = 0;
    e->flags &= (uint8_t)~VO_RT_EDGE_JOINING;
    vo_rt_mark_dirty(mesh, edge);
    count_split(mesh, e->level, -1);
}

/* --- Edits ------------------------------------------------------------------------------------ */

static void retriangulate_sides(vo_rt_mesh *mesh, int edge) {
    int faces[2] = {mesh->edge[edge].face[0], mesh->edge[edge].face[1]};
    for (int s = 0; s < 2; s++)
        if (faces[s] >= 0) vo_rt_mesh_retriangulate(mesh, faces[s]);
}

void vo_rt_mesh_finish(vo_rt_mesh *mesh) {
    vo_rt_mesh_update_lists(mesh);
    if (mesh->finest_level == 0) vo_rt_mesh_reset_slots(mesh);
}

int vo_rt_mesh_split(vo_rt_mesh *mesh, int edge) {
    vo_rt_mesh_divide_edge(mesh, edge);
    retriangulate_sides(mesh, edge);
    vo_rt_mesh_finish(mesh);
    return mesh->edge[edge].middle;
}

void vo_rt_mesh_join(vo_rt_mesh *mesh, int edge) {
    vo_rt_mesh_begin_join(mesh, edge);
    retriangulate_sides(mesh, edge);
    vo_rt_mesh_end_join(mesh, edge);
    vo_rt_mesh_finish(mesh);
}

static bool is_joining(const vo_rt_mesh *mesh, int edge) {
    return edge >= 0 && edge < mesh->edge_end && (mesh->edge[edge].flags & VO_RT_EDGE_JOINING);
}

static bool is_marked(const vo_rt_mesh *mesh, int edge) {
    return edge >= 0 && edge < mesh->edge_end && (mesh->edge[edge].flags & VO_RT_EDGE_MARKED);
}

/* Marks the splits that are possible together, then lists which joins remain possible. Nothing is
 * edited yet, because the tests need a complete front. */
static void choose_edits(vo_rt_mesh *mesh, const vo_rt_edits *edits) {
    for (int i = 0; i < edits->split_count; i++) {
        int edge = edits->split[i];
        if (edge < 0 || edge >= mesh->edge_end || is_marked(mesh, edge)) continue;
        if (vo_rt_mesh_can_split(mesh, edge)) mesh->edge[edge].flags |= VO_RT_EDGE_MARKED;
    }
    for (int i = 0; i < edits->join_count; i++) {
        int edge = edits->join[i];
        if (edge < 0 || edge >= mesh->edge_end || is_joining(mesh, edge)) continue;
        if (vo_rt_mesh_can_join(mesh, edge)) mesh->edge[edge].flags |= VO_RT_EDGE_JOINING;
    }
}

/* Each marked edge splits once; an edge that is listed twice has children at the second time. */
static void begin_edits(vo_rt_mesh *mesh, const vo_rt_edits *edits) {
    for (int i = 0; i < edits->join_count; i++)
        if (is_joining(mesh, edits->join[i]))
            vo_rt_mesh_merge_momentum(mesh, &mesh->edge[edits->join[i]]);
    for (int i = 0; i < edits->split_count; i++) {
        int edge = edits->split[i];
        if (is_marked(mesh, edge) && mesh->edge[edge].child < 0) vo_rt_mesh_divide_edge(mesh, edge);
    }
}

static void retriangulate_all(vo_rt_mesh *mesh, const vo_rt_edits *edits) {
    for (int i = 0; i < edits->join_count; i++)
        if (is_joining(mesh, edits->join[i])) retriangulate_sides(mesh, edits->join[i]);
    for (int i = 0; i < edits->split_count; i++)
        if (is_marked(mesh, edits->split[i])) retriangulate_sides(mesh, edits->split[i]);
}

static void clear_new_flags(vo_rt_front *front) {
    for (int i = 0; i < front->vertex_end; i++) front->flags[i] &= (uint8_t)~VO_RT_VERTEX_NEW;
}

void vo_rt_mesh_apply(vo_rt_mesh *mesh, const vo_rt_edits *edits, int wait,
                      vo_rt_created_fn *created, vo_rt_removed_fn *removed, void *user) {
    mesh->join_wait = wait;
    clear_new_flags(&mesh->front);
    choose_edits(mesh, edits);
    begin_edits(mesh, edits);
    retriangulate_all(mesh, edits);
    for (int i = 0; i < edits->join_count; i++) {
        int edge = edits->join[i];
        if (!is_joining(mesh, edge)) continue;
        if (removed) removed(user, mesh, mesh->edge[edge].middle, edge);
        vo_rt_mesh_end_join(mesh, edge);
    }
    vo_rt_mesh_finish(mesh);
    for (int i = 0; i < edits->split_count; i++) {
        int edge = edits->split[i];
        if (!is_marked(mesh, edge)) continue;
        mesh->edge[edge].flags &= (uint8_t)~VO_RT_EDGE_MARKED;
        if (created) created(user, mesh, mesh->edge[edge].middle, edge);
    }
}
