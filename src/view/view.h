/* The view: visibility of each face from cameras and lights over the coming frames, as input of the
 * sizing field (remesh/sizing.h): a view factor and a screen-space bound per face.
 *
 *      viewpoints, each a few samples of its path  window.h             frustum samples
 *      faces of all cloths, in clusters            work_range.h         a ball around each
 *      per sample and cluster: inside, outside, or face by face
 *          nu~ (eq. 3)                             factor.h             nu = max w nu~ (eq. 4)
 *          B   (eqs. 5 to 8)                       screen.h             join of (w nu~ / front)^2 B
 *      visibility rays                             occlusion.h          occluded faces again
 *      along occluded faces                        occlusion_falloff.h  gradual falloff
 *      across edges                                silhouette.h         final factor and bound
 *
 * (Koh, Narain, O'Brien 2015, sections 3.1 to 3.3.)
 *
 * The bound. For visible faces it is that of the paper. The paper leaves invisible faces unbounded,
 * so the back of a distant character may be finer than its front. Here an invisible face requests
 * nu times the resolution that it would request if it were visible: nu^2 min(M, B) = min(nu^2 M,
 * nu^2 B). The requests of all samples and viewpoints are joined. Faces beyond the margin in all
 * samples have no bound and nu = off_screen.
 *
 * The join combines the largest nu with the largest B even if they belong to different samples. The
 * minimum edge length of the cloth's sizing, if it is given, limits this: a sample with factor s
 * never requests edges below min_edge / s.
 *
 * The results are functions of the arguments alone, identical for any number of threads. Once
 * buffers have grown to the largest mesh and number of samples, an update without occlusion makes
 * no heap call. */
#ifndef VO_VIEW_VIEW_H
#define VO_VIEW_VIEW_H

#include "view/occlusion.h"
#include "view/screen.h"

typedef struct vo_view_def {
    vo_factor_def factor; /* [back_facing 0.2, occluded 0.5, off_screen 0.01; margin 0.4 m] */
    vo_screen_def screen; /* [no bound; grazing 0.5] */
    double window;        /* [0.2] s, T; 5 frames in the paper. Not positive: no anticipation */
    double silhouette_threshold; /* [0.25] largest difference of factors across an edge that is not
                                    smoothed; infinite: no smoothing */
    bool occlusion;              /* [false] */
    double occlusion_falloff;    /* [0] m, width of the occlusion falloff next to visible faces
                                    (occlusion_falloff.h) */
    vo_occlusion_def rays;
} vo_view_def;

vo_view_def vo_view_def_default(void);

typedef struct vo_view vo_view;

/* Creates a view. If the build lacks ray casting, occlusion is disabled with a warning. */
vo_result vo_view_create(vo_context *ctx, const vo_view_def *def, vo_view **out);
void vo_view_destroy(vo_view *view); /* NULL is allowed */

/* Sets l (screen.h) for the following updates; used by the budget control. */
void vo_view_set_min_edge_pixels(vo_view *view, double pixels);

/* A cloth at its current positions. */
typedef struct vo_view_cloth {
    const vo_mesh *mesh;
    bool two_sided;   /* both sides are front-facing */
    double min_edge;  /* m, minimum edge length of its sizing; not positive: unknown */
    vo_vec3 velocity; /* m/s, rigid; that of the body if it is worn (occluder.h) */
    double *factor;   /* [face_count] out: nu, in (0, 1] */
    vo_sym2 *bound;   /* [face_count] out: bound, 1/m^2; xx infinite: none */
} vo_view_cloth;

/* Statistics of an update. */
typedef struct vo_view_report {
    int samples;
    int faces;   /* faces of all cloths */
    int visible; /* front-facing and near the frustum of a viewpoint within the window, not occluded
                  */
    int occluded; /* front-facing and near a frustum, but occluded from all viewpoints */
} vo_view_report;

/* Computes factors and bounds of all cloths. Without viewpoints all faces have factor 1 and no
 * bound. `occluders` lists all occluding meshes, obstacles and cloths; it is used only with
 * occlusion and must stay valid until the next update. `report` may be NULL. Fails if memory is
 * exhausted and, with occlusion, on an Embree error (VO_IO_FAILED). */
vo_result vo_view_update(vo_view *view, int viewpoint_count, const vo_viewpoint *viewpoint,
                         int cloth_count, const vo_view_cloth *cloth, int occluder_count,
                         const vo_occluder *occluders, vo_view_report *report);

/* Returns true if occlusion is enabled and available. */
bool vo_view_has_occlusion(const vo_view *view);

/* The next two functions refer to the state of the last update. Their cameras must be among its
 * viewpoints, because occluders were culled for those. */

/* Marks the faces of each cloth that are visible to a camera from either side, and their
 * neighbours. Without occlusion, all faces in the frustum. */
vo_result vo_view_mark_visible(vo_view *view, int camera_count, const vo_camera *camera,
                               int cloth_count, const vo_view_cloth *cloth,
                               unsigned char *const *visible);

/* Returns true if a surface point is visible to a camera; without occlusion, if it is in the
 * frustum. */
bool vo_view_point_is_visible(const vo_view *view, const vo_camera *camera, vo_vec3 point);

#endif
