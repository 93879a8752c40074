/* Voile: the scene, the constant input of a simulation.
 *
 * Built by calls (examples/hello.c) or read from a file (docs/scene-reference.md). Meshes and
 * fabrics are copied. */
#ifndef VOILE_SCENE_H
#define VOILE_SCENE_H

#include <voile/camera.h>
#include <voile/character.h>
#include <voile/fabric.h>
#include <voile/mesh.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A scene, which vo_scene_destroy releases. Its context must outlive it. */
typedef struct vo_scene vo_scene;

/* p -> translate + scale * rotation p; rotation by `degrees` about `axis`. */
typedef struct vo_pose {
    vo_vec3 translate; /* m */
    double scale;      /* positive, no unit; 0 in a vo_keyframe: absent (vo_scene_add_motion) */
    double degrees;
    vo_vec3 axis; /* any length; zero: no rotation */
} vo_pose;

typedef enum vo_linear_solver {
    VO_SOLVER_PCG,    /* preconditioned conjugate gradients; the direct solver where they stall */
    VO_SOLVER_DIRECT, /* CHOLMOD in every step (needs a build with it) */
} vo_linear_solver;

/* Stages of the step that a scene can disable (ARCSim's "disable"). */
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

/* Engine that vo_run_simulate uses. vo_sim_step always uses VO_ENGINE_QUALITY. */
typedef enum vo_engine {
    VO_ENGINE_QUALITY,  /* implicit integration, adaptive remeshing, exact collision handling */
    VO_ENGINE_REALTIME, /* the real-time library, <voile/rt.h>, with cooked base meshes */
} vo_engine;

typedef enum vo_realtime_solver {
    VO_REALTIME_XPBD,   /* position-based constraints with compliance */
    VO_REALTIME_VERLET, /* mass-spring forces with Provot's correction */
} vo_realtime_solver;

/* What cloth collides with where a character has bones. */
typedef enum vo_realtime_bodies {
    VO_REALTIME_MESHES,   /* the surface */
    VO_REALTIME_CAPSULES, /* capsules on the bones, fitted to the surface */
} vo_realtime_bodies;

/* Settings of VO_ENGINE_REALTIME. Defaults of vo_realtime_settings_default in square brackets. */
typedef struct vo_realtime_settings {
    double rate;      /* [120] simulation steps per second, 30 to 1000; raised to a whole number of
                         steps per pose of the bodies, which are evaluated at 60 Hz or more */
    int substeps;     /* [4] solver substeps per simulation step, 1 to 64 */
    int levels;       /* [3] levels of refinement below the base mesh, 0 to 6 */
    int faces;        /* [0] approximate number of base triangles of a cloth; 0: all faces of a mesh
                         or grid, 316 of a garment that is sewn */
    double budget_ms; /* [0] counted cost of a step, ms, to which refinement is limited; 0: none */
    bool budget_clock; /* [false] measured time of a step in place of the counted cost: the run is
                          not reproducible; needs budget_ms */
    double offset; /* [0.003] m, distance of the surface that cloth collides with from bodies, 0 to
                      0.1 */
    vo_realtime_bodies bodies; /* [VO_REALTIME_MESHES] */
    bool self_collision;       /* [false] cloth collides with itself and with other cloth */
    double thickness;          /* [0.002] m, distance between layers of cloth, at most 0.1 */
    double compression; /* [0.1] of edges, fraction, 0 to 1, resisted with the force of buckling
                           only; 0: cloth folds in place of compressing */
    double damping;     /* [0.2] 1/s, decay rate of velocities, 0 to 100 */
    vo_realtime_solver solver; /* [VO_REALTIME_XPBD] */
} vo_realtime_settings;

/* Adaptation of the meshes of cloths with remeshing. */
typedef enum vo_adapt {
    VO_ADAPT_NONE, /* uniform: every mesh is refined once, to its size_min */
    VO_ADAPT_FULL, /* to curvature, velocity, compression and obstacles */
    VO_ADAPT_VIEW, /* as VO_ADAPT_FULL, reduced where cameras do not see the cloth
                      (vo_view_settings) */
} vo_adapt;

