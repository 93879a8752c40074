/* Point location in material space: the face that contains a point of the fabric, and the
 * barycentric coordinates in it.
 *
 * Remeshing renumbers a mesh but does not change the fabric, so a fabric point is identified by its
 * patch (vert_patch) and material position. Patches may overlap in material space, as copies of a
 * panel do; each is searched separately. Within a patch two borders may coincide at a slit:
 *
 *          |  a   b  |       u is the position of two verts, a and b, which separate when the slit
 *          |   \ /   |       opens. So the caller passes a second point i inside the fabric, on the
 *          |    u    |       intended side. The face of i is searched in the tree; from there a
 *          | i  |    |       straight walk across shared sides leads to u without crossing it.
 *          +----+----+
 *
 * The search uses an implicit bounding-box tree per patch over the faces in Morton order: it needs
 * no pointers and is built in linear time.
 *
 *      faces in Morton order   0 1 2 3 | 4 5 6 7 | 8 9       blocks of four
 *      nodes, parents first    {0..9} {0..3} {4..9} {4..7} {8 9}
 *
 * Of n blocks the first n / 2 belong to the left child, which is the next node; the right child is
 * 2 (n / 2) nodes after the parent.
 *
 * Outside the outline, which collapses may move within their tolerance, the result is the nearest
 * point of the border nearby and the remaining offset.
 *
 * In a patch that overlaps itself in material space any of its layers may be found. */
#ifndef VO_MESH_LOCATE_H
#define VO_MESH_LOCATE_H

#include "mesh/corner.h"
#include "mesh/mesh.h"

typedef struct vo_face_location {
    int face;               /* -1: the patch has no faces */
    double weight[3];       /* barycentric coordinates, not negative; exactly 1 at a corner */
    vo_vec2 outside_offset; /* m, from there to the queried point; 0 unless that is outside */
} vo_face_location;

typedef struct vo_box2 {
    vo_vec2 low, high;
} vo_box2;

typedef struct vo_locator {
    vo_context *ctx;
    const vo_mesh *mesh; /* not owned */
    int patch_count, face_count, box_count;
    int *order;       /* [face_count] faces by patch, then in Morton order */
    int *first_face;  /* [patch_count + 1] offsets of the patches in `order` */
    int *first_block; /* [patch_count + 1] first block of a patch; its boxes start at twice that */
    vo_box2 *box;     /* [box_count] */
} vo_locator;

/* Indexes the faces of patches 0 to patch_count - 1 and ignores all others. The mesh must be a
 * cloth mesh without free slots and must not change in material space. */
vo_result vo_locator_create(vo_context *ctx, const vo_mesh *mesh, int patch_count, vo_locator *out);
void vo_locator_free(vo_locator *locator);

static inline bool vo_locator_has_patch(const vo_locator *l, int patch) {
    return patch >= 0 && patch < l->patch_count && l->first_face[patch] < l->first_face[patch + 1];
}

/* The face of a patch nearest to a point; any of several that contain it; -1 if there is none. */
int vo_locate_nearest(const vo_locator *locator, int patch, vo_vec2 u);

/* Locates u, connected to the nearby point `inside` without crossing borders. */
vo_face_location vo_locate(const vo_locator *locator, int patch, vo_vec2 u, vo_vec2 inside);

/* Parameter t of the point (1 - t) a + t b of the segment that is nearest to u. */
static inline double vo_segment_param(vo_vec2 a, vo_vec2 b, vo_vec2 u) {
    vo_vec2 ab = v2_sub(b, a);
    double length2 = v2_dot(ab, ab);
    return length2 > 0 ? vo_clamp(v2_dot(v2_sub(u, a), ab) / length2, 0, 1) : 0;
}

#endif
