/* The fringe of what is hidden: near what is seen, hidden faces count nearly as much.
 *
 *      worth  1 |------.                       seen | hidden
 *               |       `.
 *               |         `.
 *        hidden |           `------------
 *               +------|-----|-----------> m along the cloth
 *                      0   margin
 *
 * Where a fold begins to be hidden depends on its form, and its form on how fine it is. With a
 * sudden fall the two chase each other: coarse folds move into sight, are refined, move out of it,
 * and cloth that should rest never does. With a gradual one a little more in sight is a little
 * finer.
 *
 * What one eye sees is a seen face here, though others may not; its factor is that of the former.
 *
 * It is what the margin is around the picture (factor.h), only that distances are along edges of
 * hidden faces: what is a centimetre behind a seen layer may be far from it along the cloth. */
#ifndef VO_VIEW_FRINGE_H
#define VO_VIEW_FRINGE_H

#include "mesh/mesh.h"

typedef struct vo_fringe_def {
    double fall; /* 1/m, by which the factor of what is seen falls along the cloth; positive */
    const unsigned char *asked; /* [face_count] a bit for each eye that would see a face */
    const unsigned char *seen;  /* [face_count] and for each that does */
} vo_fringe_def;

/* Raises the factors of faces that are hidden from some eye, [face_count]. `worth` is room for the
 * nodes, [node_count]. */
void vo_fringe_soften(const vo_mesh *mesh, const vo_fringe_def *def, double *factor, double *worth);

#endif
