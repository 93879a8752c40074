/* The sizing field: the desired resolution of a cloth as a metric (remesh/metric.h) per vert.
 *
 *   nodes    x, v, nearest obstacle ──► changed inputs ──► normals ─┐
 *   edges                                  └──► dihedral angles ────┤
 *   faces                  terms (remesh/sizing_face.h) ◄───────────┘
 *                          combined ──► limits ──► x nu^2 ──► screen bound       `face`
 *   verts                       area-weighted mean over the incident faces       `vert`
 *
 * Terms are computed per face, where gradients are constant, and averaged to verts, which edges
 * connect. A node on a seam has one vert per patch, each with the mean over the faces of its own
 * patch: the material spaces of the two sides are rotated against each other, so their tensors
 * cannot be combined.
 *
 * Incremental updates. The field stores the inputs it was computed from. A node with unchanged
 * inputs causes no work; a moved node affects the faces within its two-ring (through the normals of
 * its neighbours). A sheet at rest costs one comparison per node. All results are computed from the
 * stored inputs: with tolerance 0 the field is bit-identical to one computed from scratch. With a
 * larger tolerance nodes may drift that far before they are updated; the field then depends on
 * history, and a run that may be resumed must call vo_sizing_invalidate when it saves a frame.
 *
 * Topology changes. Inputs are stored by index; a new topology recomputes everything. Rejected:
 * transferring them through the remap table, which saves less than 1 % of the cost of the edits.
 *
 * Once an update has processed the largest mesh, later updates allocate nothing. */
#ifndef VO_REMESH_SIZING_H
#define VO_REMESH_SIZING_H

#include "mesh/mesh.h"
#include "remesh/sizing_face.h"

typedef struct vo_sizing_def {
    double refine_angle;       /* rad, largest turn of the normal along an edge; infinite: off */
    double refine_velocity;    /* m/s, largest velocity difference along an edge; infinite: off */
    double refine_compression; /* m, height of unresolved buckles; infinite: off */
    double rib_stiffening;     /* stiffening of curved sheets against buckling; 1: as modelled */
    double size_min, size_max; /* m, edges in material space; see vo_metric_limits_make */
    double aspect_min;         /* 0 to 1, ratio of a face's width to length; not positive: any */
    double obstacle_range;     /* m, obstacles further away are ignored: 10 x repulsion thickness */
    bool combine_sum;          /* add the terms instead of taking their maximum */
    bool hinge_sum;            /* curvature by the hinge sum, see sizing_face.c */
    bool plastic;              /* include the plastic curvature of the faces */
    double view_size_max;      /* m, edges where the view requests nothing; at least size_max */
    double tolerance; /* relative change of an edge's size^2 that may be ignored; 0: none */
} vo_sizing_def;

/* All criteria off: a zero metric without limits. */
vo_sizing_def vo_sizing_def_default(void);

/* Inputs that are not part of the mesh. */
typedef struct vo_sizing_input {
    const vo_vec3 *nearest;    /* [node_count] nearest obstacle point, m; x is NaN if none is within
                                  obstacle_range; NULL: no obstacles */
    const double *view_factor; /* [face_count] nu in (0, 1]: edges may be 1 / nu as long (Koh,
                                  Narain, O'Brien 2015, eq. 2); NULL: 1 */
    const vo_sym2 *view_bound; /* [face_count] screen bound S^T S / l^2 (see vo_metric_bound); xx
                                  infinite, or NULL: no bound */
} vo_sizing_input;

/* Inputs of a node at its last update. */
typedef struct vo_sizing_node {
    vo_vec3 x, v, nearest;
} vo_sizing_node;

typedef struct vo_sizing {
    vo_context *ctx;
    vo_sizing_def def;
    vo_sizing_weights weights;
    vo_metric_limits limits, view_limits;
    double move_tolerance, speed_tolerance; /* m, m/s */

    /* Results of the last update. */
    vo_sym2 *face;               /* [face_count] 1/m^2, including the view */
    vo_sym2 *vert;               /* [vert_count] 1/m^2; positive definite */
    unsigned char *vert_changed; /* [vert_count] nonzero: the last update changed `vert` */
    int visited_faces;           /* number of faces whose terms were computed */
    int changed_verts;           /* number of marks in vert_changed */

    /* The mesh of the last update and its topology. */
    const vo_mesh *mesh;
    uint64_t topology;
    int node_count, vert_count, edge_count, face_count;
    bool known;      /* the stored inputs belong to this mesh */
    bool had_view;   /* the last update had a view factor or bound */
    int *ring_begin; /* [node_count + 1] CSR offsets into `ring` */
    int *ring;       /* [3 face_count] corners (3 face + i) around each node, ordered by face */

    vo_sizing_node *node;      /* [node_count] stored inputs */
    vo_vec3 *node_normal;      /* [node_count] unit, or zero */
    unsigned char *node_mark;  /* [node_count] NODE_MOVED, NODE_TURNED (sizing.c) */
    double *edge_angle;        /* [edge_count] rad */
    vo_vec3 *face_normal;      /* [face_count] length: twice the world area, m^2 */
    double *face_area;         /* [face_count] m^2, material */
    vo_sym2 *face_own;         /* [face_count] metric without the view, 1/m^2 */
    double *face_factor;       /* [face_count] stored input: view factor */
    vo_sym2 *face_bound;       /* [face_count] stored input: view bound */
    double (*face_plastic)[4]; /* [face_count] stored input; NULL if def.plastic was never set */
    unsigned char *face_mark;  /* [face_count] FACE_MOVED, FACE_CHANGED (sizing.c) */
    int *chunk_marks;          /* [chunks] number of marks that each chunk of a pass set */
    double *chunk_area;        /* [chunks] partial sums of vo_sizing_area */

    int node_capacity, vert_capacity, edge_capacity, face_capacity, ring_capacity, chunk_capacity,
        area_capacity;
} vo_sizing;

void vo_sizing_init(vo_sizing *sizing, vo_context *ctx, const vo_sizing_def *def);
void vo_sizing_free(vo_sizing *sizing);

/* Replaces the settings and invalidates the field. */
void vo_sizing_set(vo_sizing *sizing, const vo_sizing_def *def);
/* Makes the next update recompute everything. Call it after changes of material positions or labels
 * that leave the topology as it is. */
void vo_sizing_invalidate(vo_sizing *sizing);

/* Updates the field to the current mesh. `input` may be NULL. Fails only without memory; the field
 * is then invalidated. */
vo_result vo_sizing_update(vo_sizing *sizing, const vo_mesh *mesh, const vo_sizing_input *input);

/* The next two functions serve face budgets, after an update. Both recompute the field with the
 * screen bounds multiplied by `scale`; vo_sizing_area only for a trial, after which
 * vo_sizing_scale_bounds must follow. */

/* Area of the cloth in its metric; the number of faces of a conforming mesh is proportional to it.
 * Uses the metrics of verts, as the edits do, so a coarse face next to a fine one has a larger
 * weight. */
double vo_sizing_area(vo_sizing *sizing, double scale);
void vo_sizing_scale_bounds(vo_sizing *sizing, double scale);

/* s^2 of an edge (eq. 1) from metrics per vert; above 1 it is too long. On a seam the larger value
 * of both sides. */
double vo_sizing_edge_size2(const vo_mesh *mesh, const vo_sym2 *vert, int edge);

#endif
