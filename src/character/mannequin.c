#include "character/mannequin.h"

#include "character/mannequin_implicit.h"
#include "collide/intersections.h"
#include "core/memory.h"
#include "mesh/polygonise.h"

#include <string.h>

enum { MOST_TRIES = 12 };

vo_mannequin_def vo_mannequin_def_default(void) {
    return (vo_mannequin_def){.height = 1.75,
                              .shoulders = 1,
                              .chest = 1,
                              .waist = 1,
                              .hips = 1,
                              .limbs = 1,
                              .faces = 20000};
}

static vo_result check_range(vo_context *ctx, const char *name, double x, double low, double high) {
    if (x >= low && x <= high) return VO_OK;
    return vo_fail(ctx, VO_BAD_ARGUMENT, "mannequin: %s is %g; it must be between %g and %g", name,
                   x, low, high);
}

static vo_result check_def(vo_context *ctx, const vo_mannequin_def *d) {
    VO_TRY(check_range(ctx, "height", d->height, 0.5, 3));
    VO_TRY(check_range(ctx, "build", d->build, -1, 1));
    VO_TRY(check_range(ctx, "figure", d->figure, -1, 1));
    VO_TRY(check_range(ctx, "shoulders", d->shoulders, 0.7, 1.5));
    VO_TRY(check_range(ctx, "chest", d->chest, 0.7, 1.5));
    VO_TRY(check_range(ctx, "waist", d->waist, 0.7, 1.5));
    VO_TRY(check_range(ctx, "hips", d->hips, 0.7, 1.5));
    VO_TRY(check_range(ctx, "limbs", d->limbs, 0.7, 1.5));
    return check_range(ctx, "faces", d->faces, VO_MANNEQUIN_MIN_FACES, VO_MANNEQUIN_MAX_FACES);
}

/* Returns a skeleton whose widths match the girths of the mannequin. */
static vo_skeleton skeleton_for(const vo_mannequin_def *d) {
    double heavy = vo_max(d->build, 0), slim = vo_max(-d->build, 0);
    vo_skeleton_def s = {.height = d->height};
    s.shoulder_width =
        0.2 * d->height * d->shoulders * (1 + 0.05 * heavy - 0.03 * slim) * (1 - 0.05 * d->figure);
    s.hip_width =
        0.1 * d->height * d->hips * (1 + 0.12 * heavy - 0.05 * slim) * (1 + 0.02 * d->figure);
    return vo_skeleton_make(&s);
}

/* Parameters of the surface extraction. */
typedef struct extraction {
    const vo_implicit_body *body;
    double cell; /* m, cell size of a uniform lattice that gives the requested number of faces */
    double fine; /* m, cell size of the lattice in use, small enough for all details */
} extraction;

/* Returns the target edge length on a detail, m. */
static double detail_size(const extraction *q, const vo_detail *d) {
    return vo_min(q->cell, vo_max(d->max_edge, d->min_edge_ratio * q->cell));
}

/* Returns the target edge length at p, m: it grows from the details to `cell` within about their
 * radius. */
static double edge_size(const void *arg, vo_vec3 p) {
    const extraction *q = arg;
    double size = q->cell;
    p.x = fabs(p.x);
    for (int i = 0; i < VO_MAX_DETAILS; i++) {
        const vo_detail *d = &q->body->detail[i];
        double own = detail_size(q, d), beyond = v3_distance(p, d->centre) - d->radius;
        size = vo_min(size, own + 0.1 * vo_max(beyond, 0));
    }
    return size;
}

static vo_polygonise_def lattice_of(const vo_implicit_body *body, double cell) {
    vo_polygonise_def def = vo_polygonise_def_default();
    vo_vec3 margin = v3(3 * cell, 3 * cell, 3 * cell);
    def.low = v3_sub(body->low, margin);
    def.low.x =
        cell * floor(def.low.x / cell); /* lattice corners on x = 0 make left and right equal */
    def.high = v3_add(body->high, margin);
    def.cell = cell;
    return def;
}

/* Finds the cell sizes; the number of faces is proportional to the inverse square of the cell
 * size. */
static vo_result find_cells(vo_context *ctx, int faces, extraction *q) {
    vo_surface_parts trial = {.ctx = ctx};
    double unit = q->body->height / 1.75;
    vo_polygonise_def def = lattice_of(q->body, 0.021 * unit);
    def.rounds = 0;
    vo_result result =
        vo_polygonise(ctx, &def, (vo_field){vo_implicit_body_value, q->body}, &trial);
    q->cell = def.cell * sqrt((double)trial.face_count / faces);
    q->fine = q->cell;
    for (int i = 0; i < VO_MAX_DETAILS; i++)
        q->fine = vo_min(q->fine, detail_size(q, &q->body->detail[i]));
    vo_surface_parts_free(&trial);
    return result;
}

/* Sets *sound if the surface is one component of genus 0 (V - E + F = 2, where E = 3/2 F) without
 * self-intersections. */
