/* All meshes of a file as one surface: bind pose, weights, equal vertices joined.
 *
 * The bind pose. A bone's offset takes the mesh into the bone's frame, so world(bone) * offset
 * takes it to where that bone alone would put it. If the file's rest pose is the one the mesh was
 * bound in, this is the same for all bones; if not, it still has the right size and stands the
 * right way up. So the mesh is put down by the bone that holds most of it, and each bone's inverse
 * is what remains of its offset. */
#include "core/hash.h"
#include "mesh/data.h"
#include "scene/import_build.h"

#include <string.h>

typedef struct influence {
    int bind;
    double weight;
} influence;

/* The strongest first once sorted. */
typedef struct hold {
    int count;
    influence by[VO_IMPORT_MAX_INFLUENCES];
} hold;

typedef struct surface {
    vo_character *character;
    const char *path;
    vo_import_counts *counts;
    vo_affine *rest; /* [joint_count] in the world */
    int64_t vertex_count;
    vo_vec3 *x;         /* [vertex_count] */
    hold *hold;         /* [vertex_count] */
    int *node;          /* [vertex_count] -1: not used yet */
    int *table;         /* [table_size] node + 1 by hash of position; 0: free */
    int64_t table_size; /* a power of two */
    int *first;         /* [nodes so far] the vertex that a node came from */
    int64_t begin;      /* first vertex of the mesh at hand */
} surface;

static vo_affine from_rows(const double *m) {
    return (vo_affine){{{{m[0], m[1], m[2]}, {m[4], m[5], m[6]}, {m[8], m[9], m[10]}}},
                       {m[3], m[7], m[11]}};
}

/* The bone with the most weight, and -1 if none has any. */
static int64_t main_bone(const vo_raw_mesh *mesh) {
    int64_t best = -1;
    double most = 0;
    for (int64_t b = 0; b < mesh->bone_count; b++) {
        double sum = 0;
        for (int64_t i = 0; i < mesh->bone[b].weight_count; i++) {
            sum += (double)mesh->bone[b].weight[i].weight;
        }
        if (mesh->bone[b].node >= 0 && sum > most) {
            most = sum;
            best = b;
        }
    }
    return best;
}

static vo_result bad_mesh(const surface *s, const vo_raw_mesh *mesh, const char *what) {
    return vo_fail(s->character->ctx, VO_BAD_DATA, "%s: mesh '%.80s': %s; export it again", s->path,
                   mesh->name, what);
}

/* Less than a tenth of a millimetre apart within a metre of the origin. */
static bool nearly_equal(vo_affine a, vo_affine b) {
    double size =
        v3_length(a.linear.row[0]) + v3_length(a.linear.row[1]) + v3_length(a.linear.row[2]);
    for (int i = 0; i < 3; i++) {
        if (v3_distance(a.linear.row[i], b.linear.row[i]) > 3e-5 * size) return false;
    }
    return v3_distance(a.offset, b.offset) <= 3e-5 * size;
}

/* The bind of this joint and inverse, a new one if there is none. There is room for it. */
static int bind_of(vo_character *c, int joint, vo_affine inverse) {
    for (int b = 0; b < c->bind_count; b++) {
        if (c->bind[b].joint == joint && nearly_equal(c->bind[b].inverse, inverse)) return b;
    }
    c->bind[c->bind_count] = (vo_bind){joint, inverse};
    return c->bind_count++;
}

/* Adds a bind's weight, in place of the weakest one where there is no room. */
static void hold_add(hold *h, int bind, double weight, int64_t *crowded) {
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
    ++*crowded;
    if (weight > h->by[weakest].weight) h->by[weakest] = (influence){bind, weight};
}

/* Strongest first, by bind where equal; the sum becomes 1. */
static void hold_finish(hold *h) {
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

static bool hold_equal(const hold *a, const hold *b) {
    if (a->count != b->count) return false;
    for (int i = 0; i < a->count; i++) {
        int k = 0;
        while (k < b->count && b->by[k].bind != a->by[i].bind) k++;
        if (k == b->count || fabs(a->by[i].weight - b->by[k].weight) > 1e-4) return false;
    }
    return true;
}

/* Gives the weights of one bone to its vertices. */
static vo_result add_bone(surface *s, const vo_raw_mesh *mesh, const vo_raw_bone *bone,
                          vo_affine to_mesh) {
    vo_affine inverse = vo_affine_mul(from_rows(bone->offset), to_mesh);
    if (!v3_is_finite(inverse.offset) || !v3_is_finite(m3_mul(inverse.linear, v3(1, 1, 1)))) {
        return bad_mesh(s, mesh, "a bone's bind transform is not finite");
    }
    if (bone->weight_count == 0) return VO_OK;
    int bind = bind_of(s->character, (int)bone->node, inverse);
    for (int64_t i = 0; i < bone->weight_count; i++) {
        double weight = (double)bone->weight[i].weight;
        if (!(weight > 0)) continue;
        if (!isfinite(weight)) return bad_mesh(s, mesh, "a weight is not finite");
        hold_add(&s->hold[s->begin + bone->weight[i].vertex], bind, weight, &s->counts->crowded);
    }
    return VO_OK;
}

/* Where the mesh is put down: a transform of its points to the world, and the joint whose it is. */
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
        s->x[s->begin + i] = v3_add(p, v3_zero()); /* -0 and 0 are one place */
        s->node[s->begin + i] = -1;
    }
    return VO_OK;
}

