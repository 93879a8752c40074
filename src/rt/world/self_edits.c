/* Edits of cloths that collide with each other, or with the meshes of bodies: splits and joins that
 * could change the surface by more than its distance from other surfaces wait.
 *
 * The first and the second split edge of a triangle do not change its surface: the new midpoint
 * lies on an edge, and the transition with the least change keeps the median
 * (hierarchy/transition.h). The third one exchanges the diagonals of a quadrilateral, the median
 * c-m from corner c and the midline p-q; the surfaces before and after are two sides each of the
 * tetrahedron c m p q:
 *
 *            o                 o
 *           / \               / \
 *          q---m    c-m      q---m    p-q     thickness: distance between the lines c-m and p-q
 *         / \ / \    ->     / \ / \
 *        o---p---c         ...
 *
 * On a smoothly curved surface it is far below the offsets of the midpoints, with which
 * self/edits.c bounds the change of all configurations. */
#include "rt/hierarchy/transition.h"
#include "rt/world/world.h"

/* Part of the bounds on displacements (vo_rt_self_set.bound) that a split may use: they are below
 * half of the distance from features that share no vertex with those of the vertex, and both sides
 * may be edited. Beside a fold, faces that share a vertex are nearer. */
static const float SMOOTH_USE = 0.6f, FOLD_USE = 0.2f;
/* Changes below this are rounding, m. */
static const float ROUNDING = 1e-6f;

/* Bounds of the vertex slots of a cloth after the last query of its group. */
static const float *bounds_of(const vo_rt_cloth *c) {
    const vo_rt_self_set *set = &c->leader->self;
    return set->bound + set->member[c->member].first;
}

/* --- Splits ----------------------------------------------------------------------------------- */

static vo_rt_vec3 position(const vo_rt_mesh *mesh, int vertex) {
    return f4_xyz(mesh->front.position[vertex]);
}

/* Midpoint of an edge of a triangle, before or after its split. */
static vo_rt_vec3 find_middle(const vo_rt_mesh *mesh, int edge) {
    const vo_rt_edge *e = &mesh->edge[edge];
    if (e->child >= 0) return position(mesh, e->middle);
    return f3_lerp(position(mesh, e->vertex[0]), position(mesh, e->vertex[1]), 0.5f);
}

/* Distance between the lines of the segments c-m and p-q; infinite unless the segments cross in
 * projection along it. */
static float measure_tetrahedron(vo_rt_vec3 c, vo_rt_vec3 m, vo_rt_vec3 p, vo_rt_vec3 q) {
    vo_rt_vec3 u = f3_sub(m, c), v = f3_sub(q, p), w = f3_sub(p, c), n = f3_cross(u, v);
    float n2 = f3_length2(n), s = f3_dot(f3_cross(w, v), n), t = f3_dot(f3_cross(w, u), n);
    if (!(n2 > 0) || !(s > 0 && s < n2 && t > 0 && t < n2)) return INFINITY;
    return fabsf(f3_dot(w, n)) / sqrtf(n2);
}

float vo_rt_groups_measure_split(const vo_rt_mesh *mesh, int triangle, int edge) {
    const vo_rt_triangle *t = &mesh->triangle[triangle];
    int split = 0, marked = 0;
    for (int i = 0; i < 3; i++) {
        bool is_split = mesh->edge[t->edge[i]].child >= 0;
        split += is_split;
        marked += !is_split && (t->edge[i] == edge || vo_rt_mesh_is_marked(mesh, t->edge[i]));
    }
    if (split == 0 || split + marked < 3) return 0;
    int corner = vo_rt_lowest_bit(vo_rt_configurations[t->configuration].edges);
    return measure_tetrahedron(
        position(mesh, t->vertex[corner]), find_middle(mesh, t->edge[corner]),
        find_middle(mesh, t->edge[(corner + 1) % 3]), find_middle(mesh, t->edge[(corner + 2) % 3]));
}

/* Displacement of the surface of a triangle that cannot reach another one, from the bounds of its
 * corners and midpoints. */
static float find_permitted(const vo_rt_cloth *c, const vo_rt_triangle *t) {
    const vo_rt_self_set *set = &c->leader->self;
    const float *bound = bounds_of(c);
    const uint8_t *flags = set->flags + set->member[c->member].first;
    float least = INFINITY;
    unsigned smooth = VO_RT_SELF_SMOOTH;
    for (int i = 0; i < 3; i++) {
        const vo_rt_edge *e = &c->mesh.edge[t->edge[i]];
        int middle = e->child >= 0 ? e->middle : t->vertex[i];
        least = f_min(least, f_min(bound[t->vertex[i]], bound[middle]));
        smooth &= flags[t->vertex[i]] & flags[middle];
    }
    return (smooth ? SMOOTH_USE : FOLD_USE) * least;
}

/* True if a split changes the surface so little that it cannot reach another one. */
static bool is_small_split(const vo_rt_cloth *c, int edge) {
    const vo_rt_mesh *mesh = &c->mesh;
    for (int s = 0; s < 2; s++) {
        int face = vo_rt_mesh_side(mesh, edge, s);
        if (face < 0) continue;
        float change = vo_rt_groups_measure_split(mesh, face, edge);
        if (change > ROUNDING && !(change <= find_permitted(c, &mesh->triangle[face])))
            return false;
    }
    return true;
}

/* --- Filter ----------------------------------------------------------------------------------- */

static bool permits(const vo_rt_cloth *c, int edge) {
    if (c->mesh.edge[edge].child < 0 && is_small_split(c, edge)) return true;
    return vo_rt_self_permits_edit(&c->leader->self, c->member, edge, c->world->use_avx2);
}

static int filter(vo_rt_cloth *c, int32_t *edges, int count) {
    int kept = 0;
    for (int i = 0; i < count; i++) {
        bool is_split = c->mesh.edge[edges[i]].child >= 0;
        if (!permits(c, edges[i])) {
            vo_rt_mesh_reject_edit(&c->mesh, edges[i]);
            continue;
        }
        if (!is_split) vo_rt_mesh_mark(&c->mesh, edges[i], true);
        edges[kept++] = edges[i];
    }
    c->stats.self_rejected_edits += count - kept;
    return kept;
}

void vo_rt_groups_filter_edits(vo_rt_cloth *c) {
    if (!c->has_group) return;
    c->edits.split_count = filter(c, c->edits.split, c->edits.split_count);
    c->edits.join_count = filter(c, c->edits.join, c->edits.join_count);
    for (int i = 0; i < c->edits.split_count; i++)
        vo_rt_mesh_mark(&c->mesh, c->edits.split[i], false);
}

void vo_rt_groups_limit_new(vo_rt_cloth *c, int vertex, int edge, vo_rt_vec3 from) {
    if (!c->has_group) return;
    vo_rt_vec4 *x = &c->mesh.front.position[vertex];
    const vo_rt_edge *e = &c->mesh.edge[edge];
    *x = f4_make(vo_rt_self_limit_new(bounds_of(c), e->vertex[0], e->vertex[1], from, f4_xyz(*x)),
                 x->w);
}

float vo_rt_groups_distance(const vo_rt_cloth *c, int a, int b) {
    const vo_rt_self_set *set = &c->leader->self;
    const float *near = set->near + set->member[c->member].first;
    return f_min(near[a], near[b]);
}
