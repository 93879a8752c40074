/* The world: everything that lives for several steps, and the stages of a step.
 *
 * A step advances through minor steps of fixed length (step.c):
 *
 *   begin   inputs of the host become active; the number of minor steps is fixed   inputs.c
 *   run     for each minor step: bodies move; cloths whose turn it is adapt        adapt.c
 *           (major step), then all cloths move                                     move.c
 *   end     outputs, events, reactions, statistics                                 publish.c
 *
 * Loops run over bodies or cloths in parallel; each iteration writes its own object only. Memory of
 * the heap is reserved in the serial parts between loops. */
#ifndef VO_RT_WORLD_WORLD_H
#define VO_RT_WORLD_WORLD_H

#include "core/threads.h"
#include "rt/asset/asset_private.h"
#include "rt/base/text.h"
#include "rt/body/body_private.h"
#include "rt/contact/contact.h"
#include "rt/detail/operator.h"
#include "rt/detail/output.h"
#include "rt/self/self.h"
#include "rt/solve/levels.h"

enum {
    VO_RT_MAX_CAMERAS = 4,
    VO_RT_MAX_NEAR_BODIES = 64, /* bodies that a cloth can touch at a time */
};

/* Coordinates, speeds and accelerations beyond this are rejected: their squares must be finite. */
#define VO_RT_MAX_COORDINATE 1e6f

/* Forced pose of a base vertex, from vo_rt_cloth_set_attachment. */
typedef struct vo_rt_attachment {
    vo_rt_vec3 position;
    float weight; /* below 0: none, the painted map applies */
} vo_rt_attachment;

/* Values of a cloth that the host may set at any time. */
typedef struct vo_rt_cloth_inputs {
    vo_rt_transform transform;
    vo_rt_fabric fabric;
    vo_rt_adaption adaption;
    int32_t min_level, max_level;
    float linear_inertia, angular_inertia, centrifugal_inertia;
    float blend, link_strength;
    uint8_t enabled;
    uint8_t teleport, reset, wake; /* requests, cleared when they are served */
    uint8_t pose_changed;          /* transform, bones or attachments were set */
    uint8_t detail_enabled;
    uint8_t unused[2];           /* zero: snapshots copy the struct */
    int32_t detail_weight_count; /* 0: by the motion */
    float detail_weight[VO_RT_MAX_OPERATORS];
} vo_rt_cloth_inputs;

/* Values of a world that the host may set at any time. */
typedef struct vo_rt_world_inputs {
    vo_rt_vec3 gravity, wind;
    float turbulence;
    int32_t camera_count, fan_count, budget_mode;
    float budget_ms;
    vo_rt_camera camera[VO_RT_MAX_CAMERAS];
    vo_rt_fan fan[VO_RT_MAX_FANS];
    uint32_t changed; /* gravity, wind or fans were set: wakes all cloths */
} vo_rt_world_inputs;

/* Contact of a cloth with a body during a world step. */
typedef struct vo_rt_touch {
    int32_t body; /* index in the world */
    float speed;  /* m/s, normal speed of the first contact */
    vo_rt_vec3 position, normal;
    vo_rt_vec3 impulse, torque; /* N s and N m s about the origin of the world, on the body */
} vo_rt_touch;

/* Simulation state of a cloth besides its mesh; copied by snapshots. */
typedef struct vo_rt_cloth_state {
    int32_t steps_to_major;   /* minor steps until the next major step */
    int32_t steps_since_move; /* minor steps since the cloth moved, for interpolation */
    int32_t move_steps;       /* minor steps that its last move lasted */
    float rest_time;          /* s below sleep_speed */
    vo_rt_vec3 min, max;      /* m, bounds of the leaf vertices */
    vo_rt_transform frame;    /* at the end of the last move */
    uint8_t is_sleeping, is_far, is_visible, needs_targets;
    uint8_t arrives;         /* created, reset or teleported since the last move */
    uint8_t needs_full_rate; /* a deforming mesh is near: its earlier poses are not kept */
    uint8_t uses_shapes;     /* of bodies that have a mesh as well */
    uint8_t is_parked;
    uint8_t follows_pose;  /* too far away to be simulated, or waits to leave the animated pose */
    uint8_t may_intersect; /* was moved without regard to other cloth: intersections are tested */
    uint8_t unused[5];     /* zero: snapshots copy the struct */
    int32_t advances;      /* calls of vo_rt_body_advance since the cloth moved */
    int32_t move_advances; /* during its last move */
    float hidden_time;     /* s since the cloth was visible */
    float pose_wait;       /* s for which the cloth has waited to leave the animated pose */
    vo_rt_vec3 parked_center; /* m, of a parked cloth in this step */
    vo_rt_vec3 parked_velocity;
    int32_t touch_count, touched_count;
    int32_t touched[VO_RT_MAX_NEAR_BODIES];   /* bodies in contact in the previous world step */
    vo_rt_touch touch[VO_RT_MAX_NEAR_BODIES]; /* of this world step */
} vo_rt_cloth_state;

