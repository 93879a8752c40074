/* Bones of a body and their weights at its nodes. */
#include "character/body_private.h"

int vo_body_bone_count(const vo_body *body) {
    return body->kind == VO_BODY_MANNEQUIN   ? VO_BONE_COUNT
           : body->kind == VO_BODY_CHARACTER ? body->character.bind_count
                                             : 0;
}

const char *vo_body_bone_name(const vo_body *body, int bone) {
    if (body->kind == VO_BODY_MANNEQUIN) return vo_bone_name((vo_bone)bone);
    return body->character.joint[body->character.bind[bone].joint].name;
}

static int mannequin_weights(const vo_skin *skin, int node, vo_bone_weight *out) {
    int count = 0;
    for (int i = 0; i < VO_SKIN_MAX_BONES; i++)
        if (skin->weight[node][i] > 0)
            out[count++] = (vo_bone_weight){skin->bone[node][i], skin->weight[node][i]};
    return count;
}

static int character_weights(const vo_character *c, int node, vo_bone_weight *out) {
    int count = 0;
    for (int i = c->weight_begin[node]; i < c->weight_begin[node + 1]; i++)
        if (count < VO_IMPORT_MAX_INFLUENCES)
            out[count++] = (vo_bone_weight){c->weight_bind[i], c->weight[i]};
    return count;
}

int vo_body_get_weights(const vo_body *body, int node,
                        vo_bone_weight out[VO_IMPORT_MAX_INFLUENCES]) {
    if (body->kind == VO_BODY_MANNEQUIN) return mannequin_weights(&body->mannequin.skin, node, out);
    return character_weights(&body->character, node, out);
}
