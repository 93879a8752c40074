/* What is hidden behind something: bodies, garments, other characters.
 *
 * A face is hidden if no eye sees any of a few points of it: its corners, and a lattice inside that
 * is as fine as `spacing` and `pixels` ask for. A line of sight goes from the point to the eye and
 * ends at the near plane. Everything is held where it is now, but for the eyes, which go through
 * the window: a face that any of them gets to see before the window's end counts as seen all the
 * time. Eyes ask from a few moments of each shot, its first and its last among them. Only faces
 * that an eye sees from the front and in frame are asked about; for the others nothing would
 * change.
 *
 *                     .--------- body            a: seen                 rings: what is next to a
 *         eye  . ' ' '|   b                      b: all points behind    seen face is seen, too, so
 *           ` ------- a   c                         the body: hidden     that the edge of what
 *              ` . . .|. .d. .                   d: one point is seen    hides it may move a little
 *                     '---------                 c: neighbour of d: seen
 *
 * Corners are asked once for all faces around them, so most faces cost less than one line of sight.
 * What comes out is a function of the present state: no earlier frame is remembered.
 *
 * Cost: the tree over the triangles of all that may hide something, made anew each time, and two
 * lines of sight or so a hidden face and moment. Rejected: keeping results for some frames, which a
 * resumed run would not have; and pictures of depth from each eye, which miss what is smaller than
 * their pixels. */
#ifndef VO_VIEW_OCCLUSION_H
#define VO_VIEW_OCCLUSION_H

#include "spatial/rays.h"
#include "view/factor.h"

typedef struct vo_occlusion_def {
    double gap;     /* [0.002] m before a point that is not looked at: the cloth itself is there */
    double spacing; /* [0.03] m between points of a face; at most 15 points are taken */
    double pixels;  /* [4] between them, where that is more: what shows less is not looked for */
    int rings;      /* [1] rings of faces around a seen one that are seen, too */
    int moments;    /* [3] of each shot, at least 2 */
} vo_occlusion_def;

vo_occlusion_def vo_occlusion_def_default(void);

typedef struct vo_occlusion vo_occlusion;

/* VO_BAD_CALL where this build has no rays (vo_rays_available). */
vo_result vo_occlusion_create(vo_context *ctx, vo_occlusion **out);
void vo_occlusion_destroy(vo_occlusion *o); /* NULL is allowed */

/* Which lines of sight are going to be asked about: those of faces that are near the frame at one
 * of the moments, by the margin of `factor`, and of points in the frame. */
typedef struct vo_occlusion_span {
    const vo_factor_def *factor;
    int moment_count;
    const vo_moment *moment;
    double longest; /* m, edge of such a face */
} vo_occlusion_span;

/* What hides: meshes where they are now. NULL among them is passed over, and so is what no line of
 * sight of the span can meet; NULL for the span: there may be any. */
vo_result vo_occlusion_set(vo_occlusion *o, int count, const vo_mesh *const *mesh,
                           const vo_occlusion_span *span);

/* Faces of what hides, after what was passed over. */
int vo_occlusion_face_count(const vo_occlusion *o);

/* A cloth whose faces are to be judged. */
typedef struct vo_occlusion_cloth {
    const vo_mesh *mesh; /* one of those that hide, or not */
    bool two_sided;
    unsigned char *hidden; /* [face_count] on the way in, nonzero: judge this face; on the way out:
                              it is hidden */
} vo_occlusion_cloth;

/* Returns the number of hidden faces of all cloths in *count. */
vo_result vo_occlusion_judge(vo_occlusion *o, const vo_occlusion_def *def,
                             const vo_factor_def *factor, int moment_count, const vo_moment *moment,
                             int cloth_count, const vo_occlusion_cloth *cloth, int *count);

/* Whether an eye sees a point of a surface; one that is not before the near plane is taken to be.
 */
bool vo_occlusion_sees(const vo_occlusion *o, const vo_occlusion_def *def, const vo_moment *moment,
                       vo_vec3 point);

#endif
