/* libvoile-rt: real-time cloth on an adaptive, edge-based mesh.
 *
 * - asset: a cooked garment, constant, shared by its instances (.vrt files, or built in memory)
 * - detail: a fine mesh that learned operators compute from the base vertices of an asset
 * - body: a collision body, shapes or a closed triangle mesh, posed by the host
 * - cloth: an instance of an asset, particles and their current level of refinement
 * - world: owns bodies and cloths, shared memory, time, wind, cameras, budget and statistics
 *
 * Units are SI: metres, kilograms, seconds, radians. Matrices are row-major 3x4 and map column
 * vectors. The library needs the C library and threads only. It does not print, exit or use global
 * variables; memory comes from the host's allocator, which is called by the create and destroy
 * functions only. Results are bit-identical for any number of threads.
 *
 * Threads: a world and its objects are used by one thread at a time. Between
 * vo_rt_world_begin_step and vo_rt_world_end_step, only functions marked [any time] may be called
 * besides vo_rt_world_run_step; they take effect in the next step. Two worlds are independent. An
 * asset is constant and may be shared by worlds in several threads.
 *
 * Failure: functions that can fail return vo_result and set a message (vo_rt_world_message, or the
 * vo_rt_message argument where there is no world). Setters ignore nothing silently: a non-finite or
 * out-of-range argument returns VO_BAD_ARGUMENT and leaves the old value in place. */
#ifndef VOILE_RT_H
#define VOILE_RT_H

#include <voile/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- Types --------------------------------------------------------------------------------- */

typedef struct vo_rt_vec2 {
    float x, y;
} vo_rt_vec2;

typedef struct vo_rt_vec3 {
    float x, y, z;
} vo_rt_vec3;

/* Unit quaternion. */
typedef struct vo_rt_quat {
    float x, y, z, w;
} vo_rt_quat;

/* Rotation, then translation. */
typedef struct vo_rt_transform {
    vo_rt_vec3 position;
    vo_rt_quat rotation;
} vo_rt_transform;

/* Row-major 3x4 matrix: rotation and scale in columns 0 to 2, translation in column 3. */
typedef struct vo_rt_matrix {
    float m[12];
} vo_rt_matrix;

/* Error message of functions without a world. */
typedef struct vo_rt_message {
    char text[256];
} vo_rt_message;

typedef struct vo_rt_asset vo_rt_asset;
typedef struct vo_rt_seaming vo_rt_seaming;
typedef struct vo_rt_world vo_rt_world;
typedef struct vo_rt_body vo_rt_body;
typedef struct vo_rt_cloth vo_rt_cloth;

/* The identity. */
VO_API vo_rt_transform vo_rt_transform_identity(void);

/* --- Assets -------------------------------------------------------------------------------- */

enum {
    VO_RT_MAX_LEVEL = 6,       /* levels of refinement below the base mesh */
    VO_RT_BONES_PER_VERTEX = 4 /* skin weights of a vertex */
};

/* Material of a cloth. Compliances are inverse stiffnesses: 0 is as stiff as the solver permits. */
typedef struct vo_rt_fabric {
    float density;            /* kg/m^2, above 0; default 0.2 */
    float stretch_compliance; /* m/N per metre of width; default 0 */
    float bend_stiffness;     /* N m; default 2e-5 */
    float damping;            /* 1/s, decay rate of velocities; default 0.2 */
    float friction;           /* Coulomb coefficient against bodies; default 0.4 */
    float thickness;          /* m, distance kept from body surfaces besides their offset; 0.001 */
    float drag, lift;         /* aerodynamic coefficients of a face; default 1 and 0.3 */
} vo_rt_fabric;

VO_API vo_rt_fabric vo_rt_fabric_default(void);

/* Input of vo_rt_asset_create. Arrays are read during the call only; optional ones may be NULL. */
typedef struct vo_rt_asset_def {
    /* Base mesh: edge-manifold, consistently oriented, at most 65,535 triangles. */
    int vertex_count;
    const vo_rt_vec3 *positions; /* m, rest pose: in the bind pose of the bones, if there are any */
    int triangle_count;
    const int32_t *triangles; /* [3 triangle_count] vertex indices, counter-clockwise */
    /* [3 triangle_count] material coordinates of triangle corners, m. Discontinuous across seams.
     * NULL: each triangle is flattened, so that the positions are the rest shape. */
    const vo_rt_vec2 *coordinates;

    int max_level; /* 0 to VO_RT_MAX_LEVEL; default 3 */
    /* Optional finer levels of a mesh that is not the plane subdivision of its base mesh, for
     * example with curved outlines; both or neither. Each base triangle has (n + 1)(n + 2) / 2
     * points, n = 2^max_level: those with the weights (n - i - j, i, j) / n of its corners, by
     * rising j, then i. The rest lengths of split edges follow from these coordinates; masses do
     * not. NULL: new vertices lie at the middle of their edge. */
    const vo_rt_vec3 *fine_positions;   /* m, rest pose */
    const vo_rt_vec2 *fine_coordinates; /* m, needs `coordinates` */
    vo_rt_fabric fabric;

    /* Painted maps [vertex_count]. They are interpolated linearly at new vertices. */
    const float *attachment;   /* 0 free to 1 attached to the animated pose; NULL: 0 */
    const float *max_distance; /* m, limit of the distance from the animated pose; NULL or FLT_MAX:
                                  no limit */
    const float *backstop; /* m, the vertex stays outside a sphere of radius backstop_radius whose
                              surface is this far behind the animated vertex along its normal;
                              NULL or -FLT_MAX: no backstop */
    const float *backstop_radius;  /* m; NULL: 0.2 */
    const float *stiffness_factor; /* multiplies bending stiffness; NULL: 1 */

    bool tethers;       /* limit the geodesic distance from attached vertices; default true */
    float tether_scale; /* of the geodesic rest distance; default 1.02 */

    /* Skin of the animated pose: [4 vertex_count] bone indices and weights, which sum to 1. Bone
     * matrices map from the bind pose to the world. NULL: the pose follows the cloth's transform.
     */
    int bone_count;
    const uint16_t *skin_bones;
    const float *skin_weights;

    /* Optional render mesh, bound to the base mesh by material position and normal offset. */
    int render_vertex_count;
    const vo_rt_vec3 *render_positions; /* m, in the pose of `positions` */
    int render_triangle_count;
    const int32_t *render_triangles;
    const vo_rt_vec2 *render_uv; /* texture coordinates for tangents; NULL: material coordinates */
} vo_rt_asset_def;

