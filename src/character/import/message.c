/* Parses the message in the parent; every number is validated before it is used. */
#include "character/import/import.h"
#include "character/import/wire.h"
#include "math/vec.h"

#include <string.h>

/* largest valid count */
enum { MAX_COUNT = 1 << 28 };

typedef struct reader {
    vo_context *ctx;
    const char *path;
    const char *at, *end;
    vo_raw_file *file;
    bool broken, no_memory; /* checked once at the end; after an error all values read are 0 */
} reader;

/* Returns the next `size` bytes in place, or NULL. */
static const void *read_bytes(reader *r, size_t size) {
    size_t padded = (size + 7) / 8 * 8;
    if (r->broken || (size_t)(r->end - r->at) < padded) {
        r->broken = true;
        return NULL;
    }
    const void *here = r->at;
    r->at += padded;
    return here;
}

static int64_t read_int(reader *r) {
    const int64_t *value = read_bytes(r, sizeof *value);
    return value != NULL ? *value : 0;
}

static double read_real(reader *r) {
    const double *value = read_bytes(r, sizeof *value);
    return value != NULL ? *value : 0;
}

/* Reads a count of items of at least `min_bytes` each; fails if they cannot fit. */
static int64_t read_count(reader *r, size_t min_bytes) {
    int64_t count = read_int(r);
    if (count >= 0 && count <= MAX_COUNT && (size_t)count * min_bytes <= (size_t)(r->end - r->at)) {
        return count;
    }
    r->broken = true;
    return 0;
}

static const char *read_text(reader *r) {
    int64_t length = read_count(r, 1);
    const char *text = read_bytes(r, (size_t)length + 1);
    if (text == NULL) return "";
    if (text[length] == 0) return text;
    r->broken = true;
    return "";
}

/* Reads an index below `count`, or -1. */
static int64_t read_index(reader *r, int64_t count) {
    int64_t index = read_int(r);
    if (index < count && index >= -1) return index;
    r->broken = true;
    return -1;
}

static const double *read_reals(reader *r, int count) {
    static const double zero[12] = {0};
    const double *value = read_bytes(r, (size_t)count * sizeof *value);
    return value != NULL ? value : zero;
}

/* Allocates an array of structs; NULL if it is empty or without memory, which is recorded. */
static void *allocate(reader *r, int64_t count, size_t size) {
    if (count == 0 || r->broken || r->no_memory) return NULL;
    void *memory = vo_arena_alloc(&r->file->arena, (size_t)count * size);
    if (memory == NULL) {
        r->no_memory = true;
    } else {
        memset(memory, 0, (size_t)count * size);
    }
    return memory;
}

static void read_nodes(reader *r) {
    int64_t count = read_count(r, 8 + 8 + 8 + 96);
    vo_raw_node *node = allocate(r, count, sizeof *node);
    if (node == NULL) return;
    r->file->node = node;
    r->file->node_count = count;
    for (int64_t i = 0; i < count; i++) {
        node[i].name = read_text(r);
        node[i].parent = read_index(r, i);
        node[i].matrix = read_reals(r, 12);
    }
}

static void read_bone(reader *r, vo_raw_bone *bone) {
    bone->node = read_index(r, r->file->node_count);
    bone->offset = read_reals(r, 12);
    bone->weight_count = read_count(r, sizeof *bone->weight);
    bone->weight = read_bytes(r, (size_t)bone->weight_count * sizeof *bone->weight);
}

/* Fails if corners or weights reference vertices that do not exist. */
static void check_vertices(reader *r, const vo_raw_mesh *mesh) {
    for (int64_t i = 0; i < 3 * mesh->face_count && !r->broken; i++) {
        r->broken = mesh->face[i] < 0 || mesh->face[i] >= mesh->vertex_count;
    }
    for (int64_t b = 0; b < mesh->bone_count && !r->broken; b++) {
        for (int64_t i = 0; i < mesh->bone[b].weight_count && !r->broken; i++) {
            int32_t v = mesh->bone[b].weight[i].vertex;
            r->broken = v < 0 || v >= mesh->vertex_count;
        }
    }
}

