/* What is hidden behind something: bodies, garments, other characters.
 *
 * A face is hidden from an eye that sees none of a few points of it: its corners, its
 * middle and, from the first and last moments of a shot, a lattice inside that is as fine as
 * `spacing` and `pixels` ask for. A line of sight goes from the point to the eye and ends at the
 * near plane. Only faces that an eye sees from the front and in frame are asked about; for the
 * others nothing would change.
 *
 *                     .--------- body            a: seen                 rings: what is next to a
 *         eye  . ' ' '|   b                      b: all points behind    seen face is seen, too, so
 *           ` ------- a   c                         the body: hidden     that the edge of what
 *              ` . . .|. .d. .                   d: one point is seen    hides it may move a little
 *                     '---------                 c: neighbour of d: seen
 *
 * A face that an eye is found to see before the window's end counts as seen all the time. Two
 * things happen until then. The eyes go on: they ask from a few moments of each shot, its first and
 * its last among them. And what hides goes on: from the last moment of each shot they ask once more
 * in the world as it will be (hiding.h), in which a dancer may have stepped out from behind another
 * one. Bodies and cloth that turn or bend without going anywhere are taken as they are, and what is
 * in sight between two of the moments alone is not found; that is why what is hidden counts more
 * than what is out of the picture.
 *
 * Corners are asked once for all faces around them, so most faces cost less than one line of sight.
 * What comes out is a function of the present state: no earlier frame is remembered.
 *
 * Cost: the tree over the triangles of all that may hide something, made anew each time, a second
 * one where anything is hidden and moves against something else, and two lines of sight or so a
 * hidden face and moment. Rejected: keeping results for some frames, which a resumed run would not
 * have; and pictures of depth from each eye, which miss what is smaller than their pixels. */
#ifndef VO_VIEW_OCCLUSION_H
#define VO_VIEW_OCCLUSION_H

#include "view/hiding.h"

typedef struct vo_occlusion_def {
    double gap;     /* [0.002] m before a point that is not looked at: the cloth itself is there */
    double spacing; /* [0.03] m between points of a face; the lattice has at most 15 */
    double pixels;  /* [4] between them, where that is more: what shows less is not looked for */
    int rings;      /* [1] rings of faces around a seen one that are seen, too */
    int moments;    /* [3] of each shot, at least 2 */
    bool foresee;   /* [true] what hides goes on, too; false: it stays where it is */
} vo_occlusion_def;

vo_occlusion_def vo_occlusion_def_default(void);

typedef struct vo_occlusion vo_occlusion;

/* VO_BAD_CALL where this build has no rays (vo_rays_available). */
vo_result vo_occlusion_create(vo_context *ctx, vo_occlusion **out);
void vo_occlusion_destroy(vo_occlusion *o); /* NULL is allowed */

/* What hides; see vo_hiders_set. */
vo_result vo_occlusion_set(vo_occlusion *o, int count, const vo_hiding *hiding,
                           const vo_hiding_span *span);

/* Faces that are looked through, after what was left out; for tests. */
int vo_occlusion_face_count(const vo_occlusion *o);

enum { VO_OCCLUSION_EYES = 8 }; /* that are told apart: all from this one on are as one */

static inline unsigned char vo_occlusion_bit(int eye) {
    return (unsigned char)(1u << vo_min_int(eye, VO_OCCLUSION_EYES - 1));
}

/* A cloth whose faces are to be judged. All eyes are told apart but for those beyond the last bit.
 */
typedef struct vo_occlusion_cloth {
    const vo_mesh *mesh; /* one of those that hide, or not */
    vo_vec3 velocity;    /* m/s, of it as a whole */
    bool two_sided;
    unsigned char *asked; /* [face_count] on the way in, nonzero: judge this face; on the way out, a
                             bit for each eye that would see it, were nothing in the way */
    unsigned char *seen;  /* [face_count] out: a bit for each eye that does, or sees a face next to
                             it */
} vo_occlusion_cloth;

vo_result vo_occlusion_judge(vo_occlusion *o, const vo_occlusion_def *def,
                             const vo_factor_def *factor, int moment_count, const vo_moment *moment,
                             int cloth_count, const vo_occlusion_cloth *cloth);

/* Whether an eye sees a point of a surface; one that is not before the near plane is taken to be.
 */
bool vo_occlusion_sees(const vo_occlusion *o, const vo_occlusion_def *def, const vo_moment *moment,
                       vo_vec3 point);

#endif
