/* Validation of built meshes. */
#ifndef VOILE_TESTS_MESH_CHECKS_H
#define VOILE_TESTS_MESH_CHECKS_H

#include "support.h"

#include "mesh/mesh.h"
#include "mesh/validate.h"

static inline vo_mesh_data mesh_data(const vo_mesh *m) {
    return (vo_mesh_data){.node_count = m->node_count,
                          .vert_count = m->vert_count,
                          .face_count = m->face_count,
                          .node_x = m->node_x,
                          .node_v = m->node_v,
                          .vert_u = m->vert_u,
                          .vert_node = m->vert_node,
                          .face_vert = m->face_vert};
}

/* Asserts that the validator finds no defect, not even a warning. */
static inline void check_valid(vo_context *ctx, const vo_mesh *m, vo_mesh_use use) {
    vo_mesh_data data = mesh_data(m);
    vo_mesh_report report;
    assert_ok(ctx, vo_mesh_validate(ctx, &data, use, &report));
    if (report.count) {
        char text[512];
        vo_mesh_defect_text(&report.defect[0], text, sizeof text);
        fail_msg("%d defects: %s", report.count, text);
    }
    vo_mesh_report_free(&report);
}

#endif
