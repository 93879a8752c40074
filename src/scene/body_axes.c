/* Axes of bodies, around which panels of patterns are rolled. */
#include "scene/body_private.h"

#define USUAL_HEIGHT 1.72 /* m, of the body that vo_pattern_axes are for */

/* Front is where the body faces, at right angles to the axis. */
vo_pattern_axis vo_body_axis(int which, vo_vec3 origin, vo_vec3 up) {
    vo_pattern_axis axis = vo_pattern_axes[which];
    axis.origin = origin;
    if (v3_length(up) < 1e-9) return axis;
    axis.direction = v3_normalize(up);
    vo_vec3 front = v3(0, -1, 0);
    front = v3_sub(front, v3_scale(v3_dot(front, axis.direction), axis.direction));
    if (v3_length(front) > 1e-3) axis.front = v3_normalize(front);
    return axis;
}

void vo_body_usual_axes(double low, double high, vo_pattern_axis axis[VO_PATTERN_AXES]) {
    double scale = (high - low) / USUAL_HEIGHT;
    for (int i = 0; i < VO_PATTERN_AXES; i++) {
        axis[i] = vo_pattern_axes[i];
        axis[i].origin = v3_add(v3(0, 0, low), v3_scale(scale, axis[i].origin));
    }
}

/* Lowest and highest point of the rest pose in the own frame. */
static void extent(const vo_body *body, double *low, double *high) {
    const vo_vec3 *x = body->kind == VO_BODY_CHARACTER  ? body->character.node_x
                       : body->kind == VO_BODY_SEQUENCE ? body->sequence.frame[0]
                                                        : body->mannequin.skin.rest;
    *low = INFINITY;
    *high = -INFINITY;
    for (int n = 0; n < vo_body_node_count(body); n++) {
        *low = vo_min(*low, x[n].z);
        *high = vo_max(*high, x[n].z);
    }
}

void vo_body_axes(const vo_body *body, vo_pattern_axis axis[VO_PATTERN_AXES]) {
    double low, high;
    extent(body, &low, &high);
    vo_body_usual_axes(low, high, axis);
    if (body->kind == VO_BODY_MANNEQUIN) vo_body_mannequin_axes(body, axis);
    if (body->kind == VO_BODY_CHARACTER) (void)vo_body_character_axes(body, axis);
}
