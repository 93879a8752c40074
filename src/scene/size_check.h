/* Detects implausible sizes, most likely of files that are not in metres. */
#ifndef VO_SCENE_SIZE_CHECK_H
#define VO_SCENE_SIZE_CHECK_H

#include "character/body.h"

/* Usual sizes of a kind of object. */
typedef struct vo_usual_size {
    const char *what, *such;  /* "body", "a body" */
    double smallest, largest; /* m, of the longest side of the bounding box */
} vo_usual_size;

enum { VO_SIZE_WARNING_TEXT = 256 };

/* True if the mesh is outside of the usual sizes; `text` then receives the warning. has_units: the
 * user states the unit of the file. */
bool vo_size_is_implausible(const vo_mesh *mesh, const vo_usual_size *usual, bool has_units,
                            char text[VO_SIZE_WARNING_TEXT]);

/* The same for a body, at rest. */
bool vo_body_is_implausible(const vo_body *body, bool has_units, char text[VO_SIZE_WARNING_TEXT]);

#endif
