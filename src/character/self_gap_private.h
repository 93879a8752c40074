/* Internals of character/self_gap.h. */
#ifndef VO_CHARACTER_SELF_GAP_PRIVATE_H
#define VO_CHARACTER_SELF_GAP_PRIVATE_H

#include "character/self_gap.h"
#include "math/quat.h"
#include "spatial/bvh.h"

/* Data of the body at rest, followed by data of the current pose.
 *
 * Index lists are in CSR form: the entries of node n are start[n] ... start[n + 1] - 1. Patches are
 * discs on the surface around some of the nodes; together they cover it several times. Nodes of
 * each patch and patches of each node are listed, with weights that decrease from the centre. */
struct vo_self_gap {
    vo_context *ctx;
    int node_count, face_count, next_count, patch_count, link_count;
    int (*face)[3];         /* [face_count] */
    int *corner_start;      /* [node_count + 1] */
    int *corner;            /* [3 face_count] faces around each node */
    int *next_start;        /* [node_count + 1] */
    int *next;              /* [next_count] neighbours of each node, each once */
    double *length;         /* [next_count] m, rest length of the edge */
    double *tangent_weight; /* [next_count] 1/m, weight of the edge in the tangent of the node */
    int *patch_start;       /* [node_count + 1], patch_count + 1 in use */
    int *patch_node;        /* [link_count] */
    double *patch_weight;
    int patch_node_capacity, patch_weight_capacity;
    int *link_start; /* [node_count + 1] */
    int *link_patch; /* [link_count] patches of each node */
    double *link_weight;
    vo_vec3 *rest;        /* [node_count] m */
    vo_vec3 *rest_normal; /* [node_count] unit */
    vo_quat *rest_frame;  /* [node_count] from normal and tangent */
    vo_vec3 *rest_side;   /* [face_count] unit face normals */
    double *limit;        /* [node_count] m, maximum depth */
    double size;          /* m, diagonal of the bounding box */
    double edge;          /* m, mean edge length */

    vo_vec3 *area;    /* [face_count] twice the vector area, m^2 */
    vo_quat *turn[2]; /* [node_count] rotations from the rest pose; the second is working memory */
    vo_quat *patch_turn;     /* [patch_count] */
    vo_vec3 *normal;         /* [node_count] unit, normals of the rest pose, rotated */
    vo_vec3 *base;           /* [node_count] m, pose with crumpled regions smoothed */
    vo_vec3 *moved;          /* [node_count] m, `base` with the current insets */
    vo_vec3 *unsmoothed;     /* [node_count] m, positions before smoothing */
    vo_bvh tree;             /* BVH over the faces of `moved` */
    vo_box *box;             /* [face_count] */
    double *requested_depth; /* [node_count] m, per node; during unfolding: smoothing weights */
    double *next_depth;      /* [node_count] m, output of a smoothing pass */
    double *depth;           /* [node_count] m, resulting depths */
    int *list;               /* [node_count] nodes that are smoothed */
};

enum { VO_SELF_GAP_GRAIN = 256 };

/* self_gap.c: computes the depth of every node of the pose x for parts that face each other to be
 * `gap` apart, m: depth[node_count], finite, not negative. Leaves `base` and `normal` for x. */
void vo_self_gap_measure(vo_self_gap *self_gap, const vo_vec3 *x, double gap, double *depth);

/* self_gap_patches.c */
bool vo_self_gap_make_patches(vo_self_gap *self_gap);

/* self_gap_turn.c: face areas of a pose; frame of a node; rotations and normals. */
void vo_self_gap_find_areas(vo_self_gap *self_gap, const vo_vec3 *x);
vo_vec3 vo_self_gap_area_normal(const vo_self_gap *self_gap, int node);
vo_quat vo_self_gap_frame(const vo_self_gap *self_gap, const vo_vec3 *x, int node);
void vo_self_gap_find_rotations(vo_self_gap *self_gap, const vo_vec3 *x);

/* self_gap_unfold.c: computes `base` and its rotations and normals. */
void vo_self_gap_unfold(vo_self_gap *self_gap, const vo_vec3 *x);

/* self_gap_measure.c: updates the BVH to `moved`; returns the additional depth that a node
 * requests; returns the distance from a node of the rest pose inwards to the first exit, INFINITY
 * if there is none. */
void vo_self_gap_refit(vo_self_gap *self_gap);
double vo_self_gap_node_depth(const vo_self_gap *self_gap, int node, double in, double gap);
double vo_self_gap_thickness(const vo_self_gap *self_gap, int node);

/* self_gap_spread.c: propagates and smooths the requested depths; smooths the limits along the
 * surface, where infinite limits take those of their neighbours. */
void vo_self_gap_spread(vo_self_gap *self_gap, double *depth);
void vo_self_gap_smooth_limits(vo_self_gap *self_gap);

static inline bool vo_self_gap_any(const vo_self_gap *self_gap, const double *x) {
    for (int n = 0; n < self_gap->node_count; n++)
        if (x[n] > 0) return true;
    return false;
}

/* Returns 0 up to low, 1 from high, linear in between; 0 for NaN. */
static inline double vo_self_gap_ramp(double x, double low, double high) {
    return vo_clamp((x - low) / (high - low), 0, 1);
}

#endif
