/* What the two halves of building a system share: system.c collects, numbers and sorts the
 * elements; system_pack.c puts them into the packets of chunks. */
#ifndef VO_INTEGRATE_SYSTEM_LOCAL_H
#define VO_INTEGRATE_SYSTEM_LOCAL_H

#include "integrate/system.h"

/* One element before it is packed: up to four rows, and where it came from. */
typedef struct vo_system_element {
    int row[4];       /* in the element's own order */
    int cloth, index; /* face or edge of which cloth */
} vo_system_element;

/* What is needed while building and thrown away after. */
typedef struct vo_system_builder {
    vo_context *ctx;
    int cloth_count;
    const vo_system_cloth *cloth;
    int tie_count;
    vo_system_element *face, *hinge; /* sorted by their lowest row */
    int *hinge_of_edge; /* [edges of all cloths] number in the list; hinge_count: no hinge */
    int *block_of_edge; /* [edges of all cloths] of the pattern, above the diagonal */
    const int (*ties)[2];
    vo_system *system;
    int edge_count;
} vo_system_builder;

/* Once rows are numbered and elements sorted: the packets of angles and bending, and where each
 * face stands (face_number). */
vo_result vo_system_pack_bending(vo_system_builder *b);
/* After that: the chunks' packets of faces and hinges. `faces` and `hinges` [chunk_count] are
 * scratch. */
vo_result vo_system_pack(vo_system_builder *b, int *faces, int *hinges);

#endif
