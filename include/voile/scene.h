/* Voile: the scene, everything that is given before the first step and never changes after.
 *
 * Built by calls (examples/hello.c) or read from a file (docs/scene-reference.md). Meshes and
 * fabrics handed over are copied. */
#ifndef VOILE_SCENE_H
#define VOILE_SCENE_H

#include <voile/camera.h>
#include <voile/character.h>
#include <voile/fabric.h>
#include <voile/mesh.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct vo_scene vo_scene;

/* p -> translate + scale * rotation p; rotation by `degrees` about `axis`. */
typedef struct vo_pose {
    vo_vec3 translate; /* m */
    double scale;      /* positive, no unit; 1 leaves the size */
    double degrees;
    vo_vec3 axis; /* any length; zero: no rotation */
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

/* What the meshes of cloths follow. */
typedef enum vo_adapt {
    VO_ADAPT_NONE, /* nothing: every cloth with remeshing is refined once, to its size_min */
    VO_ADAPT_FULL, /* what the cloth does: folds, speeds, compression, obstacles */
    VO_ADAPT_VIEW, /* that, where cameras see it or soon will; coarser elsewhere (vo_viewing) */
} vo_adapt;

/* How much what cameras see counts, with VO_ADAPT_VIEW (Koh, Narain, O'Brien 2015, "View-dependent
 * adaptive cloth simulation with buckling compensation"). In square brackets what
 * vo_viewing_default sets. A face that counts x may have edges 1/x as long as without a camera.
 * A face whose front is in a picture counts as much as that camera says (`front`), 1 by default. */
typedef struct vo_viewing {
    double back;          /* [0.2] what is seen from behind; above 0 to 1, as the next two */
    double hidden;        /* [0.5] a front that is behind something else, with `occlusion` */
    double hidden_margin; /* [0.1] m beside what is seen, over which that is reached */
    double out;           /* [0.01] what is in no picture */
    double margin;        /* [0.4] m around pictures, over which that is reached */
    double anticipation;  /* [5] frames; what cameras will see within them counts already, the
                             more the sooner */
    double pixels;        /* [4] edges are not made shorter on the screen than this; 0: they are */
    double silhouette;    /* [0.25] faces beside visible ones count as the mean of both, where that
                             differs by more than this; infinite: never */
    double popping;       /* [0.5] pixels that remeshing may seem to move what is seen in a frame;
                             infinite: any */
    double size_max;      /* [0.3] m, longest edge where nothing is seen; counts if it is above
                             that of the cloth's remeshing; where that is infinite, compensation
                             goes by this */
    bool whole_start;     /* [true] before frame 0 everything counts as seen, unless a camera is
                             given by vo_sim_set_camera */
    bool two_sided;       /* [false] the back of cloth is a front, too, unless the cloth says
                             otherwise (vo_sides) */
    bool occlusion;       /* [false] what is behind something else is told from what is seen */
    bool compensation;    /* [true] coarse faces out of all pictures do not resist compression by
                             buckling that they are too large for (vo_compensation) */
    double compensation_power; /* [10] 1 to 1e6; the larger, the more faces give way */
    double compensation_seen;  /* [0] the power for faces that are not out of all pictures, seen or
                                  hidden: 1 to 1e6; 0, or without `compensation`: these resist in
                                  full */
    double budget_faces;   /* [0] `pixels` is raised to keep all cloths within so many; 0: any */
    double budget_seconds; /* [0] likewise seconds a frame; such a run cannot be repeated exactly */
} vo_viewing;

/* In square brackets what vo_scene_def_default sets: a metre-sized world on earth, in still air, at
 * 25 frames a second. Scene files have defaults of their own, which are ARCSim's
 * (docs/scene-reference.md). */
typedef struct vo_scene_def {
    double frame_time; /* [0.04] s per output frame */
    int frame_steps;   /* [8] substeps per frame; each lasts frame_time / frame_steps */
    double end_time;   /* [infinite] s; a run ends with the first frame at or after it */
    double end_frame; /* [infinite] last frame of a run, a whole number. Of the two ends the earlier
                         counts; stepping by calls (vo_sim_step) heeds neither */
    double preroll;   /* [-1] s, simulated before time 0, rounded up to whole frames: characters
                         blend from their rest poses into their motions, and cloth settles.
                         Negative: 1 s with characters, else none */
    int start_frame;  /* [0] a run keeps no frame before this one */
    vo_vec3 gravity;  /* [0, 0, -9.81] m/s^2 */
    double wind_density;         /* [1.2] kg/m^3 of the air; 0: only wind_drag is left */
    vo_vec3 wind_velocity;       /* [0, 0, 0] m/s; still air resists motion, too */
    double wind_drag;            /* [0] kg/(m^2 s), linear drag along the cloth */
    double repulsion_thickness;  /* [0.002] m, contacts act from this distance: of cloth and cloth,
                                    and of cloth and obstacles; positive */
    double projection_thickness; /* [0] m, distance that impacts leave; not yet acted upon, they
                                    leave repulsion_thickness. 0: a tenth of it, more than it counts
                                    as that. vo_scene_get_def gives what counts */
    double collision_stiffness;  /* [1e7] N/m per m^2 of cloth: a contact whose distance falls short
                                    of the repulsion thickness t by d has the energy
                                    stiffness area d^3 / (6 t), so it bears a pressure of
                                    stiffness t / 2 before it touches */
    double jump_speed;           /* [40] m/s; an obstacle that is faster in a substep jumps: it is
                                    elsewhere at once, cloth that it wears goes along, and other
                                    cloth stays where it is */
    double friction;             /* [0.6] Coulomb's coefficient of cloth on cloth, no unit */
    double obstacle_friction;    /* [0.3] the same of cloth on obstacles */
    vo_adapt adapt;              /* [VO_ADAPT_FULL] counts for cloths with remeshing */
    vo_viewing view;             /* counts with VO_ADAPT_VIEW */
    unsigned disable;            /* [0] of vo_disable, joined by | */
    double handle_stiffness;     /* [1000] N/m, of handles that are soft or fading */
    vo_linear_solver solver;     /* [VO_SOLVER_PCG] */
    double solver_tolerance;     /* [1e-3] residual relative to the right-hand side, below 1 */
    int solver_max_iterations; /* [500] of conjugate gradients before the direct solver is asked */
} vo_scene_def;

/* One material of a cloth; a face's label says which. */
typedef struct vo_material_def {
    const vo_fabric *fabric; /* [NULL] must be given */
    double density_mult;     /* [1] multiplies the fabric's mass */
    double stretching_mult;  /* [1] and its resistance to stretching */
    double bending_mult;     /* [1] and to bending; 0: none */
    double damping;          /* [0] s, stiffness-proportional */
    double stretch_min;      /* [-infinite] lower limit of the principal stretches; 1 is rest */
    double stretch_max;      /* [infinite] upper limit; infinite: none */
} vo_material_def;

/* Which faces of a cloth give way to compression instead of the folds that they are too large for
 * (Koh, Narain, O'Brien 2015, "View-dependent adaptive cloth simulation with buckling
 * compensation"). */
typedef enum vo_compensation {
    VO_COMPENSATE_NONE,
    VO_COMPENSATE_ALL, /* all that are larger than the smallest, the more the larger they are */
} vo_compensation;

/* How fine the mesh of a cloth is to be, where and in which direction; lengths are of the flat
 * fabric. Each edge is as long as all of these allow (Narain, Samii, O'Brien 2012, "Adaptive
 * anisotropic remeshing for cloth simulation"). Nodes that are labelled or named by handles, and
 * corners of the fabric, stay. */
typedef struct vo_remeshing {
    bool on;                   /* [false] the mesh stays as it is given */
    double refine_angle;       /* [infinite] rad, by which the normal may turn along an edge */
    double refine_compression; /* [infinite] m, height of a buckle that may be lost */
    double refine_velocity;    /* [infinite] m/s, by which velocities may differ along an edge */
    double size_min, size_max; /* [-infinite, infinite] m, bounds of edge lengths; a size_min that
                                  is not positive counts as a thousandth of the fabric's extent */
    double aspect_min;         /* [-infinite] least width of a face by its length */
    double outline_tolerance;  /* [NaN] m, by which the fabric's outline and seams may become
                                  simpler; NaN: a tenth of size_min */
    double flip_threshold;     /* [0.01] sine by which opposite angles exceed a half turn before an
                                  edge flips */
    double rib_stiffening;     /* [1] how much curvature keeps cloth from buckling across it */
    bool sum; /* [false] what the causes ask for is added up, not its maximum taken */
    vo_compensation compensation; /* [VO_COMPENSATE_NONE] needs a size_max */
    double compensation_power;    /* [10] at least 1; the larger, the more faces give way */
} vo_remeshing;

/* Which sides of a cloth are to be looked at, with VO_ADAPT_VIEW. */
typedef enum vo_sides {
    VO_SIDES_SCENE, /* as the scene's vo_viewing.two_sided says */
    VO_SIDES_ONE,   /* the one that normals point to; the other counts as the back */
    VO_SIDES_TWO,   /* both: flags, curtains, capes, a jacket whose lining shows */
} vo_sides;

typedef struct vo_cloth_def {
    const vo_mesh *mesh;      /* [NULL] must be given; of VO_MESH_FOR_CLOTH */
    vo_pose pose;             /* [identity] a scale also scales the material coordinates */
    vo_vec3 linear_velocity;  /* [0, 0, 0] m/s, of every node */
    vo_vec3 angular_velocity; /* [0, 0, 0] rad/s, about velocity_origin */
    vo_vec3 velocity_origin;  /* [0, 0, 0] m */
    int material_count;       /* [0] at least 1 must be given */
    const vo_material_def *materials;
    vo_remeshing remeshing; /* [off] */
    vo_sides sides;         /* [VO_SIDES_SCENE] */
} vo_cloth_def;

typedef struct vo_keyframe {
    double time; /* s, at least 1e-9 after the key before */
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
    vo_handle_kind kind;  /* [VO_HANDLE_NODE] */
    int cloth;            /* [0] which one it holds */
    int label;            /* [-1] nodes with this label; -1: the list below */
    int node_count;       /* [0] */
    const int *nodes;     /* [NULL] */
    bool rim;             /* [false] where remeshing puts a node on the border between two that are
                             held, it is held, too; so it is in any case for nodes by label */
    int motion;           /* [-1] index of a motion; -1: stays where it is */
    double start;         /* [0] s, holds from then on; 0: also in the preroll */
    double end;           /* [infinite] s, full strength until then */
    double fade;          /* [0] s; from `end` to `end + fade` the strength falls as (1 - s)^4, with
                             s from 0 to 1, then the handle lets go. 0: lets go at `end` */
    double stiffness;     /* [0] N/m; 0: hard for node handles, else the scene's handle_stiffness */
    double circumference; /* [0] circle: m; must be given */
    vo_vec2 circle_u;     /* [0, 0] circle: material direction along it; must be given */
    vo_vec3 center, axis0, axis1; /* [0, 0, 0] circle and soft: m; unit vectors of the circle to
                                     where u = 0 goes and to a quarter further */
    double radius;                /* [0] soft: m; must be given */
} vo_handle_def;

typedef struct vo_obstacle_def {
    const vo_mesh *mesh; /* [NULL] must be given; of either use */
    vo_pose pose;        /* [identity] applied to the mesh before the motion */
    int motion;          /* [-1] index of a motion; -1: static */
    double start;        /* [0] s, it exists from then on; 0: also in the preroll */
    double end;          /* [infinite] s, until then */
} vo_obstacle_def;

/* A body that moves: an obstacle whose form changes (<voile/character.h>). */
typedef struct vo_character_def {
    const char *body; /* [NULL] .fbx, .gltf, .glb, .dae or .obj, or a sequence of OBJ files by a
                         name such as body_%04d.obj, from 0 or 1 on. NULL: a mannequin */
    vo_mannequin_def mannequin; /* [vo_mannequin_def_default] counts without a file */
    double units;               /* [0] m in a unit of length of the file; 0: as it says */
    vo_up_axis up_axis;         /* [VO_UP_FILE] */
    bool moves;                 /* [false] it stays in its rest pose; sequences move in any case */
    vo_motion_def motion;       /* [vo_motion_def_default] counts if it moves */
    vo_pose pose;               /* [identity] where it stands: mannequins stand on the origin, z up,
                                   and face -y */
    double gap;        /* [0.005] m; where parts of the body press into each other, they are
                          drawn in until they are so far apart. 0: they are not */
    double start, end; /* [0, infinite] s, as of obstacles */
} vo_character_def;

VO_API vo_pose vo_pose_identity(void);
VO_API vo_scene_def vo_scene_def_default(void);
VO_API vo_material_def vo_material_def_default(void);
VO_API vo_remeshing vo_remeshing_default(void);
VO_API vo_viewing vo_viewing_default(void);
VO_API vo_cloth_def vo_cloth_def_default(void);
VO_API vo_handle_def vo_handle_def_default(void);
VO_API vo_obstacle_def vo_obstacle_def_default(void);
VO_API vo_character_def vo_character_def_default(void);

/* `def` may be NULL for the defaults. Here and below a number that is NaN or larger than 1e15, or a
 * value that makes no sense, is VO_BAD_CALL with a sentence that names the member. Only limits that
 * may be infinite (ends, stretches) may be so. */
VO_API vo_result vo_scene_create(vo_context *ctx, const vo_scene_def *def, vo_scene **out);
VO_API void vo_scene_destroy(vo_scene *scene);

/* Each returns in *id (may be NULL) the index by which later calls name it. */
VO_API vo_result vo_scene_add_cloth(vo_scene *scene, const vo_cloth_def *def, int *id);
VO_API vo_result vo_scene_add_motion(vo_scene *scene, int key_count, const vo_keyframe *keys,
                                     int *id);
VO_API vo_result vo_scene_add_handle(vo_scene *scene, const vo_handle_def *def, int *id);
VO_API vo_result vo_scene_add_obstacle(vo_scene *scene, const vo_obstacle_def *def, int *id);
/* Reads the files it names. The character is an obstacle, too: *id is its number as one. */
VO_API vo_result vo_scene_add_character(vo_scene *scene, const vo_character_def *def, int *id);

/* Cameras have different names, but for those without any. */
VO_API vo_result vo_scene_add_camera(vo_scene *scene, const vo_camera_def *def, int *id);

/* From a time (s) on the film shows what this camera sees, until the time of the next shot, which
 * is added later and is later. The first one counts from the beginning. Without any, the film shows
 * what the first camera that is no light sees. */
VO_API vo_result vo_scene_add_shot(vo_scene *scene, double time, int camera);

/* Reads a scene file. `sets` are "key=value" overrides in order. Warnings go to the log. */
VO_API vo_result vo_scene_load(vo_context *ctx, const char *path, int set_count,
                               const char *const *sets, vo_scene **out);

VO_API vo_scene_def vo_scene_get_def(const vo_scene *scene);
VO_API int vo_scene_cloth_count(const vo_scene *scene);
VO_API int vo_scene_obstacle_count(const vo_scene *scene);
VO_API int vo_scene_camera_count(const vo_scene *scene);

/* The camera of this name, or -1. */
VO_API int vo_scene_find_camera(const vo_scene *scene, const char *name);
/* The camera that the film shows at a time; -1: the scene has none but lights. */
VO_API int vo_scene_shot_camera(const vo_scene *scene, double time);
/* A camera at any time, the future included. */
VO_API vo_camera vo_scene_camera_at(const vo_scene *scene, int camera, double time);

#ifdef __cplusplus
}
#endif
#endif
