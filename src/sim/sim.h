/* The inside of a simulation: the only module that knows everything.
 *
 * The scene is the constant half (scene/scene.h), this struct the changing one. What a frame file
 * keeps is marked [saved]; all else is made from the scene and the saved part, so a resumed run
 * cannot tell that it was interrupted. */
#ifndef VO_SIM_SIM_H
#define VO_SIM_SIM_H

#include "codec/vof.h"
#include "collide/contact.h"
#include "collide/guard.h"
#include "collide/nearest.h"
#include "collide/response.h"
#include "collide/thin.h"
#include "core/memory.h"
#include "integrate/implicit.h"
#include "integrate/strain_limit.h"
#include "material/bend.h"
#include "material/stretch.h"
#include "remesh/remesh.h"
#include "scene/body.h"
#include "scene/scene.h"
#include "sim/inspect.h"
#include "view/view.h"

#include <voile/sim.h>

typedef struct vo_cloth_state {
    vo_mesh *mesh;  /* [saved] positions, velocities and topology */
    int first_node; /* global number of its node 0 */
    int *origin;    /* [origin_count] [saved] a node's number in the scene's mesh, -1 for new ones;
                       NULL where the mesh has the scene's topology */
    int origin_count; /* nodes of the mesh */
    vo_edit *edit; /* flags, youth and heat of nodes and drift of edges are [saved]; NULL: nothing
                      is remeshed */
    vo_sizing sizing;
} vo_cloth_state;

/* A handle takes hold of its nodes when it starts; where it took them is part of the state. */
typedef struct vo_handle_state {
    bool active; /* [saved] */
    int count;   /* nodes it is about: all of the cloth for soft handles */
    int node_capacity, hold_capacity;
    int *node;     /* [saved] numbers in the cloth's mesh; not used by soft handles */
    vo_vec3 *hold; /* [saved] place in the motion's own frame; NaN: not held (soft handles) */
} vo_handle_state;

typedef struct vo_obstacle_state {
    vo_mesh *mesh; /* at the current time */
    bool present;
    double rests_until;        /* s, since it has jumped; see jump.c */
    vo_transform pose;         /* of its motion at the current time; the identity for bodies */
    vo_body_follower follower; /* of a body */
    vo_vec3 *goal;   /* [node_count] of a body: where its motion has the nodes when the step ends */
    vo_vec3 *behind; /* [node_count] [saved] m, from where its motion would have a node to where it
                        is; zero unless it had to yield */
} vo_obstacle_state;

/* What touches, see collide/. Lists and trees are made anew when needed. */
typedef struct vo_sim_contact {
    vo_surface surface; /* cloths, then obstacles */
    vo_candidates *candidates;
    vo_surface before;      /* the surface as it was, while it is made anew */
    vo_kept_obstacles kept; /* what the new candidates copy of the old: the obstacles' parts */
    vo_response *response;
    int contact_capacity, row_count;
    vo_contact *contact; /* of the current step */
    vo_thin thin;
    bool crowded;    /* there is a clump: not all that is close has a contact */
    bool appeared;   /* an obstacle did, in the step under way */
    int clump_frame; /* the last frame for which a clump was told of; INT_MIN: none */
    int jump_frame;  /* and a jump */
    int *node_of;    /* [row_count] the surface's node of a row of the solver */
    double *pressed; /* [row_count] [saved] N, by which contacts pressed each node of cloth in the
                        last step */
    unsigned char *known; /* [row_count] that it was pressed in the last step */
    double *sharing;      /* [row_count] kg m/s, by which the contacts of a node share that */
} vo_sim_contact;

/* Memory of jumps (jump.c); nothing of it is state. */
typedef struct vo_sim_jumps {
    vo_arena arena;      /* of one jump */
    vo_nearest *nearest; /* [obstacle_count] of those that have jumped; NULL: none has */
} vo_sim_jumps;

/* What remeshing needs beside each cloth's own; nothing of it is state. */
typedef struct vo_sim_remesh {
    vo_remesher *remesher;
    vo_guard *guard;
    vo_nearest nearest;
    vo_arena arena;  /* of one remeshing */
    bool faces_told; /* that a cloth asks for more faces than it may have */
} vo_sim_remesh;

