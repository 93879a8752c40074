/* The only file that uses Assimp: writes its scene as a message (wire.h).
 *
 * Runs in the child process alone, so it uses malloc and a crash does not affect the parent. */
#include "character/import/import.h"
#include "character/import/wire.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef VO_HAVE_ASSIMP

#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <assimp/version.h>

bool vo_import_has_assimp(void) { return true; }

typedef struct sender {
    int fd;
    size_t used;
    unsigned char buffer[1 << 16];
    const struct aiScene *scene;
    const struct aiNode **node; /* all nodes, parents precede children */
    int node_count;
    bool gltf, fbx;
} sender;

/* Writes the buffer to the pipe; exits if the parent has closed it. */
static void flush(sender *s) {
    for (size_t at = 0; at < s->used;) {
        ssize_t n = write(s->fd, s->buffer + at, s->used - at);
        if (n <= 0) _exit(1);
        at += (size_t)n;
    }
    s->used = 0;
}

static void send_bytes(sender *s, const void *data, size_t size) {
    const unsigned char *from = data;
    while (size > 0) {
        if (s->used == sizeof s->buffer) flush(s);
        size_t n = sizeof s->buffer - s->used;
        if (n > size) n = size;
        memcpy(s->buffer + s->used, from, n);
        s->used += n;
        from += n;
        size -= n;
    }
}

/* Pads to a multiple of 8 bytes after an item of `size` bytes. */
static void pad(sender *s, size_t size) { send_bytes(s, "\0\0\0\0\0\0\0", (8 - size % 8) % 8); }

static void put_int(sender *s, int64_t value) { send_bytes(s, &value, sizeof value); }
static void put_real(sender *s, double value) { send_bytes(s, &value, sizeof value); }

static void put_text(sender *s, const char *text, size_t length) {
    put_int(s, (int64_t)length);
    send_bytes(s, text, length);
    send_bytes(s, "", 1);
    pad(s, length + 1);
}

static void put_name(sender *s, const struct aiString *name) {
    size_t length = 0;
    while (length < name->length && length < sizeof name->data && name->data[length]) length++;
    put_text(s, name->data, length);
}

static void put_vector(sender *s, const struct aiVector3D *v) {
    put_real(s, (double)v->x);
    put_real(s, (double)v->y);
    put_real(s, (double)v->z);
}

static void put_matrix(sender *s, const struct aiMatrix4x4 *m) {
    const ai_real value[12] = {m->a1, m->a2, m->a3, m->a4, m->b1, m->b2,
                               m->b3, m->b4, m->c1, m->c2, m->c3, m->c4};
    for (int i = 0; i < 12; i++) put_real(s, (double)value[i]);
}

static int count_nodes(const struct aiNode *node) {
    int count = 1;
    for (unsigned i = 0; i < node->mNumChildren; i++) count += count_nodes(node->mChildren[i]);
    return count;
}

/* Lists the nodes depth first, so that parents precede their children. */
static void list_nodes(sender *s, const struct aiNode *node) {
    s->node[s->node_count++] = node;
    for (unsigned i = 0; i < node->mNumChildren; i++) list_nodes(s, node->mChildren[i]);
}

static int64_t node_index(const sender *s, const struct aiNode *node) {
    for (int i = 0; i < s->node_count; i++) {
        if (s->node[i] == node) return i;
    }
    return -1;
}

static int64_t node_named(const sender *s, const struct aiString *name) {
    for (int i = 0; i < s->node_count; i++) {
        if (strcmp(s->node[i]->mName.data, name->data) == 0) return i;
    }
    return -1;
}

static void put_nodes(sender *s) {
    put_int(s, s->node_count);
    for (int i = 0; i < s->node_count; i++) {
        put_name(s, &s->node[i]->mName);
        put_int(s, node_index(s, s->node[i]->mParent));
        put_matrix(s, &s->node[i]->mTransformation);
    }
}

