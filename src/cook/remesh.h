/* Remeshing to subdivision connectivity: base complex and parametrisation of the input over it.
 *
 * After Lee, Sweldens, Schroeder, Cowsar and Dobkin 1998, "MAPS: Multiresolution Adaptive
 * Parameterization of Surfaces". Eck et al. 1995 build the base complex from Voronoi tiles and
 * harmonic maps; MAPS builds it by removing vertices and needs no global solve.
 *
 *     features   remesh_feature.c   borders, seams, labels: curves between fixed nodes
 *     collapse   remesh_collapse.c  removes nodes by half-edge collapses until few faces remain
 *     flip       remesh_flip.c      keeps faces well shaped meanwhile
 *     star       remesh_star.c      faces around a node, flattened; validity and cost of a collapse
 *     resample   remesh_sample.c    maps lattice points of the base mesh to the input
 *     base       remesh_base.c      the base mesh
 *
 * Cloth has material coordinates, so the star of a node is flat already: it is the star in material
 * space, and a collapse replaces one triangulation of that polygon by another. Base triangles
 * therefore are straight in material space, and the points of finer levels inside a patch are
 * midpoints there; only their positions in the world follow the input. Curves are different: where
 * node v of a curve a-v-b is removed, it moves to the point of the chord a-b at its arc length,
 *
 *             w1                 w1            and the fan around v is mapped to the fan around v'
 *            /| \               / \ \          piecewise linearly. Each side of a seam has its own
 *          /  |   \           /    \  \        fan and its own coordinates; the arc length is the
 *        a---_v_---b    ->  a----v'--\--b      same for both.
 *
 * The collapses are recorded. Replayed in reverse they map any point of the base mesh to a face of
 * the input and weights there: each step moves the points of the coarse polygon to the fan around
 * the restored node. Points of curves are mapped along them by arc length. */
#ifndef VO_COOK_REMESH_H
#define VO_COOK_REMESH_H

#include "cook/levels.h"
#include "core/memory.h"

enum { VO_REMESH_MAX_STAR = 24 };

typedef enum vo_remesh_kind {
    VO_REMESH_INTERIOR, /* on no feature edge */
    VO_REMESH_CURVE,    /* on two feature edges */
    VO_REMESH_FIXED     /* never removed */
} vo_remesh_kind;

/* A piece of a feature curve: an edge of the input, or two pieces joined at a removed node. */
typedef struct vo_remesh_curve {
    int node[2];
    int edge;         /* of the input, from node[0] to node[1] = edge_node; -1: joined */
    int child[2];     /* pieces at node[0] and node[1] */
    int middle;       /* node between them */
    double split;     /* fraction of the length of child[0] */
    double length;    /* m, in material space, mean of both sides */
    double deviation; /* m, bound of the distance of its nodes from the chord */
    bool is_used;     /* not part of another one */
} vo_remesh_curve;

/* One side of the star of a node: faces (v, node[i], node[i + 1]). */
typedef struct vo_remesh_sector {
    int count;
    bool is_closed; /* node[count] is node[0] */
    int target;     /* index of the remaining node: 0 or count */
    int face[VO_REMESH_MAX_STAR];
    int node[VO_REMESH_MAX_STAR + 1];
    int vert[VO_REMESH_MAX_STAR + 1];
    vo_vec2 u[VO_REMESH_MAX_STAR + 1]; /* material coordinates of node[i] */
    vo_vec2 centre;                    /* of v, or of v' on a curve */
} vo_remesh_sector;

typedef struct vo_remesh_star {
    int node, target;
    int sector_count;
    vo_remesh_sector sector[2];
    double deviation; /* of the joined curve */
} vo_remesh_star;

/* Record of a collapse: sectors in `sector`, packed. Of a flip (node -1): one sector with the faces
 * (a, b, c) and (a, c, d) in fan_face, and a, b, c, d in fan_node and fan_u. */
typedef struct vo_remesh_collapse {
    int node, target;
    int first_sector, sector_count;
} vo_remesh_collapse;
typedef struct vo_remesh_packed {
    int count, target, first; /* first element in fan_face, fan_node and fan_u */
    bool is_closed;
    vo_vec2 centre;
} vo_remesh_packed;

typedef struct vo_remesh {
    vo_context *ctx;
    vo_arena arena;
    const vo_mesh *mesh; /* the input */
    int face_count;      /* of the current mesh */
    int (*face)[3];      /* [mesh->face_count] nodes; removed ones keep their last nodes */
    int (*vert)[3];      /* the same for verts */
    bool *is_removed;
    int *first_corner;    /* [node_count] corner 3 f + i of a list, -1 */
    int *next_corner;     /* [3 face_count] */
    uint8_t *kind;        /* [node_count] vo_remesh_kind */
    int (*node_curve)[2]; /* [node_count] pieces at a curve node */
    int curve_count, curve_capacity;
    vo_remesh_curve *curve;
    int collapse_count, collapse_capacity;
    vo_remesh_collapse *collapse;
    int sector_count, sector_capacity;
    vo_remesh_packed *sector;
    int fan_count, fan_face_capacity, fan_node_capacity, fan_u_capacity;
    int *fan_face, *fan_node;
    vo_vec2 *fan_u;
} vo_remesh;

/* remesh_feature.c: classifies nodes and creates the pieces of curves. */
vo_result vo_remesh_find_features(vo_remesh *r);
/* Point of a piece at parameter t from node[0]: edge of the input, weight of its second end, and
 * whether the piece runs along the edge in reverse. */
typedef struct vo_remesh_curve_point {
    int edge;
    double t;
    bool is_reversed;
} vo_remesh_curve_point;
vo_remesh_curve_point vo_remesh_locate_on_curve(const vo_remesh *r, int curve, double t);

/* remesh_star.c */
static inline int vo_remesh_other_end(const vo_remesh_curve *c, int node) {
    return c->node[c->node[0] == node];
}
/* True if an edge joins the nodes. */
bool vo_remesh_is_edge(const vo_remesh *r, int a, int b);
/* Finds the faces around `node` and checks that it can be collapsed onto `target`, a neighbour. */
bool vo_remesh_find_star(const vo_remesh *r, int node, int target, vo_remesh_star *out);
/* Smaller is better: size of the new faces, their turn, and deviation of curves. Infinite if a new
 * face would be a sliver or fold over. */
double vo_remesh_cost(const vo_remesh *r, const vo_remesh_star *star);

/* remesh_collapse.c: collapses nodes until at most `faces` faces remain, if possible. */
vo_result vo_remesh_simplify(vo_remesh *r, int faces);

/* Parts that flips use as well. */
bool vo_remesh_reserve_record(vo_remesh *r, int spokes);
/* Replaces node `from` of a face by `to`. */
void vo_remesh_move_corner(vo_remesh *r, int face, int from, int to, int vert);

/* remesh_flip.c: flips edges that are not Delaunay in material space. */
vo_result vo_remesh_flip_edges(vo_remesh *r);

/* remesh_base.c, remesh_sample.c: the levels of the current mesh. */
vo_result vo_remesh_create_base(vo_remesh *r, vo_mesh **out, int **face_of);
vo_result vo_remesh_resample(vo_remesh *r, const int *face_of, vo_cook_levels *levels);

/* Entry point: base mesh of about `faces` faces and its levels. */
vo_result vo_cook_remesh(vo_context *ctx, const vo_mesh *mesh, int faces, int max_level,
                         vo_cook_levels *out);

#endif
