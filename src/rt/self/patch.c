/* Flat patches: parts of a cloth that cannot collide with themselves.
 *
 * Volino and Magnenat-Thalmann 1994, "Efficient self-collision detection on smoothly discretized
 * surface animations using geometrical shape regularity": a patch does not intersect itself if its
 * normals have positive projections on one vector and its boundary, projected along this vector, is
 * simple. Here both hold at every time s of linear paths. A cell is the set of the leaves of a base
 * triangle, a fan the set of cells around a vertex of the base mesh.
 *
 * Proof. Let all area vectors of the faces have positive projections on the axis at every s: all
 * Bernstein coefficients have (star.c). Then the number of faces whose projections contain a point
 * is the winding number of the sum of their boundaries around it, that is of the sides of the cells
 * that are opposite the vertex of the fan or on the boundary of the cloth, since all other edges
 * cancel. Let c be the mean of the vertices of these sides. If each of their edges (p, q) forms a
 * triangle (c, p, q) with positive projected area at every s, the direction from c rises along each
 * closed curve, so the winding number around c does not change with s. If it is 1, the sum is one
 * curve, star-shaped around c and so simple: each point of the plane is covered at most once, and
 * features that share no vertex do not meet even in projection. It follows that a fan stays flat
 * while vertices move by less than half of the smallest projected height of these triangles. */
#include "rt/self/self_private.h"

#include <float.h>

/* Smallest cosine between the axis and a normal of a flat fan at the query, and later. */
static const float FLAT_COSINE = 0.3f, LEAST_COSINE = 0.1f;
/* Projected area of a triangle of the boundary with the centre, relative to the longest squared
 * distance from the centre: at the query, and later. Rounding changes it by less than 1e-5. */
static const float FLAT_AREA = 0.02f, LEAST_AREA = 0.004f;

/* --- Lists ------------------------------------------------------------------------------------ */

/* Appends the vertices of an edge from the slot `from` on, without the last one. */
static int list_edge(vo_rt_self_set *set, const vo_rt_self_member *m, int edge, int from, int at) {
    const vo_rt_edge *e = &m->mesh->edge[edge];
    if (e->child < 0) {
        set->side_vertex[at] = m->first + from;
        return at + 1;
    }
    int second = e->vertex[0] == from;
    at = list_edge(set, m, e->child + !second, from, at);
    return list_edge(set, m, e->child + second, e->middle, at);
}

static void list_cell(vo_rt_self_set *set, const vo_rt_self_member *m, int triangle, int first_fan,
                      vo_rt_self_cell *c, int *at) {
    const vo_rt_triangle *t = &m->mesh->triangle[triangle];
    c->boundary = 0;
    for (int k = 0; k < 3; k++) {
        const vo_rt_edge *e = &m->mesh->edge[t->edge[k]];
        c->fan[k] = first_fan + t->vertex[k] - 1;
        c->flat[k] = -1;
        c->side[k] = *at;
        *at = list_edge(set, m, t->edge[k], t->vertex[(k + 1) % 3], *at);
        set->side_vertex[(*at)++] = m->first + t->vertex[(k + 2) % 3];
        if (e->face[0] < 0 || e->face[1] < 0) c->boundary |= (uint8_t)(1 << k);
    }
    c->side[3] = *at;
}

/* Cells of each fan, by a counting sort. */
static void list_fans(vo_rt_self_set *set) {
    int32_t *begin = set->fan_begin;
    for (int i = 0; i <= set->fan_count; i++) begin[i] = 0;
    for (int i = 0; i < set->fan_count; i++) set->fan[i] = (vo_rt_self_fan){.is_flat = false};
    for (int i = 0; i < set->cell_count; i++)
        for (int k = 0; k < 3; k++) {
            begin[set->cell[i].fan[k]]++;
            if (set->cell[i].end - set->cell[i].begin > 1)
                set->fan[set->cell[i].fan[k]].is_refined = true;
        }
    for (int i = 0, sum = 0; i <= set->fan_count; i++) begin[i] = sum += begin[i];
    for (int i = set->cell_count - 1; i >= 0; i--)
        for (int k = 0; k < 3; k++) set->fan_cell[--begin[set->cell[i].fan[k]]] = i;
}

static void label_faces(vo_rt_self_set *set) {
    for (int i = 0; i < set->cell_count; i++)
        for (int f = set->cell[i].begin; f < set->cell[i].end; f++) {
            set->face_cell[f] = i;
            for (int k = 0; k < 3; k++) set->lanes.fan[k][f] = set->cell[i].fan[k];
        }
    for (int k = 0; k < 3; k++)
        for (int f = set->cloth_face_count; f < set->lane_stride; f++) set->lanes.fan[k][f] = -2;
}

void vo_rt_self_gather_patches(vo_rt_self_set *set) {
    int cell = 0, at = 0;
    set->fan_count = 0;
    for (int k = 0; k < set->member_count; k++) {
        const vo_rt_self_member *m = &set->member[k];
        for (int i = 0; i < m->mesh->asset->triangle_count; i++)
            list_cell(set, m, i, set->fan_count, &set->cell[cell++], &at);
        set->fan_count += m->mesh->asset->vertex_count;
    }
    list_fans(set);
    label_faces(set);
}