VO_API vo_rt_asset_def vo_rt_asset_def_default(void);

/* Builds an asset: edges, springs and bending elements in SIMD groups, geodesic tethers, render
 * binding, colours of all levels. Cost: about a millisecond per thousand triangles, and two
 * milliseconds per thousand triangles of all levels together for the colours. On failure *out is
 * NULL and `message` (may be NULL) names the array and the element. */
VO_API vo_result vo_rt_asset_create(const vo_allocator *allocator, const vo_rt_asset_def *def,
                                    vo_rt_asset **out, vo_rt_message *message);

/* Copies and validates a .vrt file in memory: version, checksum and every index. Rejects damaged or
 * foreign data before use. Cost: linear in the size, about 1 GB/s. */
VO_API vo_result vo_rt_asset_load(const vo_allocator *allocator, const void *data, size_t bytes,
                                  vo_rt_asset **out, vo_rt_message *message);

/* The .vrt file of an asset; owned by the asset. */
VO_API const void *vo_rt_asset_get_data(const vo_rt_asset *asset, size_t *bytes);

/* No cloth may use the asset any more. NULL is allowed. */
VO_API void vo_rt_asset_destroy(vo_rt_asset *asset);

typedef struct vo_rt_asset_info {
    int vertex_count, triangle_count, edge_count, seam_edge_count; /* base mesh */
    int max_level, bone_count, tether_count, attached_count;
    int render_vertex_count, render_triangle_count; /* of the stable output topology */
    int detail_vertex_count, detail_triangle_count; /* of vo_rt_cloth_detail; 0: no detail */
    int detail_operator_count;
    size_t detail_bytes;           /* of the operators and the base operator */
    int even_colours, odd_colours; /* of the triangles of even and odd levels, without slots */
    bool has_fine_levels;          /* finer levels have points of their own */
    bool is_seamed;                /* false: has links that are not merged yet */
    float mass;                    /* kg */
    size_t bytes;
    vo_rt_vec3 min, max; /* m, bounds of the rest pose */
} vo_rt_asset_info;

VO_API vo_rt_asset_info vo_rt_asset_get_info(const vo_rt_asset *asset);

/* Stable output topology: [3 render_triangle_count] indices. It is the render mesh of the asset or,
 * without one, its base mesh refined to `max_level`. Owned by the asset. */
VO_API const uint32_t *vo_rt_asset_get_triangles(const vo_rt_asset *asset);
/* [render_vertex_count] texture coordinates of the output vertices. Owned by the asset. */
VO_API const vo_rt_vec2 *vo_rt_asset_get_uv(const vo_rt_asset *asset);

/* --- Detail (learned upsampling) ------------------------------------------------------------ */

/* Operators that add the folds of fine cloth to a coarse simulation (Kavan et al. 2011). The nodes
 * of a fine mesh follow the base vertices of the cloth, also where it is refined:
 *
 *   x_fine = B p + sum over operators of w_k D_k p,   p: base vertices of this and earlier frames
 *
 * B is sparse with rows that sum to 1, D_k is a learned residual whose rows sum to 0 per frame, w_k
 * are the weights of the operators. `voile upsample` trains them. After that, oscillatory modes are
 * added along the normals, nodes near attachments blend to the animated pose, and nodes inside
 * bodies are moved out of them. Out of scope: self-collision of the detail. */
enum {
    VO_RT_MAX_DETAIL_NODES = 1 << 18,
    VO_RT_MAX_OPERATORS = 8,        /* of an asset */
    VO_RT_MAX_OPERATOR_HISTORY = 4, /* earlier frames that an operator reads */
    VO_RT_MAX_OPERATOR_MODES = 16   /* oscillatory modes of an operator */
};

typedef enum vo_rt_operator_form {
    VO_RT_OPERATOR_DENSE,    /* `residual` */
    VO_RT_OPERATOR_LOW_RANK, /* `left`, stored as half floats, times `right` */
    VO_RT_OPERATOR_SPARSE    /* `row_first`, `columns`, `weights` */
} vo_rt_operator_form;

/* Motion of a cloth, by which operators are selected. */
typedef struct vo_rt_operator_motion {
    float travel;      /* m/s, speed of the mean of the base vertices */
    float deformation; /* m/s, root mean square speed relative to the mean */
    float wind;        /* m/s, speed of the air relative to the mean */
} vo_rt_operator_motion;

/* One operator D. N nodes, C = M (1 + history) columns for M base vertices: first those of the
 * current frame, then of each earlier one. */
