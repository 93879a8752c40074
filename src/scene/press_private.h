/* Inside of scene/press.h. */
#ifndef VO_SCENE_PRESS_PRIVATE_H
#define VO_SCENE_PRESS_PRIVATE_H

#include "math/quat.h"
#include "scene/press.h"
#include "spatial/bvh.h"

/* What is known of the body at rest, then what belongs to the pose at hand.
 *
 * Lists around nodes lie one after the other: those of node n at start[n] ... start[n + 1] - 1.
 * Patches are discs on the surface around some of the nodes; together they cover all, several times
 * over. Nodes of each patch and patches of each node are listed, with weights that fall off from
 * the middle. */
struct vo_press {
    vo_context *ctx;
    int node_count, face_count, next_count, patch_count, link_count;
    int (*face)[3];    /* [face_count] */
    int *corner_start; /* [node_count + 1] */
    int *corner;       /* [3 face_count] faces around each node */
    int *next_start;   /* [node_count + 1] */
    int *next;         /* [next_count] neighbours of each node, each once */
    double *length;    /* [next_count] m, of the edge to it at rest */
    double *share;     /* [next_count] 1/m, weight of its edge in the node's tangent */
    int *patch_start;  /* [node_count + 1], patch_count + 1 of them in use */
    int *patch_node;   /* [link_count] */
    double *patch_weight;
    int patch_node_capacity, patch_weight_capacity;
    int *link_start; /* [node_count + 1] */
    int *link_patch; /* [link_count] patches of each node */
    double *link_weight;
    vo_vec3 *rest;        /* [node_count] m */
    vo_vec3 *rest_normal; /* [node_count] unit */
    vo_quat *rest_frame;  /* [node_count] normal and tangent */
    vo_vec3 *rest_side;   /* [face_count] unit normals of faces */
    double *limit;        /* [node_count] m, greatest depth */
    double size;          /* m, the body's diagonal */
    double edge;          /* m, mean length */

    vo_vec3 *area;       /* [face_count] twice the vector area, m^2 */
    vo_quat *turn[2];    /* [node_count] from the rest pose; the second is for the making */
    vo_quat *patch_turn; /* [patch_count] */
    vo_vec3 *normal;     /* [node_count] of the rest pose, turned */
    vo_vec3 *base;       /* [node_count] m, the pose, smoothed where it is crumpled */
    vo_vec3 *moved;      /* [node_count] m, drawn in as far as is known */
    vo_vec3 *before;     /* [node_count] m, where nodes to be smoothed were */
    vo_bvh tree;         /* over the faces of `moved` */
    vo_box *box;         /* [face_count] */
    double *wish;        /* [node_count] m, of each node for itself; or weights on the way there */
    double *draft;       /* [node_count] the next of it */
    double *depth;       /* [node_count] m, where the caller does not ask for it */
    int *list;           /* [node_count] of nodes to be smoothed */
};

enum { VO_PRESS_GRAIN = 256 };

/* press_patches.c */
bool vo_press_make_patches(vo_press *press);

/* press_turn.c: areas of a pose; the frame of a node by them; turns and normals. */
void vo_press_find_areas(vo_press *press, const vo_vec3 *x);
vo_vec3 vo_press_area_normal(const vo_press *press, int node);
vo_quat vo_press_frame(const vo_press *press, const vo_vec3 *x, int node);
void vo_press_find_turns(vo_press *press, const vo_vec3 *x);

/* press_unfold.c: fills `base`, and turns and normals with it. */
void vo_press_unfold(vo_press *press, const vo_vec3 *x);

/* press_look.c: tree for `moved`; how much further in a node should go; at rest, how far it is to
 * the first face that is left on the way in, INFINITY if there is none. */
void vo_press_refit(vo_press *press);
double vo_press_look(const vo_press *press, int node, double in, double gap);
double vo_press_thickness(const vo_press *press, int node);

/* press_spread.c: from `wish` to depths without spikes; limits that change slowly along the
 * surface, where infinite ones take those around them. */
void vo_press_spread(vo_press *press, double *depth);
void vo_press_even_limits(vo_press *press);

static inline bool vo_press_any(const vo_press *press, const double *x) {
    for (int n = 0; n < press->node_count; n++)
        if (x[n] > 0) return true;
    return false;
}

/* 0 up to low, 1 from high on, linear between; 0 for NaN. */
static inline double vo_press_ramp(double x, double low, double high) {
    return vo_clamp((x - low) / (high - low), 0, 1);
}

#endif
