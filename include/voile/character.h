/* Voile: characters, bodies that move among cloth.
 *
 * A character is a body (a mannequin created by Voile, or a file) and a motion (a file, or a clip
 * of the body's own file). A simulation begins in the rest pose, in which garments are put on;
 * until time 0 the body blends into the motion (vo_scene_def.preroll). docs/importing.md lists the
 * file formats, docs/motions.md describes Voile's own motions. */
#ifndef VOILE_CHARACTER_H
#define VOILE_CHARACTER_H

#include <voile/base.h>

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sizes of a mannequin; defaults in square brackets (vo_mannequin_def_default). */
typedef struct vo_mannequin_def {
    double height; /* [1.75] m, 0.5 to 3 */
    double build;  /* [0] -1 slim, 0 average, 1 heavy, or a value in between */
    double figure; /* [0] -1 male, 0 neither, 1 female, or a value in between */
    double shoulders, chest, waist, hips, limbs; /* [1] factors on widths, 0.7 to 1.5 */
    int faces; /* [20000] approximate number, 1,000 to 200,000; below 6,000 without fingers */
} vo_mannequin_def;

VO_API vo_mannequin_def vo_mannequin_def_default(void);

/* Up axis of a file; VO_UP_FILE: as the file or its format specifies. */
typedef enum vo_up_axis { VO_UP_FILE, VO_UP_X, VO_UP_Y, VO_UP_Z } vo_up_axis;

/* Behaviour of a motion after its end. */
typedef enum vo_motion_end {
    VO_END_FILE, /* as the file of a Voile clip specifies; otherwise VO_END_HOLD */
    VO_END_HOLD, /* the last pose is held */
    VO_END_LOOP, /* it repeats; discontinuous unless it ends as it begins */
} vo_motion_end;

typedef struct vo_motion_def {
    const char *file;  /* [NULL] Voile's own (.json) for the mannequin; .bvh, .fbx, .gltf, .glb or
                          .dae for any skeleton, retargeted by bone names; .pc2 for a body from an
                          OBJ file. NULL: the body's own file */
    const char *clip;  /* [NULL] name of a clip of the file; NULL: the first */
    double start;      /* [0] s, time in the motion at simulation time 0; not negative */
    double speed;      /* [1] motion seconds per second; not negative */
    vo_motion_end end; /* [VO_END_FILE] */
    double fps;        /* [0] 1/s, frame rate of .pc2 files and sequences; 0: that of the scene */
    double metres_per_unit; /* [0] m; 0: as the file or its format specifies */
    vo_up_axis up_axis;     /* [VO_UP_FILE] */
} vo_motion_def;

VO_API vo_motion_def vo_motion_def_default(void);

/* ---- contents of character files ------------------------------------------------------------ */

/* A triangle mesh of a character file. */
typedef struct vo_character_mesh_info {
    const char *name;             /* UTF-8, may be empty */
    int face_count, vertex_count; /* triangles; vertices as stored in the file */
    int bone_count;               /* bones that the mesh is bound to; 0: not skinned */
} vo_character_mesh_info;

/* A node of the hierarchy. */
typedef struct vo_character_joint_info {
    const char *name; /* UTF-8, may be empty */
    int parent;       /* index of the parent, smaller than its own; -1: none */
    int depth;        /* number of ancestors */
    bool is_bone; /* a mesh is bound to it or, in files without skinned meshes, a clip moves it */
} vo_character_joint_info;

typedef struct vo_character_clip_info {
    const char *name; /* UTF-8, may be empty */
    double duration;  /* s */
    int track_count;  /* joints that it moves */
    int key_count;    /* largest number of keys of a track */
    double fps;       /* 1/s, mean key rate of that track; 0: fewer than two keys */
} vo_character_clip_info;

typedef struct vo_character_camera_info {
    const char *name; /* UTF-8, may be empty */
    double fov_y;     /* degrees, vertical field of view */
    double aspect;    /* width / height; 0: the file does not specify it */
} vo_character_camera_info;

/* Contents of a character file. */
typedef struct vo_character_file_info {
    const char *format;      /* "glTF", "FBX", "Collada", "BVH" or "OBJ" */
    double metres_per_unit;  /* m */
    bool unit_is_assumed;    /* neither the file nor its format specifies the unit */
    vo_up_axis up_axis;      /* VO_UP_X, VO_UP_Y or VO_UP_Z */
    bool up_axis_is_assumed; /* neither the file nor its format specifies the axis */
    vo_vec3 bounds[2];       /* m, z up: smallest and largest coordinates of the surface in the bind
                                pose or, without a surface, of the joints in the rest pose */
    double height;           /* m: bounds[1].z - bounds[0].z */
    int mesh_count, joint_count, bone_count, clip_count, camera_count;
    const vo_character_mesh_info *meshes;
    const vo_character_joint_info *joints; /* bone_count entries are bones */
    const vo_character_clip_info *clips;
    const vo_character_camera_info *cameras; /* with perspective */
    int point_mesh_count, line_mesh_count;   /* the following are not imported */
    int other_mesh_count;                    /* could not be triangulated */
    int morph_target_count;
    int orthographic_camera_count;           /* without perspective */
    struct vo_character_file_memory *memory; /* private: owns the arrays and names */
} vo_character_file_info;

/* Reads a .glb, .gltf, .fbx, .dae, .bvh or .obj file and lists its contents. A file in which
 * nothing can be used as body, motion or camera is listed, too. On success the caller frees *out;
 * on failure *out is cleared and the message of the context states file, reason and remedy. */
VO_API vo_result vo_character_file_get_info(vo_context *ctx, const char *path,
                                            vo_character_file_info *out);
VO_API void
vo_character_file_info_free(vo_character_file_info *info); /* a zeroed struct is allowed */

#ifdef __cplusplus
}
#endif
#endif
