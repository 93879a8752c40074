/* Files of saved states. */
#include "upsample/simulate/states.h"

#include "core/file.h"
#include "core/memory.h"

#include <stdio.h>
#include <string.h>

vo_result vo_upsample_states_open(vo_context *ctx, const char *folder, int scene, int interval,
                                  uint64_t key, vo_upsample_states *out) {
    *out = (vo_upsample_states){
        .ctx = ctx, .folder = folder, .scene = scene, .interval = interval, .key = key};
    if (!folder) return VO_OK;
    VO_TRY(vo_folder_create(ctx, folder));
    return vo_vof_writer_create(ctx, &out->writer);
}

void vo_upsample_states_close(vo_upsample_states *s) {
    vo_vof_writer_destroy(s->writer);
    s->writer = NULL;
}

static void name_file(const vo_upsample_states *s, const char *kind, int chunk,
                      char path[VO_PATH_SIZE]) {
    char name[64];
    snprintf(name, sizeof name, "%d-%s-%d.vof", s->scene, kind, chunk);
    vo_path_join(path, VO_PATH_SIZE, s->folder, name);
}

/* ---- frames --------------------------------------------------------------------------------- */

/* Floats per frame of each section: X(tag, columns, rows, array). */
#define SECTIONS(X)                                          \
    X("coarse", 3, p->coarse.vertex_count, p->coarse_frames) \
    X("fine", 3, p->fine.vertex_count, p->fine_frames)       \
    X("wind", 3, 1, p->wind)                                 \
    X("stats", (int)(sizeof *p->stats / sizeof(float)), 1, (float *)p->stats)

static vo_result save_frames(vo_upsample_states *s, const vo_upsample_pairs *p, int chunk) {
    char path[VO_PATH_SIZE];
    int first = chunk * s->interval;
    int64_t key = (int64_t)s->key;
    name_file(s, "frames", chunk, path);
    vo_vof_begin(s->writer, first, 0);
    VO_TRY(vo_vof_add(s->writer, "key", 0, VO_VOF_I64, 1, 1, &key));
#define X(tag, columns, rows, array)                                               \
    VO_TRY(vo_vof_add(s->writer, tag, 0, VO_VOF_F32, columns, s->interval *(rows), \
                      (array) + (size_t)first * (size_t)(columns) * (size_t)(rows)));
    SECTIONS(X)
#undef X
    return vo_vof_save(s->writer, path);
}

/* Copies a section to its place; false if it does not fit. */
static bool read_section(vo_vof_reader *reader, const char *tag, int columns, int rows,
                         float *out) {
    const void *data = NULL;
    int count = 0;
    if (vo_vof_find(reader, tag, 0, VO_VOF_F32, columns, &count, &data) != VO_OK || count != rows)
        return false;
    if (rows > 0) memcpy(out, data, (size_t)rows * (size_t)columns * sizeof *out);
    return true;
}

static bool has_key(const vo_upsample_states *s, vo_vof_reader *reader) {
    const void *data = NULL;
    int count = 0;
    return vo_vof_find(reader, "key", 0, VO_VOF_I64, 1, &count, &data) == VO_OK && count == 1 &&
           *(const int64_t *)data == (int64_t)s->key;
}

/* Reads the frames of a chunk; false if its file is missing, damaged or of another run. */
static bool read_frames(vo_upsample_states *s, vo_upsample_pairs *p, int chunk) {
    char path[VO_PATH_SIZE];
    vo_vof_reader *reader;
    size_t first = (size_t)chunk * (size_t)s->interval;
    name_file(s, "frames", chunk, path);
    if (!vo_file_exists(path) || vo_vof_open(s->ctx, path, &reader) != VO_OK) return false;
    bool ok = has_key(s, reader) && vo_vof_frame(reader) == (int)first;
#define X(tag, columns, rows, array)                                    \
    ok = ok && read_section(reader, tag, columns, s->interval * (rows), \
                            (array) + first * (size_t)(columns) * (size_t)(rows));
    SECTIONS(X)
#undef X
    vo_vof_close(reader);
    return ok;
}

/* ---- states --------------------------------------------------------------------------------- */

static void remove_states(const vo_upsample_states *s, int chunk) {
    char path[VO_PATH_SIZE];
    name_file(s, "coarse", chunk, path);
    remove(path);
    name_file(s, "fine", chunk, path);
    remove(path);
}

static bool has_states(const vo_upsample_states *s, int chunk, bool with_fine) {
    char path[VO_PATH_SIZE];
    name_file(s, "coarse", chunk, path);
    bool ok = vo_file_exists(path);
    name_file(s, "fine", chunk, path);
    return ok && (!with_fine || vo_file_exists(path));
}

vo_result vo_upsample_states_save(vo_upsample_states *s, const vo_upsample_pairs *p, int frame,
                                  vo_upsample_engine *coarse, vo_upsample_engine *fine) {
    char path[VO_PATH_SIZE];
    if (!s->folder || (frame + 1) % s->interval != 0) return VO_OK;
    int chunk = frame / s->interval;
    name_file(s, "coarse", chunk, path);
    VO_TRY(vo_upsample_engine_save(coarse, s->writer, path));
    name_file(s, "fine", chunk, path);
    if (fine) VO_TRY(vo_upsample_engine_save(fine, s->writer, path));
    VO_TRY(save_frames(s, p, chunk));
    if (chunk > 0) remove_states(s, chunk - 1);
    return VO_OK;
}

vo_result vo_upsample_states_restore(vo_upsample_states *s, vo_upsample_pairs *p, int frame_count,
                                     vo_upsample_engine *coarse, vo_upsample_engine *fine,
                                     int *frame) {
    char path[VO_PATH_SIZE];
    int chunks = 0;
    *frame = -1;
    if (!s->folder) return VO_OK;
    while ((chunks + 1) * s->interval <= frame_count && read_frames(s, p, chunks)) chunks++;
    if (chunks == 0 || !has_states(s, chunks - 1, fine != NULL)) return VO_OK;
    name_file(s, "coarse", chunks - 1, path);
    VO_TRY(vo_upsample_engine_restore(coarse, path));
    name_file(s, "fine", chunks - 1, path);
    if (fine) VO_TRY(vo_upsample_engine_restore(fine, path));
    *frame = chunks * s->interval - 1;
    return VO_OK;
}
