/* Computation of mesh harmonics. */
#include "upsample/harmonics/harmonics.h"

#include "core/memory.h"
#include "core/random.h"
#include "upsample/harmonics/harmonics_file.h"
#include "upsample/harmonics/laplacian.h"

#include <math.h>
#include <string.h>

vo_harmonics_def vo_harmonics_def_default(void) { return (vo_harmonics_def){0}; }

vo_result vo_harmonics_allocate(vo_context *ctx, int vertices, int count, vo_harmonics **out) {
    vo_harmonics *h = *out = vo_new(ctx, vo_harmonics);
    if (!h) return vo_fail_memory(ctx, "harmonics");
    *h = (vo_harmonics){.ctx = ctx, .vertex_count = vertices, .count = count};
    h->area = vo_new_array(ctx, double, vertices);
    h->value = vo_new_array(ctx, double, count);
    h->mode = vo_alloc(ctx, vo_array_bytes((size_t)vertices * (size_t)count, sizeof(double)));
    if (h->area && h->value && h->mode) return VO_OK;
    vo_harmonics_destroy(h);
    *out = NULL;
    return vo_fail_memory(ctx, "harmonics");
}

void vo_harmonics_destroy(vo_harmonics *h) {
    if (!h) return;
    vo_free_array(h->ctx, h->area, h->vertex_count);
    vo_free_array(h->ctx, h->value, h->count);
    vo_free_array(h->ctx, h->mode, (size_t)h->vertex_count * (size_t)h->count);
    vo_delete(h->ctx, h);
}

double vo_harmonics_normalised(const vo_harmonics *h, int mode) {
    const double pi = 3.14159265358979323846;
    return fmax(h->value[mode], 0) * h->total_area / (4 * pi * h->vertex_count);
}

/* ---- computation ---------------------------------------------------------------------------- */

/* All modes from the dense matrix. */
static vo_result compute_all(const vo_laplacian *l, const double *entry, vo_harmonics *h) {
    size_t n = (size_t)h->vertex_count;
    memset(h->mode, 0, n * n * sizeof(double));
    for (size_t i = 0; i < n; i++)
        for (int k = l->first[i]; k < l->first[i + 1]; k++)
            h->mode[i * n + (size_t)l->column[k]] = entry[k];
    return vo_eigen_all(h->ctx, h->vertex_count, h->mode, h->value);
}

/* The lowest modes; the shift is the mean distance of eigenvalues by Weyl's law. */
static vo_result compute_lowest(const vo_laplacian *l, const double *entry, vo_harmonics *h) {
    vo_symmetric_matrix a = {l->vertex_count, l->first, l->column, entry};
    return vo_eigen_lowest(h->ctx, &a, 12.566 / l->total_area, h->count, h->value, h->mode);
}

/* All modes, of which the lowest are kept: for builds without ARPACK. */
static vo_result compute_and_truncate(const vo_laplacian *l, const double *entry, vo_harmonics *h) {
    vo_harmonics *all;
    VO_TRY(vo_harmonics_allocate(h->ctx, h->vertex_count, h->vertex_count, &all));
    vo_result result = compute_all(l, entry, all);
    if (result == VO_OK) vo_harmonics_copy_modes(all, h);
    vo_harmonics_destroy(all);
    return result;
}

/* From this share of all modes on, the dense solver is faster. */
static bool is_dense_faster(const vo_harmonics *h) { return h->count > h->vertex_count / 4; }

static vo_result compute_modes(const vo_laplacian *l, vo_harmonics *h) {
    double *entry = vo_new_array(h->ctx, double, l->entry_count);
    if (!entry) return vo_fail_memory(h->ctx, "harmonics");
    vo_laplacian_symmetrise(l, entry);
    bool dense = !vo_eigen_lowest_available() || is_dense_faster(h);
    vo_result result = !dense                       ? compute_lowest(l, entry, h)
                       : h->count < h->vertex_count ? compute_and_truncate(l, entry, h)
                                                    : compute_all(l, entry, h);
    vo_free_array(h->ctx, entry, l->entry_count);
    return result;
}

/* The sign of an eigenvector is arbitrary: makes the product with a fixed random vector positive.
 */
static void fix_sign(int n, double *mode) {
    vo_random random = vo_random_seed(1);
    double product = 0;
    for (int i = 0; i < n; i++) product += mode[i] * vo_random_real(&random, -1, 2);
    for (int i = 0; i < n && product < 0; i++) mode[i] = -mode[i];
}

static vo_result compute(const vo_upsample_mesh *mesh, vo_harmonics *h) {
    vo_laplacian l;
    size_t n = (size_t)mesh->vertex_count;
    VO_TRY(vo_laplacian_create(h->ctx, mesh, &l));
    memcpy(h->area, l.area, n * sizeof(double));
    h->total_area = l.total_area;
    vo_result result = compute_modes(&l, h);
    vo_laplacian_free(&l);
    for (int k = 0; k < h->count && result == VO_OK; k++)
        fix_sign(mesh->vertex_count, h->mode + (size_t)k * n);
    return result;
}

void vo_harmonics_copy_modes(const vo_harmonics *from, vo_harmonics *to) {
    size_t n = (size_t)to->vertex_count, count = (size_t)to->count;
    memcpy(to->value, from->value, count * sizeof(double));
    memcpy(to->mode, from->mode, n * count * sizeof(double));
}

vo_result vo_harmonics_create(vo_context *ctx, const vo_upsample_mesh *mesh,
                              const vo_harmonics_def *def, vo_harmonics **out) {
    *out = NULL;
    int count = def->count > 0 && def->count < mesh->vertex_count ? def->count : mesh->vertex_count;
    if (count == 0)
        return vo_fail(ctx, VO_BAD_ARGUMENT, "a mesh without vertices has no harmonics");
    VO_TRY(vo_harmonics_allocate(ctx, mesh->vertex_count, count, out));
    (*out)->key = vo_harmonics_key(mesh, count);
    if (vo_harmonics_read(*out)) return VO_OK;
    vo_result result = compute(mesh, *out);
    if (result == VO_OK) {
        vo_harmonics_write(*out);
        return VO_OK;
    }
    vo_harmonics_destroy(*out);
    *out = NULL;
    return result;
}
