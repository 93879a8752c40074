/* Sectors and their normals; see mesh/smooth.h. */
#ifndef VO_MESH_SMOOTH_NORMAL_H
#define VO_MESH_SMOOTH_NORMAL_H

#include "mesh/smooth.h"

/* Open sectors have faces on one side only; their normals are extrapolated from neighbours. */
enum { VO_SECTOR_KNOWN, VO_SECTOR_OPEN };

/* Least squares for the tilt of a normal: two angles about axes perpendicular to it. */
typedef struct vo_tilt {
    vo_vec3 axis[2];
    vo_sym2 a;
    vo_vec2 b;
    double limits; /* sum of the limits of the neighbours used */
    int count;     /* number of neighbours used */
} vo_tilt;

/* Working data of the normals, one entry per sector. */
typedef struct vo_normals {
    vo_smooth *smooth;
    uint8_t *state;
    vo_vec3 *base; /* normal from the faces alone */
    double *limit; /* largest deviation from `base`: that of the face normals, so flat cloth stays
                      flat */
    vo_tilt *tilt;
} vo_normals;

/* Fills sector, sector_count and normal. On failure vo_smooth_free frees the rest. */
vo_result vo_smooth_find_normals(vo_smooth *smooth);

/* smooth_tilt.c: extrapolates to open sectors and makes neighbouring normals consistent. */
void vo_normals_improve(vo_normals *normals);

static inline bool vo_smooth_is_crease(const vo_mesh *m, int edge) {
    return m->edge_label[edge] != 0;
}

/* Corner of the face on one side of an edge at one of its ends. */
static inline int vo_smooth_corner(const vo_mesh *m, int edge, int side, int end) {
    const int *sides = m->face_edge[m->edge_face[edge][side]];
    int i = sides[0] == edge ? 0 : sides[1] == edge ? 1 : 2;
    return end == side ? i : (i + 1) % 3; /* side 0 runs from the first node to the second */
}

#endif
