/* What can be said about a file before it is read: format, units, axes, obvious damage. */
#include "codec/number.h"
#include "core/file.h"
#include "scene/import_build.h"

#include <string.h>

typedef vo_result inspect_fn(vo_context *ctx, const char *path, const vo_bytes *bytes,
                             vo_import_space *space);

static inspect_fn inspect_glb, inspect_gltf, inspect_fbx, inspect_collada, inspect_bvh;

/* What each format says by itself. BVH and OBJ say nothing; motion capture is mostly y up, in
 * centimetres, and OBJ is taken as Voile's own. */
static const struct {
    const char *extension;
    vo_import_space space;
    inspect_fn *inspect;
} formats[] = {
    {".glb", {"glTF", 1, true, VO_UP_Y, true, false}, inspect_glb},
    {".gltf", {"glTF", 1, true, VO_UP_Y, true, false}, inspect_gltf},
    {".fbx", {"FBX", 0.01, true, VO_UP_Y, true, false}, inspect_fbx},
    {".dae", {"Collada", 1, true, VO_UP_Y, true, true}, inspect_collada},
    {".bvh", {"BVH", 0.01, false, VO_UP_Y, false, false}, inspect_bvh},
    {".obj", {"OBJ", 1, false, VO_UP_Z, false, false}, NULL},
};

static vo_result damaged(vo_context *ctx, const char *path, const char *what) {
    return vo_fail(ctx, VO_BAD_DATA, "%s: %s; export it again", path, what);
}

/* The first occurrence of a word in text that may hold NULs; NULL if there is none. */
static const char *find(const char *from, const char *end, const char *word) {
    size_t n = strlen(word);
    for (const char *at = from; (size_t)(end - at) >= n; at++) {
        at = memchr(at, word[0], (size_t)(end - at));
        if (at == NULL || (size_t)(end - at) < n) return NULL;
        if (memcmp(at, word, n) == 0) return at;
    }
    return NULL;
}