/* Every vertex is held by something: loose ones by what the mesh was put down by. */
static void finish_holds(surface *s, const vo_raw_mesh *mesh, int bind) {
    for (int64_t i = 0; i < mesh->vertex_count; i++) {
        hold *h = &s->hold[s->begin + i];
        if (h->count == 0) {
            if (mesh->bone_count > 0) s->counts->unweighted++;
            *h = (hold){1, {{bind, 1}}};
        }
        hold_finish(h);
    }
}

/* The node at the place of a vertex and held like it, a new one if there is none. */
static int node_of(surface *s, int64_t vertex) {
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
        if (v3_equal(s->x[other], s->x[vertex]) && hold_equal(&s->hold[other], &s->hold[vertex])) {
            return s->node[vertex] = *entry - 1;
        }
    }
}

/* A mirrored mesh is turned inside out again. */
static void add_faces(surface *s, const vo_raw_mesh *mesh, vo_affine placed) {
    const vo_vec3 *row = placed.linear.row;
    bool mirrored = v3_dot(row[0], v3_cross(row[1], row[2])) < 0;
    vo_character *c = s->character;
    for (int64_t f = 0; f < mesh->face_count; f++) {
        const int32_t *corner = mesh->face + 3 * f;
        int a = node_of(s, s->begin + corner[0]);
        int b = node_of(s, s->begin + corner[mirrored ? 2 : 1]);
        int d = node_of(s, s->begin + corner[mirrored ? 1 : 2]);
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
        if (mesh->bone[b].node < 0) return bad_mesh(s, mesh, "names a bone that is not there");
    }
    VO_TRY(place_mesh(s, mesh, &placed, &back, &joint));
    VO_TRY(add_vertices(s, mesh, placed));
    for (int64_t b = 0; b < mesh->bone_count; b++) VO_TRY(add_bone(s, mesh, &mesh->bone[b], back));
    vo_affine inverse;
    if (!vo_affine_inverse(s->rest[joint], &inverse)) {
        return bad_mesh(s, mesh, "hangs on a joint with a scale of zero");
    }
    finish_holds(s, mesh, bind_of(s->character, joint, inverse));
    add_faces(s, mesh, placed);
    s->begin += mesh->vertex_count;
    return VO_OK;
}

/* Positions and weights of the nodes from the vertices they came from. */
static vo_result write_nodes(const surface *s) {
    vo_character *c = s->character;
    const int *first = s->first;
    int64_t weights = 0;
    for (int n = 0; n < c->node_count; n++) weights += s->hold[first[n]].count;
    VO_TRY(vo_import_array(c, c->node_count, sizeof *c->node_x, &c->node_x));
    VO_TRY(vo_import_array(c, c->node_count + 1, sizeof *c->weight_begin, &c->weight_begin));
    VO_TRY(vo_import_array(c, weights, sizeof *c->weight_bind, &c->weight_bind));
    VO_TRY(vo_import_array(c, weights, sizeof *c->weight, &c->weight));
    int at = 0;
    for (int n = 0; n < c->node_count; n++) {
        const hold *h = &s->hold[first[n]];
        c->node_x[n] = s->x[first[n]];
        for (int i = 0; i < h->count; i++, at++) {
            c->weight_bind[at] = h->by[i].bind;
            c->weight[at] = h->by[i].weight;
        }
        c->weight_begin[n + 1] = at;
    }
    return VO_OK;
}

/* Cleared scratch memory; NULL without any. */
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
    s->hold = scratch(arena, s->vertex_count, sizeof *s->hold);
    s->node = scratch(arena, s->vertex_count, sizeof *s->node);
    s->first = scratch(arena, s->vertex_count, sizeof *s->first);
    s->table = scratch(arena, s->table_size, sizeof *s->table);
    if (!s->rest || !s->x || !s->hold || !s->node || !s->first || !s->table) {
        return vo_fail_memory(c->ctx, s->path);
    }
    VO_TRY(vo_import_array(c, bones, sizeof *c->bind, &c->bind));
    return vo_import_array(c, faces, sizeof *c->face, &c->face);
}

static vo_result join(surface *s, const vo_raw_file *file, vo_arena *arena) {
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
    vo_result result = join(&s, file, &arena);
    vo_arena_free(&arena);
    return result;
}
