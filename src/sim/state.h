/* clang-format off */
/* The mutable state of a simulation. The scene (scene/scene.h) is the constant half.
 *
 * Only src/sim, and the modules above it, access this struct. Each array is documented by its
 * meaning, unit, size, index space and the stage that writes it:
 *
 *     name             index space     written by   meaning
 *
 * Index spaces. The prefix of an array names the space of its index; index variables and maps use
 * the same words.
 *
 *   | cloth_node  | node of one cloth's mesh, 0 .. mesh->node_count - 1
 *   | global_node | nodes of all cloths in turn: cloth.first_node + cloth_node
 *   | point       | points of the contact surface: all global nodes, then the obstacles' nodes;
 *   |             | a point below surface.cloth_node_count equals its global node
 *   | row         | row of the linear system: system.row_of[global_node];
 *   |             | the inverse map is contact.row_node
 *   | face        | face of one cloth's mesh; global face: system_cloth.first_face + face;
 *   |             | the solver's order: system.face_number[global face]
 *
 *          cloth 0          cloth 1         obstacle 0    obstacle 1
 *        |cloth_node ...|cloth_node ... |
 *        |------ global_node -----------|                              row = row_of[global_node]
 *        |------------------------ point -----------------------------|
 *
 * Persistence. [frame]: stored in frame files, so that a resumed run continues with the same bits
 * (sim/frame_file.h). [snapshot]: stored in snapshots, which can be taken between any two substeps,
 * in addition to everything marked [frame]. Everything else is derived from the scene and the
 * stored part, is scratch memory, or only suppresses repeated warnings.
 *
 * Stages, in the order in which the driver (sim/step.c) calls them: move (obstacles.c, handles.c,
 * teleport.c), contact (contact.c, friction.c), solve (integrate/), limit (integrate/), collide
 * (contact.c), commit (handles.c, obstacles.c, pop_filter.c, solver_state.c); at the end of a frame
 * view (view*.c), remesh (remesh.c) and inspect (measure.c, inspect.c). */
/* clang-format on */
#ifndef VO_SIM_STATE_H
#define VO_SIM_STATE_H

#include "character/body.h"
#include "collide/contact.h"
#include "collide/contact_cull.h"
#include "collide/guard/guard.h"
#include "collide/nearest.h"
#include "collide/response.h"
#include "core/memory.h"
#include "integrate/implicit.h"
#include "remesh/remesh.h"
#include "scene/scene.h"
#include "sim/inspect.h"
#include "view/view.h"

#include <voile/sim.h>

/* The time interval of one step, s. `end` equals begin + dt up to rounding: an instant always has
 * the same bits, also where the next step or a resumed run begins with it. */
typedef struct vo_step_span {
    double begin, end, dt;
} vo_step_span;

/* One cloth. */
typedef struct vo_cloth_state {
    vo_mesh *mesh;  /* [frame] positions m, velocities m/s, topology; commit, remesh, untangling */
    int first_node; /* global_node of its cloth_node 0; rebuild */
    int *origin;    /* [cloth_node, origin_count] [frame] node of the scene's mesh, -1 for a node
                       made by remeshing; NULL while the mesh has the scene's topology; remesh */
    int origin_count; /* mesh->node_count at the last remeshing */
    vo_edit *edit; /* topology editor. [frame] node_flags, node_split_cooldown, node_edit_penalty,
                      edge_drift; NULL if no cloth is remeshed; remesh */
    vo_material *material;  /* [material] the scene's, or live inputs; fabrics of the latter are
                               owned; vo_sim_set_material */
    bool *material_is_live; /* [material] [snapshot] it replaces the scene's */
    vo_sizing sizing;       /* sizing field, recomputed by each remeshing; remesh */
} vo_cloth_state;

/* Inputs that a host may change between substeps, in place of the scene's (<voile/live.h>). */
typedef struct vo_sim_environment {
    vo_vec3 gravity; /* m/s^2 */
    vo_wind wind;
    double friction, obstacle_friction; /* Coulomb's coefficients */
} vo_sim_environment;

/* Source of an obstacle's motion. */
typedef enum vo_obstacle_driver {
    VO_DRIVER_SCENE,    /* its motion or its body */
    VO_DRIVER_POSE,     /* vo_sim_set_obstacle_pose */
    VO_DRIVER_VERTICES, /* vo_sim_set_obstacle_vertices */
} vo_obstacle_driver;

/* Live inputs of an obstacle. */
typedef struct vo_obstacle_live {
    vo_obstacle_driver driver;
    vo_transform pose;   /* VO_DRIVER_POSE: at the end of the next substep */
    bool has_velocities; /* VO_DRIVER_VERTICES: live_v is given */
    bool rescaled;       /* a live pose has changed its size: it is not treated as rigid any more */
} vo_obstacle_live;

