/* Sewn garments in the cache. */
#include "sew/sew_cache.h"

#include "codec/cache.h"
#include "codec/hash.h"
#include "core/memory.h"
#include "sew/source_hash.h"

#include <string.h>

static const char KIND[] = "garment";

/* ---- key ------------------------------------------------------------------------------------ */

#define ADD(key, value) (*(key) = vo_hash_more(*(key), &(value), sizeof(value)))

static void add_array(uint64_t *key, const void *data, int count, size_t size) {
    ADD(key, count);
    if (data && count > 0) *key = vo_hash_more(*key, data, (size_t)count * size);
}

static void add_text(uint64_t *key, const char *text) {
    add_array(key, text, text ? (int)strlen(text) : -1, 1);
}

#define ADD_ARRAY(key, data, count) add_array((key), (data), (count), sizeof *(data))

static void add_mesh(uint64_t *key, const vo_mesh *m) {
    ADD_ARRAY(key, m->node_x, m->node_count);
    ADD_ARRAY(key, m->node_label, m->node_count);
    ADD_ARRAY(key, m->vert_u, m->vert_count);
    ADD_ARRAY(key, m->vert_node, m->vert_count);
    ADD_ARRAY(key, m->vert_patch, m->vert_count);
    ADD_ARRAY(key, m->edge_label, m->edge_count);
    ADD_ARRAY(key, m->edge_rest_angle, m->edge_count);
    ADD_ARRAY(key, m->face_vert, m->face_count);
    ADD_ARRAY(key, m->face_label, m->face_count);
}

static void add_axes(uint64_t *key, int count, const vo_limb_axis *axis) {
    ADD(key, count);
    for (int i = 0; i < count; i++) {
        add_text(key, axis[i].name);
        ADD(key, axis[i].origin);
        ADD(key, axis[i].direction);
        ADD(key, axis[i].front);
    }
}

static void add_panel(uint64_t *key, const vo_pattern_panel *panel) {
    const vo_panel_placement *p = &panel->place;
    const double numbers[] = {panel->grain, p->radius,   p->angle,    p->height,
                              p->slope,     p->anchor.x, p->anchor.y, p->inner};
    const int integers[] = {panel->fabric, panel->layer, (int)p->kind, p->flutes};
    add_text(key, panel->name);
    add_text(key, p->axis);
    ADD(key, numbers);
    ADD(key, integers);
    ADD(key, p->transform);
}

static void add_seam(uint64_t *key, const vo_pattern *pattern, const vo_pattern_seam *seam) {
    const double numbers[] = {vo_pattern_side_length(pattern, seam, 0),
                              vo_pattern_side_length(pattern, seam, 1), seam->ease};
    add_text(key, seam->name);
    ADD(key, numbers);
}

static void add_pattern(uint64_t *key, const vo_pattern *p) {
    add_text(key, p->file);
    ADD(key, p->is_graded);
    ADD(key, p->body.height);
    ADD(key, p->panel_count);
    ADD(key, p->seam_count);
    ADD(key, p->label_count);
    for (int i = 0; i < p->panel_count; i++) add_panel(key, &p->panel[i]);
    for (int i = 0; i < p->seam_count; i++) add_seam(key, p, &p->seam[i]);
    for (int i = 0; i < p->label_count; i++) {
        add_text(key, p->label[i].name);
        ADD(key, p->label[i].pinned);
    }
    add_axes(key, p->axis_count, p->axis);
}

static void add_material(uint64_t *key, const vo_material *m) {
    const vo_fabric *f = m->fabric;
    const double numbers[] = {m->density_mult, m->stretching_mult, m->bending_mult, f->density};
    ADD(key, numbers);
    ADD(key, f->linear);
    ADD(key, f->bend);
    add_array(key, f->table, f->table ? VO_STRETCH_TABLE : 0, sizeof *f->table);
}

static void add_piece(uint64_t *key, const vo_sew_piece *piece) {
    const vo_garment *g = piece->garment;
    add_pattern(key, piece->pattern);
    add_mesh(key, g->mesh);
    ADD(key, g->edge_length);
    ADD_ARRAY(key, g->stitch, g->stitch_count);
    ADD_ARRAY(key, g->node_group, g->mesh->node_count);
    for (int i = 0; i < piece->material_count; i++) add_material(key, &piece->material[i]);
    add_axes(key, piece->axis_count, piece->axis);
}

uint64_t vo_sew_key(const vo_sew_task *task) {
    uint64_t key = VO_SOURCE_HASH;
    ADD(&key, task->thickness);
    ADD(&key, task->gravity);
    if (task->body) add_mesh(&key, task->body);
    add_text(&key, task->body_name);
    for (int i = 0; i < task->piece_count; i++) add_piece(&key, &task->piece[i]);
    return key;
}

/* ---- log ------------------------------------------------------------------------------------ */

static void record_line(void *user, vo_log_level level, const char *text) {
    vo_sew_log *log = user;
    int length = (int)strlen(text), need = log->size + length + 2;
    if (log->log) log->log(log->user, level, text);
    if (!vo_reserve(log->ctx, &log->text, &log->capacity, need)) {
        log->failed = true;
        return;
    }
    char *line = log->text + log->size;
    line[0] = (char)('0' + (int)level);
    memcpy(line + 1, text, (size_t)length);
    line[length + 1] = '\n';
    log->size = need;
}

