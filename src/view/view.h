/* The view: what cameras and lights see of each face over the coming frames, as the sizing field
 * (remesh/sizing.h) takes it: a factor and a bound a face.
 *
 *      eyes, each a few samples of its path       window.h     -> moments, all eyes together
 *      faces of all cloths, in clusters           parcels.h       a ball around each cluster
 *      per moment and cluster: in frame, out of reach, or face by face
 *          nu~ (eq. 3)                            factor.h     -> nu = max w nu~ (eq. 4)
 *          B   (eqs. 5 to 8)                      screen.h     -> join of (w nu~ / front)^2 B
 *      lines of sight                             occlusion.h  -> hidden faces once more
 *      along hidden faces                         fringe.h     -> those near seen ones count more
 *      across edges                               silhouette.h -> the factor, and the bound with it
 *
 * (Koh, Narain, O'Brien 2015, sections 3.1 to 3.3.)
 *
 * The bound. For what is seen now it is the paper's. The paper leaves unseen faces unbounded, with
 * the effect that the back of a far figure may be finer than its front. Here unseen faces ask for
 * nu times what they would ask for if they were seen: nu^2 min(M, B) = min(nu^2 M, nu^2 B). Over
 * the window and over several eyes, what all of them ask for is joined. Faces further out of frame
 * than the margin at all moments have no bound, and nu = out.
 *
 * That join takes the largest nu together with the largest B, although they may be of different
 * moments. The finest edge that the cloth's sizing asks for, if it is given, keeps that within
 * reason: a moment with factor s never asks for edges below finest / s.
 *
 * Results are functions of the arguments alone: no history, any number of threads, the same bits.
 * After the largest mesh and number of moments so far, an update without occlusion allocates
 * nothing.
 */
#ifndef VO_VIEW_VIEW_H
#define VO_VIEW_VIEW_H

#include "view/occlusion.h"
#include "view/screen.h"

typedef struct vo_view_def {
    vo_factor_def factor; /* [back 0.2, hidden 0.5, out 0.01; margin 0.4 m] */
    vo_screen_def screen; /* [no bound; grazing 0.5] */
    double window;        /* [0.2] s, T; the paper: 5 frames. Not positive: only what is seen now */
    double silhouette;    /* [0.25] factors may differ by so much across an edge; infinite: any */
    bool occlusion;       /* [false] */
    double fringe; /* [0] m beside what is seen, in which hidden faces count more (fringe.h) */
    vo_occlusion_def rays;
} vo_view_def;

vo_view_def vo_view_def_default(void);

typedef struct vo_view vo_view;

/* Occlusion in a build without rays is a warning in the log, and nothing is hidden then. */
vo_result vo_view_create(vo_context *ctx, const vo_view_def *def, vo_view **out);
void vo_view_destroy(vo_view *view); /* NULL is allowed */

/* Another l (screen.h) from now on; for budgets. */
void vo_view_set_pixels(vo_view *view, double pixels);

/* A cloth that is looked at, where it is now. */
typedef struct vo_view_cloth {
    const vo_mesh *mesh;
    bool two_sided;   /* both sides count as front */
    double finest;    /* m, the shortest edge its sizing asks for; not positive: unknown */
    vo_vec3 velocity; /* m/s, of it as a whole: with its body, if it is worn (hiding.h) */
    double *factor;   /* [face_count] nu, out; in (0, 1] */
    vo_sym2 *bound;   /* [face_count] 1/m^2, out; xx infinite: none */
} vo_view_cloth;

/* What an update found. */
typedef struct vo_view_report {
    int moments;
    int faces;  /* of all cloths */
    int seen;   /* that turn their front to some eye in its frame or margin, now or in the window */
    int hidden; /* that some of them would see and none does, for what is before them */
} vo_view_report;

/* Without any eye all faces are seen, and there is no bound. `hiding` are all meshes that hide,
 * obstacles and the cloths themselves; only used with occlusion, and kept until the next update.
 * `report` may be NULL. Fails for want of memory and, with occlusion, where Embree does
 * (VO_IO_FAILED). */
vo_result vo_view_update(vo_view *view, int eye_count, const vo_view_eye *eye, int cloth_count,
                         const vo_view_cloth *cloth, int hiding_count, const vo_hiding *hiding,
                         vo_view_report *report);

/* Whether what is hidden is told from what is seen. */
bool vo_view_has_occlusion(const vo_view *view);

/* The next two answer for the moment of the last update. Their cameras must be among its eyes: only
 * what could stand between those eyes and their pictures was kept. */

/* Marks the faces of each cloth that a camera sees some of, from either side, and those next to
 * them. Without occlusion all that are in a picture. */
vo_result vo_view_mark_seen(vo_view *view, int camera_count, const vo_camera *camera,
                            int cloth_count, const vo_view_cloth *cloth,
                            unsigned char *const *watched);

/* Whether a camera sees a point of some surface; without occlusion, whether it is in the picture.
 */
bool vo_view_sees(const vo_view *view, const vo_camera *camera, vo_vec3 point);

#endif