typedef struct vo_rt_operator_def {
    vo_rt_operator_form form;
    int history;     /* earlier frames, 0 to VO_RT_MAX_OPERATOR_HISTORY; default 0 */
    float history_s; /* s between frames; default 1/60. Frames of other duration are interpolated */
    const float *residual;    /* [N][C] */
    int rank;                 /* of a low-rank operator, 1 to C */
    const float *left;        /* [N][rank] rounded to half floats; columns may have any magnitude */
    const float *right;       /* [rank][C] rows sum to 0 per frame */
    const int32_t *row_first; /* [N + 1] first element of each row in `columns` and `weights` */
    const int32_t *columns;   /* 0 to C - 1 */
    const float *weights;

    /* Oscillatory modes: node i is displaced along its normal by
     * a (sine[k][i] sin(phase_k) + cosine[k][i] cos(phase_k)). The phase advances by rate_k s
     * rad/s, where s is the wind divided by `mode_wind`; a = 2 s^2 / (1 + s^2), 1 in the wind of
     * the training data. */
    int mode_count;
    const float *mode_rate;               /* [mode_count] rad/s, above 0 */
    const float *mode_sine, *mode_cosine; /* [mode_count][N] m */
    float mode_wind;                      /* m/s; 0: independent of the wind, s = a = 1 */
    /* Mean motion of the training data (vo_rt_operator_measure): operators whose motion is near to
     * that of the cloth have large weights. Ignored if there is one operator. */
    vo_rt_operator_motion motion;
} vo_rt_operator_def;

VO_API vo_rt_operator_def vo_rt_operator_def_default(void);

/* Motion between two frames of `count` positions, m, `dt` seconds apart, in the given wind. Means
 * of a training sequence fill vo_rt_operator_def.motion. Thread-safe. Cost: 2 ns per position. */
VO_API vo_rt_operator_motion vo_rt_operator_measure(int count, const vo_rt_vec3 *positions,
                                                    const vo_rt_vec3 *previous, float dt,
                                                    vo_rt_vec3 wind);

/* Fine mesh of an asset and its operators. Arrays are read during the call only. */
typedef struct vo_rt_detail_def {
    int node_count;              /* N */
    const vo_rt_vec3 *positions; /* [N] m, rest pose: in the pose of the asset's `positions` */
    /* Output vertices: nodes, or copies of nodes where texture coordinates are discontinuous. */
    int vertex_count;
    const int32_t *nodes; /* [vertex_count] node of each vertex; NULL: vertex i is node i */
    const vo_rt_vec2 *uv; /* [vertex_count] texture coordinates; NULL: 0 */
    int triangle_count;
    const int32_t *triangles; /* [3 triangle_count] vertices, counter-clockwise */

    /* Base operator B: rows sum to 1. */
    const int32_t *base_first;   /* [N + 1] first element of each row */
    const int32_t *base_columns; /* base vertices of the asset */
    const float *base_weights;

    /* Blend to the animated pose: 1 at nodes with an attachment of 1, falling smoothly to 0 at
     * `blend_distance` along the edges, and at least `attachment` elsewhere. */
    const float *attachment;    /* [N] 0 free to 1 attached; NULL: no blend */
    float blend_distance;       /* m; default 0.04 */
    const uint16_t *skin_bones; /* [4 N] bones of the nodes; NULL: those of the base vertices */
    const float *skin_weights;  /* [4 N] weights that sum to 1 */

    int operator_count; /* 0 to VO_RT_MAX_OPERATORS; 0: the base operator alone */
    const vo_rt_operator_def *operators;
} vo_rt_detail_def;

VO_API vo_rt_detail_def vo_rt_detail_def_default(void);

/* Creates a new asset, a copy of `asset` with a detail mesh in place of its own, if it has one. The
 * data of the result is a .vrt file like any other (docs/vrt-format.md). `asset` is not changed and
 * need not outlive the result. Cost: linear in the operators, about 1 GB/s, and 1 us per node near
 * an attachment. On failure *out is NULL and `message` (may be NULL) names the array and the
 * element. */
VO_API vo_result vo_rt_asset_add_detail(const vo_allocator *allocator, const vo_rt_asset *asset,
                                        const vo_rt_detail_def *def, vo_rt_asset **out,
                                        vo_rt_message *message);

/* Topology of the output of vo_rt_cloth_detail: [3 detail_triangle_count] indices. Owned by the
 * asset. */
VO_API const uint32_t *vo_rt_asset_get_detail_triangles(const vo_rt_asset *asset);
/* [detail_vertex_count] texture coordinates. Owned by the asset. */
VO_API const vo_rt_vec2 *vo_rt_asset_get_detail_uv(const vo_rt_asset *asset);

/* --- Seaming ------------------------------------------------------------------------------- */

/* Links between vertices of flat pieces: first simulated as constraints that pull the pieces
 * together at the base level, then merged (masses summed, triangle lists joined, boundary edges
 * paired). Pieces are the connected components of the definition's mesh; material coordinates stay
 * discontinuous across a seam. */

/* Copies the definition. */
VO_API vo_result vo_rt_seaming_create(const vo_allocator *allocator, const vo_rt_asset_def *def,
                                      vo_rt_seaming **out, vo_rt_message *message);
VO_API void vo_rt_seaming_destroy(vo_rt_seaming *seaming);

/* Links a group of vertices, which become one vertex. Groups that share a vertex are united. */
VO_API vo_result vo_rt_seaming_link_vertices(vo_rt_seaming *seaming, int count,
                                             const int32_t *vertices, vo_rt_message *message);
/* Links boundary edge a0-a1 with b0-b1, in opposite directions along the two borders: a0 with b0,
 * a1 with b1. The rest length of the control edge, a unless `second_controls`, applies to both. */
VO_API vo_result vo_rt_seaming_link_edges(vo_rt_seaming *seaming, int32_t a0, int32_t a1,
                                          int32_t b0, int32_t b1, bool second_controls,
                                          vo_rt_message *message);
/* Removes a vertex from its group, and edge links that use it. */
VO_API vo_result vo_rt_seaming_unlink(vo_rt_seaming *seaming, int32_t vertex,
                                      vo_rt_message *message);
/* Reads links from a text: lines `v VERTEX VERTEX...` and `e A0 A1 B0 B1 [second]`, # comments.
 * Messages name the line. */
VO_API vo_result vo_rt_seaming_read(vo_rt_seaming *seaming, const char *text, size_t bytes,
                                    vo_rt_message *message);
/* Writes the links in that form, with a final zero; returns the number of bytes without the zero,
 * also if `capacity` is too small (snprintf convention). */
