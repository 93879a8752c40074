/* Camera paths as text tables with one row per key:
 *
 *     # frame 0 is the first
 *     frame, x, y, z, tx, ty, tz, fov_y, cut
 *     0,     3, -4, 1.5, 0, 0, 1,  40,   0
 *     1,     3, -3.9, 1.5, 0, 0, 1, 40,  0
 *
 * The first line names the columns, in any order. Values are separated by commas, semicolons or
 * blanks; empty lines and comments, which begin with #, are ignored. */
#ifndef VO_SCENE_CAMERA_TABLE_H
#define VO_SCENE_CAMERA_TABLE_H

#include "core/context.h"

#include <voile/camera.h>

typedef struct vo_camera_keys {
    vo_context *ctx;
    int count, capacity;
    vo_camera_key *key; /* [count] */
    bool focal;         /* at least one key was given by its focal length */
} vo_camera_keys;

typedef struct vo_camera_table_def {
    double frame_time; /* s per frame */
    double fov_y;      /* degrees, for tables without field of view or focal length */
    double sensor;     /* mm, height of the sensor, for focal lengths */
} vo_camera_table_def;

/* Vertical field of view in degrees for a focal length in mm. */
double vo_camera_focal_field(double focal_length, double sensor);

/* Appends a key; false without memory. */
bool vo_camera_keys_add(vo_camera_keys *keys, const vo_camera_key *key);
void vo_camera_keys_free(vo_camera_keys *keys);

/* Parses a table into at least one key, each valid (vo_camera_key_defect). Messages begin with
 * `name` and the line; *out is empty on failure. */
vo_result vo_camera_table_parse(vo_context *ctx, const char *name, const char *text, size_t size,
                                const vo_camera_table_def *def, vo_camera_keys *out);

#endif