/* Counters and times of a cloth in a world step. */
typedef struct vo_rt_cloth_stats {
#define VO_RT_CLOTH_STAGE(name, description)   double name;
#define VO_RT_CLOTH_COUNTER(name, description) int64_t name;
    VO_RT_STAGES(VO_RT_CLOTH_STAGE)
    VO_RT_COUNTERS(VO_RT_CLOTH_COUNTER)
#undef VO_RT_CLOTH_STAGE
#undef VO_RT_CLOTH_COUNTER
    double cost;
} vo_rt_cloth_stats;

struct vo_rt_cloth {
    vo_rt_world *world;
    int32_t index;
    bool is_used;

    /* Constant after creation. */
    const vo_rt_asset *asset;
    vo_rt_solver solver;
    uint32_t collision_mask;
    float stretch_limit, compression, sleep_speed;
    int middle_vertex;   /* of the asset, see vo_rt_cloth_find_middle */
    float middle_radius; /* m */
    bool self_collision;
    float self_thickness;
    int32_t layer;
    uint64_t user;

    vo_rt_cloth_inputs next, input;  /* set by the host; active in the current step */
    vo_rt_constraint_fn *constraint; /* of the host; NULL: none */
    void *constraint_user;

    /* name                        size             written by */
    vo_rt_matrix *bones;           /* [bone_count]   host, from the next step on */
    vo_rt_attachment *attachments; /* [vertex_count] host, from the next step on */
    vo_rt_vec4 *pose_start;        /* [vertex_count] m, animated pose at the start of the world
                                      step, w: attachment weight, negative if set by
                                      the host; begin */
    vo_rt_vec4 *pose_end;          /* [vertex_count] the same at its end; begin */
    int pose_capacity, end_capacity, bone_capacity, attachment_capacity;

    vo_rt_mesh mesh;
    vo_rt_contact_set contacts;
    vo_rt_detail detail;
    vo_rt_upsample upsample; /* detail mesh, if the asset has one; publish */
    vo_rt_edits edits;       /* of the major step in progress */
    int split_capacity, join_capacity;
    vo_rt_levels levels;    /* split edges by level; adapt */
    vo_rt_vec4 *blended[2]; /* shown and position mixed with the animated pose; publish */
    int blended_capacity[2];

    vo_rt_cloth_state state;
    vo_rt_cloth_stats stats;
    bool moves, adapts;  /* in the current minor step */
    bool needs_recovery; /* its state is not finite */
    float max_stretch;   /* 99th percentile of elongation; publish */
    bool restarts;       /* is parked or restarted in this world step */
    bool has_moved;      /* since the last publication */

    /* Cloths that may collide with this one move together (self.c). The first one of a group, its
     * leader, is solved with all others by one thread and has the memory of the group. */
    vo_rt_cloth *leader, *next_member; /* leader: itself without others; self.c */
    int member;                        /* index in the group */
    bool has_group;                    /* collides with itself or others */
    vo_rt_self_set self;               /* of the group that it leads */
    vo_rt_vec3 group_min, group_max;   /* m, no cloth of another group enters this box */
    vo_rt_minor_step minor;            /* in progress; move.c */
    float move_dt;                     /* s, its duration */

    /* Bodies near by, selected before each move and each major step. */
    int near_count;
    vo_rt_body *near_body[VO_RT_MAX_NEAR_BODIES];
    int32_t near_index[VO_RT_MAX_NEAR_BODIES];
    bool near_shapes[VO_RT_MAX_NEAR_BODIES];
    float near_friction[VO_RT_MAX_NEAR_BODIES];
};

/* A camera with its frustum enlarged. */
struct vo_rt_view {
    vo_rt_vec3 position, right, up, forward;
    float tan_x, tan_y; /* of the half angles, with margin */
    float focal;        /* pixels */
};