/* View-dependent refinement, with VO_ADAPT_VIEW (Koh, Narain, O'Brien 2015, "View-dependent
 * adaptive cloth simulation with buckling compensation"). Defaults of vo_view_settings_default in
 * square brackets. Every face has a view factor from 0 to 1; with a factor of x its edges may be
 * 1/x times as long as without cameras. The factor of a visible front-facing surface is the weight
 * of the camera (vo_camera_def.weight). */
typedef struct vo_view_settings {
    double back_facing;     /* [0.2] factor of back-facing surfaces, above 0 to 1 */
    double occluded;        /* [0.5] factor of occluded front-facing surfaces, with `occlusion`,
                               above 0 to 1 */
    double occluded_margin; /* [0.1] m along the cloth from visible surface, over which the factor
                               falls to `occluded` */
    double off_screen;      /* [0.01] factor outside all frusta, above 0 to 1 */
    double frustum_margin;  /* [0.4] m from the frustum, over which the factor falls to
                               `off_screen` */
    double anticipation;    /* [5] frames ahead in which surfaces that will become visible are
                               already refined; the sooner they do, the finer */
    double min_edge_pixels; /* [4] minimum edge length on screen, pixels; 0: no limit */
    double silhouette;      /* [0.25] faces next to a silhouette get the mean of both factors where
                               these differ by more than this; infinite: never */
    double max_popping; /* [0.5] pixels by which remeshing may move the visible surface per frame;
                           infinite: no limit */
    double size_max;    /* [0.3] m, longest edge of invisible surface, if it is above size_max of
                           the cloth's remeshing; where that is infinite, buckling compensation uses
                           this value */
    bool full_detail_preroll;  /* [true] before frame 0 everything is treated as visible, unless a
                                  camera is given by vo_sim_set_camera */
    bool two_sided;            /* [false] backs are treated as fronts, except for cloths with their
                                  own vo_sidedness */
    bool occlusion;            /* [false] tests occlusion by ray casting */
    bool compensation;         /* [true] buckling compensation of coarse faces outside all
                                  frusta (vo_compensation) */
    double compensation_power; /* [10] 1 to 1e6; larger values also compensate smaller
                                  faces */
    double visible_compensation_power; /* [0] the power for faces inside a frustum, visible or
                                          occluded: 1 to 1e6; 0, or without `compensation`: none */
    double budget_faces;               /* [0] largest number of faces of all cloths, kept by raising
                                          min_edge_pixels; 0: no limit */
    double budget_seconds;             /* [0] s, the same for the wall time of a frame; makes runs
                                          irreproducible */
} vo_view_settings;

/* Defaults of vo_scene_def_default in square brackets: SI units, gravity of the earth, still air,
 * 25 frames per second. Scene files have ARCSim's defaults (docs/scene-reference.md). */
