/* What an edit sweeps: tetrahedra, the faces before and after, and how they look from where they
 * are seen best. Corners are numbered within the sweep. */
#ifndef VO_COLLIDE_GUARD_SWEEP_H
#define VO_COLLIDE_GUARD_SWEEP_H

#include "collide/intersect.h"
#include "mesh/edit.h"
#include "spatial/aabb.h"

enum {
    VO_SWEEP_CORNERS = 68, /* as many as the largest star that can be collapsed has */
    VO_SWEEP_FACES = 66,
};

/* A side of a tetrahedron that is not an old face. */
typedef struct vo_sweep_wall {
    int corner[3];
    bool is_new; /* a face of the mesh after the edit; else one within the sweep */
} vo_sweep_wall;

/* A line with all of a tetrahedron, or all of the sweep, on its right but for the corners it goes
 * through, for certain, as seen along the axis. */
typedef struct vo_sweep_line {
    vo_vec2 from, along;
    int end[2]; /* corners */
    double length;
} vo_sweep_line;

typedef struct vo_sweep_tet {
    int corner[4];
    int wall_count;
    vo_sweep_wall wall[3];
    int line_count; /* -1: not looked for */
    vo_sweep_line line[4];
    vo_box box;
} vo_sweep_tet;

typedef struct vo_sweep {
    int corner_count;
    int core;                       /* faces with the first so many corners take part */
    uint64_t node_bits;             /* of nodes modulo 64: most others are told by it */
    int node[VO_SWEEP_CORNERS];     /* of the mesh */
    vo_vec3 x[VO_SWEEP_CORNERS];    /* m, as vo_exact_point makes them */
    vo_vec2 flat[VO_SWEEP_CORNERS]; /* without the coordinate along the axis */
    int old_count, new_count, tet_count;
    int old_face[VO_SWEEP_FACES][3]; /* all that take part, their core first */
    int new_face[VO_SWEEP_FACES][3];
    vo_sweep_tet tet[VO_SWEEP_FACES];
    vo_box box;
    double span; /* the longest side of the box */

    int axis, mirror; /* how to look at it; mirror: from behind, so that old faces turn left */
    vo_vec3 normal;   /* of the old faces together, unit, or 0 */
    double low, high; /* along the normal, from corner 0 */
    int line_count;
    vo_sweep_line line[VO_SWEEP_FACES]; /* sides of the rim, where that is convex */
} vo_sweep;

/* Fill the sweep; false if the edge has no such edit, or corners are not in a place. */
bool vo_sweep_flip(const vo_edit *edit, int edge, vo_sweep *sweep);
bool vo_sweep_collapse(const vo_edit *edit, int edge, int end, vo_sweep *sweep);

/* Looks for the lines of a tetrahedron, which most questions can do without. */
void vo_sweep_find_lines(const vo_sweep *sweep, vo_sweep_tet *tet);

/* Do two of the new faces intersect? */
bool vo_sweep_folds(const vo_sweep *sweep);

/* A point as the sweep is looked at. */
static inline vo_vec2 vo_sweep_drop(const vo_sweep *s, vo_vec3 p) {
    vo_vec2 f = s->axis == 0 ? v2(p.y, p.z) : s->axis == 1 ? v2(p.z, p.x) : v2(p.x, p.y);
    return s->mirror ? v2(f.y, f.x) : f;
}

/* Twice the area of a, b, c. With no difference of coordinates above d and e, where one of them is
 * between points of the pair b - a, the error is below VO_SWEEP_ERROR d e (Shewchuk 1997, section
 * 4.3: 3.4e-16 times the sum of both products, which is at most 2 d e). */
#define VO_SWEEP_ERROR 1e-15
#define VO_SWEEP_TINY  1e-290 /* bounds on errors stay away from the denormal range */
static inline double vo_sweep_turn(vo_vec2 a, vo_vec2 b, vo_vec2 c) {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

static inline vo_triangle vo_sweep_triangle(const vo_sweep *s, const int corner[3]) {
    return (vo_triangle){{s->x[corner[0]], s->x[corner[1]], s->x[corner[2]]}};
}

#endif
