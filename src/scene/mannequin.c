#include "scene/mannequin.h"

#include "collide/crossings.h"
#include "core/memory.h"
#include "mesh/polygonise.h"
#include "scene/mannequin_form.h"

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
    return vo_fail(ctx, VO_BAD_CALL, "mannequin: %s is %g; it must be between %g and %g", name, x,
                   low, high);
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
    return check_range(ctx, "faces", d->faces, VO_MANNEQUIN_COARSEST, VO_MANNEQUIN_MOST_FACES);
}

/* Bones as far apart as the girths around them ask for. */
static vo_skeleton skeleton_for(const vo_mannequin_def *d) {
    double heavy = vo_max(d->build, 0), slim = vo_max(-d->build, 0);
    vo_skeleton_def s = {.height = d->height};
    s.shoulder_width =
        0.2 * d->height * d->shoulders * (1 + 0.05 * heavy - 0.03 * slim) * (1 - 0.05 * d->figure);
    s.hip_width =
        0.1 * d->height * d->hips * (1 + 0.12 * heavy - 0.05 * slim) * (1 + 0.02 * d->figure);
    return vo_skeleton_make(&s);
}

/* What is to be made. */
typedef struct plan {
    const vo_body_form *body;
    double cell; /* m, of the lattice that gives as many faces as asked for, alike everywhere */
    double fine; /* m, of the lattice that is used: fine enough for all details */
} plan;

/* m, how long edges should be on a detail. */
static double detail_size(const plan *q, const vo_detail *d) {
    return vo_min(q->cell, vo_max(d->edge, d->least * q->cell));
}

/* m, how long edges should be: growing from the details to `cell` within about their radius. */
static double edge_size(const void *arg, vo_vec3 p) {
    const plan *q = arg;
    double size = q->cell;
    p.x = fabs(p.x);
    for (int i = 0; i < VO_DETAILS; i++) {
        const vo_detail *d = &q->body->detail[i];
        double own = detail_size(q, d), beyond = v3_distance(p, d->middle) - d->radius;
        size = vo_min(size, own + 0.1 * vo_max(beyond, 0));
    }
    return size;
}

static vo_polygonise_def lattice_of(const vo_body_form *body, double cell) {
    vo_polygonise_def def = vo_polygonise_def_default();
    vo_vec3 margin = v3(3 * cell, 3 * cell, 3 * cell);
    def.low = v3_sub(body->low, margin);
    def.low.x = cell * floor(def.low.x / cell); /* corners on x = 0: left and right alike */
    def.high = v3_add(body->high, margin);
    def.cell = cell;
    return def;
}

/* The widths of cells: the number of faces goes with the inverse square. */
static vo_result find_cells(vo_context *ctx, int faces, plan *q) {
    vo_surface_parts trial = {.ctx = ctx};
    double unit = q->body->height / 1.75;
    vo_polygonise_def def = lattice_of(q->body, 0.021 * unit);
    def.rounds = 0;
    vo_result result = vo_polygonise(ctx, &def, (vo_field){vo_body_form_value, q->body}, &trial);
    q->cell = def.cell * sqrt((double)trial.face_count / faces);
    q->fine = q->cell;
    for (int i = 0; i < VO_DETAILS; i++)
        q->fine = vo_min(q->fine, detail_size(q, &q->body->detail[i]));
    vo_surface_parts_free(&trial);
    return result;
}

/* Of one piece and without a hole: 2 = nodes - edges + faces, with three edges for two faces; and
 * no face passes through another. */
static vo_result is_sound(vo_context *ctx, const vo_surface_parts *s, bool *sound) {
    *sound = false;
    if (2 * s->node_count - s->face_count != 4) return VO_OK;
    vo_crossings crossings = {0};
    vo_face_soup soup = {s->node_x, (const int(*)[3])s->face, s->face_count, s->face_count};
    vo_result result = vo_crossings_find(ctx, &crossings, &soup);
    *sound = crossings.count == 0;
    vo_crossings_free(ctx, &crossings);
    return result;
}

/* Finger tips are about as fine as the cells, and how they come out depends on how the lattice
 * lies: a body that is not sound is made again with slightly smaller cells. */
