/* Own frames and limb axes of bodies. */
#include "character/body_private.h"
#include "spatial/aabb.h"

/* Returns the nodes of the rest pose in the frame of the body's file. */
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

/* Bodies without bones face -y and stand below the centre of their bounding box. */
vo_transform vo_body_find_frame(const vo_body *body) {
    vo_transform frame = xf_identity();
    if (body->kind == VO_BODY_MANNEQUIN) return frame;
    vo_box box = extent(body);
    if (body->kind != VO_BODY_CHARACTER || !vo_body_character_find_frame(body, &frame))
        frame.translation = v3((box.min.x + box.max.x) / 2, (box.min.y + box.max.y) / 2, 0);
    frame.translation.z = box.min.z;
    return frame;
}

/* Sets the default axes, scaled to a body of this height (m). */
static void default_axes(double height, vo_limb_axis axis[VO_LIMB_AXES]) {
    for (int i = 0; i < VO_LIMB_AXES; i++) {
        axis[i] = vo_default_limb_axes[i];
        axis[i].origin = v3_scale(height / VO_LIMB_AXES_HEIGHT, axis[i].origin);
    }
}

void vo_body_get_axes(const vo_body *body, vo_limb_axis axis[VO_LIMB_AXES]) {
    vo_box box = extent(body);
    default_axes(box.max.z - box.min.z, axis);
    if (body->kind == VO_BODY_MANNEQUIN) vo_body_mannequin_get_axes(body, axis);
    if (body->kind == VO_BODY_CHARACTER) vo_body_character_get_axes(body, axis);
}
