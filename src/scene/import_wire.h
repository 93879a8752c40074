/* The message from the child that reads a file to the parent that asked for it.
 *
 * Numbers as they stand in memory, since both ends are the same program; every item begins at a
 * multiple of 8 bytes, so that arrays can be used where they lie. Strings are a length and bytes
 * with a NUL. One function of import_assimp.c writes and one of import_message.c reads each of
 * these structs, in the order given here. */
#ifndef VO_SCENE_IMPORT_WIRE_H
#define VO_SCENE_IMPORT_WIRE_H

#include "core/file.h"
#include "core/memory.h"

enum {
    VO_WIRE_READ = 0x564f4901,    /* first number: the file was read */
    VO_WIRE_REFUSED = 0x564f4902, /* or it was not, and a string says why */
    VO_WIRE_END = 0x564f49ff,     /* last number */
};

typedef struct vo_raw_node {
    const char *name;
    int64_t parent;       /* an earlier node or -1 */
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
    int64_t count[3];      /* of keys: translation, rotation, scale */
    const double *time[3]; /* in ticks */
    const float *value[3]; /* 3 numbers a key, 4 (w first) for rotations */
    bool steps[3];         /* held until the next key; no part of the message (vo_import_steps) */
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

/* Axes as FBX counts them: 0 is x, 1 y, 2 z; a sign each; -1 where the file does not say. */
typedef struct vo_raw_axes {
    int64_t up, up_sign, front, front_sign, side, side_sign;
} vo_raw_axes;

typedef struct vo_raw_file {
    vo_bytes bytes;      /* the message, which the rest points into */
    vo_arena arena;      /* the arrays of structs */
    const char *refusal; /* why the file was not read; NULL: it was */
    double unit;         /* metres, 0 if the file does not say */
    vo_raw_axes axes;
    int64_t left_out; /* points, lines and morph targets, which have no use here */
    int64_t node_count, mesh_count, clip_count, camera_count;
    vo_raw_node *node;
    vo_raw_mesh *mesh;
    vo_raw_clip *clip;
    vo_raw_camera *camera;
} vo_raw_file;

/* Reads a file with Assimp and writes the message to a file descriptor. Runs in the child; uses no
 * memory of the context. */
void vo_wire_send(const char *path, int fd);

/* Runs vo_wire_send in a child and collects what it writes. A child that crashes, hangs or falls
 * silent is VO_BAD_DATA with a sentence. */
vo_result vo_wire_fetch(vo_context *ctx, const char *path, double patience, vo_bytes *out);

/* Takes over `bytes` in any case and makes sense of them. Every index, count and number has been
 * checked afterwards. */
vo_result vo_wire_parse(vo_context *ctx, const char *path, vo_bytes bytes, vo_raw_file *out);
void vo_raw_file_free(vo_context *ctx, vo_raw_file *file);

#endif
