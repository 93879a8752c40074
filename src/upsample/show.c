/* Columns of operators and mesh harmonics as images (voile/upsample.h). */
#include "codec/png.h"
#include "core/memory.h"
#include "upsample/file/vru.h"
#include "upsample/harmonics/harmonics.h"
#include "upsample/image.h"

#include <math.h>
#include <string.h>

/* Height of the largest value, relative to the size of the garment. */
static const double HEIGHT = 0.12;
enum { PANELS_PER_ROW = 4 };

vo_upsample_view vo_upsample_view_default(void) {
    vo_upsample_image_def def = vo_upsample_image_def_default();
    return (vo_upsample_view){.width = def.width,
                              .height = def.height,
                              .azimuth = def.azimuth,
                              .elevation = def.elevation,
                              .zoom = def.zoom,
                              .samples = def.samples};
}

vo_upsample_show_def vo_upsample_show_def_default(void) {
    vo_upsample_show_def def = {.view = vo_upsample_view_default()};
    def.view.elevation = 35;
    return def;
}

/* Functions to draw, and the surfaces that show them. */
typedef struct gallery {
    vo_context *ctx;
    const vo_upsample_show_def *def;
    const vo_vru *vru;
    const vo_upsample_mesh *mesh;
    int count;
    float *values;    /* [count][N] at most 1 */
    float *positions; /* [count][N][3] m */
} gallery;

/* Scales values to at most 1. */
static void normalize_values(float *values, int count) {
    float most = 0;
    for (int i = 0; i < count; i++) most = fmaxf(most, fabsf(values[i]));
    for (int i = 0; i < count && most > 0; i++) values[i] /= most;
}

static vo_result add_column(gallery *g, const vo_upsample_operator *op, int column, float *out) {
    size_t row = (size_t)op->coarse_count * (size_t)(1 + op->history);
    if (column < 0 || column >= op->coarse_count)
        return vo_fail(g->ctx, VO_BAD_ARGUMENT, "columns: %d; the operator has columns 0 to %d",
                       column, op->coarse_count - 1);
    for (int i = 0; i < op->fine_count; i++) {
        out[i] = op->residual[(size_t)i * row + (size_t)column];
        for (int k = op->base_first[i]; k < op->base_first[i + 1] && !g->def->residual; k++)
            if (op->base_column[k] == column) out[i] += op->base_weight[k];
    }
    normalize_values(out, op->fine_count);
    return VO_OK;
}

static vo_result add_columns(gallery *g) {
    const vo_upsample_operator *op = vo_vru_find_operator(g->vru, g->def->name);
    if (!g->def->column_count) return VO_OK;
    if (!op)
        return vo_fail(g->ctx, VO_BAD_ARGUMENT, "%s: has no operator \"%s\"", g->def->input,
                       g->def->name ? g->def->name : "default");
    for (int i = 0; i < g->def->column_count; i++, g->count++)
        VO_TRY(add_column(g, op, g->def->columns[i],
                          g->values + (size_t)g->count * (size_t)g->mesh->vertex_count));
    return VO_OK;
}

/* Mode n of the Laplacian: phi = V^-1/2 q. */
static void copy_harmonic(const vo_harmonics *h, int n, float *out) {
    for (int i = 0; i < h->vertex_count; i++)
        out[i] =
            (float)(h->mode[(size_t)n * (size_t)h->vertex_count + (size_t)i] / sqrt(h->area[i]));
    normalize_values(out, h->vertex_count);
}

static vo_result add_harmonics(gallery *g) {
    vo_harmonics_def def = vo_harmonics_def_default();
    vo_harmonics *h;
    def.count = 1;
    for (int i = 0; i < g->def->harmonic_count; i++) {
        int n = g->def->harmonics[i];
        if (n < 1 || n > g->mesh->vertex_count)
            return vo_fail(g->ctx, VO_BAD_ARGUMENT, "harmonics: %d; the mesh has 1 to %d", n,
                           g->mesh->vertex_count);
        if (n > def.count) def.count = n;
    }
    if (!g->def->harmonic_count) return VO_OK;
    VO_TRY(vo_harmonics_create(g->ctx, g->mesh, &def, &h));
    for (int i = 0; i < g->def->harmonic_count; i++, g->count++)
        copy_harmonic(h, g->def->harmonics[i] - 1,
                      g->values + (size_t)g->count * (size_t)g->mesh->vertex_count);
    vo_harmonics_destroy(h);
    return VO_OK;
}