VO_API size_t vo_rt_seaming_write(const vo_rt_seaming *seaming, char *text, size_t capacity);
/* Creates an asset. With `merge` false its links are constraints that pull the pieces together
 * (cloths of it stay at the base level); with true they are merged. `positions` [vertex_count]
 * replaces the rest pose, for example by the simulated positions; NULL: that of the definition. */
VO_API vo_result vo_rt_seaming_create_asset(const vo_rt_seaming *seaming, bool merge,
                                            const vo_rt_vec3 *positions, vo_rt_asset **out,
                                            vo_rt_message *message);

/* --- World --------------------------------------------------------------------------------- */

/* Time of each stage, seconds of the last step, summed over threads:
 * X(member, description). */
#define VO_RT_STAGES(X)                                             \
    X(pose_s, "skinning and refitting bodies, animated poses")      \
    X(adapt_s, "refinement criteria, splits and joins, leaf lists") \
    X(solve_s, "integration and constraints")                       \
    X(collide_s, "detection of contacts with bodies and response")  \
    X(self_s, "collisions of cloth with itself and other cloths")   \
    X(output_s, "normals, interpolation and output buffers")        \
    X(detail_s, "learned upsampling of the detail mesh")

/* Counters of the last step, except over_budget: X(member, description). */
#define VO_RT_COUNTERS(X)                                                             \
    X(cloths, "cloths")                                                               \
    X(bodies, "bodies")                                                               \
    X(sleeping_cloths, "cloths that were not simulated because they rest")            \
    X(minor_steps, "simulation steps")                                                \
    X(major_steps, "adaption steps")                                                  \
    X(triangles, "leaf triangles")                                                    \
    X(vertices, "leaf vertices")                                                      \
    X(springs, "springs")                                                             \
    X(splits, "edges that were split")                                                \
    X(joins, "edges that were joined")                                                \
    X(deferred_splits, "splits deferred until neighbours are refined")                \
    X(rejected_splits, "splits rejected because memory or a limit was reached")       \
    X(contacts, "vertices in contact with a body")                                    \
    X(inside_vertices, "free vertices inside a body at the end of the step")          \
    X(trapped_vertices, "vertices between surfaces without clearance")                \
    X(recovered_cloths, "cloths reset because their state was not finite")            \
    X(clamped_velocities, "velocities limited by max_speed")                          \
    X(ignored_bodies, "bodies near a cloth beyond the limit of 64 per cloth")         \
    X(self_queries, "self-collision queries")                                         \
    X(self_cluster_pairs, "stage 1: clusters of triangles whose boxes overlap")       \
    X(self_face_pairs, "stage 2: faces of these clusters whose boxes overlap")        \
    X(self_feature_pairs, "stage 3: vertex-face and edge-edge distances")             \
    X(self_near_pairs, "stage 3: distances within the query radius")                  \
    X(self_compared_pairs, "stage 2: faces that may share a vertex by their colours") \
    X(self_adjacent_pairs, "stage 4: adjacent faces that were tested")                \
    X(self_contacts, "contacts of cloth with cloth in the last query")                \
    X(self_clamped, "displacements corrected to exclude intersections")               \
    X(self_limited, "segments whose displacements were reduced to avoid collisions")  \
    X(self_intersections, "edges that intersect a face: cloth arrived so")            \
    X(self_rejected_edits, "splits and joins too close to other cloth")               \
    X(self_skipped, "cloths without self-collision: the pool is exhausted")           \
    X(detail_nodes, "nodes of detail meshes that were computed")                      \
    X(detail_pushed, "nodes of detail meshes that were moved out of bodies")          \
    X(detail_inside, "nodes of detail meshes that could not be moved out of bodies")  \
    X(dropped_steps, "steps skipped because dt exceeded max_steps_per_call")          \
    X(over_budget, "calls of step over the budget since the world was created")

typedef struct vo_rt_stats {
#define VO_RT_STAGE_MEMBER(name, description)   double name;
#define VO_RT_COUNTER_MEMBER(name, description) int64_t name;
    VO_RT_STAGES(VO_RT_STAGE_MEMBER)
    VO_RT_COUNTERS(VO_RT_COUNTER_MEMBER)
#undef VO_RT_STAGE_MEMBER
#undef VO_RT_COUNTER_MEMBER
    double cost;        /* counted cost of the step, ms of the operation count model */
    float detail_scale; /* factor by which the budget scales the refinement criteria; 1: no limit */
    float max_stretch;  /* 99th percentile of spring elongation, 0.05: 5 % */
    size_t pool_bytes, pool_used, pool_peak; /* shared memory */
} vo_rt_stats;

/* Rule for ties between two triangulations that change equally little. */
typedef enum vo_rt_tie_rule {
    VO_RT_TIE_DEFAULT,     /* the first one */
    VO_RT_TIE_LENGTH,      /* the shorter new edge */
    VO_RT_TIE_REST_LENGTH, /* the shorter new edge at rest */
    VO_RT_TIE_CURVATURE    /* the new edge along the smaller curvature */
} vo_rt_tie_rule;

/* Refinement criteria. An edge splits if one of them demands it and joins if none does. */
typedef struct vo_rt_adaption {
    float max_angle;     /* rad, bend angle of an edge above which it splits; default 0.5 */
    float max_deviation; /* m, mean curvature times length^2 / 8 above which it splits; 0.004 */
    float max_length;    /* m, longer edges split; 0: no limit (default) */
    float min_length;    /* m, shorter edges never split; default 0.008 */
    bool collision;      /* edges that cut a body's shell split; default true */
    float proximity;     /* m, edges longer than twice this split if cloth that is not adjacent is
                            nearer than this; needs self_collision; 0: never; default 0.008.
                            Distances are measured up to 0.1, and up to about 0.4 times the
                            length of the edge */
    int join_wait;       /* major steps between a split and the first test for joining; 10 */
    float join_ratio;    /* criteria are scaled by this for joining (hysteresis); default 0.5 */
    vo_rt_tie_rule tie_rule;
} vo_rt_adaption;

