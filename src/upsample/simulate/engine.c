/* A scene in the real-time engine. */
#include "upsample/simulate/engine.h"

#include "core/memory.h"
#include "sew/sew.h"

#include <math.h>
#include <string.h>

/* Changes that every scene needs: the base mesh is the mesh of the cloth. */
static const char *const level_zero[] = {"engine=\"realtime\"", "realtime.levels=0",
                                         "realtime.faces=0", "adapt=\"full\""};
enum { LEVEL_ZERO = sizeof level_zero / sizeof *level_zero };

static vo_result load_scene(vo_context *ctx, const char *path, int count,
                            const char *const *overrides, vo_scene **out) {
    const char **all = vo_new_array(ctx, const char *, count + LEVEL_ZERO);
    *out = NULL;
    if (!all) return vo_fail_memory(ctx, "a scene");
    for (int i = 0; i < count; i++) all[i] = overrides[i];
    for (int i = 0; i < LEVEL_ZERO; i++) all[count + i] = level_zero[i];
    vo_result result = vo_scene_load(ctx, path, count + LEVEL_ZERO, all, out);
    vo_free_array(ctx, all, count + LEVEL_ZERO);
    return result;
}

static vo_result check_cloth(const vo_upsample_engine *e, const char *path) {
    if (e->cloth >= 0 && e->cloth < e->scene->cloth_count) return VO_OK;
    return vo_fail(e->ctx, VO_BAD_DATA, "%s: upsampling.cloth: is %d; the scene has cloths 0 to %d",
                   path, e->cloth, e->scene->cloth_count - 1);
}

vo_result vo_upsample_engine_load(vo_context *ctx, const char *path, int override_count,
                                  const char *const *overrides, vo_upsample_engine *out) {
    *out = (vo_upsample_engine){.ctx = ctx};
    VO_TRY(load_scene(ctx, path, override_count, overrides, &out->scene));
    vo_result result = vo_realtime_check_scene(ctx, out->scene);
    if (result == VO_OK) result = vo_sim_create_sewn(ctx, out->scene, NULL, NULL, &out->sim);
    if (result != VO_OK) vo_upsample_engine_close(out);
    return result;
}

static vo_result create_realtime(vo_upsample_engine *e, const char *path) {
    VO_TRY(check_cloth(e, path));
    return vo_realtime_create(e->sim, &e->realtime);
}

vo_result vo_upsample_engine_open(vo_context *ctx, const char *path, int override_count,
                                  const char *const *overrides, int cloth,
                                  vo_upsample_engine *out) {
    VO_TRY(vo_upsample_engine_load(ctx, path, override_count, overrides, out));
    out->cloth = cloth;
    vo_result result = create_realtime(out, path);
    if (result != VO_OK) vo_upsample_engine_close(out);
    return result;
}

void vo_upsample_engine_close(vo_upsample_engine *e) {
    vo_realtime_destroy(e->realtime);
    vo_sim_destroy(e->sim);
    vo_scene_destroy(e->scene);
    *e = (vo_upsample_engine){.ctx = e->ctx, .cloth = e->cloth};
}

/* ---- mesh ----------------------------------------------------------------------------------- */

static const vo_mesh *mesh_of(const vo_upsample_engine *e) { return e->sim->cloth[e->cloth].mesh; }

static vo_rt_leaf_view leaves(const vo_upsample_engine *e) {
    return vo_rt_cloth_get_leaves(vo_realtime_get_cloth(e->realtime, e->cloth));
}

void vo_upsample_engine_count(const vo_upsample_engine *e, int *vertices, int *triangles) {
    *vertices = mesh_of(e)->node_count;
    *triangles = mesh_of(e)->face_count;
}

/* Slot 0 is not a vertex; at level 0 slot i + 1 is vertex i. */
const float *vo_upsample_engine_positions(const vo_upsample_engine *e) {
    return leaves(e).positions + 4;
}
const float *vo_upsample_engine_velocities(const vo_upsample_engine *e) {
    return leaves(e).velocities + 4;
}

void vo_upsample_engine_copy_frame(const vo_upsample_engine *e, float *out) {
    const float *x = vo_upsample_engine_positions(e);
    for (int i = 0; i < mesh_of(e)->node_count; i++) memcpy(out + 3 * i, x + 4 * i, 3 * sizeof *x);
}

static void add_masses(const vo_upsample_engine *e, vo_upsample_mesh *m) {
    double density = (double)vo_realtime_get_density(e->realtime, e->cloth);
    memset(m->mass, 0, (size_t)m->vertex_count * sizeof *m->mass);
    for (int f = 0; f < m->triangle_count; f++) {
        const vo_rt_vec2 *u = &m->coordinate[3 * f];
        double ax = (double)u[1].x - (double)u[0].x, ay = (double)u[1].y - (double)u[0].y;
        double bx = (double)u[2].x - (double)u[0].x, by = (double)u[2].y - (double)u[0].y;
        float third = (float)(density * fabs(ax * by - ay * bx) / 6);
        for (int i = 0; i < 3; i++) m->mass[m->triangle[3 * f + i]] += third;
    }
}

void vo_upsample_engine_describe(const vo_upsample_engine *e, vo_upsample_mesh *m) {
    const vo_mesh *mesh = mesh_of(e);
    for (int n = 0; n < mesh->node_count; n++) {
        vo_vec3 x = mesh->node_x[n];
        m->position[n] = (vo_rt_vec3){(float)x.x, (float)x.y, (float)x.z};
    }
    for (int i = 0; i < 3 * mesh->face_count; i++) {
        int vert = mesh->face_vert[i / 3][i % 3];
        m->triangle[i] = mesh->vert_node[vert];
        m->coordinate[i] = (vo_rt_vec2){(float)mesh->vert_u[vert].x, (float)mesh->vert_u[vert].y};
    }
    add_masses(e, m);
    vo_realtime_list_attachments(e->realtime, e->cloth, m->attachment);
}