/* ---- images --------------------------------------------------------------------------------- */

static vo_result place_surfaces(gallery *g) {
    double scale = HEIGHT * (double)vo_upsample_mesh_size(g->mesh);
    size_t n = (size_t)g->mesh->vertex_count;
    for (int i = 0; i < g->count; i++)
        VO_TRY(vo_upsample_height_field(g->ctx, g->mesh, g->values + (size_t)i * n, scale,
                                        g->positions + 3 * (size_t)i * n));
    return VO_OK;
}

/* Renders the panels [first, first + count) as one row. */
static vo_result render_row(const gallery *g, int first, int count, vo_image *out) {
    vo_upsample_panel panel[PANELS_PER_ROW];
    vo_upsample_image_def def = vo_upsample_image_def_default();
    size_t n = (size_t)g->mesh->vertex_count;
    for (int i = 0; i < count; i++)
        panel[i] = (vo_upsample_panel){.mesh = g->mesh,
                                       .positions = g->positions + 3 * n * (size_t)(first + i),
                                       .values = g->values + n * (size_t)(first + i)};
    def.panels = panel;
    def.panel_count = count;
    def.width = g->def->view.width;
    def.height = g->def->view.height;
    def.azimuth = g->def->view.azimuth;
    def.elevation = g->def->view.elevation;
    def.zoom = g->def->view.zoom;
    def.samples = g->def->view.samples;
    def.ground = false;
    return vo_upsample_render_panels(g->ctx, &def, out);
}

static vo_result render_rows(const gallery *g, vo_image *out) {
    for (int first = 0; first < g->count; first += PANELS_PER_ROW) {
        int count = g->count - first < PANELS_PER_ROW ? g->count - first : PANELS_PER_ROW;
        vo_image row;
        VO_TRY(render_row(g, first, count, &row));
        vo_upsample_image_paste(&row, 0, first / PANELS_PER_ROW * g->def->view.height, out);
        vo_upsample_image_free(g->ctx, &row);
    }
    return VO_OK;
}

static vo_result save_image(const gallery *g) {
    int columns = g->count < PANELS_PER_ROW ? g->count : PANELS_PER_ROW;
    int rows = (g->count + PANELS_PER_ROW - 1) / PANELS_PER_ROW;
    vo_image image;
    VO_TRY(vo_upsample_image_create(g->ctx, columns * g->def->view.width,
                                    rows * g->def->view.height, &image));
    vo_result result = render_rows(g, &image);
    if (result == VO_OK) result = vo_png_save(g->ctx, &image, g->def->image);
    vo_upsample_image_free(g->ctx, &image);
    return result;
}

static vo_result draw(gallery *g) {
    VO_TRY(add_columns(g));
    VO_TRY(add_harmonics(g));
    VO_TRY(place_surfaces(g));
    return save_image(g);
}

static vo_result show(const vo_vru *vru, const vo_upsample_show_def *def, int count) {
    gallery g = {.ctx = vru->ctx, .def = def, .vru = vru, .mesh = &vru->pairs->fine};
    size_t values = vo_array_bytes((size_t)count, (size_t)g.mesh->vertex_count);
    g.values = vo_alloc(g.ctx, vo_array_bytes(values, sizeof(float)));
    g.positions = vo_alloc(g.ctx, vo_array_bytes(values, 3 * sizeof(float)));
    vo_result result = g.values && g.positions ? draw(&g) : vo_fail_memory(g.ctx, "images");
    vo_free(g.ctx, g.values, vo_array_bytes(values, sizeof(float)));
    vo_free(g.ctx, g.positions, vo_array_bytes(values, 3 * sizeof(float)));
    return result;
}

vo_result vo_upsample_show(vo_context *ctx, const vo_upsample_show_def *def) {
    vo_vru *vru;
    int count = def->column_count + def->harmonic_count;
    if (!def->input || !def->image)
        return vo_fail(ctx, VO_BAD_ARGUMENT, "%s is missing", def->input ? "image" : "input");
    if (count < 1)
        return vo_fail(ctx, VO_BAD_ARGUMENT, "columns and harmonics are empty; choose one");
    VO_TRY(vo_vru_load(ctx, def->input, &vru));
    vo_result result = show(vru, def, count);
    vo_vru_destroy(vru);
    return result;
}
