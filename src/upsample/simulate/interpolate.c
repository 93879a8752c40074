/* Rows of the barycentric operator. */
#include "upsample/simulate/interpolate.h"

#include "core/memory.h"
#include "mesh/locate.h"

#include <math.h>
#include <string.h>

void vo_upsample_rows_free(vo_context *ctx, vo_upsample_rows *r) {
    vo_free_array(ctx, r->first, r->fine_count + 1);
    vo_free_array(ctx, r->column, 3 * r->fine_count);
    vo_free_array(ctx, r->weight, 3 * r->fine_count);
    *r = (vo_upsample_rows){0};
}

static vo_result allocate(vo_context *ctx, vo_upsample_rows *r) {
    r->first = vo_new_array(ctx, int, r->fine_count + 1);
    r->column = vo_new_array(ctx, int, 3 * r->fine_count);
    r->weight = vo_new_array(ctx, float, 3 * r->fine_count);
    if (!r->first || !r->column || !r->weight) return vo_fail_memory(ctx, "an operator");
    for (int i = 0; i <= r->fine_count; i++) r->first[i] = 3 * i;
    return VO_OK;
}

static int patch_of(const vo_mesh *mesh, int vert) {
    return mesh->vert_patch ? mesh->vert_patch[vert] : 0;
}

static int count_patches(const vo_mesh *mesh) {
    int most = 0;
    for (int v = 0; v < mesh->vert_count; v++)
        if (patch_of(mesh, v) > most) most = patch_of(mesh, v);
    return most + 1;
}

static vo_vec2 centroid(const vo_mesh *mesh, int f) {
    const int *v = mesh->face_vert[f];
    return v2_scale(1.0 / 3,
                    v2_add(mesh->vert_u[v[0]], v2_add(mesh->vert_u[v[1]], mesh->vert_u[v[2]])));
}

/* Row of the node of a vert, located from the inside of one of its faces; false: its patch does not
 * exist in the coarse mesh. */
static bool set_row(const vo_locator *locator, const vo_mesh *fine, int face, int vert,
                    vo_upsample_rows *r) {
    const vo_mesh *coarse = locator->mesh;
    int patch = patch_of(fine, vert), node = fine->vert_node[vert];
    if (!vo_locator_has_patch(locator, patch)) return false;
    vo_face_location at = vo_locate(locator, patch, fine->vert_u[vert], centroid(fine, face));
    if (at.face < 0) return false;
    double sum = at.weight[0] + at.weight[1] + at.weight[2];
    for (int k = 0; k < 3; k++) {
        r->column[3 * node + k] = coarse->vert_node[coarse->face_vert[at.face][k]];
        r->weight[3 * node + k] = (float)(at.weight[k] / sum);
    }
    return true;
}

static vo_result set_rows(vo_context *ctx, const vo_locator *locator, const vo_mesh *fine,
                          vo_upsample_rows *r) {
    for (int i = 0; i < r->fine_count; i++) r->column[3 * i] = -1;
    for (int i = 0; i < 3 * fine->face_count; i++) {
        int vert = fine->face_vert[i / 3][i % 3];
        if (r->column[3 * fine->vert_node[vert]] >= 0) continue;
        if (!set_row(locator, fine, i / 3, vert, r))
            return vo_fail(ctx, VO_BAD_DATA,
                           "patch %d of the fine mesh does not exist in the coarse mesh; use two "
                           "resolutions of the same garment",
                           patch_of(fine, vert));
    }
    return VO_OK;
}

vo_result vo_upsample_interpolate(vo_context *ctx, const vo_mesh *coarse, const vo_mesh *fine,
                                  vo_upsample_rows *out) {
    vo_locator locator;
    *out = (vo_upsample_rows){.fine_count = fine->node_count, .coarse_count = coarse->node_count};
    VO_TRY(vo_locator_create(ctx, coarse, count_patches(coarse), &locator));
    vo_result result = allocate(ctx, out);
    if (result == VO_OK) result = set_rows(ctx, &locator, fine, out);
    vo_locator_free(&locator);
    if (result != VO_OK) vo_upsample_rows_free(ctx, out);
    return result;
}

void vo_upsample_rows_apply(const vo_upsample_rows *r, const float *x, float *out) {
    for (int i = 0; i < r->fine_count; i++) {
        float sum[3] = {0};
        for (int e = r->first[i]; e < r->first[i + 1]; e++)
            for (int c = 0; c < 3; c++) sum[c] += r->weight[e] * x[4 * r->column[e] + c];
        memcpy(out + 3 * i, sum, sizeof sum);
    }
}

float vo_upsample_rows_distance(const vo_upsample_rows *r, const float *x, const float *y,
                                float *scratch) {
    double sum = 0;
    vo_upsample_rows_apply(r, x, scratch);
    for (int i = 0; i < 3 * r->fine_count; i++) {
        double d = (double)y[4 * (i / 3) + i % 3] - (double)scratch[i];
        sum += d * d;
    }
    return (float)sqrt(sum / r->fine_count);
}
