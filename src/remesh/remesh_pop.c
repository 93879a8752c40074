/* Measures the displacement of the surface at tracked points (remesh_local.h). */
#include "core/memory.h"
#include "remesh/remesh_local.h"

enum { MAX_FACE_POINTS = 8 };

/* ---- pool of points -------------------------------------------------------------------------- */

void vo_pop_begin(vo_remesher *r) {
    const vo_mesh *m = r->edit->mesh;
    for (int f = 0; f < m->face_count; f++) {
        r->face_point[f] = -1;
        r->face_moved[f] = 0;
    }
    for (int n = 0; n < m->node_count; n++) r->node_moved[n] = 0;
    r->point_count = 0;
    r->free_point = -1;
}

static vo_result new_point(vo_remesher *r, vo_vec2 u, vo_vec3 x, int *list) {
    int p = r->free_point;
    if (p >= 0)
        r->free_point = r->point[p].next;
    else if (vo_reserve(r->ctx, &r->point, &r->point_capacity, r->point_count + 1))
        p = r->point_count++;
    else
        return vo_fail_memory(r->ctx, "remeshing");
    r->point[p] = (vo_pop_point){u, x, *list};
    *list = p;
    return VO_OK;
}

static void free_point(vo_remesher *r, int point) {
    r->point[point].next = r->free_point;
    r->free_point = point;
}

/* ---- positions ------------------------------------------------------------------------------- */

double vo_pop_barycentric(const vo_mesh *m, const int v[3], vo_vec2 u, double weight[3]) {
    double smallest = INFINITY, sum = 0;
    for (int i = 0; i < 3; i++) {
        weight[i] =
            vo_triangle_cross(u, m->vert_u[v[vo_next_corner(i)]], m->vert_u[v[vo_prev_corner(i)]]);
        sum += weight[i];
    }
    for (int i = 0; i < 3; i++) smallest = vo_min(smallest, weight[i] / sum);
    sum = 0;
    for (int i = 0; i < 3; i++) sum += weight[i] = vo_max(weight[i], 0);
    for (int i = 0; i < 3; i++) weight[i] /= sum;
    return smallest;
}

static vo_vec3 eval_face(const vo_mesh *m, int face, vo_vec2 u) {
    double weight[3];
    vo_vec3 x = v3_zero();
    vo_pop_barycentric(m, m->face_vert[face], u, weight);
    for (int i = 0; i < 3; i++)
        x = v3_add_scaled(x, weight[i], m->node_x[vo_mesh_face_node(m, face, i)]);
    return x;
}

static double measure_distance(const vo_remesher *r, int face, int point) {
    return v3_distance(eval_face(r->edit->mesh, face, r->point[point].u), r->point[point].x);
}

static int find_face(const vo_mesh *m, vo_vec2 u, const int *face, int count) {
    double best = -INFINITY, weight[3];
    int found = face[0];
    for (int i = 0; i < count; i++) {
        double inside = vo_pop_barycentric(m, m->face_vert[face[i]], u, weight);
        if (!(inside > best)) continue;
        best = inside;
        found = face[i];
    }
    return found;
}

/* Removes the least displaced point of a face with more than MAX_FACE_POINTS. */
static void drop_least_moved(vo_remesher *r, int face) {
    int *least = NULL, count = 0;
    double distance = INFINITY;
    for (int p = r->face_point[face]; p >= 0; p = r->point[p].next) count++;
    if (count <= MAX_FACE_POINTS) return;
    for (int *link = &r->face_point[face]; *link >= 0; link = &r->point[*link].next) {
        double here = measure_distance(r, face, *link);
        if (here >= distance) continue;
        distance = here;
        least = link;
    }
    if (!least) return;
    int dropped = *least;
    *least = r->point[dropped].next;
    free_point(r, dropped);
}

void vo_pop_detach(vo_remesher *r, int face, int *list) {
    int *last = &r->face_point[face];
    while (*last >= 0) last = &r->point[*last].next;
    *last = *list;
    *list = r->face_point[face];
    r->face_point[face] = -1;
}

void vo_pop_attach(vo_remesher *r, int list, const int *face, int count) {
    for (int next; list >= 0; list = next) {
        vo_pop_point *p = &r->point[list];
        next = p->next;
        int f = find_face(r->edit->mesh, p->u, face, count);
        p->next = r->face_point[f];
        r->face_point[f] = list;
        drop_least_moved(r, f);
    }
}

/* ---- new points ------------------------------------------------------------------------------ */

static vo_vec3 vert_position(const vo_mesh *m, int vert) { return m->node_x[m->vert_node[vert]]; }

bool vo_pop_intersect_edges(const vo_mesh *m, int a, int b, int c, int d,
                            vo_edge_intersection *out) {
    vo_vec2 ua = m->vert_u[a], uc = m->vert_u[c];
    vo_vec2 ab = v2_sub(m->vert_u[b], ua), cd = v2_sub(m->vert_u[d], uc), ac = v2_sub(uc, ua);
    double area = v2_cross(ab, cd);
    if (area == 0) return false;
    double s = v2_cross(ac, cd) / area, t = v2_cross(ac, ab) / area;
    if (!(s > 0 && s < 1 && t > 0 && t < 1)) return false;
    *out = (vo_edge_intersection){v2_add(ua, v2_scale(s, ab)),
                                  v3_lerp(vert_position(m, a), vert_position(m, b), s),
                                  v3_lerp(vert_position(m, c), vert_position(m, d), t)};
    return true;
}

/* The intersection with the largest displacement. */
typedef struct largest_gap {
    vo_edge_intersection at;
    double gap;
} largest_gap;

static void test_edges(const vo_mesh *m, int a, int b, int c, int d, largest_gap *best) {
    vo_edge_intersection here;
    if (!vo_pop_intersect_edges(m, a, b, c, d, &here)) return;
    double gap = v3_distance(here.old, here.now);
    if (gap > best->gap) *best = (largest_gap){here, gap};
}

vo_result vo_pop_add_flip(vo_remesher *r, const int v[4], int *list) {
    largest_gap c = {.gap = 0};
    test_edges(r->edit->mesh, v[0], v[1], v[2], v[3], &c);
    return c.gap > 0 ? new_point(r, c.at.u, c.at.old, list) : VO_OK;
}

vo_result vo_pop_add_node(vo_remesher *r, int vert, int *list) {
    const vo_mesh *m = r->edit->mesh;
    return new_point(r, m->vert_u[vert], vert_position(m, vert), list);
}

vo_result vo_pop_add_collapse(vo_remesher *r, int from, int to, const int *spoke, int count,
                              int *list) {
    largest_gap c = {.gap = 0};
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++)
            if (spoke[i] != spoke[j]) test_edges(r->edit->mesh, from, spoke[i], to, spoke[j], &c);
    return c.gap > 0 ? new_point(r, c.at.u, c.at.old, list) : VO_OK;
}

/* ---- result ---------------------------------------------------------------------------------- */

vo_result vo_pop_finish(vo_remesher *r) {
    const vo_mesh *m = r->edit->mesh;
    r->pop_count = 0;
    if (!vo_reserve(r->ctx, &r->pop, &r->pop_capacity, r->point_count))
        return vo_fail_memory(r->ctx, "remeshing");
    for (int f = 0; f < m->face_count && r->point_count > 0; f++) {
        if (!vo_edit_has_face(r->edit, f)) continue;
        for (int p = r->face_point[f]; p >= 0; p = r->point[p].next) {
            vo_pop pop = {r->point[p].x, eval_face(m, f, r->point[p].u)};
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
