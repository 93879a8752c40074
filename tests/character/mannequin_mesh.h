/* Meshes of posed mannequins, for tests. */
#ifndef VOILE_TESTS_MANNEQUIN_MESH_H
#define VOILE_TESTS_MANNEQUIN_MESH_H

#include "character/mannequin.h"
#include "core/memory.h"
#include "mesh/mesh.h"

/* Creates an obstacle mesh of a mannequin in a pose, with the same node and face indices. */
static inline vo_result mannequin_mesh(vo_context *ctx, const vo_mannequin *m,
                                       const vo_body_pose *pose, vo_mesh **out) {
    *out = NULL;
    vo_transform motion[VO_BONE_COUNT];
    vo_skeleton_motion(&m->skeleton, pose, motion);
    int nodes = m->skin.node_count;
    vo_vec3 *x = vo_new_array(ctx, vo_vec3, nodes);
    if (!x) return vo_fail_memory(ctx, "a posed mannequin");
    vo_skin_eval(ctx, &m->skin, motion, x);
    vo_result result = vo_mesh_create(ctx, nodes, x, 0, NULL, NULL, m->face_count,
                                      (const int(*)[3])m->face, VO_MESH_FOR_OBSTACLE, out);
    vo_free_array(ctx, x, nodes);
    return result;
}

#endif
