/* Remap table: the history of every element. It is the only contract between code that changes the
 * topology and code that stores data per node, vert, edge or face.
 *
 *      before        split of 1-2     collapse of 1        after compaction
 *      node 0 1 2 3  -> 4 = (1+2)/2   onto 2               0 1 2 3 = old 0, 2, 3, (1+2)/2
 *
 * Indices are reused during editing, so histories refer to records. Every old element is a record
 * of the same number; an element made by blending two others is a new record that refers to their
 * records, which are older. Each element has one record. So any number of edits forms one list in
 * which later entries depend on earlier ones: transferring an array is one pass over it, and the
 * old parents of an element are found by following the records backwards.
 *
 * Rejected: a list of parents with weights per element. Splits of splits after flips make these
 * lists long, and most are never read.
 *
 * Nodes and verts: splits blend, collapses drop.
 * Faces: both parts of a split face keep its record; a flip blends two faces by the area they
 * contribute; collapses drop.
 * Edges: both parts of a split edge keep its record; an edge across a former face, or flipped, has
 * none. */
#ifndef VO_MESH_EDIT_REMAP_H
#define VO_MESH_EDIT_REMAP_H

#include "core/context.h"

typedef enum vo_remap_kind {
    VO_REMAP_NODE,
    VO_REMAP_VERT,
    VO_REMAP_EDGE,
    VO_REMAP_FACE,
    VO_REMAP_KINDS
} vo_remap_kind;

/* (1 - t) of the first record and t of the second. */
typedef struct vo_blend {
    int from[2];
    double t;
} vo_blend;

/* The history of the elements of one kind. */
typedef struct vo_lineage {
    int old_count; /* elements at vo_remap_begin */
    int count;     /* elements now */
    int capacity;
    int *record; /* [count] record of each element; -1 if it has none or is removed */
    int record_count, record_capacity;
    vo_blend *blend; /* [record_count] of records from old_count on */
    int *element;    /* [record_count] first element with this record, -1; after compaction */
} vo_lineage;

typedef struct vo_remap {
    vo_context *ctx;
    vo_lineage of[VO_REMAP_KINDS];
} vo_remap;

/* Old elements with weights, which sum to 1 for a node or vert. Initialise with zeros. */
typedef struct vo_parents {
    int count, capacity;
    int *index;
    double *weight;
} vo_parents;

void vo_remap_init(vo_remap *map, vo_context *ctx);
void vo_remap_free(vo_remap *map);

/* ---- queries --------------------------------------------------------------------------------- */

/* Current index of an old element; -1 if it was removed. If it was split, the first part. */
int vo_remap_new_index(const vo_remap *map, vo_remap_kind kind, int old);

/* The old elements that a current element is composed of; empty if it has no record. */
vo_result vo_remap_parents(const vo_remap *map, vo_remap_kind kind, int index, vo_parents *out);
void vo_parents_free(vo_context *ctx, vo_parents *parents);

/* Transfers an array: `old` has old_count rows of `width` numbers, `now` receives count rows.
 * Elements without a record get zeros. */
vo_result vo_remap_transfer(const vo_remap *map, vo_remap_kind kind, int width, const double *old,
                            double *now);

/* ---- recording (mesh/edit) ------------------------------------------------------------------- */

/* Resets the history: each of the `count` elements of each kind is its own record. */
vo_result vo_remap_begin(vo_remap *map, const int count[VO_REMAP_KINDS]);

/* Reserves capacity for `elements` elements and `records` new records. False without memory. */
bool vo_lineage_reserve(vo_context *ctx, vo_lineage *l, int elements, int records);

/* Sets the record of an element to a blend of a and b, which may be itself. Needs capacity. */
void vo_lineage_blend(vo_lineage *l, int element, int a, int b, double t);

/* Sets the records of both elements to the same blend of their records. Needs capacity. */
void vo_lineage_blend_pair(vo_lineage *l, int a, int b, double t);

/* Gives an element the record of another, or none (-1). */
void vo_lineage_copy(vo_lineage *l, int element, int from);

/* Removes an element; its record remains as a possible parent of blends. */
void vo_lineage_drop(vo_lineage *l, int element);

/* Renumbers: element i of `count` was order[i]; finds the element of every record. The capacity of
 * `scratch` is count. */
void vo_lineage_compact(vo_lineage *l, int count, const int *order, int *scratch);

#endif