/* Live inputs of a handle. */
typedef struct vo_handle_live {
    double weight;       /* 0 to 1, factor of its strength */
    bool has_target;     /* `target` replaces its motion */
    vo_transform pose;   /* at the current time; commit */
    vo_transform target; /* at the end of the next substep */
} vo_handle_live;

/* One handle. It records the attachment of its nodes when it becomes active. */
typedef struct vo_handle_state {
    bool active;       /* [frame] its attachments are valid; commit */
    int count;         /* number of its nodes; every node of the cloth for soft handles */
    int node_capacity; /* allocated entries of node */
    int attachment_capacity;
    int *node;              /* [count] [frame] cloth_node; unused by soft handles; remesh */
    vo_vec3 *attachment;    /* [count] [frame] m, position in the frame of the motion, or a surface
                               binding (handles_body.c); NaN: not attached (soft handles); move */
    vo_handle_live live;    /* [snapshot] */
    vo_transform step_pose; /* at the end of the current step; move */
} vo_handle_state;

/* One obstacle. */
typedef struct vo_obstacle_state {
    vo_mesh *mesh;              /* positions m and velocities m/s at the current time; commit */
    bool present;               /* it exists at the current time; commit */
    double rests_until;         /* s, end of the substep in which it teleported; move */
    vo_transform pose;          /* of its motion at the current time; identity for bodies; commit */
    vo_body_evaluator follower; /* evaluates the motion of a body */
    vo_vec3 *target_x;     /* [mesh->node_count] m, nodes at the end of the step if it deforms; else
                              NULL or unused; move */
    vo_vec3 *lag;          /* [mesh->node_count] [frame] m, offset of a node from its motion; zero
                              unless the collision response made it yield; commit */
    bool rigid;            /* its motion keeps size and form */
    bool deforms;          /* target_x is used: a body, or VO_DRIVER_VERTICES */
    vo_obstacle_live live; /* [snapshot] */
    vo_vec3 *live_x, *live_v; /* [mesh->node_count] [snapshot] VO_DRIVER_VERTICES: m and m/s at the
                                 end of the next substep; NULL until first used */
} vo_obstacle_state;

/* Contact between cloths and obstacles; see collide/. */
typedef struct vo_sim_contact {
    vo_surface surface;          /* [point] x0 and x1, m, start and end of the step; move, contact,
                                    collide */
    vo_candidates *candidates;   /* broad and narrow phase */
    vo_surface previous_surface; /* before the current rebuild */
    vo_obstacle_cache obstacle_cache; /* obstacle data reused by the next rebuild */
    vo_response *response;
    int contact_capacity;
    int row_count;             /* size of the arrays below */
    vo_contact *contact;       /* contacts of the current step; contact */
    vo_contact_cull cull;      /* selection among them in dense regions; contact */
    bool over_budget;          /* a dense region exceeds the pair budget; contact */
    bool obstacle_appeared;    /* an obstacle appeared or teleported in this step; move */
    int *row_node;             /* [row] global_node of a row; rebuild */
    double *node_normal_force; /* [global_node] [frame] N, sum of the normal forces of its contacts
                                  in the last step; solve (friction.c) */
    unsigned char
        *node_pressed;        /* [global_node] 1: it had a normal force in the last step; contact */
    double *node_impulse_sum; /* [global_node] kg m/s, sum of the repulsion impulses of its
                                 contacts, by which the normal force is distributed; contact */
} vo_sim_contact;

/* Scratch memory of teleport.c. */
typedef struct vo_sim_teleports {
    vo_arena arena;      /* of one teleport */
    vo_nearest *nearest; /* [obstacle] closest-point trees, built on demand; NULL: none yet */
} vo_sim_teleports;

/* Remeshing, besides the data of each cloth. */
typedef struct vo_sim_remesh {
    vo_remesher *remesher; /* NULL: no cloth is remeshed */
    vo_guard *guard;
    vo_nearest nearest; /* closest points on the obstacles */
    vo_arena arena;     /* of one remeshing */
    int edits;          /* splits, collapses and flips in the current frame; remesh */
} vo_sim_remesh;

/* View-dependent refinement. */
typedef struct vo_sim_view {
    vo_view *view;              /* NULL: the scene does not adapt to cameras */
    vo_view_cloth *cloth;       /* [cloth] view factors and bounds, during a remeshing; view */
    vo_vec3 *obstacle_velocity; /* [obstacle] m/s, mean velocity, during a remeshing; view */
    unsigned char **cloth_face_visible; /* [cloth][face] 1: a pop camera sees the face, during a
                                           remeshing; unset without pop cameras; view */
    int pop_camera_count;               /* cameras in whose images popping is limited; view */
    vo_camera *pop_camera;              /* [camera, at least 1] */
    int frustum_count;                  /* frusta of active cameras */
    vo_frustum *frustum;                /* [camera, at least 1] */
    vo_camera_predictor predictor; /* [snapshot] interactive camera; replaces the scene's cameras
                                      while it has poses; vo_sim_set_camera */
} vo_sim_view;

