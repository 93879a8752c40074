/* Sizes that nothing of a kind has: most likely a file that is not in metres. */
#ifndef VO_SCENE_ODD_SIZE_H
#define VO_SCENE_ODD_SIZE_H

#include "scene/body.h"

/* Sizes that things of a kind have. */
typedef struct vo_usual_size {
    const char *what, *such;  /* "body", "a body" */
    double smallest, largest; /* m, of the longest side of the box around it */
} vo_usual_size;

enum { VO_ODD_SIZE_TEXT = 256 };

/* Whether it has none of them; `text` then is the sentence about that. */
bool vo_is_odd_size(const vo_mesh *mesh, const vo_usual_size *usual, char text[VO_ODD_SIZE_TEXT]);

/* The same for a body, at rest. */
bool vo_is_odd_body(const vo_body *body, char text[VO_ODD_SIZE_TEXT]);

#endif