typedef struct vo_scene_def {
    double frame_time;   /* [0.04] s per output frame */
    int frame_steps;     /* [8] substeps per frame; each lasts frame_time / frame_steps */
    double end_time;     /* [infinite] s; a run ends with the first frame at or after it */
    double end_frame;    /* [infinite] last frame of a run, a whole number. The earlier of both ends
                            applies; stepping by calls (vo_sim_step) ignores both */
    double preroll;      /* [-1] s simulated before time 0, rounded up to whole frames, in which
                            characters blend from their rest poses into their motions and cloth
                            settles. Negative: 1 s with characters, else none */
    int start_frame;     /* [0] first frame that a run saves */
    vo_vec3 gravity;     /* [0, 0, -9.81] m/s^2 */
    double wind_density; /* [1.2] kg/m^3, density of the air; 0: only wind_drag acts */
    vo_vec3 wind_velocity;       /* [0, 0, 0] m/s; still air also causes drag */
    double wind_drag;            /* [0] kg/(m^2 s), linear drag tangential to the cloth */
    double repulsion_thickness;  /* [0.002] m, distance at which contact forces between cloths and
                                    between cloth and obstacles begin; positive */
    double projection_thickness; /* [0] m, distance after an impact; not implemented, impacts leave
                                    repulsion_thickness. 0: a tenth of it, which is also the upper
                                    limit. vo_scene_get_def returns the value used */
    double collision_stiffness;  /* [1e7] N/m per m^2 of cloth: a contact whose distance falls short
                                    of the repulsion thickness t by d has the energy
                                    stiffness area d^3 / (6 t), so that its pressure before contact
                                    is at most stiffness t / 2 */
    double teleport_speed;       /* [40] m/s; an obstacle that is faster in a substep teleports: it
                                    is placed at its target at once, together with the cloth that
                                    it wears; other cloth is not moved */
    double friction;             /* [0.6] Coulomb friction coefficient of cloth on cloth */
    double obstacle_friction;    /* [0.3] Coulomb friction coefficient of cloth on obstacles */
    vo_adapt adapt;              /* [VO_ADAPT_FULL] for cloths with remeshing */
    vo_view_settings view;       /* used with VO_ADAPT_VIEW */
    unsigned disable;            /* [0] bitwise or of vo_disable */
    double handle_stiffness;     /* [1000] N/m, of soft and fading handles */
    vo_linear_solver solver;     /* [VO_SOLVER_PCG] */
    double solver_tolerance;     /* [1e-3] residual relative to the right-hand side, below 1 */
    int solver_max_iterations;   /* [500] conjugate gradient iterations, after which the direct
                                    solver is used */
    vo_engine engine;            /* [VO_ENGINE_QUALITY] */
    vo_realtime_settings realtime; /* used with VO_ENGINE_REALTIME */
} vo_scene_def;

/* A material of a cloth, selected by face label. */
typedef struct vo_material_def {
    const vo_fabric *fabric; /* [NULL] required */
    double density_mult;     /* [1] multiplies the fabric's mass */
    double stretching_mult;  /* [1] multiplies its stretching stiffness */
    double bending_mult;     /* [1] multiplies its bending stiffness; 0: none */
    double damping;          /* [0] s, stiffness-proportional (Rayleigh) damping */
    double stretch_min;      /* [-infinite] lower limit of the principal stretches; 1 is rest */
    double stretch_max;      /* [infinite] upper limit; infinite: none */
} vo_material_def;

/* Buckling compensation: coarse faces resist compression less, in place of folds that they cannot
 * form (Koh, Narain, O'Brien 2015, "View-dependent adaptive cloth simulation with buckling
 * compensation"). */
typedef enum vo_compensation {
    VO_COMPENSATE_NONE,
    VO_COMPENSATE_ALL, /* increasing with the size of the face */
} vo_compensation;

/* Sizing of adaptive remeshing; lengths are measured in material space. Each edge is as long as all
 * criteria allow (Narain, Samii, O'Brien 2012, "Adaptive anisotropic remeshing for cloth
 * simulation"). Nodes with labels, nodes listed by handles and corners of the fabric are
 * preserved. */
typedef struct vo_remeshing_def {
    bool enabled;              /* [false] false: the mesh is not changed */
    double refine_angle;       /* [infinite] rad, largest change of the normal along an edge */
    double refine_compression; /* [infinite] m, amplitude of buckling that need not be resolved */
    double refine_velocity;    /* [infinite] m/s, largest difference of velocities along an edge */
    double size_min, size_max; /* [-infinite, infinite] m, bounds of edge lengths; a size_min that
                                  is not positive is a thousandth of the fabric's extent */
    double aspect_min;         /* [-infinite] smallest aspect ratio of a face, width / length */
    double outline_tolerance;  /* [NaN] m, largest deviation of outline and seams when they are
                                  simplified; NaN: a tenth of size_min */
    double flip_threshold; /* [0.01] an edge is flipped if the sine of the excess of its opposite
                              angles over a half turn is above this */
    double rib_stiffening; /* [1] effect of curvature, which prevents buckling across it */
    bool add_metrics;      /* [false] adds the metrics of the criteria; false: their maximum */
    vo_compensation compensation; /* [VO_COMPENSATE_NONE] needs a finite size_max */
    double compensation_power;    /* [10] at least 1; larger values also compensate smaller
                                     faces */
} vo_remeshing_def;

