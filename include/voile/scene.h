/* Voile: the scene, everything that is given before the first step and never changes after.
 *
 * Built by calls (examples/hello.c) or read from a file (docs/scene-reference.md). Meshes and
 * fabrics handed over are copied. */
#ifndef VOILE_SCENE_H
#define VOILE_SCENE_H

#include <voile/fabric.h>
#include <voile/mesh.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct vo_scene vo_scene;

/* p -> translate + scale * rotation p; rotation by `degrees` about `axis`. */
typedef struct vo_pose {
    vo_vec3 translate;
    double scale;
    double degrees;
    vo_vec3 axis;
} vo_pose;

typedef enum vo_linear_solver {
    VO_SOLVER_PCG,    /* conjugate gradients; the direct solver where they stall */
    VO_SOLVER_DIRECT, /* CHOLMOD at every step (needs a build with it) */
} vo_linear_solver;

/* Stages of the step that a scene can switch off (ARCSim's "disable"). */
typedef enum vo_disable {
    VO_DISABLE_PROXIMITY = 1 << 0,
    VO_DISABLE_PHYSICS = 1 << 1,
    VO_DISABLE_STRAIN_LIMITING = 1 << 2,
    VO_DISABLE_COLLISION = 1 << 3,
    VO_DISABLE_REMESHING = 1 << 4,
    VO_DISABLE_SEPARATION = 1 << 5,
    VO_DISABLE_POP_FILTER = 1 << 6,
    VO_DISABLE_PLASTICITY = 1 << 7,
    VO_DISABLE_FRACTURE = 1 << 8,
} vo_disable;

typedef struct vo_scene_def {
    double frame_time;     /* s per output frame */
    int frame_steps;       /* substeps per frame; a substep is frame_time / frame_steps long */
    double end_time;       /* s; infinite: until end_frame */
    double end_frame;      /* infinite: until end_time */
    vo_vec3 gravity;       /* m/s^2 */
    double wind_density;   /* kg/m^3 of the air; 0 switches it off */
    vo_vec3 wind_velocity; /* m/s */
    double wind_drag;      /* kg/(m^2 s), linear drag along the cloth */
    double friction, obstacle_friction;
    unsigned disable;        /* of vo_disable */
    double handle_stiffness; /* N/m, of handles that are soft or fading */
    vo_linear_solver solver;
    double solver_tolerance; /* relative residual */
    int solver_max_iterations;
} vo_scene_def;

/* One material of a cloth; a face's label says which. */
typedef struct vo_material_def {
    const vo_fabric *fabric;
    double density_mult, stretching_mult, bending_mult;
    double damping; /* s, stiffness-proportional */
    double stretch_min,
        stretch_max; /* limits of the principal stretches, 1 = rest; infinite: none */
} vo_material_def;

typedef struct vo_cloth_def {
    const vo_mesh *mesh; /* of VO_MESH_FOR_CLOTH */
    vo_pose pose;        /* a scale other than 1 also scales the material coordinates */
    vo_vec3 linear_velocity, angular_velocity, velocity_origin; /* m/s, rad/s, m */
    int material_count;
    const vo_material_def *materials;
} vo_cloth_def;

typedef struct vo_keyframe {
    double time; /* s */
    vo_pose pose;
    bool has_velocity; /* else central differences, zero at the first and last key */
    vo_pose velocity;  /* per second: of translate, scale and of the rotation's axis-angle */
} vo_keyframe;

typedef enum vo_handle_kind {
    VO_HANDLE_NODE, /* listed nodes, or all with a label, follow a motion; hard unless stiffness > 0
                     */
    VO_HANDLE_CIRCLE, /* nodes with a label are pulled onto a circle */
    VO_HANDLE_GLUE,   /* two nodes are pulled together */
    VO_HANDLE_SOFT,   /* nodes within a sphere are pulled along by a motion */
} vo_handle_kind;

typedef struct vo_handle_def {
    vo_handle_kind kind;
    int cloth;
    int label; /* nodes with this label; -1: the list below */
    int node_count;
    const int *nodes;
    int motion;              /* -1: stays where it is */
    double start, end, fade; /* s; after `end` the strength falls as (1 - s)^4 over `fade` */
    double stiffness;        /* N/m; 0: hard for node handles, else the scene's handle_stiffness */
    double circumference;    /* circle: m */
    vo_vec2 circle_u;        /* circle: material direction along it */
    vo_vec3 center, axis0, axis1; /* circle and soft: m */
    double radius;                /* soft: m */
} vo_handle_def;

typedef struct vo_obstacle_def {
    const vo_mesh *mesh; /* of either use */
    vo_pose pose;        /* applied to the mesh before the motion */
    int motion;          /* -1: static */
    double start, end;   /* s; it exists from start to end */
} vo_obstacle_def;

VO_API vo_pose vo_pose_identity(void);
VO_API vo_scene_def vo_scene_def_default(void);
VO_API vo_material_def vo_material_def_default(void);
VO_API vo_cloth_def vo_cloth_def_default(void);
VO_API vo_handle_def vo_handle_def_default(void);
VO_API vo_obstacle_def vo_obstacle_def_default(void);

VO_API vo_result vo_scene_create(vo_context *ctx, const vo_scene_def *def, vo_scene **out);
VO_API void vo_scene_destroy(vo_scene *scene);

/* Each returns in *id (may be NULL) the index by which later calls name it. */
VO_API vo_result vo_scene_add_cloth(vo_scene *scene, const vo_cloth_def *def, int *id);
VO_API vo_result vo_scene_add_motion(vo_scene *scene, int key_count, const vo_keyframe *keys,
                                     int *id);
VO_API vo_result vo_scene_add_handle(vo_scene *scene, const vo_handle_def *def, int *id);
VO_API vo_result vo_scene_add_obstacle(vo_scene *scene, const vo_obstacle_def *def, int *id);

/* Reads a scene file. `sets` are "key=value" overrides in order. Warnings go to the log. */
VO_API vo_result vo_scene_load(vo_context *ctx, const char *path, int set_count,
                               const char *const *sets, vo_scene **out);

VO_API vo_scene_def vo_scene_get_def(const vo_scene *scene);
VO_API int vo_scene_cloth_count(const vo_scene *scene);
VO_API int vo_scene_obstacle_count(const vo_scene *scene);

#ifdef __cplusplus
}
#endif
#endif