/* In front of each vo_rt_body in memory. */
typedef struct vo_rt_body_slot {
    _Alignas(VO_RT_ALIGNMENT) vo_rt_world *world;
    int32_t index;
    vo_rt_vec3 min, max;         /* bounds of the shell during the world step */
    vo_rt_vec3 end_min, end_max; /* bounds at its end */
    vo_rt_vec3 origin;           /* of reactions */
    uint64_t pose_hash;          /* of the transform and the bones of the last step */
    bool has_moved;              /* in this world step */
} vo_rt_body_slot;

/* Body in the order of the broad phase. */
typedef struct vo_rt_sorted_body {
    float key; /* m, lower bound along x; wide bodies: -FLT_MAX */
    int32_t body;
} vo_rt_sorted_body;

/* Step in progress. */
typedef struct vo_rt_step {
    bool is_begun, has_run, tasks_failed;
    float dt;
    int32_t steps;      /* minor steps of this call */
    int32_t minor;      /* current minor step */
    int32_t span;       /* minor steps that are made at once */
    int64_t dropped;    /* minor steps that were skipped */
    double start_clock; /* s, of run_step */
    double elapsed;     /* s, of run_step */
} vo_rt_step;

struct vo_rt_world {
    vo_rt_world_def def;
    vo_threads *threads;
    vo_rt_heap heap;
    vo_rt_message message;

    vo_rt_cloth *cloth;   /* [def.max_cloths] */
    vo_rt_cloth **active; /* [def.max_cloths] used and enabled cloths, by index */
    int cloth_end, active_count;
    vo_rt_body **body; /* [def.max_bodies] NULL: free */
    int body_end;
    vo_rt_sorted_body *sorted; /* [def.max_bodies] broad_phase.c */
    int sorted_count, wide_count;
    float widest_body;   /* m, along x, of those that are not wide */
    bool bodies_changed; /* a body was created or destroyed */
    bool has_sleepers;   /* some cloth has a sleep_speed */

    vo_rt_world_inputs next, input;
    struct vo_rt_view view[VO_RT_MAX_CAMERAS]; /* of the cameras of `input` */
    double time;                               /* s, simulated */
    double lead;    /* s by which the simulation is ahead of the host, below a minor step */
    float alpha;    /* weight of the last state of the interpolated output */
    int64_t minors; /* minor steps since creation */
    float h;        /* s, duration of a minor step */
    float detail_scale;
    int64_t over_budget; /* steps over the budget since the world was created */
    bool use_avx2;       /* kernels of the solver */
    vo_rt_air air;       /* of the current minor step */

    vo_rt_contact_event *event; /* [def.max_contact_events] */
    int event_count;
    vo_rt_step step;
    double pose_s, output_s;
    vo_rt_stats stats;
};

/* False: the cloth follows the animated pose. */
static inline bool vo_rt_cloth_simulates(const vo_rt_cloth *cloth) {
    return cloth->input.blend > 0 && !cloth->state.follows_pose;
}

static inline vo_rt_body_slot *vo_rt_body_get_slot(const vo_rt_body *body) {
    return (vo_rt_body_slot *)body - 1;
}

/* cloth.c */
/* Base vertex near the middle of the asset, and a bound on the distance of others from it in the
 * bind pose. */
int vo_rt_cloth_find_middle(const vo_rt_asset *asset, float *radius);
/* Resets particles to the animated pose at the base level. Serial part only. */
void vo_rt_cloth_reset_state(vo_rt_cloth *cloth);
/* Releases the memory of a cloth and its place. */
void vo_rt_cloth_free(vo_rt_cloth *cloth);

/* pose.c */
/* Writes the animated pose of the inputs to pose_end. */
void vo_rt_pose_update(vo_rt_cloth *cloth);
/* Animated position of a base vertex for the bones of the inputs. */
vo_rt_vec3 vo_rt_pose_skin_vertex(const vo_rt_cloth *cloth, int vertex);
/* Sets front.target to fraction s between pose_start and pose_end, for all leaf vertices. */
void vo_rt_pose_set_targets(vo_rt_cloth *cloth, float s);
/* Sets masses and flags of attached vertices from the weights of front.target. */
void vo_rt_pose_apply_weights(vo_rt_cloth *cloth);

/* frame.c */
/* Moves particles with the frame of the cloth to the extent that they do not feel its motion, from
 * fraction s0 to s1 of the world step, which lasts dt seconds. */
