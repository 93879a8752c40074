/* Geometry swept by an edit: tetrahedra, the faces before and after, and their projection along the
 * dominant axis of the normal. Corners are numbered within the sweep. */
#ifndef VO_COLLIDE_GUARD_SWEEP_H
#define VO_COLLIDE_GUARD_SWEEP_H

#include "collide/intersect.h"
#include "mesh/edit/edit.h"
#include "spatial/aabb.h"

enum {
    VO_SWEEP_CORNERS = 68, /* enough for the largest star that can be collapsed */
    VO_SWEEP_FACES = 66,
};

/* A side of a tetrahedron that is not an old face. */
typedef struct vo_sweep_wall {
    int corner[3];
    bool is_new; /* a face of the mesh after the edit; otherwise interior to the sweep */
} vo_sweep_wall;

/* A bounding line in the projection: a whole tetrahedron, or the whole sweep, is certainly on its
 * right, except for the corners on it. */
typedef struct vo_sweep_line {
    vo_vec2 from, along;
    int end[2]; /* corners on the line */
    double length;
} vo_sweep_line;

typedef struct vo_sweep_tet {
    int corner[4];
    int wall_count;
    vo_sweep_wall wall[3];
    int line_count; /* -1: not computed */
    vo_sweep_line line[4];
    vo_box box;
} vo_sweep_tet;

typedef struct vo_sweep {
    int corner_count;
    int core_count;     /* faces that contain the first core_count corners are part of the edit */
    uint64_t node_bits; /* bit set of nodes modulo 64, a filter for other nodes */
    int node[VO_SWEEP_CORNERS];          /* nodes of the mesh */
    vo_vec3 x[VO_SWEEP_CORNERS];         /* m, rounded by vo_exact_point */
    vo_vec2 projected[VO_SWEEP_CORNERS]; /* projection along the axis */
    int old_count, new_count, tet_count;
    int old_face[VO_SWEEP_FACES][3]; /* faces before the edit, core corners first */
    int new_face[VO_SWEEP_FACES][3];
    vo_sweep_tet tet[VO_SWEEP_FACES];
    vo_box box;
    double span; /* longest side of the box */

    int axis,
        mirror;     /* projection axis; mirror: flipped, so that old faces are counter-clockwise */
    vo_vec3 normal; /* area-weighted mean of the old faces, unit or 0 */
    double min_height, max_height; /* m, along the normal, relative to corner 0 */
    int line_count;
    vo_sweep_line line[VO_SWEEP_FACES]; /* boundary sides of the old faces, where convex */
} vo_sweep;

/* Fill the sweep; return false if the edit does not exist or a corner is not finite. */
bool vo_sweep_flip(const vo_edit *edit, int edge, vo_sweep *sweep);
bool vo_sweep_collapse(const vo_edit *edit, int edge, int end, vo_sweep *sweep);

/* Computes the bounding lines of a tetrahedron, which most queries do not need. */
void vo_sweep_find_lines(const vo_sweep *sweep, vo_sweep_tet *tet);

/* Returns true if two of the new faces intersect. */
bool vo_sweep_folds(const vo_sweep *sweep);

/* Projects a point. */
static inline vo_vec2 vo_sweep_project(const vo_sweep *s, vo_vec3 p) {
    vo_vec2 f = s->axis == 0 ? v2(p.y, p.z) : s->axis == 1 ? v2(p.z, p.x) : v2(p.x, p.y);
    return s->mirror ? v2(f.y, f.x) : f;
}

/* Returns twice the signed area of a, b, c. If no coordinate difference exceeds d, or e for the
 * points of b - a, the error is below VO_SWEEP_ERROR d e (Shewchuk 1997, section 4.3: 3.4e-16 times
 * the sum of both products, which is at most 2 d e). */
#define VO_SWEEP_ERROR 1e-15
#define VO_SWEEP_TINY  1e-290 /* keeps error bounds out of the denormal range */
static inline double vo_sweep_orient2d(vo_vec2 a, vo_vec2 b, vo_vec2 c) {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

static inline vo_triangle vo_sweep_triangle(const vo_sweep *s, const int corner[3]) {
    return (vo_triangle){{s->x[corner[0]], s->x[corner[1]], s->x[corner[2]]}};
}

#endif
