/* How far the surface has moved (remesh_local.h says by which points). */
#include "core/memory.h"
#include "remesh/remesh_local.h"

enum { MOST_AT_FACE = 8 };

/* ---- the pool -------------------------------------------------------------------------------- */

void vo_pop_begin(vo_remesher *r) {
    const vo_mesh *m = r->edit->mesh;
    for (int f = 0; f < m->face_count; f++) {
        r->face_point[f] = -1;
        r->face_moved[f] = 0;
    }
    for (int n = 0; n < m->node_count; n++) r->node_moved[n] = 0;
    r->point_count = 0;
    r->point_hole = -1;
}

static vo_result new_point(vo_remesher *r, vo_vec2 u, vo_vec3 x, int *list) {
    int p = r->point_hole;
    if (p >= 0)
        r->point_hole = r->point[p].next;
    else if (vo_reserve(r->ctx, &r->point, &r->point_capacity, r->point_count + 1))
        p = r->point_count++;
    else
        return vo_fail_memory(r->ctx, "remeshing");
    r->point[p] = (vo_pop_point){u, x, *list};
    *list = p;
    return VO_OK;
}

static void free_point(vo_remesher *r, int point) {
    r->point[point].next = r->point_hole;
    r->point_hole = point;
}

/* ---- where points are ------------------------------------------------------------------------ */

double vo_pop_shares(const vo_mesh *m, const int v[3], vo_vec2 u, double share[3]) {
    double least = INFINITY, sum = 0;
    for (int i = 0; i < 3; i++) {
        share[i] = vo_cross_of(u, m->vert_u[v[vo_after(i)]], m->vert_u[v[vo_before(i)]]);
        sum += share[i];
    }
    for (int i = 0; i < 3; i++) least = vo_min(least, share[i] / sum);
    sum = 0;
    for (int i = 0; i < 3; i++) sum += share[i] = vo_max(share[i], 0);
    for (int i = 0; i < 3; i++) share[i] /= sum;
    return least;
}

static vo_vec3 place_in(const vo_mesh *m, int face, vo_vec2 u) {
    double share[3];
    vo_vec3 x = v3_zero();
    vo_pop_shares(m, m->face_vert[face], u, share);
    for (int i = 0; i < 3; i++)
        x = v3_add_scaled(x, share[i], m->node_x[vo_mesh_face_node(m, face, i)]);
    return x;
}

static double distance_in(const vo_remesher *r, int face, int point) {
    return v3_distance(place_in(r->edit->mesh, face, r->point[point].u), r->point[point].x);
}

static int find_face(const vo_mesh *m, vo_vec2 u, const int *face, int count) {
    double best = -INFINITY, share[3];
    int found = face[0];
    for (int i = 0; i < count; i++) {
        double inside = vo_pop_shares(m, m->face_vert[face[i]], u, share);
        if (!(inside > best)) continue;
        best = inside;
        found = face[i];
    }
    return found;
}

/* Drops the point of a full face that has moved least. */
static void thin_out(vo_remesher *r, int face) {
    int *least = NULL, count = 0;
    double distance = INFINITY;
    for (int p = r->face_point[face]; p >= 0; p = r->point[p].next) count++;
    if (count <= MOST_AT_FACE) return;
    for (int *link = &r->face_point[face]; *link >= 0; link = &r->point[*link].next) {
        double here = distance_in(r, face, *link);
        if (here >= distance) continue;
        distance = here;
        least = link;
    }
    if (!least) return;
    int dropped = *least;
    *least = r->point[dropped].next;
    free_point(r, dropped);
}

void vo_pop_take(vo_remesher *r, int face, int *list) {
    int *last = &r->face_point[face];
    while (*last >= 0) last = &r->point[*last].next;
    *last = *list;
    *list = r->face_point[face];
    r->face_point[face] = -1;
}

void vo_pop_put(vo_remesher *r, int list, const int *face, int count) {
    for (int next; list >= 0; list = next) {
        vo_pop_point *p = &r->point[list];
        next = p->next;
        int f = find_face(r->edit->mesh, p->u, face, count);
        p->next = r->face_point[f];
        r->face_point[f] = list;
        thin_out(r, f);
    }
}

/* ---- points that move most ------------------------------------------------------------------- */

static vo_vec3 at_vert(const vo_mesh *m, int vert) { return m->node_x[m->vert_node[vert]]; }

bool vo_pop_cross(const vo_mesh *m, int a, int b, int c, int d, vo_crossing *out) {
    vo_vec2 ua = m->vert_u[a], uc = m->vert_u[c];
    vo_vec2 ab = v2_sub(m->vert_u[b], ua), cd = v2_sub(m->vert_u[d], uc), ac = v2_sub(uc, ua);
    double area = v2_cross(ab, cd);
    if (area == 0) return false;
    double s = v2_cross(ac, cd) / area, t = v2_cross(ac, ab) / area;
    if (!(s > 0 && s < 1 && t > 0 && t < 1)) return false;
    *out = (vo_crossing){v2_add(ua, v2_scale(s, ab)), v3_lerp(at_vert(m, a), at_vert(m, b), s),
                         v3_lerp(at_vert(m, c), at_vert(m, d), t)};
    return true;
}

/* The widest crossing so far. */
typedef struct widest {
    vo_crossing at;
    double gap;
} widest;

static void try_crossing(const vo_mesh *m, int a, int b, int c, int d, widest *best) {
    vo_crossing here;
    if (!vo_pop_cross(m, a, b, c, d, &here)) return;
    double gap = v3_distance(here.old, here.now);
    if (gap > best->gap) *best = (widest){here, gap};
}

vo_result vo_pop_of_flip(vo_remesher *r, const int v[4], int *list) {
    widest c = {.gap = 0};
    try_crossing(r->edit->mesh, v[0], v[1], v[2], v[3], &c);
    return c.gap > 0 ? new_point(r, c.at.u, c.at.old, list) : VO_OK;
}

vo_result vo_pop_of_node(vo_remesher *r, int vert, int *list) {
    const vo_mesh *m = r->edit->mesh;
    return new_point(r, m->vert_u[vert], at_vert(m, vert), list);
}

vo_result vo_pop_of_spokes(vo_remesher *r, int from, int to, const int *spoke, int count,
                           int *list) {
    widest c = {.gap = 0};
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++)
            if (spoke[i] != spoke[j]) try_crossing(r->edit->mesh, from, spoke[i], to, spoke[j], &c);
    return c.gap > 0 ? new_point(r, c.at.u, c.at.old, list) : VO_OK;
}

/* ---- the result ------------------------------------------------------------------------------ */

vo_result vo_pop_finish(vo_remesher *r) {
    const vo_mesh *m = r->edit->mesh;
    r->pop_count = 0;
    if (!vo_reserve(r->ctx, &r->pop, &r->pop_capacity, r->point_count))
        return vo_fail_memory(r->ctx, "remeshing");
    for (int f = 0; f < m->face_count && r->point_count > 0; f++) {
        if (!vo_edit_has_face(r->edit, f)) continue;
        for (int p = r->face_point[f]; p >= 0; p = r->point[p].next) {
            vo_pop pop = {r->point[p].x, place_in(m, f, r->point[p].u)};
            r->pop[r->pop_count++] = pop;
            r->report.popping = vo_max(r->report.popping, v3_distance(pop.from, pop.to));
        }
    }
    return VO_OK;
}

const vo_pop *vo_remesher_pops(const vo_remesher *r, int *count) {
    *count = r->pop_count;
    return r->pop;
}
