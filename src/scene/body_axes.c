/* Axes of bodies, around which panels of patterns are rolled. */
#include "scene/body_private.h"
#include "spatial/aabb.h"

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

/* The rest pose where its file has it. */
static const vo_vec3 *rest_nodes(const vo_body *body) {
    return body->kind == VO_BODY_CHARACTER  ? body->character.node_x
           : body->kind == VO_BODY_SEQUENCE ? body->sequence.frame[0]
                                            : body->mannequin.skin.rest;
}

static vo_box extent(const vo_body *body) {
    const vo_vec3 *x = rest_nodes(body);
    vo_box box = box_empty();
    for (int n = 0; n < vo_body_node_count(body); n++) box = box_add(box, x[n]);
    return box;
}

/* What has no bones faces -y and stands below its middle. */
vo_transform vo_body_own_frame(const vo_body *body) {
    vo_transform own = xf_identity();
    if (body->kind == VO_BODY_MANNEQUIN) return own;
    vo_box box = extent(body);
    if (body->kind != VO_BODY_CHARACTER || !vo_body_character_stands(body, &own))
        own.translation = v3((box.min.x + box.max.x) / 2, (box.min.y + box.max.y) / 2, 0);
    own.translation.z = box.min.z;
    return own;
}

/* The usual axes, for a body of this height. */
static void usual_axes(double height, vo_pattern_axis axis[VO_PATTERN_AXES]) {
    for (int i = 0; i < VO_PATTERN_AXES; i++) {
        axis[i] = vo_pattern_axes[i];
        axis[i].origin = v3_scale(height / USUAL_HEIGHT, axis[i].origin);
    }
}

void vo_body_axes(const vo_body *body, vo_pattern_axis axis[VO_PATTERN_AXES]) {
    vo_box box = extent(body);
    usual_axes(box.max.z - box.min.z, axis);
    if (body->kind == VO_BODY_MANNEQUIN) vo_body_mannequin_axes(body, axis);
    if (body->kind == VO_BODY_CHARACTER) vo_body_character_axes(body, axis);
}