/* Sides of a cloth that are treated as fronts, with VO_ADAPT_VIEW. */
typedef enum vo_sidedness {
    VO_SIDEDNESS_INHERIT, /* by the scene's vo_view_settings.two_sided */
    VO_SIDEDNESS_ONE,     /* the side of the normals */
    VO_SIDEDNESS_TWO,     /* both: flags, curtains, capes, a jacket with a visible lining */
} vo_sidedness;

typedef struct vo_cloth_def {
    const vo_mesh *mesh;      /* [NULL] required; of VO_MESH_FOR_CLOTH */
    vo_pose pose;             /* [identity] its scale also scales the material coordinates */
    vo_vec3 linear_velocity;  /* [0, 0, 0] m/s, of every node */
    vo_vec3 angular_velocity; /* [0, 0, 0] rad/s, about velocity_origin */
    vo_vec3 velocity_origin;  /* [0, 0, 0] m */
    int material_count;       /* [0] at least 1 is required */
    const vo_material_def *materials;
    vo_remeshing_def remeshing; /* [disabled] */
    vo_sidedness sides;         /* [VO_SIDEDNESS_INHERIT] */
} vo_cloth_def;

/* A key of a motion. While the interpolated scale is not positive, obstacles that follow the motion
 * are absent; handles that follow a motion with a scale of 0 at a key are not scaled. */
typedef struct vo_keyframe {
    double time; /* s, at least 1e-9 after the previous key */
    vo_pose pose;
    bool has_velocity; /* false: central differences, zero at the first and last key */
    vo_pose velocity;  /* per second: of translation, scale and the rotation's axis-angle */
} vo_keyframe;

typedef enum vo_handle_kind {
    VO_HANDLE_NODE,   /* listed nodes, or all with a label, follow a motion; a hard constraint, or
                         springs if stiffness > 0 */
    VO_HANDLE_CIRCLE, /* springs pull nodes with a label onto a circle */
    VO_HANDLE_GLUE,   /* a spring pulls two nodes together */
    VO_HANDLE_SOFT,   /* springs pull nodes within a sphere along a motion */
} vo_handle_kind;

typedef struct vo_handle_def {
    vo_handle_kind kind;  /* [VO_HANDLE_NODE] */
    int cloth;            /* [0] index of the cloth */
    int label;            /* [-1] all nodes with this label; -1: the list below */
    int node_count;       /* [0] */
    const int *nodes;     /* [NULL] */
    bool rim;             /* [false] a node that remeshing inserts on the border between two held
                             nodes is held, too; always so for nodes selected by label */
    int motion;           /* [-1] index of a motion; -1: static */
    int character;        /* [-1] node: index of the character whose surface the nodes follow, in
                             place of a motion; -1: none */
    double start;         /* [0] s, active from then on; 0: also in the preroll */
    double end;           /* [infinite] s, full strength until then */
    double fade;          /* [0] s; from `end` to `end + fade` the strength falls as (1 - s)^4, s
                             from 0 to 1; 0: the handle ends at `end` */
    double stiffness;     /* [0] N/m; 0: hard for node handles, else the scene's handle_stiffness */
    double circumference; /* [0] circle: m; required */
    vo_vec2 circle_u;     /* [0, 0] circle: material direction that is mapped along it; required */
    vo_vec3 center, axis0, axis1; /* [0, 0, 0] circle and soft: centre, m; circle: unit vectors from
                                     the centre to the point of u = 0 and a quarter turn further */
    double radius;                /* [0] soft: m; required */
} vo_handle_def;