/* Writes floats; Assimp may be built for double precision. */
static void put_floats(sender *s, const ai_real *value, int count) {
    for (int i = 0; i < count; i++) {
        float f = (float)value[i];
        send_bytes(s, &f, sizeof f);
    }
}

static void put_bone(sender *s, const struct aiBone *bone) {
    put_int(s, node_named(s, &bone->mName));
    put_matrix(s, &bone->mOffsetMatrix);
    put_int(s, bone->mNumWeights);
    for (unsigned i = 0; i < bone->mNumWeights; i++) {
        vo_raw_weight w = {(int32_t)bone->mWeights[i].mVertexId, (float)bone->mWeights[i].mWeight};
        send_bytes(s, &w, sizeof w);
    }
}

static void put_faces(sender *s, const struct aiMesh *mesh) {
    put_int(s, mesh->mNumFaces);
    for (unsigned i = 0; i < mesh->mNumFaces; i++) {
        int32_t corner[3];
        for (int k = 0; k < 3; k++) corner[k] = (int32_t)mesh->mFaces[i].mIndices[k];
        send_bytes(s, corner, sizeof corner);
    }
    pad(s, (size_t)mesh->mNumFaces * 12);
}

static void put_mesh(sender *s, const struct aiMesh *mesh, int node) {
    put_name(s, &mesh->mName);
    put_int(s, node);
    put_int(s, mesh->mNumVertices);
    for (unsigned i = 0; i < mesh->mNumVertices; i++) put_floats(s, &mesh->mVertices[i].x, 3);
    pad(s, (size_t)mesh->mNumVertices * 12);
    put_faces(s, mesh);
    put_int(s, mesh->mNumBones);
    for (unsigned i = 0; i < mesh->mNumBones; i++) put_bone(s, mesh->mBones[i]);
}

/* Returns true if all faces are triangles. aiProcess_SortByPType gives each mesh one primitive
 * type; other bits, such as the n-gon flag of meshes that aiProcess_Triangulate has changed, may be
 * set in addition. */
static bool is_surface(const struct aiMesh *mesh) {
    const unsigned not_triangles =
        aiPrimitiveType_POINT | aiPrimitiveType_LINE | aiPrimitiveType_POLYGON;
    if (!(mesh->mPrimitiveTypes & aiPrimitiveType_TRIANGLE)) return false;
    if (mesh->mPrimitiveTypes & not_triangles) return false;
    for (unsigned i = 0; i < mesh->mNumFaces; i++) {
        if (mesh->mFaces[i].mNumIndices != 3) return false;
    }
    return true;
}

/* Returns true if an earlier node references the same skinned mesh: bones determine its position,
 * so it is imported once. */
static bool is_repeated(const sender *s, int node, unsigned mesh) {
    if (s->scene->mMeshes[mesh]->mNumBones == 0) return false;
    for (int i = 0; i < node; i++) {
        for (unsigned k = 0; k < s->node[i]->mNumMeshes; k++) {
            if (s->node[i]->mMeshes[k] == mesh) return true;
        }
    }
    return false;
}

/* Returns the number of triangle meshes; writes them if `write` is set. */
static int64_t visit_meshes(sender *s, bool write) {
    int64_t count = 0;
    for (int i = 0; i < s->node_count; i++) {
        for (unsigned k = 0; k < s->node[i]->mNumMeshes; k++) {
            unsigned m = s->node[i]->mMeshes[k];
            if (!is_surface(s->scene->mMeshes[m]) || is_repeated(s, i, m)) continue;
            if (write) put_mesh(s, s->scene->mMeshes[m], i);
            count++;
        }
    }
    return count;
}

static void put_vector_keys(sender *s, const struct aiVectorKey *key, unsigned count) {
    put_int(s, count);
    for (unsigned i = 0; i < count; i++) put_real(s, key[i].mTime);
    for (unsigned i = 0; i < count; i++) put_floats(s, &key[i].mValue.x, 3);
    pad(s, (size_t)count * 12);
}

