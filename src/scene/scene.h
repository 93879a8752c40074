/* The inside of a scene: the constant half of a simulation. Meshes are already where they start. */
#ifndef VO_SCENE_SCENE_H
#define VO_SCENE_SCENE_H

#include "codec/json.h"
#include "material/material.h"
#include "mesh/mesh.h"
#include "scene/body.h"
#include "scene/motion.h"
#include "scene/wear.h"
#include "view/camera_path.h"

#include <voile/scene.h>

#define VO_MOST_PREROLL 1e6 /* frames */

/* A cloth that a simulation sews before it starts (sim/sew_start.c). Bodies that are alike wear the
 * same cut. */
typedef struct vo_scene_garment {
    vo_cut cut;
    vo_cut_def how;
    int character;
    int like; /* the cloth whose cut it is, which that one owns; its own number where it does */
} vo_scene_garment;

typedef struct vo_scene_cloth {
    vo_mesh *mesh; /* posed, with its first velocities; rest angles as given (0: flat) */
    int material_count;
    vo_material *material;  /* fabrics are own copies */
    vo_remeshing remeshing; /* off also where the scene adapts nothing */
    vo_sides sides;
    vo_scene_garment *garment; /* NULL: the mesh is where it starts. Else it has the topology of the
                                  sewn garment, refined where nothing adapts, but no useful place */
} vo_scene_cloth;

typedef struct vo_scene_handle {
    vo_handle_def def; /* def.nodes points to nodes below */
    int *nodes;        /* own copy; labels are already resolved into it (not for VO_HANDLE_SOFT) */
    int obstacle;      /* whose surface the nodes follow; -1: none, they follow the motion */
} vo_scene_handle;

typedef struct vo_scene_obstacle {
    vo_mesh *mesh; /* with its own pose applied; the motion comes on top */
    int motion;
    double start, end;
    vo_body *body; /* NULL: rigid. Else the mesh is a copy of its rest pose, and it has no motion */
} vo_scene_obstacle;

typedef struct vo_scene_camera {
    char *name;
    vo_camera_path path; /* carried by the motion */
    int motion;          /* -1: none */
    bool light;
    double front;
} vo_scene_camera;

/* From a time on the film shows what a camera sees. */
typedef struct vo_scene_shot {
    double time; /* s; ascending */
    int camera;
} vo_scene_shot;

typedef struct vo_scene_character {
    int obstacle;
} vo_scene_character;

/* A file the scene names: where it was found and under which name a run keeps its copy. */
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
    vo_scene_character *character;
    vo_scene_input *input;
    vo_json_doc resolved; /* every default filled in, inputs by their stored names; root is NULL for
                             a scene built by calls */
};

/* Times with from < time <= to at which the picture jumps that counts for a camera: its own cuts,
 * and beginnings and ends of its shots where the scene has any. In order; the number of all of
 * them, of which the first `capacity` are written. */
int vo_scene_camera_cuts(const vo_scene *scene, int camera, double from, double to, int capacity,
                         double *out);

/* The time that is meant: that of a cut of the camera within VO_CAMERA_INSTANT, or the same. */
double vo_scene_time_meant(const vo_scene *scene, int camera, double time);

/* Whether what a camera sees at a time counts: that of lights always, that of others while their
 * shot is on, and always in a scene without shots. */
bool vo_scene_camera_counts(const vo_scene *scene, int camera, double time);

/* When the shot that the film shows at a time began: by a cut or by a change of cameras. */
double vo_scene_shot_begin(const vo_scene *scene, int camera, double time);

/* Where an input was found that is stored under this name. */
const char *vo_scene_input_path(const vo_scene *scene, const char *stored);

const vo_body *vo_scene_character_body(const vo_scene *scene, int character);

/* Frames before frame 0. */
int vo_scene_preroll_frames(const vo_scene *scene);
/* Of a run: the first frame at or after the end; -1: there is none. */
int vo_scene_last_frame(const vo_scene_def *def);

/* Whether what starts at `start` has done so at time t. What starts at 0 is there from the very
 * beginning, which may be earlier. */
static inline bool vo_scene_started(double start, double t) { return t >= start || start == 0; }

/* As vo_scene_load, for a run's scene.json: applies its "overrides" up to and including those made
 * for frames after `frame`'s predecessor, that is with from_frame <= frame. */
vo_result vo_scene_load_at(vo_context *ctx, const char *path, int frame, int set_count,
                           const char *const *sets, vo_scene **out);

/* The first frame after `frame` at which an entry of the "overrides" of a run's scene.json
 * (`stored`) begins to count; INT_MAX if there is none. */
int vo_scene_next_override(const vo_json_doc *stored, int frame);

/* Adds an entry to the "overrides" of a run's scene.json (`stored`, as it is on disk). Entries
 * stand in the order of their frames, later ones of the same frame last; those for later frames
 * stay. `scene` was loaded from there with these sets; values are recorded as it resolved them, so
 * files are named as the run keeps them. Those of its inputs that the run does not have yet must be
 * copied. */
vo_result vo_scene_record_override(const vo_scene *scene, vo_json_doc *stored, int from_frame,
                                   int set_count, const char *const *sets);

#endif