void vo_rt_frame_carry(vo_rt_cloth *cloth, vo_rt_transform from, vo_rt_transform to, float dt);
/* Moves particles rigidly from the pose at pose_start to that at pose_end; then both are equal. */
void vo_rt_frame_teleport(vo_rt_cloth *cloth);
/* Interpolates between two transforms. */
vo_rt_transform vo_rt_frame_lerp(vo_rt_transform a, vo_rt_transform b, float s);

/* inputs.c */
/* Makes the inputs of world, bodies and cloths active. */
void vo_rt_inputs_apply(vo_rt_world *world);

/* broad_phase.c */
/* Sorts the bodies after they have moved. */
void vo_rt_broad_phase_update(vo_rt_world *world);
typedef struct vo_rt_broad_query {
    const vo_rt_world *world;
    vo_rt_vec3 min, max;
    int at;
} vo_rt_broad_query;
/* Bodies whose bounds overlap a box: the index of the next one, -1 after the last. */
vo_rt_broad_query vo_rt_broad_phase_begin(const vo_rt_world *world, vo_rt_vec3 min, vo_rt_vec3 max);
int vo_rt_broad_phase_next(vo_rt_broad_query *query);

/* bodies.c */
/* Updates the bounds of all bodies and the broad phase for the world step. */
void vo_rt_bodies_update_bounds(vo_rt_world *world);
/* Makes the poses set by the host the targets of the world step. Parts of bodies that are posed by
 * bones are left out unless an active cloth is near. */
void vo_rt_bodies_begin_step(vo_rt_world *world);
/* Moves all bodies that are in use to fraction s of the world step. */
void vo_rt_bodies_advance(vo_rt_world *world, float s);
/* Selects the bodies that a cloth may touch within dt seconds. */
void vo_rt_bodies_select(vo_rt_cloth *cloth, float dt);
/* The selection in the form of the contact module. */
vo_rt_contact_bodies vo_rt_bodies_near(const vo_rt_cloth *cloth);

/* arrive.c */
/* Moves cloth out of bodies that appeared inside it, on one side. First minor step of a call. */
void vo_rt_arrive_cloths(vo_rt_world *world);

/* adapt.c */
/* Major step of the cloths whose turn it is. */
void vo_rt_adapt_cloths(vo_rt_world *world);

/* classify.c */
/* Visibility, distance and parking of a cloth; updates the bounds of a parked one. */
void vo_rt_classify_cloth(vo_rt_cloth *cloth);
/* Parks a cloth, or restarts a parked one, if its state has changed. Serial part only. */
void vo_rt_classify_restart(vo_rt_cloth *cloth);

/* self.c */
/* Finds the groups of cloths that may collide with each other in the next minor step, and wakes
 * cloths that touch others which do not sleep. Serial part only. */
void vo_rt_groups_find(vo_rt_world *world);
/* Memory for the queries of all groups; those without it do not collide. Serial part only. */
void vo_rt_groups_reserve(vo_rt_world *world);
/* Query of all groups in which a cloth adapts, without motion. */
void vo_rt_groups_inspect(vo_rt_world *world);
/* Removes edits that would change the surface by more than its distance from other cloth. */
void vo_rt_groups_filter_edits(vo_rt_cloth *cloth);
/* Bound on the distance between the surfaces of a structural triangle before and after a split of
 * one of its edges, together with those that are marked (vo_rt_mesh_mark), m. */
float vo_rt_groups_measure_split(const vo_rt_mesh *mesh, int triangle, int edge);
/* Moves a vertex that was displaced from `from` back to within its bounds. */
void vo_rt_groups_limit_new(vo_rt_cloth *cloth, int vertex, int edge, vo_rt_vec3 from);
/* Distance of an edge's ends from cloth that is not adjacent, m; FLT_MAX: none is near. */
float vo_rt_groups_distance(const vo_rt_cloth *cloth, int a, int b);
/* Runs all substeps of the cloths of a group, which have begun their move, with queries between
 * them; leaves the bounds for the verification of body contacts. */
void vo_rt_groups_solve(vo_rt_cloth *leader);
/* Meshes of bodies near the members (self_bodies.c): adds their numbers to a size; lists them in
 * the set of the group. */
void vo_rt_groups_count_bodies(const vo_rt_cloth *leader, vo_rt_self_size *size);
void vo_rt_groups_describe_bodies(vo_rt_cloth *leader);

