/* Paths of cameras as tables of plain text, a row a key:
 *
 *     # frame 0 is the first
 *     frame, x, y, z, tx, ty, tz, field, cut
 *     0,     3, -4, 1.5, 0, 0, 1,  40,   0
 *     1,     3, -3.9, 1.5, 0, 0, 1, 40,  0
 *
 * The first line names the columns, which may stand in any order. Values are separated by commas,
 * semicolons or blanks; empty lines and what follows # do not count. */
#ifndef VO_SCENE_CAMERA_TABLE_H
#define VO_SCENE_CAMERA_TABLE_H

#include "core/context.h"

#include <voile/camera.h>

typedef struct vo_camera_keys {
    vo_context *ctx;
    int count, capacity;
    vo_camera_key *key; /* [count] */
    bool focal;         /* there are focal lengths among what they were read from */
} vo_camera_keys;

typedef struct vo_camera_table_def {
    double frame_time; /* s, from one frame to the next */
    double field;      /* degrees, where there is no such column */
    double sensor;     /* mm, height of the film that focal lengths are for */
} vo_camera_table_def;

/* Vertical opening in degrees for a focal length in mm. */
double vo_camera_focal_field(double focal_length, double sensor);

/* False without memory. */
bool vo_camera_keys_add(vo_camera_keys *keys, const vo_camera_key *key);
void vo_camera_keys_free(vo_camera_keys *keys);

/* Every key is sound (vo_camera_key_defect), and there is one at least. Errors name `name` and the
 * line; *out is empty then. */
vo_result vo_camera_table_parse(vo_context *ctx, const char *name, const char *text, size_t size,
                                const vo_camera_table_def *def, vo_camera_keys *out);

#endif