/* What cameras see; see view.c. */
typedef struct vo_sim_view {
    vo_view *view;                 /* NULL: the scene does not ask */
    vo_view_cloth *cloth;          /* [cloth_count] what they see of each, during a remeshing */
    vo_vec3 *obstacle_velocity;    /* [obstacle_count] m/s, of each as a whole, likewise */
    unsigned char **cloth_watched; /* [cloth_count] faces that watchers see (vo_watch), during a
                                      remeshing; nothing where there are none */
    int watcher_count;             /* cameras in whose pictures remeshing may show */
    vo_camera *watcher;            /* [scene's cameras, at least 1] */
    int frustum_count;             /* of cameras that count */
    vo_frustum *frustum;           /* [scene's cameras, at least 1] */
    double pixels;                 /* [saved] shortest edge on the screen */
    double density;                /* [saved] faces for each unit of area in the metric, lately */
    double area;                   /* of all cloths in their metrics, in this remeshing; 0: none */
    double stepped_s;              /* of the last frame, its steps */
    double rest_s;                 /* and what it took beside them; 0 if not known */
    bool budget_told;              /* that a budget cannot be held */
    vo_camera_guide guide; /* cameras given step by step; without any the scene's own count */
} vo_sim_view;

struct vo_sim {
    vo_context *ctx;
    const vo_scene *scene;

    int frame;          /* [saved] frames finished; negative in the preroll */
    int substep;        /* of the frame under way; frame files are written when it is 0 */
    double frame_start; /* [saved] s, time at which the frame under way began */
    double dt;          /* s, frame_time / frame_steps */
    vo_result broken;   /* how remeshing failed: then no further step is possible; else VO_OK */
    bool held_told;     /* that the cloth was held still in a substep */
    bool strain_told;   /* that it is stretched as no cloth is */

    int cloth_count, handle_count, obstacle_count;
    vo_cloth_state *cloth;
    vo_handle_state *handle;
    vo_obstacle_state *obstacle;
    vo_system_cloth *system_cloth; /* [cloth_count] the cloths as the solver sees them */

    vo_implicit implicit; /* guess, offset, fade and slack are [saved] */
    double face_size;     /* m, in the flat fabric */
    vo_sim_contact contact;
    vo_sim_jumps jumps;
    vo_sim_remesh remesh;
    vo_sim_view view;

    /* Constraints of the current step, refilled by the move stage. */
    int pin_capacity, anchor_capacity, tie_capacity;
    vo_pin *pin;
    vo_anchor *anchor;
    vo_tie *tie;
    vo_constraints constraints;
    double handles_time; /* s, the end of the step they are for */

    vo_arena scratch;        /* of one frame file */
    vo_inspector *inspector; /* memory of vo_sim_inspect, which changes nothing else */
    vo_stats stats;          /* since the frame began */
    int untangled;           /* pairs put apart after the last frame: they count for the next */
};

/* sim.c: as vo_sim_create, without making the first state fit to start from: a frame is to be read
 * into it. */
vo_result vo_sim_create_for_frames(vo_context *ctx, const vo_scene *scene, vo_sim **out);

/* handles.c */
vo_result vo_sim_handles_create(vo_sim *sim);
/* All handles hold what the scene names, where that is now; none is active. */
vo_result vo_sim_handles_reset(vo_sim *sim);
vo_result vo_sim_handle_reserve(vo_sim *sim, int handle, int count);
void vo_sim_handles_free(vo_sim *sim);
/* Global node pairs that glue handles couple; returns their number. */
int vo_sim_handles_ties(const vo_sim *sim, int (*ties)[2]);
/* Fills sim->constraints for a step of dt from `begin` to `end`. */
void vo_sim_handles_move(vo_sim *sim, double begin, double end, double dt);
/* The step that handles_move prepared was accepted: what it took hold of stays held. */
void vo_sim_handles_keep(vo_sim *sim);
/* Where a node of the scene's mesh is now; -1 if it is gone. */
int vo_sim_node_now(const vo_cloth_state *cloth, int node);
/* 1 from start to end, then falling as (1 - s)^4 over the fade time, else 0. */
double vo_handle_strength(const vo_handle_def *def, double t);
/* Whether it prescribes velocities while it has its full strength. */
static inline bool vo_handle_is_hard(const vo_handle_def *def) {
    return def->kind == VO_HANDLE_NODE && def->stiffness == 0;
}
/* Where a handle takes hold of a node, in the motion's own frame. */
vo_vec3 vo_handle_take(const vo_handle_def *def, const vo_mesh *mesh, int node,
                       vo_transform to_motion);
/* Room for the constraints of all handles. */
vo_result vo_sim_handles_make_room(vo_sim *sim);
/* handles_body.c: where a handle on a body holds what is at x now; and where that is when the step
 * ends. */
vo_vec3 vo_sim_grip(const vo_sim *sim, int obstacle, vo_vec3 x);
vo_vec3 vo_sim_grip_point(const vo_sim *sim, int obstacle, vo_vec3 hold);
/* handles_remesh.c: marks nodes that edits must leave, and whose velocities are prescribed. */
void vo_sim_handles_mark(const vo_sim *sim, int cloth);
/* The cloth's mesh was edited: its handles hold what became of their nodes. */
vo_result vo_sim_handles_follow(vo_sim *sim, int cloth);