static void read_mesh(reader *r, vo_raw_mesh *mesh) {
    mesh->name = read_text(r);
    mesh->node = read_index(r, r->file->node_count);
    mesh->vertex_count = read_count(r, 3 * sizeof *mesh->x);
    mesh->x = read_bytes(r, (size_t)mesh->vertex_count * 3 * sizeof *mesh->x);
    mesh->face_count = read_count(r, 3 * sizeof *mesh->face);
    mesh->face = read_bytes(r, (size_t)mesh->face_count * 3 * sizeof *mesh->face);
    int64_t bones = read_count(r, 8 + 96 + 8);
    mesh->bone = allocate(r, bones, sizeof *mesh->bone);
    if (mesh->bone != NULL) mesh->bone_count = bones;
    for (int64_t b = 0; b < mesh->bone_count; b++) read_bone(r, &mesh->bone[b]);
    if (mesh->node < 0) r->broken = true;
    check_vertices(r, mesh);
}

static void read_meshes(reader *r) {
    int64_t count = read_count(r, 48);
    vo_raw_mesh *mesh = allocate(r, count, sizeof *mesh);
    if (mesh == NULL) return;
    r->file->mesh = mesh;
    r->file->mesh_count = count;
    for (int64_t i = 0; i < count; i++) read_mesh(r, &mesh[i]);
}

static void read_track(reader *r, vo_raw_track *track) {
    track->node = read_index(r, r->file->node_count);
    for (int k = 0; k < 3; k++) {
        size_t width = k == 1 ? 4 : 3;
        track->count[k] = read_count(r, sizeof(double) + width * sizeof(float));
        track->time[k] = read_bytes(r, (size_t)track->count[k] * sizeof(double));
        track->value[k] = read_bytes(r, (size_t)track->count[k] * width * sizeof(float));
    }
}

static void read_clips(reader *r) {
    int64_t count = read_count(r, 32);
    vo_raw_clip *clip = allocate(r, count, sizeof *clip);
    if (clip == NULL) return;
    r->file->clip = clip;
    r->file->clip_count = count;
    for (int64_t i = 0; i < count; i++) {
        clip[i].name = read_text(r);
        clip[i].ticks_per_second = read_real(r);
        int64_t tracks = read_count(r, 32);
        clip[i].track = allocate(r, tracks, sizeof *clip[i].track);
        if (clip[i].track != NULL) clip[i].track_count = tracks;
        for (int64_t k = 0; k < clip[i].track_count; k++) read_track(r, &clip[i].track[k]);
    }
}

static void read_cameras(reader *r) {
    int64_t count = read_count(r, 112);
    vo_raw_camera *camera = allocate(r, count, sizeof *camera);
    if (camera == NULL) return;
    r->file->camera = camera;
    r->file->camera_count = count;
    for (int64_t i = 0; i < count; i++) {
        camera[i].name = read_text(r);
        camera[i].node = read_index(r, r->file->node_count);
        camera[i].frame = read_reals(r, 9);
        camera[i].field_of_view = read_real(r);
        camera[i].aspect = read_real(r);
    }
}

static void read_scene(reader *r) {
    r->file->unit = read_real(r);
    int64_t *axis[6] = {&r->file->axes.up,    &r->file->axes.up_sign,
                        &r->file->axes.front, &r->file->axes.front_sign,
                        &r->file->axes.side,  &r->file->axes.side_sign};
    for (int i = 0; i < 6; i++) *axis[i] = read_int(r);
    int64_t *ignored[4] = {&r->file->ignored.point_meshes, &r->file->ignored.line_meshes,
                           &r->file->ignored.other_meshes, &r->file->ignored.morph_targets};
    for (int i = 0; i < 4; i++) *ignored[i] = read_int(r);
    read_nodes(r);
    read_meshes(r);
    read_clips(r);
    read_cameras(r);
}

vo_result vo_wire_parse(vo_context *ctx, const char *path, vo_bytes bytes, vo_raw_file *out) {
    *out = (vo_raw_file){.bytes = bytes};
    vo_arena_init(&out->arena, ctx);
    reader r = {ctx, path, bytes.data, bytes.data + bytes.size, out, false, false};
    int64_t kind = read_int(&r);
    if (kind == VO_WIRE_READ) {
        read_scene(&r);
    } else if (kind == VO_WIRE_REJECTED) {
        out->rejection = read_text(&r);
    } else {
        r.broken = true;
    }
    if (!r.no_memory && read_int(&r) != VO_WIRE_END) r.broken = true;
    if (!r.no_memory && !r.broken) return VO_OK;
    vo_raw_file_free(ctx, out);
    if (r.no_memory) return vo_fail_memory(ctx, path);
    return vo_fail(ctx, VO_BAD_DATA,
                   "%s: Assimp returned invalid data; the file is damaged: export it again", path);
}

void vo_raw_file_free(vo_context *ctx, vo_raw_file *file) {
    vo_bytes_free(ctx, &file->bytes);
    vo_arena_free(&file->arena);
    *file = (vo_raw_file){0};
}
