/* Where a point of the flat fabric is on a mesh: the face, and the weights of its corners.
 *
 * Remeshing changes every number of a mesh but not the fabric, so a point of it is known for good
 * by the patch it belongs to (vert_patch) and its material position. Patches may lie over each
 * other in material space, as copies of a panel do; each is searched by itself. Within a patch two
 * borders may coincide where the fabric is cut open:
 *
 *          |  a   b  |       u is the place of two verts, a and b, which part once the slit opens.
 *          |   \ /   |       So whoever asks names a second point, well inside the fabric on the
 *          |    u    |       side that is meant. The face of that point is searched; from there a
 *          | i  |    |       straight walk leads over common sides to u, and cannot cross the slit.
 *          +----+----+
 *
 * The search is by a tree of boxes over the faces of each patch, in the order of a curve through
 * material space: a tree is then a list cut in halves, needs no pointers and takes linear time.
 *
 *      faces along the curve   0 1 2 3 | 4 5 6 7 | 8 9       blocks of four
 *      nodes, parents first    {0..9} {0..3} {4..9} {4..7} {8 9}
 *
 * Of n blocks the first n / 2 are the left child, which is the next node; the right child comes
 * 2 (n / 2) nodes after the parent.
 *
 * Outside of the outline, which collapses may move by their tolerance, the answer is the nearest
 * point of the border nearby, and what is left of the way.
 *
 * A patch that overlaps itself in material space, as no flat pattern does, is searched all the
 * same, but there any of its layers may be found. */
#ifndef VO_MESH_LOCATE_H
#define VO_MESH_LOCATE_H

#include "mesh/mesh.h"

typedef struct vo_spot {
    int face;         /* -1: the patch has no faces */
    double weight[3]; /* of its corners: none negative, their sum 1; at a corner exactly 1 */
    vo_vec2 beyond;   /* m, from there to the point asked for; 0 unless that is outside */
} vo_spot;

typedef struct vo_box2 {
    vo_vec2 low, high;
} vo_box2;

typedef struct vo_locator {
    vo_context *ctx;
    const vo_mesh *mesh; /* not owned */
    int patch_count, face_count, box_count;
    int *order;       /* [face_count] by patch, then along the curve */
    int *first_face;  /* [patch_count + 1] of a patch in `order` */
    int *first_block; /* [patch_count + 1] of a patch; its boxes start at twice that */
    vo_box2 *box;     /* [box_count] */
} vo_locator;

/* For patches 0 to patch_count - 1; faces of any other are left aside. The mesh, which is one for
 * cloth and has no holes, must stay as it is in material space. */
vo_result vo_locator_create(vo_context *ctx, const vo_mesh *mesh, int patch_count, vo_locator *out);
void vo_locator_free(vo_locator *locator);

static inline bool vo_locator_has_patch(const vo_locator *l, int patch) {
    return patch >= 0 && patch < l->patch_count && l->first_face[patch] < l->first_face[patch + 1];
}

/* The face of a patch nearest to a point, of several that hold it any; -1 if there is none. */
int vo_locate_nearest(const vo_locator *locator, int patch, vo_vec2 u);

/* Where u is, seen from the point `inside`, which should be near. */
vo_spot vo_locate(const vo_locator *locator, int patch, vo_vec2 u, vo_vec2 inside);

/* Twice the area of a triangle in material space. */
static inline double vo_cross2(vo_vec2 a, vo_vec2 b, vo_vec2 c) {
    return v2_cross(v2_sub(b, a), v2_sub(c, a));
}

/* The point of the segment a-b nearest to u: (1 - t) a + t b. */
static inline double vo_segment_param(vo_vec2 a, vo_vec2 b, vo_vec2 u) {
    vo_vec2 ab = v2_sub(b, a);
    double length2 = v2_dot(ab, ab);
    return length2 > 0 ? vo_clamp(v2_dot(v2_sub(u, a), ab) / length2, 0, 1) : 0;
}

#endif
