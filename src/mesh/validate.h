/* Validates mesh data before use; each defect has a position and a remedy.
 *
 * A defect is fatal if the mesh cannot be simulated; all others are warnings, which the builder
 * handles. Obstacles need only world triangles, so material space is not checked for them and their
 * topology is arbitrary. Each kind is checked independently, so no defect conceals another; only
 * faces with invalid indices are excluded from the later checks. Time and memory are linear. */
#ifndef VO_MESH_VALIDATE_H
#define VO_MESH_VALIDATE_H

#include "mesh/mesh.h"

/* m^2 in material space or the world; a face with less is degenerate. */
#define VO_MESH_MIN_AREA 1e-18

/* X(name, problem, remedy or action taken, fatal for cloth, fatal for an obstacle), in the order of
 * the checks. */
#define VO_MESH_DEFECTS(X)                                                                         \
    X(NO_FACES, "has no face", "export the surface as polygons", true, true)                       \
    X(NOT_FINITE, "has a coordinate that is not finite or not below 1e30",                         \
      "export the mesh again, or remove the element", true, true)                                  \
    X(BAD_INDEX, "refers to an element outside the mesh", "correct or remove it", true, true)      \
    X(REPEATED_CORNER, "uses one node twice", "remove the face or merge by distance", true, true)  \
    X(DEGENERATE_FACE, "has no area in material space",                                            \
      "remove the face, or unwrap the mesh if it has no UVs (then a node's x and y are used)",     \
      true, false)                                                                                 \
    X(LARGE_MATERIAL_FACE, "has a material coordinate above 1e9 m, too large to compute its area", \
      "correct the coordinate, or the unit of the file", true, false)                              \
    X(INVERTED_FACE, "is inverted in material space, unlike its neighbours",                       \
      "unfold the UVs there, or unwrap the mesh if it has no UVs", true, false)                    \
    X(MIRRORED_PATCH, "lies in a patch that is inverted in material space as a whole",             \
      "the patch is mirrored (u -> -u)", false, false)                                             \
    X(COLLAPSED_FACE, "has no area in the world", "remove the face or merge by distance", false,   \
      false)                                                                                       \
    X(LARGE_FACE, "has a coordinate above 1e9 m, too large to compute its area",                   \
      "correct the coordinate, or the unit of the file", false, false)                             \
    X(DUPLICATE_FACE, "joins the same nodes as face", "remove one of the two", true, false)        \
    X(NONMANIFOLD_EDGE, "has more than two faces", "split the edge or remove the extra face",      \
      true, false)                                                                                 \
    X(ORIENTATION, "has two faces of opposite orientation",                                        \
      "flip one of them (recalculate normals)", true, false)                                       \
    X(STRAY_EDGE, "is listed, but belongs to no face", "the line is ignored", false, false)        \
    X(ISOLATED_NODE, "belongs to no face", "remove it, unless a node's index matters", false,      \
      false)                                                                                       \
    X(UNUSED_VERT, "is used by no face", "it is ignored", false, false)

typedef enum vo_mesh_defect_kind {
#define X(name, wrong, advice, cloth, obstacle) VO_DEFECT_##name,
    VO_MESH_DEFECTS(X)
#undef X
        VO_DEFECT_KIND_COUNT
} vo_mesh_defect_kind;

typedef enum vo_mesh_element {
    VO_ELEMENT_MESH,
    VO_ELEMENT_NODE,
    VO_ELEMENT_VERT,
    VO_ELEMENT_EDGE,
    VO_ELEMENT_FACE
} vo_mesh_element;

typedef struct vo_mesh_defect {
    vo_mesh_defect_kind kind;
    vo_mesh_element what;
    int element;      /* index from 0 of the face, node or vert; for an edge its lower node */
    int other;        /* the edge's second node; the bad index; the other face; -1 if none */
    int line;         /* line in the file; 0 if unknown */
    vo_vec3 position; /* in the world; NaN if unknown */
} vo_mesh_defect;

typedef struct vo_mesh_report {
    vo_context *ctx;
    vo_mesh_use use;
    int count, capacity;
    vo_mesh_defect *defect; /* ordered by kind, what, element; listed edges in file order */
    int fatal_count;
} vo_mesh_report;

/* Fills the report, which the caller frees. Fails only without memory. */
vo_result vo_mesh_validate(vo_context *ctx, const vo_mesh_data *data, vo_mesh_use use,
                           vo_mesh_report *report);
void vo_mesh_report_free(vo_mesh_report *report);

bool vo_mesh_defect_is_fatal(vo_mesh_defect_kind kind, vo_mesh_use use);

/* "face 12 (line 340), at (0.1, 0.2, 0): has no area in material space; remove the face, ...". */
void vo_mesh_defect_text(const vo_mesh_defect *defect, char *text, size_t size);

/* Writes the first fatal defect and the number of the others; empty if there is none. */
void vo_mesh_report_text(const vo_mesh_report *report, char *text, size_t size);

/* Logs the first three defects that are not fatal as warnings, then the number of the rest. `name`
 * is the prefix of each line. */
void vo_mesh_report_log(const vo_mesh_report *report, const char *name);

/* Validates and builds. Fatal defects fail with VO_BAD_DATA and the text of vo_mesh_report_text;
 * the others are logged. `name` (a file, or "mesh") is the prefix of all messages. */
vo_result vo_mesh_build_validated(vo_context *ctx, const char *name, const vo_mesh_data *data,
                                  vo_mesh_use use, vo_mesh **out);

/* Like vo_mesh_create for an obstacle without material space; `name` is the prefix of all messages,
 * as for vo_mesh_build_validated. */
vo_result vo_mesh_create_surface(vo_context *ctx, const char *name, int node_count,
                                 const vo_vec3 *node_x, int face_count, const int (*face_vert)[3],
                                 vo_mesh **out);

#endif