VO_API vo_rt_adaption vo_rt_adaption_default(void);

/* Camera for the level of detail. */
typedef struct vo_rt_camera {
    vo_rt_vec3 position; /* m */
    vo_rt_quat rotation; /* the camera looks along -z, y is up */
    float fov_y;         /* rad, vertical field of view */
    float aspect;        /* width / height */
    float height_pixels; /* of the viewport */
} vo_rt_camera;

typedef struct vo_rt_lod {
    float edge_pixels;    /* edges shorter than this on screen do not split; default 6 */
    float margin;         /* fraction by which the frustum is enlarged; default 0.15 */
    float shape_distance; /* m; farther cloths collide with the shapes of a body that also has a
                             mesh; 0 (default): beyond far_distance */
    float far_distance;   /* m; farther cloths step at reduced rate; 0: never; default 25 */
    int far_rate_divisor; /* minor steps per step of a far cloth; 1 to 8; default 4. A cloth near a
                             deforming mesh takes every step */
    float pose_distance;  /* m; farther cloths with bones follow the animated pose at the reduced
                             rate, without simulation; 0 (default): never. A cloth whose pose is
                             stretched by more than 25 % when it would be simulated again, like a
                             narrow skirt in the middle of a stride, waits for a better one for at
                             most a second; the same after parking */
    /* Cloths with bones that have not been visible for half a second are parked: not simulated, at
     * the base level, their output unchanged. When they come back into the enlarged frustum, they
     * start at the animated pose with its velocity. Default true. */
    bool park_off_screen;
} vo_rt_lod;

/* Limit of the cost of a step. Counted cost is deterministic; wall-clock feedback is not. */
typedef enum vo_rt_budget_mode {
    VO_RT_BUDGET_NONE,
    VO_RT_BUDGET_COUNTED, /* milliseconds by an operation count model, calibrated per operation */
    VO_RT_BUDGET_CLOCK    /* measured milliseconds: results depend on the machine's load */
} vo_rt_budget_mode;

typedef struct vo_rt_world_def {
    vo_allocator allocator;     /* required */
    vo_run_tasks_fn *run_tasks; /* NULL: the world creates worker threads */
    void *run_tasks_user;
    int threads;       /* threads, or tasks per loop with run_tasks; 1 to 256; default 1 */
    int max_cloths;    /* default 64 */
    int max_bodies;    /* default 64 */
    size_t pool_bytes; /* memory shared by all cloths for refinement; default 32 MiB */

    vo_rt_vec3 gravity;     /* m/s^2; default (0, -9.81, 0) */
    float minor_rate;       /* simulation steps per second, 30 to 1000; default 120 */
    int minor_per_major;    /* simulation steps per adaption; default 4 */
    int substeps;           /* solver substeps per simulation step; default 4 */
    int max_steps_per_call; /* simulation steps per vo_rt_world_step; more are dropped; 16 */
    float max_speed;        /* m/s, velocities are clamped; default 50 */

    vo_rt_lod lod;
    vo_rt_budget_mode budget_mode; /* default none */
    float budget_ms;
    int max_contact_events; /* per step; default 256 */
} vo_rt_world_def;

VO_API vo_rt_world_def vo_rt_world_def_default(void);

/* Creates a world with all its memory. On failure *out is NULL. */
VO_API vo_result vo_rt_world_create(const vo_rt_world_def *def, vo_rt_world **out,
                                    vo_rt_message *message);
/* Destroys the world with its bodies and cloths. NULL is allowed. */
VO_API void vo_rt_world_destroy(vo_rt_world *world);
/* Message of the last call that failed; empty if none has. */
VO_API const char *vo_rt_world_message(const vo_rt_world *world);

/* Advances time by dt seconds with simulation steps of fixed length, as many as it takes to reach
 * the new time. Outputs are interpolated between the last two states to that time exactly, so they
 * do not lag behind the poses of bodies. A dt of 0 does nothing; a negative or non-finite dt
 * returns VO_BAD_ARGUMENT and changes nothing. */
VO_API vo_result vo_rt_world_step(vo_rt_world *world, float dt);

/* The same in three parts, for a host that runs the step as a job beside other work: begin applies
 * the inputs set so far, run_step may be called from any one thread, end publishes outputs, events
 * and statistics. Each must be called once, in this order; if begin fails, no step has begun.
 * Inputs are kept for the next step if dt is too short for a simulation step. */
VO_API vo_result vo_rt_world_begin_step(vo_rt_world *world, float dt);
VO_API void vo_rt_world_run_step(vo_rt_world *world);
VO_API vo_result vo_rt_world_end_step(vo_rt_world *world);

/* Gravity, m/s^2. This and changes of wind and fans wake all cloths. [any time] */
VO_API vo_result vo_rt_world_set_gravity(vo_rt_world *world, vo_rt_vec3 gravity);
/* Uniform wind, m/s, with turbulence as a fraction of the speed. [any time] */
VO_API vo_result vo_rt_world_set_wind(vo_rt_world *world, vo_rt_vec3 velocity, float turbulence);
/* At most 4 cameras. Without a camera every cloth is visible and near, and `lod.edge_pixels` is not
 * used. [any time] */
VO_API vo_result vo_rt_world_set_cameras(vo_rt_world *world, int count,
                                         const vo_rt_camera *cameras);
/* `ms` is ignored without a budget. [any time] */
VO_API vo_result vo_rt_world_set_budget(vo_rt_world *world, vo_rt_budget_mode mode, float ms);