/* --- Cones ------------------------------------------------------------------------------------ */

/* Smallest cosine between an axis and the normals of a face on its path. */
static float face_cosine(const vo_rt_self_path *p, vo_rt_vec3 axis) {
    float cosine = f_min(f3_dot(axis, p->normal[0]), f3_dot(axis, p->normal[2]));
    float length = f3_length(p->normal[1]);
    return length > 0 ? f_min(cosine, f3_dot(axis, p->normal[1]) / length) : 0;
}

static void measure_cell(const vo_rt_self_set *set, vo_rt_self_cell *c) {
    vo_rt_vec3 sum = f3(0, 0, 0);
    for (int f = c->begin; f < c->end; f++)
        sum = f3_add(sum, f3_add(set->path[f].normal[0], set->path[f].normal[2]));
    c->axis = f3_normalize(sum);
    c->cosine = 1;
    for (int f = c->begin; f < c->end; f++)
        c->cosine = f_min(c->cosine, face_cosine(&set->path[f], c->axis));
    c->sine = sqrtf(f_max(1 - c->cosine * c->cosine, 0));
}

/* Cone of a fan around the cones of its cells: angles add. */
static void measure_cone(const vo_rt_self_set *set, int begin, int end, vo_rt_self_fan *fan) {
    vo_rt_vec3 sum = f3(0, 0, 0);
    for (int i = begin; i < end; i++) sum = f3_add(sum, set->cell[set->fan_cell[i]].axis);
    fan->axis = f3_normalize(sum);
    fan->cosine = 1;
    for (int i = begin; i < end; i++) {
        const vo_rt_self_cell *c = &set->cell[set->fan_cell[i]];
        float cosine = f_min(f3_dot(c->axis, fan->axis), 1);
        float both = cosine * c->cosine - sqrtf(1 - cosine * cosine) * c->sine;
        fan->cosine = f_min(fan->cosine, cosine > 0 && c->cosine > 0 ? both : 0);
    }
}

/* --- Boundary --------------------------------------------------------------------------------- */

typedef struct point {
    float x, y;
} point;

/* A vertex relative to the centre in the plane of the projection: start and end of its path. */
typedef struct path {
    point p[2];
} path;

/* Coordinates of the projection along an axis, relative to a centre that moves. */
typedef struct plane {
    vo_rt_vec3 u, v, centre[2];
} plane;

static float cross(point a, point b) { return a.x * b.y - a.y * b.x; }
static float length2(point a) { return a.x * a.x + a.y * a.y; }

/* True if a side of a cell is on the boundary of the fan. */
static bool is_outside(const vo_rt_self_cell *c, int side, int fan) {
    return c->fan[side] == fan || c->boundary >> side & 1;
}

static plane find_plane(const vo_rt_self_set *set, const vo_rt_vec4 *d, int number) {
    vo_rt_vec3 n = set->fan[number].axis, sum = f3(0, 0, 0), drift = sum, origin = sum;
    float count = 0;
    for (int i = set->fan_begin[number]; i < set->fan_begin[number + 1]; i++) {
        const vo_rt_self_cell *c = &set->cell[set->fan_cell[i]];
        if (count == 0) origin = f4_xyz(set->x[set->side_vertex[c->side[0]]]);
        for (int k = 0; k < 3; k++)
            for (int j = c->side[k]; is_outside(c, k, number) && j < c->side[k + 1]; j++) {
                int v = set->side_vertex[j];
                sum = f3_add(sum, f3_sub(f4_xyz(set->x[v]), origin));
                drift = f3_add(drift, f4_xyz(d[v]));
                count++;
            }
    }
    float scale = 1 / f_max(count, 1);
    vo_rt_vec3 other = fabsf(n.x) < 0.6f ? f3(1, 0, 0) : f3(0, 1, 0);
    vo_rt_vec3 u = f3_normalize(f3_cross(other, n)), c = f3_add_scaled(origin, scale, sum);
    return (plane){u, f3_cross(n, u), {c, f3_scale(scale, drift)}};
}

static path project(const vo_rt_self_set *set, const vo_rt_vec4 *d, const plane *p, int v) {
    vo_rt_vec3 start = f3_sub(f4_xyz(set->x[v]), p->centre[0]);
    vo_rt_vec3 end = f3_add(start, f3_sub(f4_xyz(d[v]), p->centre[1]));
    return (path){
        {{f3_dot(p->u, start), f3_dot(p->v, start)}, {f3_dot(p->u, end), f3_dot(p->v, end)}}};
}

/* Measured on the edges of the boundary. */
typedef struct outline {
    float area;   /* smallest area of a triangle with the centre, relative to the longest squared
                     distance from it: smallest Bernstein coefficient */
    float height; /* m, smallest of such a triangle at the end of the path */
    int winding;  /* number at the start, if all areas are positive */
} outline;