/* criteria.c */
struct vo_rt_view vo_rt_criteria_make_view(const vo_rt_camera *camera, float margin);
/* Refinement criteria of a cloth; a vo_rt_demand_fn with a vo_rt_criteria as `user`. */
typedef struct vo_rt_criteria {
    const vo_rt_cloth *cloth;
    vo_rt_contact_bodies bodies;
    float max_angle, max_deviation, max_length, edge_pixels; /* scaled by the budget */
    float scale;                                             /* of the budget */
    float cos_split, cos_join;                               /* of max_angle, also for joining */
    int camera_count;
    const struct vo_rt_view *view; /* [camera_count] of the world */
} vo_rt_criteria;
vo_rt_criteria vo_rt_criteria_make(const vo_rt_cloth *cloth);
vo_rt_demand vo_rt_criteria_test(void *user, const vo_rt_mesh *mesh, int edge, bool is_split);
/* True if a box is inside the enlarged frustum of any camera, or if there are no cameras. */
bool vo_rt_criteria_sees(const vo_rt_world *world, vo_rt_vec3 min, vo_rt_vec3 max);

/* move.c */
/* Moves the cloths whose turn it is by a minor step, which ends at fraction s of the world step. */
void vo_rt_move_cloths(vo_rt_world *world, float s);
/* Substeps of the last move of a cloth, without those that the solver adds. */
int vo_rt_move_count_substeps(const vo_rt_cloth *cloth);

/* budget.c */
/* Counted cost of a move and of a major step, ns of a reference core. */
double vo_rt_budget_move_cost(const vo_rt_cloth *cloth);
double vo_rt_budget_adapt_cost(const vo_rt_cloth *cloth);
/* The same for the output of a world step. */
double vo_rt_budget_output_cost(const vo_rt_cloth *cloth);
double vo_rt_budget_detail_cost(const vo_rt_cloth *cloth);
/* Of a query of a group, and of a substep of its contacts. */
double vo_rt_budget_query_cost(const vo_rt_self_set *set);
double vo_rt_budget_self_cost(const vo_rt_self_set *set);
/* Adjusts the detail scale to the cost of the step. */
void vo_rt_budget_update(vo_rt_world *world);

/* upsample.c */
/* Detail mesh of a world step that lasted `dt`; `with_bodies`: bodies are posed. */
void vo_rt_publish_upsampled(vo_rt_cloth *cloth, const vo_rt_mesh *mesh, float alpha, float dt,
                             bool with_bodies);
/* Distance by which the nodes exceed the bounds of the cloth, m. */
float vo_rt_upsampled_reach(const vo_rt_cloth *cloth);

/* air.c */
/* Sets the air of the world for its current time. */
void vo_rt_air_update(vo_rt_world *world);
/* Velocity of the air in the middle of the bounds of a cloth, m/s. */
vo_rt_vec3 vo_rt_air_find(const vo_rt_cloth *cloth);

/* publish.c */
void vo_rt_publish(vo_rt_world *world);
/* Memory for positions that are mixed with the animated pose; serial part only. Without it the
 * simulated positions are published. */
void vo_rt_publish_reserve(vo_rt_cloth *cloth);
/* Mixes simulated and animated positions; both states use the current animated pose. */
void vo_rt_publish_blend(vo_rt_cloth *cloth);
/* Mesh whose positions are mixed with the animated pose, by the blend weight. */
vo_rt_mesh vo_rt_publish_mesh(const vo_rt_cloth *cloth);
/* Weight of the last state of a cloth for interpolated output. */
float vo_rt_publish_alpha(const vo_rt_cloth *cloth);

/* validate.c: checks of arguments; messages name the member and the value. */
bool vo_rt_is_coordinate(vo_rt_vec3 a);
vo_result vo_rt_check_world_def(const vo_rt_world_def *def, vo_rt_message *message);
vo_result vo_rt_check_cloth_def(const vo_rt_cloth_def *def, vo_rt_message *message);
vo_result vo_rt_check_transform(vo_rt_transform *t, vo_rt_message *message); /* normalises it */
vo_result vo_rt_check_adaption(const vo_rt_adaption *adaption, vo_rt_message *message);
vo_result vo_rt_check_range(vo_rt_message *message, const char *name, float value, float low,
                            float high);
vo_result vo_rt_check_output(vo_rt_message *message, const vo_rt_output *output);

#endif
