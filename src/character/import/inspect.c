/* Properties of a file before it is parsed: format, units, axes, obvious damage. */
#include "character/import/build.h"
#include "codec/number.h"
#include "core/file.h"

#include <string.h>

typedef vo_result inspect_fn(vo_context *ctx, const char *path, const vo_bytes *bytes,
                             vo_import_space *space);

static inspect_fn inspect_glb, inspect_gltf, inspect_fbx, inspect_collada, inspect_bvh;

/* Defaults per format. BVH and OBJ specify neither; motion capture is mostly y up in centimetres,
 * and OBJ is assumed to be in metres with z up. */
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

/* Returns the first occurrence of a word in text that may contain NULs; NULL if there is none. */
static const char *find_word(const char *from, const char *end, const char *word) {
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

/* Fails on compressed meshes, which Assimp would read as uncompressed ones. */
static vo_result check_extensions(vo_context *ctx, const char *path, const char *json,
                                  const char *end) {
    static const char *const compressed[] = {"KHR_draco_mesh_compression",
                                             "EXT_meshopt_compression", "KHR_mesh_quantization"};
    const char *list = find_word(json, end, "\"extensionsRequired\"");
    if (list == NULL) return VO_OK;
    const char *close = memchr(list, ']', (size_t)(end - list));
    for (size_t i = 0; i < sizeof compressed / sizeof *compressed; i++) {
        if (find_word(list, close != NULL ? close : end, compressed[i]) == NULL) continue;
        return vo_fail(ctx, VO_BAD_DATA,
                       "%s: needs %s, which is not supported; export it without compression", path,
                       compressed[i]);
    }
    return VO_OK;
}

/* Header of 12 bytes with the total length, followed by chunks, the first of which is JSON. */
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
                       "%s: has %zu bytes, but its header states %u; it was truncated "
                       "or changed: copy or export it again",
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
    if (find_word(bytes->data, end, "\"asset\"") == NULL) {
        return damaged(ctx, path, "is not a glTF file: it has no \"asset\"");
    }
    return check_extensions(ctx, path, bytes->data, end);
}

static vo_result inspect_fbx(vo_context *ctx, const char *path, const vo_bytes *bytes,
                             vo_import_space *space) {
    (void)space;
    bool binary = bytes->size >= 27 && memcmp(bytes->data, "Kaydara FBX Binary", 18) == 0;
    if (!binary && find_word(bytes->data, bytes->data + bytes->size, "FBX") == NULL) {
        return damaged(ctx, path, "is not an FBX file");
    }
    return VO_OK;
}

/* <unit meter="0.01"> and <up_axis>Z_UP</up_axis>, both optional. */
static vo_result inspect_collada(vo_context *ctx, const char *path, const vo_bytes *bytes,
                                 vo_import_space *space) {
    const char *end = bytes->data + bytes->size;
    if (find_word(bytes->data, end, "<COLLADA") == NULL) {
        return damaged(ctx, path, "is not a Collada file");
    }
    const char *unit = find_word(bytes->data, end, "<unit");
    const char *close = unit != NULL ? memchr(unit, '>', (size_t)(end - unit)) : NULL;
    const char *meter = close != NULL ? find_word(unit, close, "meter=") : NULL;
    double metres;
    if (meter != NULL && close - meter > 8 && vo_number_read(meter + 7, close, &metres) != NULL) {
        if (!(metres > 1e-9 && metres < 1e6)) {
            return vo_fail(ctx, VO_BAD_DATA,
                           "%s: <unit meter>: %g is not a length from 1e-9 to 1e6", path, metres);
        }
        space->unit = metres;
    }
    const char *up = find_word(bytes->data, end, "<up_axis>");
    if (up == NULL || end - up < 10) return VO_OK;
    if (up[9] == 'X') space->up = VO_UP_X;
    if (up[9] == 'Z') space->up = VO_UP_Z;
    return VO_OK;
}

static vo_result inspect_bvh(vo_context *ctx, const char *path, const vo_bytes *bytes,
                             vo_import_space *space) {
    (void)space;
    const char *end = bytes->data + bytes->size;
    if (find_word(bytes->data, end, "HIERARCHY") == NULL) {
        return damaged(ctx, path, "is not a BVH file: it has no HIERARCHY");
    }
    if (find_word(bytes->data, end, "MOTION") == NULL) {
        return damaged(ctx, path, "has no MOTION; it was truncated");
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

/* Returns the unit vector of an axis of the file, or zero. */
static vo_vec3 axis_vector(int64_t axis, int64_t sign) {
    double s = sign < 0 ? -1 : 1;
    return axis == 0 ? v3(s, 0, 0) : axis == 1 ? v3(0, s, 0) : axis == 2 ? v3(0, 0, s) : v3_zero();
}

/* Returns the rotation that maps side, front and up of the file to x, -y and z. */
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
    vo_mat3 rotation = rotation_for(options->up_axis != VO_UP_FILE ? options->up_axis : space->up);
    if (axes != NULL && options->up_axis == VO_UP_FILE) {
        vo_vec3 side = axis_vector(axes->side, axes->side_sign);
        vo_vec3 front = axis_vector(axes->front, axes->front_sign);
        vo_vec3 up = axis_vector(axes->up, axes->up_sign);
        /* left-handed or incomplete triples are ignored */
        if (v3_dot(v3_cross(front, side), up) == 1)
            rotation = (vo_mat3){{side, v3_negate(front), up}};
    }
    double scale = options->metres_per_unit > 0 ? options->metres_per_unit : space->unit;
    if (space->unit_applied) scale /= space->unit;
    return (vo_affine){m3_scale(scale, rotation), v3_zero()};
}