/* Control of the face and time budgets (view_budget.c). Its inputs are its own: it reads no
 * statistics. */
typedef struct vo_sim_budget {
    double min_edge_pixels; /* [frame] shortest edge on the screen, pixels; view */
    double density;         /* [frame] recent faces per unit of metric area; remesh */
    double area;            /* area of all cloths in their metrics in this remeshing; 0: none */
    double frame_s;         /* [snapshot] s, wall time of the current frame up to now; driver */
    double steps_s;         /* [snapshot] s, wall time of the substeps of the frame; view */
    double after_steps_s;   /* [snapshot] s, wall time of the previous frame after its substeps; 0:
                               unknown; driver */
} vo_sim_budget;

/* Warnings that are logged once per simulation, with the number of times they applied since. */
typedef enum vo_sim_warning {
    VO_WARN_FROZEN,       /* a substep had no solution */
    VO_WARN_STRAIN,       /* implausible strain */
    VO_WARN_LAG,          /* obstacle or pinned nodes lag behind their motion */
    VO_WARN_DENSE_REGION, /* more feature pairs than can be handled */
    VO_WARN_TELEPORT,     /* an obstacle moved faster than teleport_speed */
    VO_WARN_FACE_LIMIT,   /* the sizing field requests too many faces */
    VO_WARN_BUDGET,       /* the view budget cannot be met */
    VO_WARN_TANGLE,       /* intersections could not be resolved */
    VO_WARN_SELF_MEMORY,  /* no memory for self-collision; engine realtime */
    VO_SIM_WARNINGS
} vo_sim_warning;

struct vo_sim {
    vo_context *ctx;
    const vo_scene *scene;

    /* clock; driver */
    int frame;           /* [frame] finished frames; negative in the preroll */
    int substep;         /* [snapshot] finished substeps of the current frame; 0 in frame files */
    double frame_start;  /* [frame] s, time at which the current frame began */
    double dt;           /* s, frame_time / frame_steps */
    double step_end;     /* s, end of the current substep, at which live targets are reached */
    int frozen_substeps; /* [snapshot] of the current frame */
    vo_result broken; /* failure of a remeshing, solver rebuild or restore; no step is possible */

    vo_sim_environment environment; /* [snapshot] */

    /* scene objects */
    int cloth_count, handle_count, obstacle_count;
    vo_cloth_state *cloth;         /* [cloth] */
    vo_handle_state *handle;       /* [handle] */
    vo_obstacle_state *obstacle;   /* [obstacle] */
    vo_system_cloth *system_cloth; /* [cloth] meshes, materials and first indices for the solver */

    /* solver: [row] x m, v m/s, dv m/s, guess m/s; [face_number] offset, slack. [frame] guess,
     * offset, fade and slack; [snapshot] previous_dv and slack_target */
    vo_implicit implicit;
    bool rows_current; /* implicit.x and .v equal the meshes; commit */
    double face_size;  /* m, square root of the mean face area in material space; rebuild */

    vo_sim_contact contact;
    vo_sim_teleports teleports;
    vo_sim_remesh remesh;
    vo_sim_view view;
    vo_sim_budget budget;

    /* constraints of the current step; move, contact */
    int pin_capacity, anchor_capacity, tie_capacity;
    vo_pin *pin;
    vo_anchor *anchor;
    vo_tie *tie;
    vo_constraints constraints;
    double handles_time; /* s, end of the step that the constraints are for */

    /* results and scratch memory */
    vo_arena scratch;            /* of one frame file */
    vo_inspector *inspector;     /* memory of vo_sim_inspect */
    vo_stats stats;              /* [snapshot] of the current frame; written by all stages, read
                                    by none */
    int untangled;               /* [snapshot] face pairs separated after the last frame, which
                                    the statistics of the next frame include */
    int warned[VO_SIM_WARNINGS]; /* times each warning applied */
    int warned_frame[VO_SIM_WARNINGS]; /* last frame in which it applied */
};

/* ---- queries -------------------------------------------------------------------------------- */

/* Current time, s. */
static inline double vo_sim_now(const vo_sim *sim) {
    return sim->frame_start + sim->substep * sim->dt;
}

/* Fraction of the path from the current state to the live targets that a step covers. A step
 * without duration covers nothing. */
static inline double vo_sim_live_fraction(const vo_sim *sim, vo_step_span t) {
    if (!(t.end > t.begin)) return 0;
    return t.end >= sim->step_end ? 1 : (t.end - t.begin) / (sim->step_end - t.begin);
}

/* Returns true if the mesh of a cloth may change. */
static inline bool vo_sim_remeshes(const vo_sim *sim, int cloth) {
    return sim->scene->cloth[cloth].remeshing.enabled;
}

/* Returns true if the scene limits faces or seconds per frame. */
static inline bool vo_sim_has_budget(const vo_sim *sim) {
    const vo_view_settings *v = &sim->scene->def.view;
    return v->budget_faces > 0 || v->budget_seconds > 0;
}

#endif
