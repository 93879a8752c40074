/* The sizing field: how fine the mesh of a cloth is to be, as a metric (remesh/metric.h) a vert.
 *
 *   nodes    x, v, nearest obstacle ──► what moved ──► normals ─┐
 *   edges                                  └──► dihedral angles ┤
 *   faces                  terms (remesh/sizing_face.h) ◄───────┘
 *                          combined ──► limits ──► x nu^2 ──► screen bound       `face`
 *   verts                                   mean by area over the faces around   `vert`
 *
 * Faces measure, since gradients live there; verts are asked, since edges join verts. A node on a
 * seam has one vert a patch, and each takes the mean over the faces of its own patch: the material
 * spaces on both sides are turned against each other, and tensors of one mean nothing in the other.
 *
 * Cost. The field keeps the inputs it was last computed from. A node whose inputs are still the
 * same makes no work; one that moved concerns the faces within two rings of it (through the normals
 * of its neighbours). A sheet at rest costs one comparison a node. Everything is computed from the
 * kept inputs, so what comes out is the field of a definite state, however it came about: with
 * tolerance 0 it has the same bits as a field computed from nothing. With a larger tolerance nodes
 * may drift by so much before anything is computed; the field then depends on history, and a run
 * that is to be resumed must call vo_sizing_forget where it saves.
 *
 * Topology. Inputs are kept by index; a new topology starts anew. Rejected: carrying them through
 * the remap table, which saves less than a hundredth of what the edits themselves cost.
 *
 * After the largest mesh so far has been seen, an update allocates nothing. */
#ifndef VO_REMESH_SIZING_H
#define VO_REMESH_SIZING_H

#include "mesh/mesh.h"
#include "remesh/sizing_face.h"

typedef struct vo_sizing_def {
    double refine_angle;       /* rad that normals may turn along an edge; infinite: any */
    double refine_velocity;    /* m/s that velocities may differ; infinite: any */
    double refine_compression; /* m, height of a buckle that may be lost; infinite: any */
    double rib_stiffening;     /* how much curvature keeps a sheet from buckling; 1 */
    double size_min, size_max; /* m, edges in material space; see vo_metric_limits_make */
    double aspect_min;         /* 0 to 1, width of a face by its length; not positive: any */
    double obstacle_range;     /* m, beyond it obstacles do not count: 10 x repulsion thickness */
    bool combine_sum;          /* terms are added up, not their maximum taken */
    bool hinge_sum;            /* curvature by the customary sum, see vo_sizing_curvature */
    bool plastic;              /* plastic curvature of the faces counts */
    double view_size_max;      /* m, edges where the view asks for nothing; not below size_max */
    double tolerance;          /* 0: any change counts. 0.01: changes of an edge's size^2 by about
                                  a hundredth do not */
} vo_sizing_def;

/* Everything off: a metric that asks for nothing, without limits. */
vo_sizing_def vo_sizing_def_default(void);

/* What does not belong to the mesh. */
typedef struct vo_sizing_input {
    const vo_vec3 *near;       /* [node_count] nearest point of an obstacle; x is NaN where none is
                                  within the range; NULL: no obstacles */
    const double *view_factor; /* [face_count] nu in (0, 1]: edges may be 1 / nu as long (Koh,
                                  Narain, O'Brien 2015, eq. 2); NULL: 1 */
    const vo_sym2 *view_bound; /* [face_count] what the screen can show, S^T S / l^2 (see
                                  vo_metric_bound); xx infinite: all; NULL: all */
} vo_sizing_input;

/* Inputs as they were last looked at, a node. */
typedef struct vo_sizing_node {
    vo_vec3 x, v, near;
} vo_sizing_node;

typedef struct vo_sizing {
    vo_context *ctx;
    vo_sizing_def def;
    vo_sizing_weights weights;
    vo_metric_limits limits, view_limits;
    double move_tolerance, speed_tolerance; /* m, m/s */

    /* Results, of the last update. */
    vo_sym2 *face;               /* [face_count] 1/m^2, with the view */
    vo_sym2 *vert;               /* [vert_count] 1/m^2; definite */
    unsigned char *vert_changed; /* [vert_count] `vert` is not what it was before the update */
    int visited_faces;           /* whose terms were computed */
    int changed_verts;           /* marks in vert_changed */

    /* The mesh of the last update. */
    const vo_mesh *mesh;
    uint64_t topology;
    int node_count, vert_count, edge_count, face_count;
    bool known;      /* the kept inputs are of this mesh */
    bool had_view;   /* the last update had a view factor or bound */
    int *ring_begin; /* [node_count + 1] */
    int *ring;       /* [3 face_count] corners 3 face + i around each node, by face: those of node n
                        from ring_begin[n] to ring_begin[n + 1] */

    vo_sizing_node *node;     /* [node_count] kept inputs */
    vo_vec3 *node_normal;     /* [node_count] unit, or zero */
    unsigned char *node_mark; /* [node_count] NODE_MOVED, NODE_TURNED (sizing.c) */
    double *edge_angle;       /* [edge_count] rad */
    vo_vec3 *face_normal;     /* [face_count] as long as twice the area in the world */
    double *face_area;        /* [face_count] m^2, material */
    vo_sym2 *face_own;        /* [face_count] without the view */
    double *face_factor;      /* [face_count] kept inputs */
    vo_sym2 *face_bound;      /* [face_count] kept inputs */
    double (
        *face_plastic)[4];    /* [face_count] kept inputs; NULL while nobody asked for plasticity */
    unsigned char *face_mark; /* [face_count] FACE_MOVED, FACE_CHANGED (sizing.c) */
    int *chunk_marks;         /* [chunks] marks that each chunk of a pass set */
    double *chunk_area;       /* [chunks] partial sums of vo_sizing_area */

    int node_capacity, vert_capacity, edge_capacity, face_capacity, ring_capacity, chunk_capacity,
        area_capacity;
} vo_sizing;

void vo_sizing_init(vo_sizing *sizing, vo_context *ctx, const vo_sizing_def *def);
void vo_sizing_free(vo_sizing *sizing);

/* Other settings; the next update visits everything. */
void vo_sizing_set(vo_sizing *sizing, const vo_sizing_def *def);
/* The next update visits everything. To be called when material positions or labels changed without
 * a new topology. */
void vo_sizing_forget(vo_sizing *sizing);

/* Brings the field up to date with the mesh. `input` may be NULL. Fails for want of memory only,
 * and forgets then. */
vo_result vo_sizing_update(vo_sizing *sizing, const vo_mesh *mesh, const vo_sizing_input *input);

/* The next two are for budgets, after an update. Both make the field that of bounds multiplied by
 * `share`, for all verts; the first for a trial, after which the second must follow. */

/* The area of the cloth as its metric measures it: a mesh that follows the metric has a number of
 * faces in proportion. By metrics of verts, as edits go: beside a fine face also a coarse one has
 * much of it. */
double vo_sizing_area(vo_sizing *sizing, double share);
void vo_sizing_scale_bounds(vo_sizing *sizing, double share);

/* s^2 of an edge (eq. 1) by metrics a vert; above 1 it is too long. On a seam the larger of both
 * sides. */
double vo_sizing_edge_size2(const vo_mesh *mesh, const vo_sym2 *vert, int edge);
/* Whether an edge should be flipped (vo_metric_should_flip). Never on a boundary or a seam. */
bool vo_sizing_edge_flips(const vo_mesh *mesh, const vo_sym2 *vert, int edge, double threshold);

#endif