/* A fan: an air stream inside a cone, with falloff towards its edge and range. */
typedef struct vo_rt_fan {
    vo_rt_vec3 position, direction; /* m; direction is normalised */
    float speed;                    /* m/s at the fan */
    float angle;                    /* rad, half angle of the cone */
    float range;                    /* m, the speed falls to 0 here */
} vo_rt_fan;
enum { VO_RT_MAX_FANS = 8 };
/* Replaces all fans. [any time] */
VO_API vo_result vo_rt_world_set_fans(vo_rt_world *world, int count, const vo_rt_fan *fans);

/* Subtracts `offset` from all positions of cloths, bodies and cameras, for large worlds. */
VO_API vo_result vo_rt_world_shift_origin(vo_rt_world *world, vo_rt_vec3 offset);

VO_API vo_rt_stats vo_rt_world_get_stats(const vo_rt_world *world);
VO_API double vo_rt_world_time(const vo_rt_world *world); /* s, simulated */

/* Snapshot of the complete state: cloths, bodies, time, inputs. The world must have the same
 * objects when it is restored. Returns the bytes needed; writes nothing if `capacity` is less. */
VO_API size_t vo_rt_world_save(const vo_rt_world *world, void *data, size_t capacity);
/* Validates before it changes anything. Continues bit-identically. */
VO_API vo_result vo_rt_world_restore(vo_rt_world *world, const void *data, size_t bytes);

/* --- Bodies -------------------------------------------------------------------------------- */

typedef enum vo_rt_shape_kind {
    VO_RT_SPHERE,          /* radius */
    VO_RT_CAPSULE,         /* axis y from -half_height to half_height, radius */
    VO_RT_TAPERED_CAPSULE, /* radius at -half_height, end_radius at +half_height */
    VO_RT_PLANE,           /* y <= 0 is solid */
    VO_RT_BOX,             /* half_extents */
    VO_RT_HULL,            /* convex hull of points */
    VO_RT_DISTANCE         /* a distance function of the host */
} vo_rt_shape_kind;

/* Signed distance, m, of a point in the shape's frame, negative inside, and the outward unit
 * gradient. Must be thread-safe and deterministic. */
typedef float vo_rt_distance_fn(void *user, vo_rt_vec3 point, vo_rt_vec3 *gradient);

typedef struct vo_rt_shape {
    vo_rt_shape_kind kind;
    vo_rt_transform local; /* pose in the frame of the body; with a bone: pose in the bind pose,
                              since bone matrices map from there to the world */
    int bone;              /* -1: moved by the body's transform */
    float radius, end_radius, half_height;
    vo_rt_vec3 half_extents;
    int point_count; /* hull: 4 to 256 points */
    const vo_rt_vec3 *points;
    vo_rt_distance_fn *distance;
    void *user;
    vo_rt_vec3 min, max; /* bounds of a distance function, m */
} vo_rt_shape;

VO_API vo_rt_shape vo_rt_shape_default(vo_rt_shape_kind kind);

/* A body consists of shapes, of one closed triangle mesh, or of both: then distant cloth collides
 * with the shapes, other cloth with the mesh. Arrays are copied. */
typedef struct vo_rt_body_def {
    int shape_count;
    const vo_rt_shape *shapes;

    /* Closed, consistently oriented triangle mesh with outward normals. */
    int vertex_count;
    const vo_rt_vec3 *positions; /* m, bind pose */
    int triangle_count;
    const int32_t *triangles;
    const uint16_t *skin_bones; /* [4 vertex_count]; NULL: rigid, or vertices set by the host */
    const float *skin_weights;
    bool vertices_by_host; /* vo_rt_body_set_vertices is used */

    int bone_count;
    vo_rt_transform transform;
    float offset;   /* m, the shell that cloth collides with lies this far outside; default 0.003 */
    float friction; /* multiplied with the cloth's; default 1 */
    uint32_t layer; /* bits of the body; default 1 */
    uint64_t user;  /* returned by vo_rt_body_get_user */
} vo_rt_body_def;

VO_API vo_rt_body_def vo_rt_body_def_default(void);
VO_API vo_result vo_rt_body_create(vo_rt_world *world, const vo_rt_body_def *def, vo_rt_body **out);
VO_API void vo_rt_body_destroy(vo_rt_body *body);
/* Number of the definition, for the host's own object. */
VO_API uint64_t vo_rt_body_get_user(const vo_rt_body *body);

/* Pose at the end of the next step; the body moves there at constant velocity. [any time] */
VO_API vo_result vo_rt_body_set_transform(vo_rt_body *body, vo_rt_transform transform);
/* [bone_count] matrices from the bind pose to the world. [any time] */
VO_API vo_result vo_rt_body_set_bones(vo_rt_body *body, int count, const vo_rt_matrix *bones);
/* [vertex_count] positions, m, world space; `stride` in bytes. [any time] */
VO_API vo_result vo_rt_body_set_vertices(vo_rt_body *body, const float *positions, size_t stride);
/* The next pose is reached without motion in between. [any time] */
VO_API vo_result vo_rt_body_teleport(vo_rt_body *body);
VO_API vo_result vo_rt_body_set_enabled(vo_rt_body *body, bool enabled); /* [any time] */
/* Factor of the cloth's friction coefficient. */
VO_API vo_result vo_rt_body_set_friction(vo_rt_body *body, float friction); /* [any time] */

/* Force and torque about the body's origin that cloth exerted in the last step, N and N m. */
typedef struct vo_rt_reaction {
    vo_rt_vec3 force, torque;
} vo_rt_reaction;
VO_API vo_rt_reaction vo_rt_body_get_reaction(const vo_rt_body *body);

/* --- Cloths -------------------------------------------------------------------------------- */

typedef enum vo_rt_solver {
    VO_RT_SOLVER_XPBD,  /* position-based constraints with compliance (default) */
    VO_RT_SOLVER_VERLET /* mass-spring forces, Verlet integration, Provot's correction */
} vo_rt_solver;

