/* Internal definition of a scene, the constant input of a simulation. Meshes are in their initial
 * positions. */
#ifndef VO_SCENE_SCENE_H
#define VO_SCENE_SCENE_H

#include "character/body.h"
#include "codec/json.h"
#include "garment/wear.h"
#include "material/material.h"
#include "mesh/mesh.h"
#include "scene/motion.h"
#include "view/camera_path.h"

#include <voile/scene.h>

#define VO_MAX_PREROLL_FRAMES 1e6 /* frames */

enum { VO_SCENE_MAX_FANS = 8 }; /* VO_RT_MAX_FANS */

/* A cloth that a simulation sews before it starts (sew/sew_scene.c). Garments of equal bodies use
 * one fitted pattern. */
typedef struct vo_scene_garment {
    vo_fitted_pattern cut;
    vo_fitted_pattern_def how;
    int character;
    int base_faces; /* of the real-time engine; 0: those of the scene */
    int like;       /* cloth that owns `cut`; its own index if it does */
} vo_scene_garment;

typedef struct vo_scene_cloth {
    vo_mesh *mesh; /* placed, with initial velocities; rest angles as given (0: flat) */
    int material_count;
    vo_material *material;      /* owns its fabrics */
    vo_remeshing_def remeshing; /* disabled with VO_ADAPT_NONE */
    vo_sidedness sides;
    vo_scene_garment *garment; /* NULL: the mesh has its initial positions. Otherwise it has the
                                  topology of the sewn garment, refined with VO_ADAPT_NONE, and its
                                  positions are not meaningful */
} vo_scene_cloth;

typedef struct vo_scene_handle {
    vo_handle_def def; /* def.nodes points to nodes below */
    int *nodes;        /* owned; labels are resolved into it, except for VO_HANDLE_SOFT */
    int obstacle;      /* obstacle whose surface the nodes follow; -1: they follow the motion */
} vo_scene_handle;

typedef struct vo_scene_obstacle {
    vo_mesh *mesh; /* with its pose applied, but not its motion */
    int motion;
    double start, end;
    vo_body *body; /* NULL: rigid. Otherwise `mesh` is a copy of its rest pose and `motion` is -1 */
} vo_scene_obstacle;

typedef struct vo_scene_camera {
    char *name;
    vo_camera_path path; /* carried by the motion */
    int motion;          /* -1: none */
    bool light;
    double front;
} vo_scene_camera;

/* A shot: the camera that is active from a time on. */
typedef struct vo_scene_shot {
    double time; /* s; ascending */
    int camera;
} vo_scene_shot;

typedef struct vo_scene_character {
    int obstacle;
} vo_scene_character;

/* A file that the scene refers to: its path and the name of the copy in a run. */
typedef struct vo_scene_input {
    char *path, *stored;
} vo_scene_input;

struct vo_scene {
    vo_context *ctx;
    vo_scene_def def;
    int cloth_count, motion_count, handle_count, obstacle_count, character_count, input_count;
    int cloth_capacity, motion_capacity, handle_capacity, obstacle_capacity, character_capacity,
        input_capacity;
    vo_scene_cloth *cloth;
    vo_motion *motion;
    vo_scene_handle *handle;
    vo_scene_obstacle *obstacle;
    int camera_count, camera_capacity, shot_count, shot_capacity;
    vo_scene_camera *camera;
    vo_scene_shot *shot;
    int fan_count;
    vo_fan_def fan[VO_SCENE_MAX_FANS];
    vo_scene_character *character;
    vo_scene_input *input;
    const char *separation_advice; /* how the user separates cloth that intersects initially;
                                      NULL: by moving it in the scene */
    vo_json_doc resolved; /* with all defaults and the stored names of inputs; root is NULL for a
                             scene built by calls */
};

/* Finds the times with from < time <= to at which the view of a camera changes discontinuously: its
 * own cuts and the begins and ends of its shots. Writes the first `capacity` in ascending order and
 * returns the number of all. */
int vo_scene_camera_cuts(const vo_scene *scene, int camera, double from, double to, int capacity,
                         double *out);

/* Returns the time of a cut of the camera within VO_CUT_TOLERANCE after `time`, else `time`. */
double vo_scene_snap_to_cut(const vo_scene *scene, int camera, double time);

/* True if a camera affects adaptation at a time: always for lights and in scenes without shots,
 * otherwise during its shots. */
bool vo_scene_camera_is_active(const vo_scene *scene, int camera, double time);

/* Begin in s of the camera's current shot at a time: its last cut or change of cameras. */
double vo_scene_shot_begin(const vo_scene *scene, int camera, double time);

/* Path of the input with this stored name. */
const char *vo_scene_input_path(const vo_scene *scene, const char *stored);

const vo_body *vo_scene_character_body(const vo_scene *scene, int character);

/* Number of frames before frame 0. */
int vo_scene_preroll_frames(const vo_scene *scene);
/* Last frame of a run: the first at or after its end; -1: no end. */
int vo_scene_last_frame(const vo_scene_def *def);

/* True if an object with this start time is active at time t. A start of 0 includes the preroll. */
static inline bool vo_scene_started(double start, double t) { return t >= start || start == 0; }

/* Like vo_scene_load for a run's scene.json: applies its "overrides" with from_frame <= frame. */
vo_result vo_scene_load_at(vo_context *ctx, const char *path, int frame, int override_count,
                           const char *const *overrides, vo_scene **out);

/* First from_frame after `frame` in the "overrides" of a run's scene.json (`stored`); INT_MAX if
 * there is none. */
int vo_scene_next_override(const vo_json_doc *stored, int frame);

/* Adds an entry to the "overrides" of a run's scene.json (`stored`, as on disk). Entries are in the
 * order of their frames, new ones last among those of the same frame; entries of later frames are
 * kept. `scene` was loaded from that file with these overrides; the resolved values are recorded,
 * so files have their stored names. The caller copies inputs that the run does not have yet. */
vo_result vo_scene_record_override(const vo_scene *scene, vo_json_doc *stored, int from_frame,
                                   int override_count, const char *const *overrides);

#endif
