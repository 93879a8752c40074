/* Shared by the two parts of building a system: system.c collects, numbers and sorts the elements;
 * system_pack.c packs them into the chunks. */
#ifndef VO_INTEGRATE_SYSTEM_LOCAL_H
#define VO_INTEGRATE_SYSTEM_LOCAL_H

#include "integrate/system.h"

/* An element before packing: up to four rows and its origin. */
typedef struct vo_system_element {
    int row[4];       /* in the element's own order */
    int cloth, index; /* cloth, and its face or edge */
} vo_system_element;

/* Temporary data of building. */
typedef struct vo_system_builder {
    vo_context *ctx;
    int cloth_count;
    const vo_system_cloth *cloth;
    int tie_count;
    vo_system_element *face, *hinge; /* sorted by lowest row */
    int *hinge_of_edge; /* [edges of all cloths] index in the list; hinge_count: no hinge */
    int *block_of_edge; /* [edges of all cloths] block of the pattern above the diagonal */
    const int (*ties)[2];
    vo_system *system;
    int edge_count;
} vo_system_builder;

/* Packs angles and bending and sets face_number. Requires numbered rows and sorted elements. */
vo_result vo_system_pack_bending(vo_system_builder *b);
/* Packs the chunks' faces and hinges. `faces` and `hinges` [chunk_count] are scratch. Requires
 * vo_system_pack_bending. */
vo_result vo_system_pack(vo_system_builder *b, int *faces, int *hinges);

#endif