typedef struct vo_obstacle_def {
    const vo_mesh *mesh; /* [NULL] required; of either use */
    vo_pose pose;        /* [identity] applied to the mesh before the motion */
    int motion;          /* [-1] index of a motion; -1: static */
    double start;        /* [0] s, present from then on; 0: also in the preroll */
    double end;          /* [infinite] s, absent from then on */
} vo_obstacle_def;

/* An animated body: an obstacle that deforms (<voile/character.h>). */
typedef struct vo_character_def {
    const char *body; /* [NULL] .fbx, .gltf, .glb, .dae or .obj, or a sequence of OBJ files with a
                         name such as body_%04d.obj, numbered from 0 or 1. NULL: a mannequin */
    vo_mannequin_def mannequin; /* [vo_mannequin_def_default] used without a file */
    double metres_per_unit;     /* [0] m, unit of length of the file; 0: the file's own */
    vo_up_axis up_axis;         /* [VO_UP_FILE] */
    bool has_motion;            /* [false] false: it stays in its rest pose, except for sequences */
    vo_motion_def motion;       /* [vo_motion_def_default] used with has_motion */
    vo_pose pose;               /* [identity] placement: mannequins stand on the origin, z up, and
                                   face -y */
    double self_gap;   /* [0.005] m, smallest gap between parts of the body: where they intersect or
                          touch, the surface is inset until cloth fits between them. 0: disabled */
    double start, end; /* [0, infinite] s, as for obstacles */
} vo_character_def;

/* A garment of a character: a pattern that is sewn around it when a simulation is created, or a
 * mesh that was sewn before (<voile/sew.h>). Defaults of vo_garment_def_default in square
 * brackets. */
typedef struct vo_garment_def {
    const char
        *pattern; /* [NULL] pattern file, Voile's or GarmentCode's; searched for in the current
                     folder and among the assets. Either this or `mesh` must be given */
    const vo_mesh *mesh; /* [NULL] sewn garment in the frame of the character's body file; copied */
    int character;       /* [0] its obstacle index, from vo_scene_add_character */
    bool fit;            /* [true] a pattern that names the sizes it was drawn for is graded to the
                            character */
    double edge_length;  /* [0.03] m, of the mesh that is sewn */
    int faces;      /* [0] approximate number of faces, instead of edge_length; 0: edge_length */
    int base_faces; /* [0] with VO_ENGINE_REALTIME: approximate number of base triangles; 0: that of
                       vo_realtime_settings.faces */
    int material_count; /* [0] 0: the pattern's own fabrics, with the three values below */
    const vo_material_def *materials; /* [NULL] indexed by face label, the index of the pattern's
                                         fabric; copied */
    double damping;                   /* [0.002] s, of the pattern's own fabrics */
    double stretch_min, stretch_max;  /* [-infinite, infinite] of the pattern's own fabrics */
    vo_remeshing_def remeshing;       /* [enabled: refine_angle 0.4, refine_compression 0.01,
                                         refine_velocity 1, size 0.015 to 0.1, aspect_min 0.2] */
    vo_sidedness sides;               /* [VO_SIDEDNESS_INHERIT] */
} vo_garment_def;

/* A fan of VO_ENGINE_REALTIME: an air stream inside a cone, with falloff towards its edge and its
 * range. Defaults of vo_fan_def_default in square brackets. */
typedef struct vo_fan_def {
    vo_vec3 position;  /* [0, 0, 0] m */
    vo_vec3 direction; /* [0, 1, 0] any length except zero */
    double speed;      /* [5] m/s at the fan */
    double angle;      /* [20] degrees, half angle of the cone, above 0, below 90 */
    double range;      /* [4] m, the speed falls to 0 here */
    int motion;        /* [-1] index of a motion that moves and turns it; -1: static */
} vo_fan_def;

