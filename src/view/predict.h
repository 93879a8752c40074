/* Cameras that nobody prescribed: a guess at where one will be, from where it is and was.
 *
 * It goes on as it went, straight and turning evenly. It may well not; so each sample carries how
 * far off it may be (drift and turn, window.h), which grows with time. What may come into the frame
 * is then refined as what will, for a price that grows with the doubt. */
#ifndef VO_VIEW_PREDICT_H
#define VO_VIEW_PREDICT_H

#include "view/window.h"

typedef struct vo_predict_def {
    double length; /* [0] s, T */
    double step;   /* [0] s between the two cameras; not positive: it is taken to stand still */
    double doubt;  /* [0.5] part of its speeds by which it may be faster, slower or turn aside */
    double jitter; /* [0.2] m/s and rad/s that it may take up from rest */
    int count;     /* [6] samples, at least 1 */
} vo_predict_def;

vo_predict_def vo_predict_def_default(void);

/* Makes def->count samples, from now to the window's end. */
void vo_window_predict(const vo_predict_def *def, const vo_camera *before, const vo_camera *now,
                       vo_view_sample *out);

#endif