static void put_turn_keys(sender *s, const struct aiQuatKey *key, unsigned count) {
    put_int(s, count);
    for (unsigned i = 0; i < count; i++) put_real(s, key[i].mTime);
    for (unsigned i = 0; i < count; i++) {
        const ai_real value[4] = {key[i].mValue.w, key[i].mValue.x, key[i].mValue.y,
                                  key[i].mValue.z};
        put_floats(s, value, 4);
    }
}

static void put_clip(sender *s, const struct aiAnimation *clip) {
    put_name(s, &clip->mName);
    put_real(s, clip->mTicksPerSecond);
    put_int(s, clip->mNumChannels);
    for (unsigned i = 0; i < clip->mNumChannels; i++) {
        const struct aiNodeAnim *track = clip->mChannels[i];
        put_int(s, node_named(s, &track->mNodeName));
        put_vector_keys(s, track->mPositionKeys, track->mNumPositionKeys);
        put_turn_keys(s, track->mRotationKeys, track->mNumRotationKeys);
        put_vector_keys(s, track->mScalingKeys, track->mNumScalingKeys);
    }
}

static bool older_than(unsigned major, unsigned minor) {
    return aiGetVersionMajor() < major ||
           (aiGetVersionMajor() == major && aiGetVersionMinor() < minor);
}

/* Returns the horizontal angle, or the vertical one if the aspect is unknown. Before 5.3 Assimp
 * multiplied glTF's vertical angle by the aspect and returned FBX's in full; since then it returns
 * half of FBX's. */
static double field_of_view(const sender *s, const struct aiCamera *camera) {
    double angle = (double)camera->mHorizontalFOV, aspect = (double)camera->mAspect;
    if (s->gltf && aspect > 0 && older_than(5, 3)) {
        return 2 * atan(tan(angle / aspect / 2) * aspect);
    }
    return s->fbx && !older_than(5, 3) ? 2 * angle : angle;
}

/* glTF cameras are at the origin of their node; Assimp repeats the node's position there. */
static void put_camera(sender *s, const struct aiCamera *camera) {
    const struct aiVector3D origin = {0, 0, 0};
    put_name(s, &camera->mName);
    put_int(s, node_named(s, &camera->mName));
    put_vector(s, s->gltf ? &origin : &camera->mPosition);
    put_vector(s, &camera->mLookAt);
    put_vector(s, &camera->mUp);
    put_real(s, field_of_view(s, camera));
    put_real(s, (double)camera->mAspect);
}

/* Returns an entry of the file's metadata as a number. */
static double property(const struct aiScene *scene, const char *name, double fallback) {
    const struct aiMetadata *data = scene->mMetaData;
    for (unsigned i = 0; data != NULL && i < data->mNumProperties; i++) {
        if (strcmp(data->mKeys[i].data, name) != 0) continue;
        const struct aiMetadataEntry *entry = &data->mValues[i];
        if (entry->mType == AI_INT32) return *(const int32_t *)entry->mData;
        if (entry->mType == AI_FLOAT) return (double)*(const float *)entry->mData;
        if (entry->mType == AI_DOUBLE) return *(const double *)entry->mData;
    }
    return fallback;
}

/* Writes unit and axes; FBX specifies its unit in centimetres. */
static void put_conventions(sender *s) {
    static const char *const axis[6] = {"UpAxis",        "UpAxisSign", "FrontAxis",
                                        "FrontAxisSign", "CoordAxis",  "CoordAxisSign"};
    put_real(s, s->fbx ? property(s->scene, "UnitScaleFactor", 1) / 100 : 0);
    for (int i = 0; i < 6; i++) {
        put_int(s, s->fbx ? (int64_t)property(s->scene, axis[i], -1) : -1);
    }
}

