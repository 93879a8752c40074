/* State of a collision body. */
#ifndef VO_RT_BODY_BODY_PRIVATE_H
#define VO_RT_BODY_BODY_PRIVATE_H

#include "rt/body/body.h"
#include "rt/body/shape.h"
#include "rt/body/surface_kernel.h"

typedef enum vo_rt_mesh_kind {
    VO_RT_MESH_NONE,
    VO_RT_MESH_RIGID,   /* one pose in the body's frame; queries are transformed */
    VO_RT_MESH_SKINNED, /* vertices in world space */
    VO_RT_MESH_HOST     /* vertices in world space */
} vo_rt_mesh_kind;

/* Parts of a body that are posed; the others keep an earlier pose. */
enum { VO_RT_USE_SHAPES = 1, VO_RT_USE_MESH = 2, VO_RT_USE_ALL = 3 };

/* Calls of vo_rt_body_advance whose poses are kept: the largest lod.far_rate_divisor. */
enum { VO_RT_HISTORY = 8 };

/* Buffers of a deforming mesh: start and end of the world step, and two interpolated poses. */
enum { VO_RT_POSE_BUFFERS = 4 };

/* Values set by the host, applied by vo_rt_body_begin_step. */
typedef struct vo_rt_body_input {
    vo_rt_transform transform;
    bool has_transform, has_bones, has_vertices, has_teleport;
    bool is_enabled;
    float friction;
} vo_rt_body_input;

struct vo_rt_body {
    /* constant */
    const vo_rt_surface_kernels *kernels;
    vo_rt_message *message; /* of the setters; may be NULL */
    float offset;           /* m */
    uint32_t layer;
    uint64_t user;
    int bone_count, shape_count;
    bool is_posed_by_bones; /* alone, so that parts may be left out */
    vo_rt_mesh_kind mesh_kind;
    vo_rt_surface surface;
    vo_rt_skin_vertex *skin; /* [vertex_count] */
    vo_rt_vec4 *bone_ball;   /* [bone_count] m, ball around the vertices that a bone moves, in the
                                bind   pose; radius below 0: none. Skinned meshes only */
    size_t memory_bytes;
    void *memory; /* one block with the arrays of this struct */

    /* inputs of the host */
    vo_rt_body_input input;
    vo_rt_matrix *bones;  /* [bone_count] */
    vo_rt_vec4 *vertices; /* [vertex_count] VO_RT_MESH_HOST: in the order of the surface */

    /* state, written by begin_step and advance */
    uint8_t used;  /* VO_RT_USE_...: parts that begin_step and advance pose; set by the world */
    uint8_t stale; /* parts whose pose is an earlier one: they start the next step that uses them at
                      its target */
    bool is_enabled;
    float friction;
    bool is_teleported;  /* no motion in this world step; the side of cloth vertices is unknown */
    float duration;      /* s, of the world step */
    float s, s_previous; /* fractions of the step at the last two calls of advance */
    bool is_deforming;   /* the vertices of the mesh move in this step */
    vo_rt_pose mesh_start, mesh_end, mesh_previous, mesh_current; /* rigid; identity otherwise */
    vo_rt_surface_pose pose[VO_RT_POSE_BUFFERS];
    int start, end, previous, current; /* indices of `pose` */
    vo_rt_vec3 mesh_min, mesh_max;     /* m, bounds of the mesh's shell at previous and current */
    float mesh_speed;                  /* m/s, bound on the speed of a vertex in this step */
    double motion_sum;        /* m, sum over all steps of bounds on the motion of vertices of
                                 a deforming mesh: a distance from it has changed by at most
                                 the difference of two sums */
    vo_rt_body_shape *shapes; /* [shape_count] */
    vo_rt_pose *history; /* [VO_RT_HISTORY][shape_count + 1] ring: poses of the shapes and of the
                            mesh before the last calls of advance */
    int history_at;      /* row of the next call */
    vo_rt_bone_columns *columns; /* [bone_count] scratch of skinning */
    vo_rt_reaction reaction;     /* written by the world */
};

