/* voile-preview: pictures of OBJ files, for a quick look at results and for the documentation.
 *
 * Needs nothing but libc. Not a part of the library and not installed. */
#ifndef VOILE_TOOLS_PREVIEW_H
#define VOILE_TOOLS_PREVIEW_H

#include "math/vec.h"

/* Triangles of all files together. Normals belong to corners, so that creases stay sharp. */
typedef struct model {
    int node_count, node_capacity;
    vo_vec3 *node; /* [node_count] */
    int face_count, face_capacity;
    int (*face)[3];            /* [face_count] nodes */
    vo_vec3 *face_color;       /* [face_count] linear light, 0..1 */
    vo_vec3 (*face_normal)[3]; /* [face_count] one a corner; filled by model_find_normals */
} model;

/* Adds the triangles of a file; polygons become fans. False with a message on standard error. */
bool model_load_obj(model *m, const char *path, vo_vec3 move, vo_vec3 color);
bool model_find_normals(model *m);
void model_free(model *m);

typedef struct view {
    int width, height, samples; /* pixels, and samples a pixel along each axis */
    double azimuth, elevation;  /* degrees; 0, 0 looks along the y axis */
    double field;               /* vertical opening, degrees */
    double zoom;                /* 1 fits the box into the picture */
    bool y_up, wire, ground, fit_given;
    vo_vec3 fit_low, fit_high; /* the box to fit, where fit_given */
    double ground_height;      /* NaN: the lowest point of the model */
    vo_vec3 background;        /* linear light */
} view;

/* Fills rgb, [height][width][3]. False without memory. */
bool render(const model *m, const view *v, unsigned char *rgb);

/* False with a message on standard error. */
bool png_write(const char *path, int width, int height, const unsigned char *rgb);

/* Prints "voile-preview: ..." and returns false. */
bool complain(const char *format, ...) VO_PRINTF(1, 2);

#endif
