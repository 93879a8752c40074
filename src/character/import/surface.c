/* Merges all meshes of a file into one surface in the bind pose, with weights and without duplicate
 * vertices.
 *
 * Bind pose. A bone's offset matrix maps the mesh to the bone's frame, so world(bone) * offset maps
 * it to its position under this bone alone. If the rest pose of the file is the one in which the
 * mesh was bound, the result is the same for all bones; otherwise it still has the right size and
 * orientation. Therefore the bone with the largest total weight places the mesh, and the inverse of
 * each bone is its offset relative to that. */
#include "character/import/build.h"
#include "codec/hash.h"
#include "mesh/data.h"

#include <string.h>

typedef struct influence {
    int bind;
    double weight;
} influence;

/* Weights of a vertex, in descending order once sorted. */
typedef struct vertex_weights {
    int count;
    influence by[VO_IMPORT_MAX_INFLUENCES];
} vertex_weights;

typedef struct surface {
    vo_character *character;
    const char *path;
    vo_import_counts *counts;
    vo_affine *rest; /* [joint_count] world */
    int64_t vertex_count;
    vo_vec3 *x;                     /* [vertex_count] */
    vertex_weights *vertex_weights; /* [vertex_count] */
    int *node;                      /* [vertex_count] -1: not used yet */
    int *table;                     /* [table_size] node + 1 by hash of position; 0: free */
    int64_t table_size;             /* a power of two */
    int *first;                     /* [node_count] the vertex of each node */
    int64_t begin;                  /* first vertex of the current mesh */
} surface;

static vo_affine from_rows(const double *m) {
    return (vo_affine){{{{m[0], m[1], m[2]}, {m[4], m[5], m[6]}, {m[8], m[9], m[10]}}},
                       {m[3], m[7], m[11]}};
}

/* Returns the bone with the largest total weight, -1 if all are 0. */
static int64_t main_bone(const vo_raw_mesh *mesh) {
    int64_t best = -1;
    double max_sum = 0;
    for (int64_t b = 0; b < mesh->bone_count; b++) {
        double sum = 0;
        for (int64_t i = 0; i < mesh->bone[b].weight_count; i++) {
            sum += (double)mesh->bone[b].weight[i].weight;
        }
        if (mesh->bone[b].node >= 0 && sum > max_sum) {
            max_sum = sum;
            best = b;
        }
    }
    return best;
}

static vo_result bad_mesh(const surface *s, const vo_raw_mesh *mesh, const char *what) {
    return vo_fail(s->character->ctx, VO_BAD_DATA, "%s: mesh '%.80s': %s; export it again", s->path,
                   mesh->name, what);
}

/* Returns true if both differ by less than a tenth of a millimetre within a metre of the origin. */
static bool nearly_equal(vo_affine a, vo_affine b) {
    double size =
        v3_length(a.linear.row[0]) + v3_length(a.linear.row[1]) + v3_length(a.linear.row[2]);
    for (int i = 0; i < 3; i++) {
        if (v3_distance(a.linear.row[i], b.linear.row[i]) > 3e-5 * size) return false;
    }
    return v3_distance(a.offset, b.offset) <= 3e-5 * size;
}

/* Returns the bind of this joint and inverse; adds one if there is none. The capacity suffices. */
static int find_or_add_bind(vo_character *c, int joint, vo_affine inverse) {
    for (int b = 0; b < c->bind_count; b++) {
        if (c->bind[b].joint == joint && nearly_equal(c->bind[b].inverse, inverse)) return b;
    }
    c->bind[c->bind_count] = (vo_bind){joint, inverse};
    return c->bind_count++;
}

/* Adds a weight; replaces the smallest one if all entries are in use. */
static void add_weight(vertex_weights *h, int bind, double weight, int64_t *truncated) {
    int weakest = 0;
    for (int i = 0; i < h->count; i++) {
        if (h->by[i].bind == bind) {
            h->by[i].weight += weight;
            return;
        }
        if (h->by[i].weight < h->by[weakest].weight) weakest = i;
    }
    if (h->count < VO_IMPORT_MAX_INFLUENCES) {
        h->by[h->count++] = (influence){bind, weight};
        return;
    }
    ++*truncated;
    if (weight > h->by[weakest].weight) h->by[weakest] = (influence){bind, weight};
}

/* Sorts by descending weight, then by bind, and normalises the sum to 1. */
static void normalise_weights(vertex_weights *h) {
    double sum = 0;
    for (int i = 0; i < h->count; i++) {
        influence at = h->by[i];
        int k = i;
        for (; k > 0; k--) {
            influence before = h->by[k - 1];
            if (before.weight > at.weight) break;
            if (before.weight == at.weight && before.bind < at.bind) break;
            h->by[k] = before;
        }
        h->by[k] = at;
        sum += at.weight;
    }
    for (int i = 0; i < h->count; i++) h->by[i].weight /= sum;
}

