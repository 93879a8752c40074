/* Sectors and their normals; see mesh/smooth.h. */
#ifndef VO_MESH_SMOOTH_NORMAL_H
#define VO_MESH_SMOOTH_NORMAL_H

#include "mesh/smooth.h"

/* Fills sector, sector_count and normal. On failure some are there, for vo_smooth_free. */
vo_result vo_smooth_find_normals(vo_smooth *smooth);

/* Corner of the face on one side of an edge at one of its ends. */
static inline int vo_smooth_corner(const vo_mesh *m, int edge, int side, int end) {
    const int *sides = m->face_edge[m->edge_face[edge][side]];
    int i = sides[0] == edge ? 0 : sides[1] == edge ? 1 : 2;
    return end == side ? i : (i + 1) % 3; /* side 0 goes from the first node to the second */
}

#endif
