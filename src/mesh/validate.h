/* Finds what is wrong with a mesh before it is used, and says where and what to do.
 *
 * A defect is fatal when the simulation could not give a meaning to the mesh; everything else is a
 * warning, and the builder has an answer to it. Obstacles need only triangles in the world, so
 * nothing about material space is looked at for them and their topology may be anything. Every kind
 * is looked for by itself, so one defect does not hide another; only faces whose indices cannot be
 * followed are left out of the later checks. Time and memory are proportional to the mesh. */
#ifndef VO_MESH_VALIDATE_H
#define VO_MESH_VALIDATE_H

#include "mesh/mesh.h"

/* m^2 in material space or the world; a face of less counts as having no area. */
#define VO_MESH_LEAST_AREA 1e-18

/* X(name, what is wrong, what to do or what is done, fatal for cloth, fatal for an obstacle), in
 * the order in which they are looked for. */
#define VO_MESH_DEFECTS(X)                                                                        \
    X(NO_FACES, "has no face", "export the surface as polygons", true, true)                      \
    X(NOT_FINITE, "has a coordinate that is not a number below 1e30",                             \
      "export the mesh again, or remove the element", true, true)                                 \
    X(BAD_INDEX, "refers to an element outside the mesh", "correct or remove it", true, true)     \
    X(REPEATED_CORNER, "uses one node twice", "remove the face or merge by distance", true, true) \
    X(DEGENERATE_FACE, "has no area in material space",                                           \
      "remove the face, or unwrap the mesh if it has no UVs (then a node's x and y are used)",    \
      true, false)                                                                                \
    X(INVERTED_FACE, "is turned over in material space, unlike its neighbours",                   \
      "unfold the UVs there, or unwrap the mesh if it has no UVs", true, false)                   \
    X(MIRRORED_PATCH, "lies in a patch that is turned over in material space as a whole",         \
      "the patch is mirrored (u -> -u)", false, false)                                            \
    X(COLLAPSED_FACE, "has no area in the world", "remove the face or merge by distance", false,  \
      false)                                                                                      \
    X(DUPLICATE_FACE, "joins the same nodes as face", "remove one of the two", true, false)       \
    X(NONMANIFOLD_EDGE, "has more than two faces", "split the edge or remove the extra face",     \
      true, false)                                                                                \
    X(ORIENTATION, "has two faces that look to opposite sides",                                   \
      "flip one of them (recalculate normals)", true, false)                                      \
    X(STRAY_EDGE, "is named, but no face has it", "the line is ignored", false, false)            \
    X(ISOLATED_NODE, "belongs to no face", "remove it, unless a node's index matters", false,     \
      false)                                                                                      \
    X(UNUSED_VERT, "is used by no face", "it is left out", false, false)

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
    int element;      /* index from 0 of the face, node, vert; for an edge its lower node */
    int other;        /* the edge's second node; the bad index; the other face; -1 if none */
    int line;         /* of the file; 0 if unknown */
    vo_vec3 position; /* in the world, NaN where none can be told */
} vo_mesh_defect;

typedef struct vo_mesh_report {
    vo_context *ctx;
    vo_mesh_use use;
    int count, capacity;
    vo_mesh_defect *defect; /* by kind, what, element; named edges in file order */
    int fatal_count;
} vo_mesh_report;

/* Fails only without memory; defects are in the report, which then must be freed. */
vo_result vo_mesh_validate(vo_context *ctx, const vo_mesh_data *data, vo_mesh_use use,
                           vo_mesh_report *report);
void vo_mesh_report_free(vo_mesh_report *report);

bool vo_mesh_defect_is_fatal(vo_mesh_defect_kind kind, vo_mesh_use use);

/* "face 12 (line 340), at (0.1, 0.2, 0): has no area in material space; remove the face, ...". */
void vo_mesh_defect_text(const vo_mesh_defect *defect, char *text, size_t size);

/* Logs the first three defects that are not fatal as warnings, then how many more there are. `name`
 * comes first on each line. */
void vo_mesh_report_log(const vo_mesh_report *report, const char *name);

/* The first fatal defect and the number of the others; empty if there is none. */
void vo_mesh_report_text(const vo_mesh_report *report, char *text, size_t size);

/* Validates and builds: fatal defects are refused as VO_BAD_DATA with the text above, the others
 * logged. `name` (a file, or "mesh") comes first in messages. */
vo_result vo_mesh_accept(vo_context *ctx, const char *name, const vo_mesh_data *data,
                         vo_mesh_use use, vo_mesh **out);

#endif
