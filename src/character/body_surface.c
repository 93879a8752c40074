/* Nodes and faces of a body of any kind. */
#include "character/body_private.h"

int vo_body_node_count(const vo_body *body) {
    return body->kind == VO_BODY_MANNEQUIN   ? body->mannequin.skin.node_count
           : body->kind == VO_BODY_CHARACTER ? body->character.node_count
                                             : body->sequence.node_count;
}

vo_body_face *vo_body_faces(const vo_body *body, int *count) {
    if (body->kind == VO_BODY_CHARACTER) {
        *count = body->character.face_count;
        return (vo_body_face *)body->character.face;
    }
    if (body->kind == VO_BODY_SEQUENCE) {
        *count = body->sequence.face_count;
        return (vo_body_face *)body->sequence.face;
    }
    *count = body->mannequin.face_count;
    return (vo_body_face *)body->mannequin.face;
}