static bool weights_are_equal(const vertex_weights *a, const vertex_weights *b) {
    if (a->count != b->count) return false;
    for (int i = 0; i < a->count; i++) {
        int k = 0;
        while (k < b->count && b->by[k].bind != a->by[i].bind) k++;
        if (k == b->count || fabs(a->by[i].weight - b->by[k].weight) > 1e-4) return false;
    }
    return true;
}

/* Adds the weights of one bone to its vertices. */
static vo_result add_bone(surface *s, const vo_raw_mesh *mesh, const vo_raw_bone *bone,
                          vo_affine to_mesh) {
    vo_affine inverse = vo_affine_mul(from_rows(bone->offset), to_mesh);
    if (!v3_is_finite(inverse.offset) || !v3_is_finite(m3_mul(inverse.linear, v3(1, 1, 1)))) {
        return bad_mesh(s, mesh, "a bone's bind transform is not finite");
    }
    if (bone->weight_count == 0) return VO_OK;
    int bind = find_or_add_bind(s->character, (int)bone->node, inverse);
    for (int64_t i = 0; i < bone->weight_count; i++) {
        double weight = (double)bone->weight[i].weight;
        if (!(weight > 0)) continue;
        if (!isfinite(weight)) return bad_mesh(s, mesh, "a weight is not finite");
        add_weight(&s->vertex_weights[s->begin + bone->weight[i].vertex], bind, weight,
                   &s->counts->truncated);
    }
    return VO_OK;
}

/* Finds the transform of the mesh to the world, its inverse, and the joint that it is attached
 * to. */
static vo_result place_mesh(const surface *s, const vo_raw_mesh *mesh, vo_affine *placed,
                            vo_affine *back, int *joint) {
    int64_t bone = main_bone(mesh);
    *joint = (int)(bone >= 0 ? mesh->bone[bone].node : mesh->node);
    *placed = s->rest[*joint];
    if (bone >= 0) *placed = vo_affine_mul(*placed, from_rows(mesh->bone[bone].offset));
    if (vo_affine_inverse(*placed, back)) return VO_OK;
    return bad_mesh(s, mesh, "is flattened by a scale of zero, or its transform is not finite");
}

static vo_result add_vertices(surface *s, const vo_raw_mesh *mesh, vo_affine placed) {
    for (int64_t i = 0; i < mesh->vertex_count; i++) {
        const float *x = mesh->x + 3 * i;
        vo_vec3 p = vo_affine_point(placed, v3((double)x[0], (double)x[1], (double)x[2]));
        if (!v3_is_finite(p) || v3_length(p) > 1e12) {
            return bad_mesh(s, mesh, "a vertex is not finite");
        }
        s->x[s->begin + i] = v3_add(p, v3_zero()); /* makes -0 and 0 equal */
        s->node[s->begin + i] = -1;
    }
    return VO_OK;
}

/* Completes the weights; vertices without any follow the joint that places the mesh. */
static void complete_weights(surface *s, const vo_raw_mesh *mesh, int bind) {
    for (int64_t i = 0; i < mesh->vertex_count; i++) {
        vertex_weights *h = &s->vertex_weights[s->begin + i];
        if (h->count == 0) {
            if (mesh->bone_count > 0) s->counts->unweighted++;
            *h = (vertex_weights){1, {{bind, 1}}};
        }
        normalise_weights(h);
    }
}

/* Returns the node with the position and weights of a vertex; adds one if there is none. */
static int find_or_add_node(surface *s, int64_t vertex) {
    vo_character *c = s->character;
    if (s->node[vertex] >= 0) return s->node[vertex];
    uint64_t slot = vo_hash(&s->x[vertex], sizeof s->x[vertex]);
    for (;; slot++) {
        int *entry = &s->table[slot & (uint64_t)(s->table_size - 1)];
        if (*entry == 0) {
            *entry = c->node_count + 1;
            s->first[c->node_count] = (int)vertex;
            return s->node[vertex] = c->node_count++;
        }
        int64_t other = s->first[*entry - 1];
        if (v3_equal(s->x[other], s->x[vertex]) &&
            weights_are_equal(&s->vertex_weights[other], &s->vertex_weights[vertex])) {
            return s->node[vertex] = *entry - 1;
        }
    }
}

/* Adds the faces; those of a mirrored mesh are flipped. */
static void add_faces(surface *s, const vo_raw_mesh *mesh, vo_affine placed) {
    const vo_vec3 *row = placed.linear.row;
    bool mirrored = v3_triple(row[0], row[1], row[2]) < 0;
    vo_character *c = s->character;
    for (int64_t f = 0; f < mesh->face_count; f++) {
        const int32_t *corner = mesh->face + 3 * f;
        int a = find_or_add_node(s, s->begin + corner[0]);
        int b = find_or_add_node(s, s->begin + corner[mirrored ? 2 : 1]);
        int d = find_or_add_node(s, s->begin + corner[mirrored ? 1 : 2]);
        if (a == b || b == d || d == a) {
            s->counts->degenerate++;
            continue;
        }
        int *face = c->face[c->face_count++];
        face[0] = a;
        face[1] = b;
        face[2] = d;
    }
}