static vo_result is_sound(vo_context *ctx, const vo_surface_parts *s, bool *sound) {
    *sound = false;
    if (2 * s->node_count - s->face_count != 4) return VO_OK;
    vo_intersections crossings = {0};
    vo_face_soup soup = {s->node_x, (const int(*)[3])s->face, s->face_count, s->face_count};
    vo_result result = vo_intersections_find(ctx, &crossings, &soup);
    *sound = crossings.count == 0;
    vo_intersections_free(ctx, &crossings);
    return result;
}

/* Extracts the surface. Finger tips are about as small as the cells, so their topology depends on
 * the position of the lattice: a surface that is not sound is extracted again with slightly smaller
 * cells. */
static vo_result make_surface(vo_context *ctx, const vo_implicit_body *body, int faces,
                              vo_surface_parts *out) {
    extraction q = {.body = body};
    VO_TRY(find_cells(ctx, faces, &q));
    for (int i = 0; i < MOST_TRIES; i++) {
        bool sound;
        vo_polygonise_def def = lattice_of(body, q.fine * (1 - 0.005 * i));
        def.rounds = 12;
        def.faces = faces;
        def.size = (vo_field){edge_size, &q};
        out->node_count = out->face_count = 0;
        VO_TRY(vo_polygonise(ctx, &def, (vo_field){vo_implicit_body_value, body}, out));
        VO_TRY(is_sound(ctx, out, &sound));
        if (sound) return VO_OK;
    }
    return vo_fail(ctx, VO_BAD_ARGUMENT,
                   "mannequin: parts of the body touch at these sizes and %d faces; choose sizes "
                   "nearer to 1 or more faces",
                   faces);
}

/* Moves nodes and faces of the surface into the skin. */
static vo_result store_surface(vo_context *ctx, const vo_surface_parts *s, vo_mannequin *m) {
    VO_TRY(vo_skin_create(ctx, s->node_count, &m->skin));
    size_t bytes = vo_array_bytes((size_t)s->face_count, sizeof *m->face);
    m->face = vo_alloc(ctx, bytes);
    if (!m->face) return vo_fail_memory(ctx, "the faces of a mannequin");
    m->face_count = s->face_count;
    memcpy(m->face, s->face, bytes);
    memcpy(m->skin.rest, s->node_x, (size_t)s->node_count * sizeof *s->node_x);
    return VO_OK;
}

static vo_result build(vo_context *ctx, const vo_implicit_body *body, int faces,
                       vo_surface_parts *surface, vo_mannequin *m) {
    VO_TRY(make_surface(ctx, body, faces, surface));
    VO_TRY(store_surface(ctx, surface, m));
    return vo_mannequin_compute_weights(ctx, body, m->face_count, (const int(*)[3])m->face,
                                        &m->skin);
}

vo_result vo_mannequin_create(vo_context *ctx, const vo_mannequin_def *def, vo_mannequin *out) {
    *out = (vo_mannequin){0};
    VO_TRY(check_def(ctx, def));
    out->skeleton = skeleton_for(def);
    vo_implicit_body *body = vo_new(ctx, vo_implicit_body);
    if (!body) return vo_fail_memory(ctx, "the primitives of a mannequin");
    vo_implicit_body_make(def, &out->skeleton, body);
    vo_surface_parts surface = {.ctx = ctx};
    int made = vo_max_int(def->faces, VO_MANNEQUIN_MIN_LATTICE_FACES);
    vo_result result = build(ctx, body, made, &surface, out);
    if (result == VO_OK && def->faces < made) result = vo_mannequin_decimate(ctx, out, def->faces);
    vo_surface_parts_free(&surface);
    vo_delete(ctx, body);
    if (result != VO_OK) vo_mannequin_free(ctx, out);
    return result;
}

vo_result vo_mannequin_create_skeleton(vo_context *ctx, const vo_mannequin_def *def,
                                       vo_mannequin *out) {
    *out = (vo_mannequin){0};
    VO_TRY(check_def(ctx, def));
    out->skeleton = skeleton_for(def);
    return VO_OK;
}

vo_result vo_mannequin_copy(vo_context *ctx, const vo_mannequin *m, vo_mannequin *out) {
    size_t n = (size_t)m->skin.node_count, bytes = (size_t)m->face_count * sizeof *m->face;
    *out = (vo_mannequin){.skeleton = m->skeleton};
    VO_TRY(vo_skin_create(ctx, m->skin.node_count, &out->skin));
    out->face = vo_alloc(ctx, bytes);
    if (!out->face) {
        vo_mannequin_free(ctx, out);
        return vo_fail_memory(ctx, "a mannequin");
    }
    out->face_count = m->face_count;
    memcpy(out->face, m->face, bytes);
    memcpy(out->skin.rest, m->skin.rest, n * sizeof *m->skin.rest);
    memcpy(out->skin.bone, m->skin.bone, n * sizeof *m->skin.bone);
    memcpy(out->skin.weight, m->skin.weight, n * sizeof *m->skin.weight);
    return VO_OK;
}

void vo_mannequin_free(vo_context *ctx, vo_mannequin *m) {
    vo_skin_free(ctx, &m->skin);
    vo_free_array(ctx, m->face, m->face_count);
    *m = (vo_mannequin){0};
}