/* --- Parts: a body's mesh, or each of its shapes --------------------------------------------- */

enum { VO_RT_PART_MESH = -1 };

/* True if queries use the shapes: requested, or there is no mesh. */
static inline bool vo_rt_body_uses_shapes(const vo_rt_body *b, bool use_shapes) {
    return b->shape_count > 0 && (use_shapes || b->mesh_kind == VO_RT_MESH_NONE);
}

/* Poses of a part at the last two calls of advance; identity for a deforming mesh. */
vo_rt_pose vo_rt_part_previous(const vo_rt_body *b, int part);
vo_rt_pose vo_rt_part_current(const vo_rt_body *b, int part);
/* Pose of a part before the last `calls` calls of advance, 1 to VO_RT_HISTORY. */
vo_rt_pose vo_rt_part_before(const vo_rt_body *b, int part, int calls);
static inline bool vo_rt_part_is_rigid(const vo_rt_body *b, int part) {
    return part >= 0 || b->mesh_kind == VO_RT_MESH_RIGID;
}
/* Bounds of the shell over the motion between these poses. */
void vo_rt_part_bounds(const vo_rt_body *b, int part, vo_rt_vec3 *min, vo_rt_vec3 *max);
/* Adds the bounds of the shell of a shape or of a rigid mesh at another pose. */
void vo_rt_part_add_bounds(const vo_rt_body *b, int part, vo_rt_pose pose, vo_rt_vec3 *min,
                           vo_rt_vec3 *max);

/* Nearest point of the shell within `radius`. A point inside a mesh whose nearest surface is
 * farther than `radius` plus the offset is found only if `is_deep`. */
bool vo_rt_part_find_nearest(const vo_rt_body *b, int part, vo_rt_vec3 x, float radius,
                             int32_t hint, bool is_deep, vo_rt_surface_point *out);
/* Like find_nearest for a mesh, by a walk from triangle `hint`: a local minimum of the distance, at
 * any distance. False: the walk was long, or left the sheet around leaf `home`. */
bool vo_rt_part_walk(const vo_rt_body *b, vo_rt_vec3 x, int32_t hint, int32_t home,
                     vo_rt_surface_point *out);
/* Loads the data of a triangle for a walk into the cache: first its corners, in a later call its
 * vertices. */
void vo_rt_part_prefetch(const vo_rt_body *b, int32_t slot, bool vertices);
/* Lower bound on the distance of x from the parts of the mesh that are not local to leaf `home`
 * (-1: from the whole mesh), at most `limit`. */
float vo_rt_part_clearance(const vo_rt_body *b, vo_rt_vec3 x, int32_t home, float limit);
/* Bound on the motion of a vertex of a deforming mesh between the previous and the current pose, m;
 * 0 for a rigid one. */
float vo_rt_part_motion(const vo_rt_body *b);
/* A point in the frame in which the mesh is described: that of a rigid body, or the world. */
vo_rt_vec3 vo_rt_part_to_frame(const vo_rt_body *b, vo_rt_vec3 x);
/* First point of a-b at `level` outside the surface (0: the surface, offset: the shell). */
bool vo_rt_part_cast(const vo_rt_body *b, int part, vo_rt_vec3 a, vo_rt_vec3 b_end, float level,
                     float *t, vo_rt_surface_point *out);
/* Where a point beside the surface at the previous pose is at the current one if it moves with the
 * surface. `feature` is the triangle beside the point, needed for deforming meshes only. */
vo_rt_vec3 vo_rt_part_carry(const vo_rt_body *b, int part, int32_t feature, vo_rt_vec3 x);
/* The same for a shape or rigid mesh that was at `from`. */
vo_rt_vec3 vo_rt_part_carry_from(const vo_rt_body *b, int part, vo_rt_pose from, vo_rt_vec3 x);
/* Triangle of a deforming mesh nearest to x at the previous pose, within `radius` of the surface;
 * -1: none, or the part is rigid. */
int32_t vo_rt_part_find_previous(const vo_rt_body *b, int part, vo_rt_vec3 x, float radius);

#endif
