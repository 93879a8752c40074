/* Coarsening of a mesh to a number of faces by the remesher with a uniform sizing field. Outline,
 * seams, creases, boundaries between materials and labelled nodes are kept. */
#include "cook/cook.h"
#include "remesh/remesh.h"

#include <math.h>
#include <stdlib.h>

enum { MAX_SEARCH = 14 };

#define FACE_TOLERANCE    0.03 /* of the requested number; ends the search */
#define OUTLINE_TOLERANCE 0.05 /* of the edge length: displacement of outlines */

static vo_result remesh_with(vo_context *ctx, vo_edit *edit, vo_remesher *remesher, double edge) {
    vo_sizing_def def = vo_sizing_def_default();
    vo_remesh_def how = vo_remesh_def_default();
    vo_remesh_report report;
    vo_sizing sizing;
    def.size_min = def.size_max = def.view_size_max = edge;
    vo_sizing_init(&sizing, ctx, &def);
    vo_result result = vo_sizing_update(&sizing, edit->mesh, NULL);
    if (result == VO_OK) result = vo_remesh_edits(remesher, &how, edit, &sizing, NULL, 0, &report);
    if (result == VO_OK) result = vo_edit_finish(edit);
    vo_sizing_free(&sizing);
    return result;
}

/* Remeshes in place to a uniform edge length, m. */
static vo_result remesh_to(vo_context *ctx, vo_mesh *mesh, double edge) {
    vo_edit_def def = vo_edit_def_default();
    vo_remesher *remesher;
    vo_edit *edit;
    def.outline_tolerance = OUTLINE_TOLERANCE * edge;
    VO_TRY(vo_remesher_create(ctx, &remesher));
    vo_result result = vo_edit_create(mesh, &def, &edit);
    if (result == VO_OK) {
        result = remesh_with(ctx, edit, remesher, edge);
        vo_edit_destroy(edit);
    }
    vo_remesher_destroy(remesher);
    return result;
}

static vo_result create_coarse(vo_context *ctx, const vo_mesh *mesh, double edge, vo_mesh **out) {
    VO_TRY(vo_check_cancel(ctx));
    VO_TRY(vo_mesh_copy(ctx, mesh, out));
    vo_result result = remesh_to(ctx, *out, edge);
    if (result == VO_OK) return VO_OK;
    vo_mesh_destroy(*out);
    *out = NULL;
    return result;
}

/* Destroys the mesh whose number of faces is further from the target; returns the other. */
static vo_mesh *select_closer(int target, vo_mesh *best, vo_mesh *candidate) {
    bool closer = !best || abs(candidate->face_count - target) < abs(best->face_count - target);
    vo_mesh_destroy(closer ? best : candidate);
    return closer ? candidate : best;
}

vo_result vo_cook_coarsen(vo_context *ctx, int faces, vo_mesh **mesh) {
    if ((*mesh)->face_count <= faces) return VO_OK;
    /* An equilateral triangle has the area sqrt(3)/4 times its squared edge. */
    double middle = sqrt(vo_cook_area(*mesh) / (0.433 * faces)), low = middle / 4,
           high = 8 * middle;
    vo_mesh *best = NULL;
    for (int i = 0; i < MAX_SEARCH; i++) {
        double edge = i == 0 ? middle : sqrt(low * high);
        vo_mesh *candidate;
        vo_result result = create_coarse(ctx, *mesh, edge, &candidate);
        if (result != VO_OK) {
            vo_mesh_destroy(best);
            return result;
        }
        int count = candidate->face_count;
        *(count > faces ? &low : &high) = edge;
        best = select_closer(faces, best, candidate);
        if (abs(count - faces) <= FACE_TOLERANCE * faces) break;
    }
    vo_mesh_destroy(*mesh);
    *mesh = best;
    return VO_OK;
}
