/* Harmonics in the cache: one file per mesh and number of modes. */
#include "upsample/harmonics/harmonics_file.h"

#include "codec/cache.h"
#include "codec/hash.h"
#include "core/memory.h"
#include "linalg/eigen.h"

#include <string.h>

/* Changes whenever the computation gives other values. */
enum { VERSION = 2 };
static const char KIND[] = "harmonics";

uint64_t vo_harmonics_key(const vo_upsample_mesh *m, int count) {
    uint32_t sizes[5] = {VERSION, (uint32_t)m->vertex_count, (uint32_t)m->triangle_count,
                         (uint32_t)count, vo_eigen_lowest_available()};
    size_t corners = 3 * (size_t)m->triangle_count;
    uint64_t key = vo_hash(sizes, sizeof sizes);
    key = vo_hash_more(key, m->position, (size_t)m->vertex_count * sizeof *m->position);
    key = vo_hash_more(key, m->triangle, corners * sizeof *m->triangle);
    return vo_hash_more(key, m->coordinate, corners * sizeof *m->coordinate);
}

/* A result: total area, areas of the vertices, eigenvalues, modes; all are double. */
static size_t count_numbers(const vo_harmonics *h) {
    size_t n = (size_t)h->vertex_count, count = (size_t)h->count;
    return 1 + n + count + n * count;
}

static void copy_numbers(const double *from, vo_harmonics *h) {
    size_t n = (size_t)h->vertex_count, count = (size_t)h->count;
    h->total_area = *from++;
    memcpy(h->area, from, n * sizeof(double));
    memcpy(h->value, from + n, count * sizeof(double));
    memcpy(h->mode, from + n + count, n * count * sizeof(double));
    h->was_stored = true;
}

bool vo_harmonics_read(vo_harmonics *h) {
    vo_bytes file;
    size_t size;
    if (!vo_cache_read(h->ctx, KIND, h->key, &file, &size)) return false;
    bool fits = size == count_numbers(h) * sizeof(double);
    if (fits) copy_numbers((const double *)(const void *)file.data, h);
    vo_bytes_free(h->ctx, &file);
    return fits;
}

static void fill_numbers(const vo_harmonics *h, double *to) {
    size_t n = (size_t)h->vertex_count, count = (size_t)h->count;
    *to++ = h->total_area;
    memcpy(to, h->area, n * sizeof(double));
    memcpy(to + n, h->value, count * sizeof(double));
    memcpy(to + n + count, h->mode, n * count * sizeof(double));
}

void vo_harmonics_write(const vo_harmonics *h) {
    size_t bytes = count_numbers(h) * sizeof(double);
    if (h->ctx->no_cache) return;
    double *data = vo_alloc(h->ctx, bytes);
    if (!data) return; /* computed again the next time */
    fill_numbers(h, data);
    vo_cache_write(h->ctx, KIND, h->key, data, bytes);
    vo_free(h->ctx, data, bytes);
}
