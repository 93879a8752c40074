/* What became of every element: the one contract between whatever changes topology and whatever
 * holds data per node, vert, edge or face.
 *
 *      before        a split b        b moved onto c       after compaction
 *      node 0 1 2 3  -> 4 = (1+2)/2   -> 1 is dropped      0 1 2 3 = old 0, 2, 3, (1+2)/2
 *
 * Indices are reused during editing, so histories are not told in indices but in records. Every
 * old element is a record of the same number; an element made by blending two others is a new
 * record that points at theirs, which were there before it. An element knows its record. So any
 * number of edits is one list in which later lines depend on earlier ones: carrying an array along
 * is one pass over it, and the old parents of one element are found by walking back.
 *
 * A list of parents with weights kept with every element was rejected: splits of splits after flips
 * make such lists long, and most are never asked for.
 *
 * Nodes and verts: splits blend, collapses drop; the heir is what they were moved onto.
 * Faces: the halves of a split face share its record; a flip blends two faces by the area they gave
 * (heir: the face that kept the index); of a collapse, the heir is the neighbour.
 * Edges: the halves of a split edge share its record; an edge across a former face, or turned by a
 * flip, has none. */
#ifndef VO_MESH_REMAP_H
#define VO_MESH_REMAP_H

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

/* The history of one kind. */
typedef struct vo_lineage {
    int old_count; /* elements when the remeshing began */
    int count;     /* elements now */
    int capacity;
    int *record; /* [count] of each element; -1 if it comes from nothing or is gone */
    int record_count, record_capacity;
    vo_blend *blend; /* [record_count] of records from old_count on */
    int *heir;       /* [record_count] record that took over the last element that had it; -1 */
    int *place;      /* [record_count] first element that has it, -1 if none; after closing */
} vo_lineage;

typedef struct vo_remap {
    vo_context *ctx;
    vo_lineage of[VO_REMAP_KINDS];
} vo_remap;

/* Old elements with their shares; the shares of a node or vert sum to 1. Zero it before use. */
typedef struct vo_parents {
    int count, capacity;
    int *index;
    double *weight;
} vo_parents;

void vo_remap_init(vo_remap *map, vo_context *ctx);
void vo_remap_free(vo_remap *map);

/* ---- asking ---------------------------------------------------------------------------------- */

/* Where the old element itself is now; -1 if it is gone. Of several (halves) the first. */
int vo_remap_place(const vo_remap *map, vo_remap_kind kind, int old);

/* Where the old element, or what took over from it, is now; -1 if nothing did. */
int vo_remap_heir(const vo_remap *map, vo_remap_kind kind, int old);

/* The old elements that make up a present one, by index; none if it comes from nothing. */
vo_result vo_remap_parents(const vo_remap *map, vo_remap_kind kind, int index, vo_parents *out);
void vo_parents_free(vo_context *ctx, vo_parents *parents);

/* Carries an array along: `old` has old_count rows of `width` numbers, `now` count rows. Elements
 * that come from nothing get zeros. */
vo_result vo_remap_carry(const vo_remap *map, vo_remap_kind kind, int width, const double *old,
                         double *now);

/* An array of somebody's: rows of `width` numbers, one for each element, from the context's memory
 * and no larger than that (vo_new_array). */
typedef struct vo_carried {
    vo_remap_kind kind;
    int width;
    double **array;
} vo_carried;

/* Carries a whole table of arrays along: each is replaced by one for the present elements. Without
 * memory none is. */
vo_result vo_remap_carry_all(const vo_remap *map, const vo_carried *table, int count);

/* ---- telling (mesh/edit*.c) ------------------------------------------------------------------ */

/* Forgets everything: each of the `count` elements of each kind is itself. */
vo_result vo_remap_begin(vo_remap *map, const int count[VO_REMAP_KINDS]);

/* Room for elements below `elements` and so many new records. False without memory. */
bool vo_lineage_reserve(vo_context *ctx, vo_lineage *l, int elements, int records);

/* The element is a blend of a and b, which may be itself. There must be room. */
void vo_lineage_blend(vo_lineage *l, int element, int a, int b, double t);

/* Both elements become the same blend of what they were. */
void vo_lineage_mix(vo_lineage *l, int a, int b, double t);

/* The element has the history of another, or none (-1). */
void vo_lineage_copy(vo_lineage *l, int element, int from);

/* The element is gone; `heir` (an element, or -1) takes over. */
void vo_lineage_drop(vo_lineage *l, int element, int heir);

/* Element i of `count` is what was order[i]; finds the place of every record. `scratch` has room
 * for count. */
void vo_lineage_close(vo_lineage *l, int count, const int *order, int *scratch);

#endif