/* sew_start.c: what characters wear is sewn. */
vo_result vo_sim_sew(vo_sim *sim, vo_sew_progress_fn *progress, void *user);

/* obstacles.c */
vo_result vo_sim_obstacles_create(vo_sim *sim);
void vo_sim_obstacles_free(vo_sim *sim);
/* The pose of a motion of the scene; -1: of what does not move. */
vo_transform vo_sim_pose(const vo_sim *sim, int motion, double t);
/* Whether the scene has obstacle i at time t. */
bool vo_sim_obstacle_is_there(const vo_sim *sim, int i, double t);
/* From where it is to where it will be at time t; false: not known, for it is a body, has no motion
 * or is scaled to nothing. */
bool vo_sim_obstacle_way(const vo_sim *sim, int i, double t, vo_transform *out);
/* To their places at time t, with velocities, at once. */
void vo_sim_obstacles_place(vo_sim *sim, double t);
/* In the surface, to where they go in a step that ends at t; and what came of it. */
void vo_sim_obstacles_aim(vo_sim *sim, double t, double dt);
void vo_sim_obstacles_keep(vo_sim *sim, double dt);
/* Which of their nodes have fallen behind their motions, and how far. */
void vo_sim_obstacles_behind(const vo_sim *sim, vo_inspection *out);
/* One that was aimed for a step to `end` is at that step's goal at once, and rests there until
 * `end`, whatever its motion says. */
void vo_sim_obstacle_put(vo_sim *sim, int obstacle, double end);
/* jump.c: obstacles that are aimed too far for a step of dt to `end` are put there, and what they
 * wear with them. Then everything is to be aimed again, and room to be made. */
vo_result vo_sim_jump(vo_sim *sim, double end, double dt, bool *jumped);
void vo_sim_jumps_free(vo_sim *sim);

/* contact.c */
vo_result vo_sim_contact_create(vo_sim *sim);
/* Before it is created again, for other meshes of the cloths. */
vo_result vo_sim_contact_drop(vo_sim *sim);
void vo_sim_contact_free(vo_sim *sim);
/* In the surface: where cloth is, where it would coast to, and how heavy it is. */
void vo_sim_contact_aim(vo_sim *sim, double dt);
/* Contacts of the step from the present state, into sim->constraints. */
vo_result vo_sim_contact_find(vo_sim *sim, double dt);
/* A step of cloth that has collapsed into a clump was given up: says where, once in a frame. */
void vo_sim_contact_tell_held(vo_sim *sim);
/* friction.c: of the contacts just found; and what pressed in the step just solved, for the next.
 */
void vo_sim_friction_add(vo_sim *sim, double dt, int count);
void vo_sim_friction_measure(vo_sim *sim, double dt);
/* Continuous collision on the way to the solver's new positions, which it changes. */
vo_result vo_sim_contact_collide(vo_sim *sim, double dt);

/* remesh.c: at the end of a frame, the meshes follow the cloth; everything else follows them. */
vo_result vo_sim_remesh_create(vo_sim *sim);
void vo_sim_remesh_free(vo_sim *sim);
vo_result vo_sim_remesh_run(vo_sim *sim);
/* Whether the cloth's mesh may change. */
bool vo_sim_remeshes(const vo_sim *sim, int cloth);
/* An editor for a mesh that is not from the scene but from a frame. */
vo_result vo_sim_remesh_open(vo_sim *sim, int cloth);

/* view.c: at the beginning of a remeshing, whose memory it uses: what is seen of each face. */
vo_result vo_sim_view_create(vo_sim *sim);
void vo_sim_view_free(vo_sim *sim);
vo_result vo_sim_view_look(vo_sim *sim);
/* Opens the pictures of this moment, for the question below. */
void vo_sim_view_open(vo_sim *sim);
/* Whether a face is in none of them. */
bool vo_sim_view_misses(const vo_sim *sim, int cloth, int face);

/* view_budget.c: between sizing and edits: the shortest edge on the screen and all sizes, as the
 * scene's budget asks. After the edits: how many faces that led to, for the next time. */
void vo_sim_view_fit(vo_sim *sim);
void vo_sim_view_learn(vo_sim *sim);
/* That number, within reason; not positive: what it usually is. */
void vo_sim_view_set_density(vo_sim *sim, double density);
/* What the frame came to so far against the scene's budget, into the statistics. */
void vo_sim_view_judge(vo_sim *sim);
/* Before the statistics of the last frame are cleared: notes what a budget must know of them. */
void vo_sim_view_begin_frame(vo_sim *sim);
/* Whether the scene holds faces or seconds. */
bool vo_sim_has_budget(const vo_sim *sim);

