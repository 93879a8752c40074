/* Message from the child process that reads a file to the parent.
 *
 * Numbers have their memory representation, because both ends are the same program; every item is
 * aligned to 8 bytes, so that arrays can be used in place. Strings are a length and bytes with a
 * NUL. For each struct one function of assimp.c writes and one of message.c reads it, in the order
 * given here. */
#ifndef VO_CHARACTER_IMPORT_WIRE_H
#define VO_CHARACTER_IMPORT_WIRE_H

#include "core/file.h"
#include "core/memory.h"

enum {
    VO_WIRE_READ = 0x564f4901, /* first number: the file was read */
    VO_WIRE_REJECTED =
        0x564f4902, /* first number: the file was rejected; a string with the reason follows */
    VO_WIRE_END = 0x564f49ff, /* last number */
};

typedef struct vo_raw_node {
    const char *name;
    int64_t parent;       /* index of an earlier node, or -1 */
    const double *matrix; /* [12] the upper three rows */
} vo_raw_node;

typedef struct vo_raw_weight {
    int32_t vertex;
    float weight;
} vo_raw_weight;

typedef struct vo_raw_bone {
    int64_t node;
    const double *offset; /* [12] mesh -> bone */
    int64_t weight_count;
    const vo_raw_weight *weight;
} vo_raw_bone;

typedef struct vo_raw_mesh {
    const char *name;
    int64_t node;
    int64_t vertex_count;
    const float *x; /* [3 vertex_count] */
    int64_t face_count;
    const int32_t *face; /* [3 face_count] */
    int64_t bone_count;
    vo_raw_bone *bone;
} vo_raw_mesh;

typedef struct vo_raw_track {
    int64_t node;
    int64_t count[3];      /* keys of translation, rotation, scale */
    const double *time[3]; /* ticks */
    const float *value[3]; /* 3 numbers per key, 4 (w first) for rotations */
    bool is_stepped[3];    /* step interpolation; not part of the message
                              (vo_import_mark_stepped_tracks) */
} vo_raw_track;

typedef struct vo_raw_clip {
    const char *name;
    double ticks_per_second;
    int64_t track_count;
    vo_raw_track *track;
} vo_raw_clip;

typedef struct vo_raw_camera {
    const char *name;
    int64_t node;
    const double *frame;  /* [9] position, direction, up, relative to the node */
    double field_of_view; /* rad, vertical if aspect is 0, else horizontal */
    double aspect;
} vo_raw_camera;

/* Axes as numbered in FBX: 0 is x, 1 y, 2 z, each with a sign; -1: not specified. */
typedef struct vo_raw_axes {
    int64_t up, up_sign, front, front_sign, side, side_sign;
} vo_raw_axes;

/* Numbers of parts of the file that are not imported. */
typedef struct vo_raw_ignored {
    int64_t point_meshes, line_meshes, other_meshes, morph_targets;
} vo_raw_ignored;

typedef struct vo_raw_file {
    vo_bytes bytes;        /* the message; the other pointers point into it */
    vo_arena arena;        /* owns the arrays of structs */
    const char *rejection; /* reason for which the file was rejected; NULL: it was read */
    double unit;           /* metres, 0: not specified */
    vo_raw_axes axes;
    vo_raw_ignored ignored;
    int64_t node_count, mesh_count, clip_count, camera_count;
    vo_raw_node *node;
    vo_raw_mesh *mesh;
    vo_raw_clip *clip;
    vo_raw_camera *camera;
} vo_raw_file;

/* Reads a file with Assimp and writes the message to a file descriptor. Runs in the child; does not
 * use the context's memory. */
void vo_wire_send(const char *path, int fd);

/* Runs vo_wire_send in a child and collects its output. A child that crashes, exceeds the timeout
 * (s) or sends nothing is VO_BAD_DATA. */
vo_result vo_wire_fetch(vo_context *ctx, const char *path, double timeout, vo_bytes *out);

/* Parses a message and takes ownership of `bytes`, also on failure. All indices, counts and numbers
 * of the result are valid. */
vo_result vo_wire_parse(vo_context *ctx, const char *path, vo_bytes bytes, vo_raw_file *out);
void vo_raw_file_free(vo_context *ctx, vo_raw_file *file);

#endif
