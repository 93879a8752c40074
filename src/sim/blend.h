/* Interpolation of similarity transforms, for live targets in halved substeps. */
#ifndef VO_SIM_BLEND_H
#define VO_SIM_BLEND_H

#include "math/quat.h"

/* Returns `a` at fraction 0 and `b` at fraction 1, exactly; between them translation and scale are
 * interpolated linearly, the rotation along the shorter arc and normalised. */
static inline vo_transform vo_transform_blend(vo_transform a, vo_transform b, double fraction) {
    if (fraction <= 0) return a;
    if (fraction >= 1) return b;
    double sign = q_dot(a.rotation, b.rotation) < 0 ? -1 : 1;
    vo_quat q = q_add(q_scale(1 - fraction, a.rotation), q_scale(sign * fraction, b.rotation));
    return (vo_transform){v3_lerp(a.translation, b.translation, fraction),
                          a.scale + fraction * (b.scale - a.scale), q_normalize(q)};
}

#endif
