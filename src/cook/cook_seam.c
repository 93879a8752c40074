/* Seaming of meshes. Simnett et al. 2009, section 4: linked pieces are pulled together by
 * simulation at the base level, around the body if there is one, without gravity; then they are
 * merged. */
#include "cook/cook.h"
#include "core/file.h"
#include "core/memory.h"
#include "rt/asset/asset.h"

#include <stdio.h>

enum { MAX_STEPS = 600, PATIENCE = 60 /* steps without progress */ };

#define STEP_TIME     (1.0f / 60) /* s */
#define CLOSED_GAP    0.002       /* m, ends the simulation */
#define WARNING_GAP   0.01        /* m */
#define PULL_DAMPING  4.0f        /* 1/s, keeps pieces from overshooting */
#define MIN_PROGRESS  0.99        /* of the gap, per PATIENCE steps */
#define BYTES_PER_TRI 4096        /* of the world's pool, generous for the base level */

typedef struct pull {
    const vo_cooking *c;
    const vo_rt_asset *asset; /* with links */
    vo_rt_world *world;
    vo_rt_cloth *cloth;
    int widest;           /* link of the largest gap */
    double gap, best_gap; /* m */
    int best_step;
} pull;

static vo_rt_vec3 link_end(const pull *p, int vertex) {
    return vo_rt_cloth_get_vertex(p->cloth, vertex);
}

/* Updates the largest distance of linked vertices. */
static void measure_gap(pull *p) {
    p->gap = 0;
    for (int i = 0; i < p->asset->link_count; i++) {
        vo_rt_vec3 a = link_end(p, p->asset->link[i].a), b = link_end(p, p->asset->link[i].b);
        double gap = v3_length(
            v3((double)b.x - (double)a.x, (double)b.y - (double)a.y, (double)b.z - (double)a.z));
        if (gap > p->gap) p->gap = gap, p->widest = i;
    }
}

/* True if the gaps are closed or have stopped shrinking. */
static bool is_finished(pull *p, int step) {
    measure_gap(p);
    if (p->gap < CLOSED_GAP) return true;
    if (step == 0 || p->gap < MIN_PROGRESS * p->best_gap) p->best_gap = p->gap, p->best_step = step;
    return step - p->best_step > PATIENCE;
}

static vo_result fail_world(const pull *p, vo_result result) {
    vo_rt_message message;
    snprintf(message.text, sizeof message.text, "%s", vo_rt_world_message(p->world));
    return vo_cook_fail(p->c->ctx, p->c->def->input, result, &message);
}

static vo_result step_until_closed(pull *p) {
    for (int step = 0; step < MAX_STEPS && !is_finished(p, step); step++) {
        VO_TRY(vo_check_cancel(p->c->ctx));
        vo_result result = vo_rt_world_step(p->world, STEP_TIME);
        if (result != VO_OK) return fail_world(p, result);
    }
    if (p->gap > WARNING_GAP)
        vo_log_line(p->c->ctx, VO_LOG_WARNING,
                    "%s: vertices %d and %d are %.0f mm apart when they are merged; place the "
                    "pieces closer together, or check that linked borders have similar lengths",
                    p->c->def->links, (int)p->asset->link[p->widest].a,
                    (int)p->asset->link[p->widest].b, 1000 * p->gap);
    return VO_OK;
}

/* Adds the body in its rest pose. */
static vo_result add_body(const pull *p) {
    const vo_mesh *mesh = vo_body_rest_mesh(p->c->body);
    vo_context *ctx = p->c->ctx;
    vo_rt_body_def def = vo_rt_body_def_default();
    vo_rt_body *body;
    vo_rt_vec3 *x = vo_new_array(ctx, vo_rt_vec3, mesh->node_count);
    int32_t *triangles = vo_new_array(ctx, int32_t, 3 * mesh->face_count);
    vo_result result = VO_NO_MEMORY;
    if (x && triangles) {
        for (int n = 0; n < mesh->node_count; n++)
            x[n] = (vo_rt_vec3){(float)mesh->node_x[n].x, (float)mesh->node_x[n].y,
                                (float)mesh->node_x[n].z};
        for (int i = 0; i < 3 * mesh->face_count; i++)
            triangles[i] = vo_mesh_face_node(mesh, i / 3, i % 3);
        def.vertex_count = mesh->node_count;
        def.positions = x;
        def.triangle_count = mesh->face_count;
        def.triangles = triangles;
        result = vo_rt_body_create(p->world, &def, &body);
    }
    vo_free_array(ctx, x, mesh->node_count);
    vo_free_array(ctx, triangles, 3 * mesh->face_count);
    return result == VO_OK ? VO_OK : fail_world(p, result);
}