/* Writes the numbers of meshes and morph targets that are not imported (vo_raw_ignored). */
static void put_ignored(sender *s) {
    int64_t points = 0, lines = 0, others = 0, morphs = 0;
    for (unsigned i = 0; i < s->scene->mNumMeshes; i++) {
        const struct aiMesh *mesh = s->scene->mMeshes[i];
        if (is_surface(mesh)) {
            morphs += mesh->mNumAnimMeshes;
        } else if (mesh->mPrimitiveTypes == aiPrimitiveType_POINT) {
            points++;
        } else if (mesh->mPrimitiveTypes == aiPrimitiveType_LINE) {
            lines++;
        } else {
            others++;
        }
    }
    put_int(s, points);
    put_int(s, lines);
    put_int(s, others);
    put_int(s, morphs);
}

static void put_scene(sender *s) {
    put_int(s, VO_WIRE_READ);
    put_conventions(s);
    put_ignored(s);
    put_nodes(s);
    put_int(s, visit_meshes(s, false));
    visit_meshes(s, true);
    put_int(s, s->scene->mNumAnimations);
    for (unsigned i = 0; i < s->scene->mNumAnimations; i++) put_clip(s, s->scene->mAnimations[i]);
    put_int(s, s->scene->mNumCameras);
    for (unsigned i = 0; i < s->scene->mNumCameras; i++) put_camera(s, s->scene->mCameras[i]);
    put_int(s, VO_WIRE_END);
}

static void send_rejection(sender *s, const char *reason) {
    put_int(s, VO_WIRE_REJECTED);
    put_text(s, reason, strlen(reason));
    put_int(s, VO_WIRE_END);
}

/* Reads the file. Transforms and axes are left unchanged, because the parent converts and validates
 * them. aiProcess_ValidateDataStructure is not used: it rejects valid files (motions without
 * meshes, keys beyond the stated duration). */
static const struct aiScene *read_scene(const char *path) {
    struct aiPropertyStore *store = aiCreatePropertyStore();
    aiSetImportPropertyInteger(store, AI_CONFIG_IMPORT_FBX_PRESERVE_PIVOTS, 0);
    aiSetImportPropertyInteger(store, AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, 1);
#ifdef AI_CONFIG_IMPORT_FBX_IGNORE_UP_DIRECTION
    aiSetImportPropertyInteger(store, AI_CONFIG_IMPORT_FBX_IGNORE_UP_DIRECTION, 1);
#endif
    aiSetImportPropertyInteger(store, AI_CONFIG_IMPORT_NO_SKELETON_MESHES, 1);
    aiSetImportPropertyInteger(store, AI_CONFIG_IMPORT_FBX_READ_LIGHTS, 0);
    unsigned steps = aiProcess_Triangulate | aiProcess_SortByPType;
    return aiImportFileExWithProperties(path, steps, NULL, store);
}

static bool ends_with(const char *path, const char *end) {
    size_t n = strlen(path), m = strlen(end);
    if (n < m) return false;
    for (size_t i = 0; i < m; i++) {
        if ((path[n - m + i] | 0x20) != end[i]) return false;
    }
    return true;
}

void vo_wire_send(const char *path, int fd) {
    sender s = {.fd = fd};
    s.fbx = ends_with(path, ".fbx");
    s.gltf = ends_with(path, ".gltf") || ends_with(path, ".glb");
    s.scene = read_scene(path);
    int count = s.scene != NULL && s.scene->mRootNode ? count_nodes(s.scene->mRootNode) : 0;
    bool fits = count > 0 && count <= VO_IMPORT_MAX_JOINTS;
    s.node = fits ? calloc((size_t)count, sizeof *s.node) : NULL;
    if (s.scene == NULL) {
        send_rejection(&s, aiGetErrorString());
    } else if (s.node == NULL) {
        send_rejection(&s, count == 0 ? "there is nothing in it" : "too many nodes");
    } else {
        list_nodes(&s, s.scene->mRootNode);
        put_scene(&s);
    }
    flush(&s);
}

#else

bool vo_import_has_assimp(void) { return false; }

void vo_wire_send(const char *path, int fd) {
    (void)path;
    (void)fd;
}

#endif