typedef struct vo_rt_cloth_def {
    const vo_rt_asset *asset; /* must outlive the cloth */
    /* Pose at the start. Later vo_rt_cloth_set_transform moves the animated pose of an asset
     * without bones; with bones, it moves only the frame to which the inertia below refers. */
    vo_rt_transform transform;
    vo_rt_solver solver;
    vo_rt_adaption adaption;
    int min_level, max_level; /* limits of refinement; default 0 and the asset's */
    uint32_t collision_mask;  /* collides with bodies whose layer shares a bit; default all */
    float stretch_limit;      /* of springs, fraction; default 0.05 */
    /* Compression of springs, fraction, up to which they resist with the force at which a strip of
     * their length buckles; beyond it they resist fully. Coarse meshes need it, because they cannot
     * fold where fine cloth does; 0: cloth that folds in place of compressing. Default 0.1. */
    float compression;
    float sleep_speed; /* m/s; a cloth whose vertices are slower for 1 s sleeps; 0: never */
    /* Collisions with itself and with other cloths that have this set: no face passes through
     * another. Cloth that intersects on arrival (a teleport, a pose that intersects itself) is
     * untangled in the following frames. Cost: about 0.5 us per triangle and query (one to four per
     * move), more in stacks of many layers, and 0.8 KB of the pool per triangle. Limits of this
     * version: vertices attached to a pose that moves faster than about 3 m/s lag behind it, also
     * without other cloth near by, vertices may end inside bodies (counted as trapped), and cloth
     * refines less beside bodies. Use it for sheets, curtains and slow garments. Default false. */
    bool self_collision;
    float self_thickness; /* m, distance kept between layers of cloth, limited to about a third of
                             the length of the edges; default 0.002 */
    int layer; /* of clothing: cloths of higher layers are worn over those of lower ones and leave
                  them on the outside, to which the triangles of both are oriented; default 0 */
    /* Fraction of the motion of the cloth's frame that its particles feel (local-space inertia). */
    float linear_inertia, angular_inertia, centrifugal_inertia; /* default 1 */
    uint64_t user;
} vo_rt_cloth_def;

VO_API vo_rt_cloth_def vo_rt_cloth_def_default(void);
/* Starts at rest at the base level, in the rest pose moved by the transform. For another pose set
 * the bones and call vo_rt_cloth_reset before the first step. Memory comes from the world's pool;
 * that of the output, about 80 bytes per output vertex, from the allocator. */
VO_API vo_result vo_rt_cloth_create(vo_rt_world *world, const vo_rt_cloth_def *def,
                                    vo_rt_cloth **out);
VO_API void vo_rt_cloth_destroy(vo_rt_cloth *cloth);

VO_API vo_result vo_rt_cloth_set_transform(vo_rt_cloth *cloth, vo_rt_transform t); /* [any time] */
/* [bone_count of the asset] matrices from the bind pose to the world. [any time] */
VO_API vo_result vo_rt_cloth_set_bones(vo_rt_cloth *cloth, int count, const vo_rt_matrix *bones);
/* The next pose is reached without motion: particles keep their shape relative to the frame. */
VO_API vo_result vo_rt_cloth_teleport(vo_rt_cloth *cloth); /* [any time] */
/* Back to the animated pose at rest, at the base level. [any time] */
VO_API vo_result vo_rt_cloth_reset(vo_rt_cloth *cloth);
/* Weight of the simulation: 1 simulated, 0 animated. [any time] */
VO_API vo_result vo_rt_cloth_set_blend(vo_rt_cloth *cloth, float weight);
VO_API vo_result vo_rt_cloth_set_fabric(vo_rt_cloth *cloth, vo_rt_fabric fabric); /* [any time] */
VO_API vo_result vo_rt_cloth_set_adaption(vo_rt_cloth *cloth, vo_rt_adaption a);  /* [any time] */
VO_API vo_result vo_rt_cloth_set_levels(vo_rt_cloth *cloth, int min, int max);    /* [any time] */
VO_API vo_result vo_rt_cloth_set_inertia(vo_rt_cloth *cloth, float linear, float angular,
                                         float centrifugal);                /* [any time] */
VO_API vo_result vo_rt_cloth_set_enabled(vo_rt_cloth *cloth, bool enabled); /* [any time] */
/* Ends sleep. [any time] */
VO_API vo_result vo_rt_cloth_wake(vo_rt_cloth *cloth);
/* Attaches base vertex `vertex` to `position`, m, world space, with `weight`, in place of its
 * painted attachment. 0 releases it, also from the animated pose. The vertex moves there in the
 * next step even if a body is in between: move the position gradually. Refined vertices on an edge
 * are attached if both of its base vertices are. [any time] */
VO_API vo_result vo_rt_cloth_set_attachment(vo_rt_cloth *cloth, int vertex, float weight,
                                            vo_rt_vec3 position);
/* Limits the stretch stiffness of the links of an unseamed asset: 0 to 1. [any time] */
VO_API vo_result vo_rt_cloth_set_link_strength(vo_rt_cloth *cloth, float strength);

/* Vertices of a cloth during a substep, for a constraint of the host. */
typedef struct vo_rt_substep_view {
    int vertex_count; /* slots, some of which may be unused; slot i + 1 is base vertex i */
    float *positions; /* 4 floats per slot: x y z, m, and the inverse mass, 1/kg, which is 0 of
                         prescribed vertices, unused slots and slot 0; x y z may be changed */
    double time;      /* s, simulated time at the end of the substep (vo_rt_world_time) */
} vo_rt_substep_view;

/* Projects positions onto constraints of the host. Runs in the thread that solves the cloth; must
 * be deterministic, and leave vertices with an inverse mass of 0 in place. */
typedef void vo_rt_constraint_fn(void *user, const vo_rt_substep_view *view);
/* Calls `constraint` last in every substep, after contacts with bodies; NULL: none. Contacts are
 * verified at the end of the simulation step, so that no vertex remains inside a body. Snapshots do
 * not contain it. Not during a step. */