static vo_result add_cloth(pull *p) {
    vo_rt_cloth_def def = vo_rt_cloth_def_default();
    vo_rt_fabric fabric = p->asset->fabric;
    def.asset = p->asset;
    fabric.damping = PULL_DAMPING;
    vo_result result = vo_rt_cloth_create(p->world, &def, &p->cloth);
    if (result == VO_OK) result = vo_rt_cloth_set_fabric(p->cloth, fabric);
    return result == VO_OK ? VO_OK : fail_world(p, result);
}

static vo_result create_world(pull *p) {
    vo_rt_world_def def = vo_rt_world_def_default();
    vo_rt_message message = {{0}};
    def.allocator = p->c->ctx->allocator;
    def.gravity = (vo_rt_vec3){0, 0, 0};
    def.max_cloths = def.max_bodies = 1;
    def.pool_bytes += (size_t)p->asset->triangle_count * BYTES_PER_TRI;
    vo_result result = vo_rt_world_create(&def, &p->world, &message);
    if (result != VO_OK) return vo_cook_fail(p->c->ctx, p->c->def->input, result, &message);
    if (p->c->body) VO_TRY(add_body(p));
    return add_cloth(p);
}

/* Simulates the linked pieces; `positions` [node_count] receives their vertices. */
static vo_result pull_together(const vo_cooking *c, const vo_rt_asset *linked,
                               vo_rt_vec3 *positions) {
    pull p = {.c = c, .asset = linked};
    vo_result result = create_world(&p);
    if (result == VO_OK) result = step_until_closed(&p);
    for (int v = 0; result == VO_OK && v < linked->vertex_count; v++)
        positions[v] = vo_rt_cloth_get_vertex(p.cloth, v);
    vo_rt_world_destroy(p.world);
    return result;
}

static vo_result read_links(const vo_cooking *c, vo_rt_seaming *seaming) {
    vo_rt_message message = {{0}};
    vo_bytes text;
    VO_TRY(vo_file_read(c->ctx, c->def->links, &text));
    vo_result result = vo_rt_seaming_read(seaming, text.data, text.size, &message);
    vo_bytes_free(c->ctx, &text);
    return vo_cook_fail(c->ctx, c->def->links, result, &message);
}

static vo_result create_asset(const vo_cooking *c, const vo_rt_seaming *seaming, bool merge,
                              const vo_rt_vec3 *positions, vo_rt_asset **out) {
    vo_rt_message message = {{0}};
    vo_result result = vo_rt_seaming_create_asset(seaming, merge, positions, out, &message);
    return vo_cook_fail(c->ctx, c->def->links, result, &message);
}

vo_result vo_cook_seam(const vo_cooking *c, vo_rt_seaming *seaming, vo_rt_asset **out) {
    vo_rt_asset *linked;
    VO_TRY(read_links(c, seaming));
    VO_TRY(create_asset(c, seaming, false, NULL, &linked));
    int count = linked->vertex_count;
    vo_rt_vec3 *positions = vo_new_array(c->ctx, vo_rt_vec3, count);
    vo_result result =
        positions ? pull_together(c, linked, positions) : vo_fail_memory(c->ctx, "a seam");
    if (result == VO_OK) result = create_asset(c, seaming, true, positions, out);
    vo_free_array(c->ctx, positions, count);
    vo_rt_asset_destroy(linked);
    return result;
}
