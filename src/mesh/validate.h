/* Finds what is wrong with a mesh before it is used, and says where. */
#ifndef VO_MESH_VALIDATE_H
#define VO_MESH_VALIDATE_H

#include "mesh/mesh.h"

#include <stdio.h>

/* X(name, sentence, fatal for cloth, fatal for an obstacle) */
#define VO_MESH_DEFECTS(X)                                                          \
    X(NOT_FINITE, "coordinate is not a finite number", true, true)                  \
    X(BAD_INDEX, "index points outside the mesh", true, true)                       \
    X(VERT_OF_TWO_NODES, "vt is used with two different v", true, false)            \
    X(REPEATED_CORNER, "face uses one node twice", true, true)                      \
    X(DEGENERATE_FACE, "face has no area in material space", true, false)           \
    X(INVERTED_FACE, "face is turned over in material space", true, false)          \
    X(DUPLICATE_FACE, "face joins the same nodes as another", true, false)          \
    X(NONMANIFOLD_EDGE, "edge has more than two faces", true, false)                \
    X(ORIENTATION, "two faces cross their edge in the same direction", true, false) \
    X(ISOLATED_NODE, "node belongs to no face", false, false)

typedef enum vo_mesh_defect_kind {
#define X(name, sentence, cloth, obstacle) VO_DEFECT_##name,
    VO_MESH_DEFECTS(X)
#undef X
        VO_DEFECT_KIND_COUNT
} vo_mesh_defect_kind;

typedef struct vo_mesh_defect {
    vo_mesh_defect_kind kind;
    int element;      /* index of the face, node, vert; for edges the lower node */
    int other;        /* the other face, node or second node of the edge; -1 if none */
    int line;         /* of the file; 0 if unknown */
    vo_vec3 position; /* in the world, where one can be told */
} vo_mesh_defect;

typedef struct vo_mesh_report {
    vo_context *ctx;
    int count, capacity;
    vo_mesh_defect *defect; /* sorted by kind, then element */
    int fatal_count;
} vo_mesh_report;

typedef enum vo_mesh_use { VO_MESH_FOR_CLOTH, VO_MESH_FOR_OBSTACLE } vo_mesh_use;

/* Fails only without memory; defects are in the report. */
vo_result vo_mesh_validate(vo_context *ctx, const vo_mesh_data *data, vo_mesh_use use,
                           vo_mesh_report *report);
void vo_mesh_report_free(vo_mesh_report *report);

/* "face 12 (line 340): turned over in material space, at (0.1, 0.2, 0)". */
void vo_mesh_defect_text(const vo_mesh_defect *defect, char *text, size_t size);

#endif