static void add_edge(outline *o, const path *a, const path *b) {
    float first = cross(a->p[0], b->p[0]), last = cross(a->p[1], b->p[1]);
    float mixed = 0.5f * (cross(a->p[0], b->p[1]) + cross(a->p[1], b->p[0]));
    float start = f_max(length2(a->p[0]), length2(b->p[0]));
    float end = f_max(length2(a->p[1]), length2(b->p[1]));
    point edge = {b->p[1].x - a->p[1].x, b->p[1].y - a->p[1].y};
    o->area = f_min(o->area, f_min(first, f_min(mixed, last)) / f_max(f_max(start, end), 1e-20f));
    o->height = f_min(o->height, last / sqrtf(f_max(f_max(end, length2(edge)), 1e-20f)));
    o->winding += a->p[0].y < 0 && b->p[0].y >= 0; /* crosses the positive x axis */
}

static void add_side(const vo_rt_self_set *set, const vo_rt_vec4 *d, const plane *p,
                     const int32_t *vertex, int count, outline *o) {
    path a = project(set, d, p, vertex[0]);
    for (int i = 1; i < count; i++) {
        path b = project(set, d, p, vertex[i]);
        add_edge(o, &a, &b);
        a = b;
    }
}

static outline measure_outline(const vo_rt_self_set *set, const vo_rt_vec4 *d, int number,
                               float least) {
    outline o = {.area = 1, .height = FLT_MAX};
    plane p = find_plane(set, d, number);
    for (int i = set->fan_begin[number]; i < set->fan_begin[number + 1]; i++) {
        const vo_rt_self_cell *c = &set->cell[set->fan_cell[i]];
        for (int k = 0; k < 3 && o.area >= least; k++)
            if (is_outside(c, k, number))
                add_side(set, d, &p, set->side_vertex + c->side[k], c->side[k + 1] - c->side[k],
                         &o);
    }
    return o;
}

/* --- Fans ------------------------------------------------------------------------------------- */

static bool measure_fan(vo_rt_self_set *set, const vo_rt_vec4 *d, int number, float least_cosine,
                        float least_area) {
    vo_rt_self_fan *fan = &set->fan[number];
    measure_cone(set, set->fan_begin[number], set->fan_begin[number + 1], fan);
    if (!(fan->cosine >= least_cosine)) return false;
    outline o = measure_outline(set, d, number, least_area);
    fan->clearance = o.height;
    return o.area >= least_area && o.winding == 1;
}

static void set_flat(vo_rt_self_set *set, int number, bool is_flat) {
    set->fan[number].is_flat = is_flat;
    for (int i = set->fan_begin[number]; i < set->fan_begin[number + 1]; i++) {
        vo_rt_self_cell *c = &set->cell[set->fan_cell[i]];
        for (int k = 0; k < 3; k++)
            if (c->fan[k] == number) c->flat[k] = is_flat ? number : -1;
    }
}

void vo_rt_self_unset_flat(vo_rt_self_set *set, int fan) { set_flat(set, fan, false); }

/* Fans of whole triangles are left to the test of stars. */
void vo_rt_self_find_flat(vo_rt_self_set *set) {
    for (int i = 0; i < set->cell_count; i++) measure_cell(set, &set->cell[i]);
    for (int i = 0; i < set->fan_count; i++)
        set_flat(set, i,
                 set->fan[i].is_refined && measure_fan(set, set->drift, i, FLAT_COSINE, FLAT_AREA));
}

int vo_rt_self_measure_flat(vo_rt_self_set *set, const vo_rt_vec4 *displacement,
                            vo_rt_self_fan_fn *fn) {
    int count = 0;
    for (int i = 0; i < set->cell_count; i++) measure_cell(set, &set->cell[i]);
    for (int i = 0; i < set->fan_count; i++) {
        if (!set->fan[i].is_flat || measure_fan(set, displacement, i, LEAST_COSINE, LEAST_AREA))
            continue;
        if (fn) fn(set, i);
        count++;
    }
    return count;
}

static bool share_flat(const vo_rt_self_cell *a, const vo_rt_self_cell *b) {
    for (int k = 0; k < 3; k++)
        if (a->flat[k] >= 0 &&
            (a->flat[k] == b->fan[0] || a->flat[k] == b->fan[1] || a->flat[k] == b->fan[2]))
            return true;
    return false;
}

bool vo_rt_self_are_flat(const vo_rt_self_set *set, int a, int a_end, int b, int b_end) {
    for (int i = a; i < a_end; i++)
        for (int j = b; j < b_end; j++)
            if (!share_flat(&set->cell[i], &set->cell[j])) return false;
    return true;
}

float vo_rt_self_flat_clearance(const vo_rt_self_set *set, int face) {
    const vo_rt_self_cell *c = &set->cell[set->face_cell[face]];
    float least = INFINITY;
    for (int k = 0; k < 3; k++) {
        if (c->flat[k] < 0) continue;
        const vo_rt_self_fan *fan = &set->fan[c->flat[k]];
        float height = f_min(fan->cosine * set->path[face].height, fan->clearance);
        least = f_min(least, f_max(height - set->gap, 0));
    }
    return least;
}