static uint32_t little_endian(const char *at) {
    const unsigned char *b = (const unsigned char *)at;
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

/* Compressed meshes, which Assimp would take for plain ones. */
static vo_result check_extensions(vo_context *ctx, const char *path, const char *json,
                                  const char *end) {
    static const char *const compressed[] = {"KHR_draco_mesh_compression",
                                             "EXT_meshopt_compression", "KHR_mesh_quantization"};
    const char *list = find(json, end, "\"extensionsRequired\"");
    if (list == NULL) return VO_OK;
    const char *close = memchr(list, ']', (size_t)(end - list));
    for (size_t i = 0; i < sizeof compressed / sizeof *compressed; i++) {
        if (find(list, close != NULL ? close : end, compressed[i]) == NULL) continue;
        return vo_fail(ctx, VO_BAD_DATA,
                       "%s: needs %s, which is not supported; export it without compression", path,
                       compressed[i]);
    }
    return VO_OK;
}

/* A head of 12 bytes with the length of all, then chunks; the first one is the JSON. */
static vo_result inspect_glb(vo_context *ctx, const char *path, const vo_bytes *bytes,
                             vo_import_space *space) {
    (void)space;
    if (bytes->size < 20 || memcmp(bytes->data, "glTF", 4) != 0) {
        return damaged(ctx, path, "is not a binary glTF file");
    }
    uint32_t version = little_endian(bytes->data + 4), length = little_endian(bytes->data + 8);
    if (version != 1 && version != 2) {
        return vo_fail(ctx, VO_BAD_DATA, "%s: is glTF version %u; export it as version 2", path,
                       (unsigned)version);
    }
    if (length != bytes->size) {
        return vo_fail(ctx, VO_BAD_DATA,
                       "%s: has %zu bytes where its head says %u; it was cut off "
                       "or changed, so copy or export it again",
                       path, bytes->size, (unsigned)length);
    }
    uint32_t json = little_endian(bytes->data + 12);
    if (json > bytes->size - 20) return damaged(ctx, path, "its first chunk ends outside the file");
    return check_extensions(ctx, path, bytes->data + 20, bytes->data + 20 + json);
}

static vo_result inspect_gltf(vo_context *ctx, const char *path, const vo_bytes *bytes,
                              vo_import_space *space) {
    (void)space;
    const char *end = bytes->data + bytes->size;
    if (find(bytes->data, end, "\"asset\"") == NULL) {
        return damaged(ctx, path, "is not a glTF file: it has no \"asset\"");
    }
    return check_extensions(ctx, path, bytes->data, end);
}

static vo_result inspect_fbx(vo_context *ctx, const char *path, const vo_bytes *bytes,
                             vo_import_space *space) {
    (void)space;
    bool binary = bytes->size >= 27 && memcmp(bytes->data, "Kaydara FBX Binary", 18) == 0;
    if (!binary && find(bytes->data, bytes->data + bytes->size, "FBX") == NULL) {
        return damaged(ctx, path, "is not an FBX file");
    }
    return VO_OK;
}

/* <unit meter="0.01"> and <up_axis>Z_UP</up_axis>, both optional. */
static vo_result inspect_collada(vo_context *ctx, const char *path, const vo_bytes *bytes,
                                 vo_import_space *space) {
    const char *end = bytes->data + bytes->size;
    if (find(bytes->data, end, "<COLLADA") == NULL) {
        return damaged(ctx, path, "is not a Collada file");
    }
    const char *unit = find(bytes->data, end, "<unit");
    const char *close = unit != NULL ? memchr(unit, '>', (size_t)(end - unit)) : NULL;
    const char *meter = close != NULL ? find(unit, close, "meter=") : NULL;
    double metres;
    if (meter != NULL && close - meter > 8 && vo_number_read(meter + 7, close, &metres) != NULL) {
        if (!(metres > 1e-9 && metres < 1e6)) {
            return vo_fail(ctx, VO_BAD_DATA, "%s: <unit meter>: %g is no unit of length", path,
                           metres);
        }
        space->unit = metres;
    }
    const char *up = find(bytes->data, end, "<up_axis>");
    if (up == NULL || end - up < 10) return VO_OK;
    if (up[9] == 'X') space->up = VO_UP_X;
    if (up[9] == 'Z') space->up = VO_UP_Z;
    return VO_OK;
}

static vo_result inspect_bvh(vo_context *ctx, const char *path, const vo_bytes *bytes,
                             vo_import_space *space) {
    (void)space;
    const char *end = bytes->data + bytes->size;
    if (find(bytes->data, end, "HIERARCHY") == NULL) {
        return damaged(ctx, path, "is not a BVH file: it has no HIERARCHY");
    }
    if (find(bytes->data, end, "MOTION") == NULL) {
        return damaged(ctx, path, "has no MOTION; it was cut off");
    }
    return VO_OK;
}

static bool has_extension(const char *path, const char *extension) {
    size_t n = strlen(path), m = strlen(extension);
    if (n < m) return false;
    for (size_t i = 0; i < m; i++) {
        char c = path[n - m + i];
        if ((c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c) != extension[i]) return false;
    }
    return true;
}

vo_result vo_import_inspect(vo_context *ctx, const char *path, vo_import_space *out) {
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (!has_extension(path, formats[i].extension)) continue;
        *out = formats[i].space;
        if (formats[i].inspect == NULL) return VO_OK;
        vo_bytes bytes;
        VO_TRY(vo_file_read(ctx, path, &bytes));
        vo_result result = bytes.size == 0 ? damaged(ctx, path, "is empty")
                                           : formats[i].inspect(ctx, path, &bytes, out);
        vo_bytes_free(ctx, &bytes);
        return result;
    }
    return vo_fail(ctx, VO_BAD_DATA,
                   "%s: not a format that can be imported; use .glb, .gltf, .fbx, .dae, .bvh "
                   "or .obj",
                   path);
}

/* The unit vector of an axis of the file, or zero. */
static vo_vec3 axis_vector(int64_t axis, int64_t sign) {
    double s = sign < 0 ? -1 : 1;
    return axis == 0 ? v3(s, 0, 0) : axis == 1 ? v3(0, s, 0) : axis == 2 ? v3(0, 0, s) : v3_zero();
}

/* The file's side, front and up become x, -y and z. */
static vo_mat3 rotation_for(vo_up_axis up) {
    switch (up) {
    case VO_UP_X:
        return (vo_mat3){{{0, -1, 0}, {0, 0, -1}, {1, 0, 0}}};
    case VO_UP_Y:
        return (vo_mat3){{{1, 0, 0}, {0, 0, -1}, {0, 1, 0}}};
    default:
        return m3_identity();
    }
}

vo_affine vo_import_world(const vo_import_space *space, const vo_raw_axes *axes,
                          const vo_import_options *options) {
    vo_mat3 turn = rotation_for(options->up_axis != VO_UP_FILE ? options->up_axis : space->up);
    if (axes != NULL && options->up_axis == VO_UP_FILE) {
        vo_vec3 side = axis_vector(axes->side, axes->side_sign);
        vo_vec3 front = axis_vector(axes->front, axes->front_sign);
        vo_vec3 up = axis_vector(axes->up, axes->up_sign);
        /* Left-handed or incomplete triples are not believed. */
        if (v3_dot(v3_cross(front, side), up) == 1) turn = (vo_mat3){{side, v3_negate(front), up}};
    }
    double scale = options->units > 0 ? options->units : space->unit;
    if (space->unit_applied) scale /= space->unit;
    return (vo_affine){m3_scale(scale, turn), v3_zero()};
}