VO_API void vo_rt_cloth_set_constraint(vo_rt_cloth *cloth, vo_rt_constraint_fn *constraint,
                                       void *user);

/* Buffers of the host for vo_rt_cloth_write_output; NULL members are skipped. Strides in bytes, 0:
 * packed, otherwise at least the size of an element. Each has render_vertex_count elements
 * (vo_rt_asset_get_info). */
typedef struct vo_rt_output {
    float *positions; /* m, interpolated between the last two steps */
    size_t position_stride;
    float *normals; /* unit */
    size_t normal_stride;
    float *tangents; /* unit, x y z and the sign of the bitangent */
    size_t tangent_stride;
    float *previous_positions; /* of the previous call of vo_rt_world_step, for motion vectors */
    size_t previous_stride;
} vo_rt_output;

/* Writes the stable topology. Cost: about 20 ns per vertex. */
VO_API vo_result vo_rt_cloth_write_output(const vo_rt_cloth *cloth, const vo_rt_output *output);

/* Computes the detail mesh of an asset that has one (default true), in each step in which the cloth
 * is visible and does not rest. Without it vo_rt_cloth_detail returns the last positions. [any
 * time] */
VO_API vo_result vo_rt_cloth_set_detail(vo_rt_cloth *cloth, bool enabled);
/* Weights of the operators of the detail mesh, [count] numbers of 0 or more, not all 0; they are
 * divided by their sum. `count` must be that of the operators, or 0 (default): the weights follow
 * the motion of the cloth within a quarter of a second. Wakes the cloth. [any time] */
VO_API vo_result vo_rt_cloth_set_detail_weights(vo_rt_cloth *cloth, int count,
                                                const float *weights);
/* Writes the detail mesh of the last step: positions, normals of the fine mesh, tangents, previous
 * positions; detail_vertex_count elements each (vo_rt_asset_get_info). Fails if the asset has no
 * detail mesh. Cost: about 5 ns per vertex, 40 ns with tangents. One cloth may be read by one
 * thread at a time. */
VO_API vo_result vo_rt_cloth_detail(const vo_rt_cloth *cloth, const vo_rt_output *output);
/* Weights of the operators in the last step: writes at most `capacity`, returns their number. */
VO_API int vo_rt_cloth_get_detail_weights(const vo_rt_cloth *cloth, int capacity, float *weights);

/* Leaf mesh of the current front; the arrays are valid until the next step. */
typedef struct vo_rt_leaf_view {
    int vertex_count;        /* slots, some of which may be unused; slot 0 always is */
    const float *positions;  /* 4 floats per slot: x y z and the inverse mass */
    const float *velocities; /* 4 floats per slot */
    int triangle_count;
    const int32_t *triangles; /* 4 integers per triangle: three slots, and one for internal use */
    uint64_t topology;        /* changes whenever the triangles change */
} vo_rt_leaf_view;
VO_API vo_rt_leaf_view vo_rt_cloth_get_leaves(const vo_rt_cloth *cloth);
/* Writes the levels of at most `capacity` leaf triangles; returns the number of triangles. */
VO_API int vo_rt_cloth_get_levels(const vo_rt_cloth *cloth, int capacity, uint8_t *levels);

typedef struct vo_rt_cloth_info {
    int triangles, vertices, springs, level; /* of the front; finest level in use */
    bool is_visible, is_sleeping, is_far;
    float max_stretch; /* 99th percentile of elongation */
    vo_rt_vec3 min, max;
    size_t bytes; /* of the world's pool */
    uint64_t user;
} vo_rt_cloth_info;
VO_API vo_rt_cloth_info vo_rt_cloth_get_info(const vo_rt_cloth *cloth);
/* Current position of a base vertex, m. */
VO_API vo_rt_vec3 vo_rt_cloth_get_vertex(const vo_rt_cloth *cloth, int vertex);

/* --- Queries, events, debug drawing ---------------------------------------------------------- */

typedef struct vo_rt_ray_hit {
    vo_rt_cloth *cloth;
    float t; /* fraction of the ray */
    vo_rt_vec3 position, normal;
    int base_vertex; /* the nearest one */
} vo_rt_ray_hit;
/* Nearest hit of the segment from `from` to `to` with any cloth; false if there is none. */
VO_API bool vo_rt_world_cast_ray(const vo_rt_world *world, vo_rt_vec3 from, vo_rt_vec3 to,
                                 vo_rt_ray_hit *hit);
/* Cloths that overlap a sphere: writes at most `capacity`, returns the number found. */
VO_API int vo_rt_world_overlap_sphere(const vo_rt_world *world, vo_rt_vec3 center, float radius,
                                      int capacity, vo_rt_cloth **cloths);

/* First contact of a cloth with a body in a step, after a step without contact. */
typedef struct vo_rt_contact_event {
    vo_rt_cloth *cloth;
    vo_rt_body *body;
    bool began; /* false: the contact ended */
    vo_rt_vec3 position, normal;
    float speed; /* m/s, relative normal speed */
} vo_rt_contact_event;
/* Events of the last step; valid until the next. */
VO_API const vo_rt_contact_event *vo_rt_world_get_events(const vo_rt_world *world, int *count);

typedef void vo_rt_draw_line_fn(void *user, vo_rt_vec3 a, vo_rt_vec3 b, uint32_t rgba);
enum {
    VO_RT_DRAW_LEAVES = 1,
    VO_RT_DRAW_CONTACTS = 2,
    VO_RT_DRAW_BODIES = 4,
    VO_RT_DRAW_BOUNDS = 8,
    VO_RT_DRAW_TETHERS = 16
};
/* Draws lines for debugging; edges of leaves are coloured by level. */
VO_API void vo_rt_world_debug_draw(const vo_rt_world *world, unsigned flags,
                                   vo_rt_draw_line_fn *draw, void *user);

#ifdef __cplusplus
}
#endif

#endif