static vo_result make_surface(vo_context *ctx, const vo_body_form *body, int faces,
                              vo_surface_parts *out) {
    plan q = {.body = body};
    VO_TRY(find_cells(ctx, faces, &q));
    for (int i = 0; i < MOST_TRIES; i++) {
        bool sound;
        vo_polygonise_def def = lattice_of(body, q.fine * (1 - 0.005 * i));
        def.rounds = 12;
        def.faces = faces;
        def.size = (vo_field){edge_size, &q};
        out->node_count = out->face_count = 0;
        VO_TRY(vo_polygonise(ctx, &def, (vo_field){vo_body_form_value, body}, out));
        VO_TRY(is_sound(ctx, out, &sound));
        if (sound) return VO_OK;
    }
    return vo_fail(ctx, VO_BAD_CALL,
                   "mannequin: parts of the body touch at these sizes and %d faces; choose sizes "
                   "nearer to 1 or more faces",
                   faces);
}

/* Nodes and faces of the surface as skin. */
static vo_result take_surface(vo_context *ctx, const vo_surface_parts *s, vo_mannequin *m) {
    VO_TRY(vo_skin_create(ctx, s->node_count, &m->skin));
    size_t bytes = vo_array_bytes((size_t)s->face_count, sizeof *m->face);
    m->face = vo_alloc(ctx, bytes);
    if (!m->face) return vo_fail_memory(ctx, "the faces of a mannequin");
    m->face_count = s->face_count;
    memcpy(m->face, s->face, bytes);
    memcpy(m->skin.rest, s->node_x, (size_t)s->node_count * sizeof *s->node_x);
    return VO_OK;
}

static vo_result build(vo_context *ctx, const vo_body_form *body, int faces,
                       vo_surface_parts *surface, vo_mannequin *m) {
    VO_TRY(make_surface(ctx, body, faces, surface));
    VO_TRY(take_surface(ctx, surface, m));
    return vo_mannequin_weigh(ctx, body, m->face_count, (const int(*)[3])m->face, &m->skin);
}

vo_result vo_mannequin_create(vo_context *ctx, const vo_mannequin_def *def, vo_mannequin *out) {
    *out = (vo_mannequin){0};
    VO_TRY(check_def(ctx, def));
    out->skeleton = skeleton_for(def);
    vo_body_form *body = vo_new(ctx, vo_body_form);
    if (!body) return vo_fail_memory(ctx, "the forms of a mannequin");
    vo_body_form_make(def, &out->skeleton, body);
    vo_surface_parts surface = {.ctx = ctx};
    int made = vo_max_int(def->faces, VO_MANNEQUIN_LEAST_FACES);
    vo_result result = build(ctx, body, made, &surface, out);
    if (result == VO_OK && def->faces < made) result = vo_mannequin_thin(ctx, out, def->faces);
    vo_surface_parts_free(&surface);
    vo_delete(ctx, body);
    if (result != VO_OK) vo_mannequin_free(ctx, out);
    return result;
}

vo_result vo_mannequin_create_bones(vo_context *ctx, const vo_mannequin_def *def,
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
    memcpy(out->skin.share, m->skin.share, n * sizeof *m->skin.share);
    return VO_OK;
}

void vo_mannequin_free(vo_context *ctx, vo_mannequin *m) {
    vo_skin_free(ctx, &m->skin);
    vo_free_array(ctx, m->face, m->face_count);
    *m = (vo_mannequin){0};
}

vo_bone vo_mannequin_face_bone(const vo_mannequin *m, int face) {
    double sum[VO_BONE_COUNT] = {0};
    int best = 0;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < VO_SKIN_BONES; i++) {
            int node = m->face[face][k];
            sum[m->skin.bone[node][i]] += m->skin.share[node][i];
        }
    for (int b = 1; b < VO_BONE_COUNT; b++)
        if (sum[b] > sum[best]) best = b;
    return (vo_bone)best;
}

vo_result vo_mannequin_mesh(vo_context *ctx, const vo_mannequin *m, const vo_body_pose *pose,
                            vo_mesh **out) {
    *out = NULL;
    vo_transform motion[VO_BONE_COUNT];
    vo_skeleton_motion(&m->skeleton, pose, motion);
    int nodes = m->skin.node_count;
    vo_vec3 *x = vo_new_array(ctx, vo_vec3, nodes);
    if (!x) return vo_fail_memory(ctx, "a posed mannequin");
    vo_skin_place(ctx, &m->skin, VO_SKINNING_DUAL_QUATERNION, motion, x);
    vo_result result = vo_mesh_create(ctx, nodes, x, 0, NULL, NULL, m->face_count,
                                      (const int(*)[3])m->face, VO_MESH_FOR_OBSTACLE, out);
    vo_free_array(ctx, x, nodes);
    return result;
}
