/* Edge flips between rounds of collapses: a Delaunay triangulation in material space, so that the
 * faces of the base mesh are well shaped.
 *
 *          d               d          The faces (a, b, c) and (a, c, d) become (a, b, d) and
 *         / \             /|\         (b, c, d). Like a collapse, a flip replaces one triangulation
 *        a---c    ->     a | c        of a polygon by another and is recorded. */
#include "cook/remesh.h"

#include <math.h>

#define MIN_COSINE 0.5  /* between normals of old and new faces in the world */
#define MIN_SHAPE  0.02 /* twice the area of new faces over their squared longest side */
#define MARGIN     1e-9 /* of the Delaunay test, against cycles */
enum { MAX_PASSES = 4, MIN_DEGREE = 4, MAX_DEGREE = 10 };

typedef struct quad {
    int face[2];          /* (a, b, c) and (a, c, d) */
    int corner[2];        /* of a in each */
    int node[4], vert[4]; /* a, b, c, d */
    vo_vec2 u[4];
} quad;

static int degree_of(const vo_remesh *r, int node) {
    int degree = 0;
    for (int c = r->first_corner[node]; c >= 0; c = r->next_corner[c]) degree++;
    return degree;
}

static void set_point(const vo_remesh *r, quad *q, int i, int face, int corner) {
    q->node[i] = r->face[face][corner % 3];
    q->vert[i] = r->vert[face][corner % 3];
    q->u[i] = r->mesh->vert_u[q->vert[i]];
}

/* The faces at the edge from corner + 2 to `corner` of a face: c-a in the face (a, b, c). False if
 * there is one face, or if the edge is a feature. */
static bool find_quad(const vo_remesh *r, int face, int corner, quad *q) {
    int a = r->face[face][corner], c = r->face[face][(corner + 2) % 3], other = -1;
    if (r->kind[a] != VO_REMESH_INTERIOR && r->kind[c] != VO_REMESH_INTERIOR) return false;
    for (int k = r->first_corner[a]; k >= 0 && other < 0; k = r->next_corner[k])
        if (r->face[k / 3][(k + 1) % 3] == c) other = k;
    if (other < 0 || other / 3 == face) return false;
    *q = (quad){.face = {face, other / 3}, .corner = {corner, other % 3}};
    for (int i = 0; i < 3; i++) set_point(r, q, i, face, corner + i);
    set_point(r, q, 3, other / 3, other % 3 + 2);
    return true;
}

static double angle_at(vo_vec2 p, vo_vec2 a, vo_vec2 b) {
    vo_vec2 x = v2_sub(a, p), y = v2_sub(b, p);
    return atan2(fabs(v2_cross(x, y)), v2_dot(x, y));
}

static bool is_well_shaped(vo_vec2 a, vo_vec2 b, vo_vec2 c) {
    double longest2 = 0;
    const vo_vec2 side[3] = {v2_sub(b, a), v2_sub(c, b), v2_sub(a, c)};
    for (int k = 0; k < 3; k++) longest2 = vo_max(longest2, v2_dot(side[k], side[k]));
    return v2_cross(v2_sub(b, a), v2_sub(c, a)) > MIN_SHAPE * longest2;
}

static vo_vec3 normal_of(const vo_remesh *r, int a, int b, int c) {
    const vo_vec3 *x = r->mesh->node_x;
    return v3_normalize(v3_cross(v3_sub(x[b], x[a]), v3_sub(x[c], x[a])));
}

/* The flip bends the surface little. */
static bool is_smooth(const vo_remesh *r, const quad *q) {
    const int *n = q->node;
    const vo_vec3 old[2] = {normal_of(r, n[0], n[1], n[2]), normal_of(r, n[0], n[2], n[3])};
    const vo_vec3 new[2] = {normal_of(r, n[0], n[1], n[3]), normal_of(r, n[1], n[2], n[3])};
    for (int i = 0; i < 4; i++)
        if (!(v3_dot(old[i & 1], new[i >> 1]) > MIN_COSINE)) return false;
    return true;
}

static bool should_flip(const vo_remesh *r, const quad *q) {
    const int *label = r->mesh->node_label, *n = q->node;
    double sum = angle_at(q->u[1], q->u[0], q->u[2]) + angle_at(q->u[3], q->u[0], q->u[2]);
    if (sum < 3.14159265358979 + MARGIN) return false;
    if (!is_well_shaped(q->u[0], q->u[1], q->u[3]) || !is_well_shaped(q->u[1], q->u[2], q->u[3]))
        return false;
    if (label[n[1]] != 0 && label[n[3]] != 0) return false;
    if (degree_of(r, n[0]) < MIN_DEGREE || degree_of(r, n[2]) < MIN_DEGREE ||
        degree_of(r, n[1]) >= MAX_DEGREE || degree_of(r, n[3]) >= MAX_DEGREE)
        return false;
    return !vo_remesh_is_edge(r, n[1], n[3]) && is_smooth(r, q);
}

/* --- Edit ------------------------------------------------------------------------------------- */

static bool record(vo_remesh *r, const quad *q) {
    if (!vo_remesh_reserve_record(r, 4)) return false;
    r->collapse[r->collapse_count++] = (vo_remesh_collapse){-1, -1, r->sector_count, 1};
    r->sector[r->sector_count++] = (vo_remesh_packed){.count = 2, .first = r->fan_count};
    for (int i = 0; i < 4; i++, r->fan_count++) {
        r->fan_face[r->fan_count] = i < 2 ? q->face[i] : -1;
        r->fan_node[r->fan_count] = q->node[i];
        r->fan_u[r->fan_count] = q->u[i];
    }
    return true;
}

static void flip(vo_remesh *r, const quad *q) {
    vo_remesh_move_corner(r, q->face[0], q->node[2], q->node[3], q->vert[3]);
    vo_remesh_move_corner(r, q->face[1], q->node[0], q->node[1], q->vert[1]);
}

vo_result vo_remesh_flip_edges(vo_remesh *r) {
    int flips = 1;
    for (int pass = 0; pass < MAX_PASSES && flips > 0; pass++) {
        flips = 0;
        for (int c = 0; c < 3 * r->mesh->face_count; c++) {
            quad q;
            if (r->is_removed[c / 3] || !find_quad(r, c / 3, c % 3, &q) || !should_flip(r, &q))
                continue;
            if (!record(r, &q)) return vo_fail_memory(r->ctx, "a remeshed garment");
            flip(r, &q);
            flips++;
        }
    }
    return VO_OK;
}