void vo_sew_log_begin(vo_context *ctx, vo_sew_log *log) {
    *log = (vo_sew_log){.ctx = ctx, .log = ctx->log, .user = ctx->log_user};
    ctx->log = record_line;
    ctx->log_user = log;
}

void vo_sew_log_end(vo_sew_log *log) {
    log->ctx->log = log->log;
    log->ctx->log_user = log->user;
}

void vo_sew_log_free(vo_sew_log *log) { vo_free_array(log->ctx, log->text, log->capacity); }

/* Logs recorded lines, whose newlines are overwritten. */
static void replay(vo_context *ctx, char *text, size_t size) {
    char *end = text + size;
    while (text < end) {
        char *newline = memchr(text, '\n', (size_t)(end - text));
        if (!newline) return;
        *newline = 0;
        vo_log_line(ctx, (vo_log_level)(text[0] - '0'), "%s", text + 1);
        text = newline + 1;
    }
}

/* ---- files ---------------------------------------------------------------------------------- */

/* Start of a result; positions of the nodes of all pieces and the recorded lines follow. */
typedef struct header {
    int32_t nodes, seams, stitches, faces, steps, log_size;
    double gap, max_strain, speed;
} header;

static size_t result_size(const header *h) {
    return sizeof *h + (size_t)h->nodes * sizeof(vo_vec3) + (size_t)h->log_size;
}

static int count_nodes(const vo_sew_task *task, vo_mesh *const *sewn) {
    int count = 0;
    for (int i = 0; i < task->piece_count; i++) count += sewn[i]->node_count;
    return count;
}

/* The meshes with merged stitches, whose positions are those of the panels. */
static vo_result merge_pieces(const vo_sew_task *task, vo_mesh **sewn) {
    for (int i = 0; i < task->piece_count; i++) {
        const vo_garment *g = task->piece[i].garment;
        VO_TRY(vo_pattern_merge(g->mesh, g->stitch_count, g->stitch, &sewn[i]));
    }
    return VO_OK;
}

static void set_positions(const vo_sew_task *task, const char *data, vo_mesh **sewn) {
    for (int i = 0; i < task->piece_count; i++) {
        size_t bytes = (size_t)sewn[i]->node_count * sizeof(vo_vec3);
        memcpy(sewn[i]->node_x, data, bytes);
        memset(sewn[i]->node_v, 0, bytes);
        data += bytes;
    }
}

/* Sets the result from a file; false if its sizes do not fit. */
static bool set_result(const vo_sew_task *task, char *data, size_t size, vo_mesh **sewn,
                       vo_sew_report *report) {
    header h;
    if (size < sizeof h) return false;
    memcpy(&h, data, sizeof h);
    if (h.nodes != count_nodes(task, sewn) || h.log_size < 0 || size != result_size(&h))
        return false;
    set_positions(task, data + sizeof h, sewn);
    *report = (vo_sew_report){.faces = h.faces,
                              .nodes = h.nodes,
                              .seams = h.seams,
                              .stitches = h.stitches,
                              .gap = h.gap,
                              .max_strain = h.max_strain,
                              .speed = h.speed,
                              .steps = h.steps,
                              .was_stored = true};
    replay(task->ctx, data + size - h.log_size, (size_t)h.log_size);
    return true;
}

vo_result vo_sew_read(const vo_sew_task *task, uint64_t key, vo_mesh **sewn, vo_sew_report *report,
                      bool *was_stored) {
    vo_bytes file;
    size_t size;
    *was_stored = false;
    if (!vo_cache_read(task->ctx, KIND, key, &file, &size)) return VO_OK;
    vo_result result = merge_pieces(task, sewn);
    if (result == VO_OK) *was_stored = set_result(task, file.data, size, sewn, report);
    vo_bytes_free(task->ctx, &file);
    for (int i = 0; i < task->piece_count && !*was_stored; i++) {
        vo_mesh_destroy(sewn[i]);
        sewn[i] = NULL;
    }
    return result;
}

static void fill_result(const vo_sew_task *task, const header *h, vo_mesh *const *sewn,
                        const vo_sew_log *log, char *data) {
    memcpy(data, h, sizeof *h);
    data += sizeof *h;
    for (int i = 0; i < task->piece_count; i++) {
        size_t bytes = (size_t)sewn[i]->node_count * sizeof(vo_vec3);
        memcpy(data, sewn[i]->node_x, bytes);
        data += bytes;
    }
    if (log->size > 0) memcpy(data, log->text, (size_t)log->size);
}

void vo_sew_write(const vo_sew_task *task, uint64_t key, vo_mesh *const *sewn,
                  const vo_sew_report *report, const vo_sew_log *log) {
    header h = {.nodes = count_nodes(task, sewn),
                .seams = report->seams,
                .stitches = report->stitches,
                .faces = report->faces,
                .steps = report->steps,
                .log_size = log->size,
                .gap = report->gap,
                .max_strain = report->max_strain,
                .speed = report->speed};
    size_t size = result_size(&h);
    if (log->failed || task->ctx->no_cache) return;
    char *data = vo_alloc(task->ctx, size);
    if (!data) return; /* sewn again the next time */
    fill_result(task, &h, sewn, log, data);
    vo_cache_write(task->ctx, KIND, key, data, size);
    vo_free(task->ctx, data, size);
}