/* Fails unless the fine cloth is finer and of the same size. */
static vo_result check_resolution(const vo_upsample_pairs *p, const char *name) {
    double coarse = (double)vo_upsample_mesh_size(&p->coarse);
    double fine = (double)vo_upsample_mesh_size(&p->fine);
    if (p->fine.vertex_count <= p->coarse.vertex_count)
        return vo_fail(
            p->ctx, VO_BAD_DATA,
            "%s: the fine cloth has %d vertices and the coarse one %d; the fine one needs "
            "more (give the coarse run first, or change upsampling.fine of the scene)",
            name, p->fine.vertex_count, p->coarse.vertex_count);
    if (fabs(fine - coarse) > 0.1 * coarse)
        return vo_fail(
            p->ctx, VO_BAD_DATA,
            "%s: the fine cloth has a size of %.3f m and the coarse one of %.3f m; use two "
            "resolutions of the same garment",
            name, fine, coarse);
    return VO_OK;
}

vo_result vo_upsample_engine_create_pairs(const vo_upsample_engine *coarse,
                                          const vo_upsample_engine *fine, const char *name,
                                          int frame_count, vo_upsample_pairs **out) {
    size_t bytes;
    const vo_rt_asset *asset = vo_realtime_get_asset(coarse->realtime, coarse->cloth);
    const void *data = vo_rt_asset_get_data(asset, &bytes);
    vo_upsample_pairs_size size = {.sequences = 1, .frames = frame_count, .asset_bytes = bytes};
    vo_upsample_engine_count(coarse, &size.coarse_vertices, &size.coarse_triangles);
    vo_upsample_engine_count(fine, &size.fine_vertices, &size.fine_triangles);
    VO_TRY(vo_upsample_pairs_create(coarse->ctx, &size, out));
    vo_upsample_engine_describe(coarse, &(*out)->coarse);
    vo_upsample_engine_describe(fine, &(*out)->fine);
    memcpy((*out)->asset, data, bytes);
    (*out)->frame_s = (float)coarse->scene->def.frame_time;
    return check_resolution(*out, name);
}

/* ---- measures ------------------------------------------------------------------------------- */

enum { STRAIN_BINS = 4096 };
static const double STRAIN_RANGE = 1; /* of the histogram */

/* Absolute strain of the edge between corners i and i + 1 of a face. */
static double edge_strain(const vo_mesh *mesh, const float *x, int f, int i) {
    int a = mesh->face_vert[f][i], b = mesh->face_vert[f][(i + 1) % 3];
    const float *p = x + 4 * mesh->vert_node[a], *q = x + 4 * mesh->vert_node[b];
    double dx = (double)p[0] - (double)q[0], dy = (double)p[1] - (double)q[1];
    double dz = (double)p[2] - (double)q[2];
    double rest = v2_length(v2_sub(mesh->vert_u[a], mesh->vert_u[b]));
    return rest > 0 ? fabs(sqrt(dx * dx + dy * dy + dz * dz) / rest - 1) : 0;
}

void vo_upsample_engine_measure_strain(const vo_upsample_engine *e, const float *x,
                                       vo_upsample_frame_stats *stats) {
    const vo_mesh *mesh = mesh_of(e);
    int bin[STRAIN_BINS] = {0}, count = 3 * mesh->face_count, below = 0, b = 0;
    double most = 0;
    for (int i = 0; i < count; i++) {
        double s = edge_strain(mesh, x, i / 3, i % 3);
        most = fmax(most, s);
        bin[(int)fmin(s / STRAIN_RANGE * STRAIN_BINS, STRAIN_BINS - 1)]++;
    }
    while (b < STRAIN_BINS - 1 && (below += bin[b]) < 0.99 * count) b++;
    stats->strain = (float)((b + 1) * STRAIN_RANGE / STRAIN_BINS);
    stats->max_strain = (float)most;
}

vo_result vo_upsample_engine_measure(const vo_upsample_engine *e, vo_upsample_frame_stats *stats) {
    const float *x = vo_upsample_engine_positions(e);
    int inside = 0;
    double depth = 0;
    vo_upsample_engine_measure_strain(e, x, stats);
    for (int i = 0; i < mesh_of(e)->node_count; i++) {
        if (!(x[4 * i + 3] > 0)) continue; /* attached */
        double d = vo_realtime_measure_depth(
            e->realtime, v3((double)x[4 * i], (double)x[4 * i + 1], (double)x[4 * i + 2]));
        inside += d > 0;
        depth = fmax(depth, d);
    }
    stats->inside = (float)inside;
    stats->penetration = (float)depth;
    return VO_OK;
}

/* ---- state ---------------------------------------------------------------------------------- */

vo_result vo_upsample_engine_save(vo_upsample_engine *e, vo_vof_writer *writer, const char *path) {
    VO_TRY(vo_realtime_update_meshes(e->realtime));
    return vo_realtime_save(e->realtime, writer, true, path);
}

vo_result vo_upsample_engine_restore(vo_upsample_engine *e, const char *path) {
    vo_vof_reader *reader;
    VO_TRY(vo_vof_open(e->ctx, path, &reader));
    vo_realtime_destroy(e->realtime);
    vo_sim_destroy(e->sim);
    e->realtime = NULL;
    e->sim = NULL;
    vo_result result = vo_sim_create_for_frames(e->ctx, e->scene, &e->sim);
    if (result == VO_OK) result = vo_realtime_restore(e->sim, reader, reader, path, &e->realtime);
    vo_vof_close(reader);
    return result;
}