static vo_result add_mesh(surface *s, const vo_raw_mesh *mesh) {
    vo_affine placed, back;
    int joint;
    for (int64_t b = 0; b < mesh->bone_count; b++) {
        if (mesh->bone[b].node < 0)
            return bad_mesh(s, mesh, "references a bone that does not exist");
    }
    VO_TRY(place_mesh(s, mesh, &placed, &back, &joint));
    VO_TRY(add_vertices(s, mesh, placed));
    for (int64_t b = 0; b < mesh->bone_count; b++) VO_TRY(add_bone(s, mesh, &mesh->bone[b], back));
    vo_affine inverse;
    if (!vo_affine_inverse(s->rest[joint], &inverse)) {
        return bad_mesh(s, mesh, "is attached to a joint with a scale of zero");
    }
    complete_weights(s, mesh, find_or_add_bind(s->character, joint, inverse));
    add_faces(s, mesh, placed);
    s->begin += mesh->vertex_count;
    return VO_OK;
}

/* Copies positions and weights of the nodes from their vertices. */
static vo_result write_nodes(const surface *s) {
    vo_character *c = s->character;
    const int *first = s->first;
    int64_t weights = 0;
    for (int n = 0; n < c->node_count; n++) weights += s->vertex_weights[first[n]].count;
    VO_TRY(vo_import_array(c, c->node_count, sizeof *c->node_x, &c->node_x));
    VO_TRY(vo_import_array(c, c->node_count + 1, sizeof *c->weight_begin, &c->weight_begin));
    VO_TRY(vo_import_array(c, weights, sizeof *c->weight_bind, &c->weight_bind));
    VO_TRY(vo_import_array(c, weights, sizeof *c->weight, &c->weight));
    int at = 0;
    for (int n = 0; n < c->node_count; n++) {
        const vertex_weights *h = &s->vertex_weights[first[n]];
        c->node_x[n] = s->x[first[n]];
        for (int i = 0; i < h->count; i++, at++) {
            c->weight_bind[at] = h->by[i].bind;
            c->weight[at] = h->by[i].weight;
        }
        c->weight_begin[n + 1] = at;
    }
    return VO_OK;
}

/* Allocates cleared scratch memory; NULL without memory. */
static void *scratch(vo_arena *arena, int64_t count, size_t size) {
    size_t bytes = vo_array_bytes((size_t)count + 1, size);
    void *memory = vo_arena_alloc(arena, bytes);
    return memory != NULL ? memset(memory, 0, bytes) : NULL;
}

static vo_result reserve(surface *s, vo_arena *arena, int64_t faces, int64_t bones) {
    vo_character *c = s->character;
    for (s->table_size = 16; s->table_size < 2 * s->vertex_count;) s->table_size *= 2;
    s->rest = scratch(arena, c->joint_count, sizeof *s->rest);
    s->x = scratch(arena, s->vertex_count, sizeof *s->x);
    s->vertex_weights = scratch(arena, s->vertex_count, sizeof *s->vertex_weights);
    s->node = scratch(arena, s->vertex_count, sizeof *s->node);
    s->first = scratch(arena, s->vertex_count, sizeof *s->first);
    s->table = scratch(arena, s->table_size, sizeof *s->table);
    if (!s->rest || !s->x || !s->vertex_weights || !s->node || !s->first || !s->table) {
        return vo_fail_memory(c->ctx, s->path);
    }
    VO_TRY(vo_import_array(c, bones, sizeof *c->bind, &c->bind));
    return vo_import_array(c, faces, sizeof *c->face, &c->face);
}

static vo_result merge_meshes(surface *s, const vo_raw_file *file, vo_arena *arena) {
    int64_t faces = 0, bones = 0;
    for (int64_t i = 0; i < file->mesh_count; i++) {
        s->vertex_count += file->mesh[i].vertex_count;
        faces += file->mesh[i].face_count;
        bones += file->mesh[i].bone_count + 1;
    }
    s->counts->vertices = s->vertex_count;
    if (s->vertex_count > VO_MESH_MAX_ELEMENTS / 8 || faces > VO_MESH_MAX_ELEMENTS) {
        return vo_fail(s->character->ctx, VO_BAD_DATA,
                       "%s: %lld vertices and %lld faces are too many; reduce the meshes", s->path,
                       (long long)s->vertex_count, (long long)faces);
    }
    VO_TRY(reserve(s, arena, faces, bones));
    vo_character_pose(s->character, NULL, 0, VO_CLIP_HOLD, s->rest);
    for (int64_t i = 0; i < file->mesh_count; i++) VO_TRY(add_mesh(s, &file->mesh[i]));
    return write_nodes(s);
}

vo_result vo_import_skin(const vo_raw_file *file, const char *path, vo_character *out,
                         vo_import_counts *counts) {
    surface s = {.character = out, .path = path, .counts = counts};
    vo_arena arena;
    if (file->mesh_count == 0) return VO_OK;
    vo_arena_init(&arena, out->ctx);
    vo_result result = merge_meshes(&s, file, &arena);
    vo_arena_free(&arena);
    return result;
}