/* Return the defaults that the types above list in square brackets. */
VO_API vo_pose vo_pose_identity(void);
VO_API vo_scene_def vo_scene_def_default(void);
VO_API vo_material_def vo_material_def_default(void);
VO_API vo_remeshing_def vo_remeshing_def_default(void);
VO_API vo_view_settings vo_view_settings_default(void);
VO_API vo_realtime_settings vo_realtime_settings_default(void);
VO_API vo_fan_def vo_fan_def_default(void);
VO_API vo_cloth_def vo_cloth_def_default(void);
VO_API vo_handle_def vo_handle_def_default(void);
VO_API vo_obstacle_def vo_obstacle_def_default(void);
VO_API vo_character_def vo_character_def_default(void);
VO_API vo_garment_def vo_garment_def_default(void);

/* Creates an empty scene; `def` may be NULL for the defaults. Here and below a value that is NaN,
 * larger than 1e15 or outside of its range is VO_BAD_ARGUMENT with a message that names the member;
 * infinity is allowed only where its meaning is given. */
VO_API vo_result vo_scene_create(vo_context *ctx, const vo_scene_def *def, vo_scene **out);
VO_API void vo_scene_destroy(vo_scene *scene); /* NULL is allowed */

/* Each adds an object and returns its index, which later calls use, in *id (may be NULL). */
VO_API vo_result vo_scene_add_cloth(vo_scene *scene, const vo_cloth_def *def, int *id);
VO_API vo_result vo_scene_add_motion(vo_scene *scene, int key_count, const vo_keyframe *keys,
                                     int *id);
VO_API vo_result vo_scene_add_handle(vo_scene *scene, const vo_handle_def *def, int *id);
VO_API vo_result vo_scene_add_obstacle(vo_scene *scene, const vo_obstacle_def *def, int *id);
/* Reads the files that `def` names. The character is an obstacle: *id is its obstacle index. */
VO_API vo_result vo_scene_add_character(vo_scene *scene, const vo_character_def *def, int *id);
/* Adds a garment as a cloth, whose index is *id. Garments of one character are sewn in the order of
 * the calls, the innermost first. Labels that the pattern pins become handles, which are counted
 * after those added before. On failure the scene is unchanged. */
VO_API vo_result vo_scene_add_garment(vo_scene *scene, const vo_garment_def *def, int *id);

/* Adds a fan, at most 8. */
VO_API vo_result vo_scene_add_fan(vo_scene *scene, const vo_fan_def *def, int *id);

/* Adds a camera, whose index is *id. VO_BAD_ARGUMENT if another camera has the same name, unless it
 * is empty. */
VO_API vo_result vo_scene_add_camera(vo_scene *scene, const vo_camera_def *def, int *id);

/* Makes a camera active from a time (s) until the time of the next shot; shots are added in the
 * order of their times. The first shot also covers all times before it. Without shots the first
 * camera that is not a light is active. */
VO_API vo_result vo_scene_add_shot(vo_scene *scene, double time, int camera);

/* Reads a scene file with all files that it names. `overrides` are "key=value" settings, applied in
 * order. Warnings are logged. VO_BAD_DATA with file and key if a value is invalid. */
VO_API vo_result vo_scene_load(vo_context *ctx, const char *path, int override_count,
                               const char *const *overrides, vo_scene **out);

/* Returns the definition of the scene, with the values used. */
VO_API vo_scene_def vo_scene_get_def(const vo_scene *scene);
/* Numbers of objects; garments are cloths, characters are obstacles. */
VO_API int vo_scene_cloth_count(const vo_scene *scene);
VO_API int vo_scene_obstacle_count(const vo_scene *scene);
VO_API int vo_scene_camera_count(const vo_scene *scene);

/* Index of the camera with this name, or -1. */
VO_API int vo_scene_find_camera(const vo_scene *scene, const char *name);
/* Index of the active camera at a time, s; -1: the scene has no camera except lights. */
VO_API int vo_scene_find_active_camera(const vo_scene *scene, double time);
/* Evaluates a camera at any time, s. */
VO_API vo_camera vo_scene_eval_camera(const vo_scene *scene, int camera, double time);

#ifdef __cplusplus
}
#endif
#endif