/* view_watch.c: who watches the edits of a cloth; false: nobody. */
bool vo_sim_view_watch_cloth(const vo_sim *sim, int cloth, vo_watch *out);
/* The most that points seem to move, in pixels of any camera that has looked on since the frame
 * before; 0 where none has. With a view, only of points that are seen. */
double vo_sim_view_popping(const vo_sim *sim, int count, const vo_pop *pop);

/* What forces feel of a face: strain and curvature that count, and its slack. */
typedef struct vo_felt {
    vo_offset shape;
    double slack;
} vo_felt;

/* settle.c: new faces begin with the stress that was there before them. What all faces of a cloth
 * felt before remeshing; `out` and `angle` have face_count and edge_count rows. */
void vo_sim_settle_measure(const vo_sim *sim, int cloth, double *angle, vo_felt *out);
/* After it, with the solver for the new meshes: `was` is what to begin with. */
void vo_sim_settle_begin(vo_sim *sim, int cloth, double *angle, const vo_felt *was);
/* What is left of a face's offset. */
vo_offset vo_sim_offset(const vo_sim *sim, int cloth, int face);
/* Offsets, and what slack is off its goal, fade over a step of dt. */
void vo_sim_settle_fade(vo_sim *sim, double dt);

/* buckle.c: how much slack a face is to have; the solver needs to know nothing of its mesh. */
double vo_sim_buckle_goal(const vo_sim *sim, int cloth, int face);
/* All faces are to go to that, in a solver made for the present meshes; or have it at once. */
void vo_sim_buckle_aim(vo_sim *sim);
void vo_sim_buckle_begin(vo_sim *sim);

/* untangle.c: puts apart what intersects at surface.x0, where that is allowed, and names what it
 * could not. Only meshes change, no velocities. */
vo_result vo_sim_untangle(vo_sim *sim);
/* The same between two steps, with everything where it is: before the first step, and at the end of
 * a frame. */
vo_result vo_sim_make_fit(vo_sim *sim);
/* The same for what remeshing has tangled; what it moves is seen to pop, too. */
vo_result vo_sim_untangle_edits(vo_sim *sim);
/* The same where a run goes on with a changed scene; what it does counts for the next frame. */
vo_result vo_sim_fit_to_scene(vo_sim *sim);

/* rows.c: a solver for the present topology, and what goes to and fro between it and the meshes. */
vo_result vo_sim_rebuild(vo_sim *sim);
void vo_sim_load_rows(vo_sim *sim);  /* meshes -> solver rows */
void vo_sim_store_rows(vo_sim *sim); /* solver rows -> meshes */

/* step.c: before the first step cloth that is stretched beyond what a fabric bears gives way
 * slowly, in steps that all begin at rest, until it is not or no longer gets better. */
vo_result vo_sim_relax(vo_sim *sim);

/* measure.c: a face as the formulas of stretching and of bending want it, without offsets. */
vo_stretch_face vo_mesh_stretch_face(const vo_mesh *mesh, int face, vo_vec3 x[3]);
vo_bend_face vo_mesh_bend_face(const vo_mesh *mesh, int face);
/* The angle at an edge minus its rest angle, rad. */
double vo_mesh_bent_angle(const vo_mesh *mesh, int edge);
/* Fills counts, strains and speeds from the present state. */
void vo_sim_measure(const vo_sim *sim, vo_stats *stats);
/* The same, and intersections and nodes inside obstacles: what a frame is judged by at its end. */
vo_result vo_sim_measure_frame(const vo_sim *sim, vo_stats *stats);
/* Raises *max and lowers *min to the largest and smallest principal stretch minus one. */
void vo_mesh_strain(const vo_mesh *mesh, double *max, double *min);

/* inspect.c: as vo_sim_inspect, of the cloths as the scene has them, before they are untangled;
 * obstacles where they are. */
vo_result vo_sim_inspect_given(const vo_sim *sim, vo_inspection *out);

/* stats.c: starts a frame's statistics; one JSON line, as in stats.jsonl. */
void vo_stats_begin(vo_stats *stats, int frame, double time);
int vo_stats_print(const vo_stats *stats, char *line, size_t size);
vo_result vo_stats_parse(vo_context *ctx, const char *file, const char *line, size_t size,
                         vo_stats *out);

/* state_write.c, state_read.c: frame files. */
vo_result vo_sim_save(vo_sim *sim, vo_vof_writer *writer, const char *path);
/* Meshes, handles and time of a frame of a run; obstacles where they were. Enough for looking; the
 * solver knows nothing of it, so no step may follow. After a failure other frames can be read. */
vo_result vo_sim_read_frame(vo_sim *sim, const char *folder, int frame);
/* The same and the solver too, so that the next step is the one that followed. After a failure the
 * simulation is only good for vo_sim_destroy. */
vo_result vo_sim_restore(vo_sim *sim, const char *folder, int frame);

#endif
