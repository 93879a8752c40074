#include "view/occlusion.h"

#include "core/memory.h"
#include "core/parallel.h"

#include <string.h>

enum { GRAIN = 128 };
enum { MOST_CUTS = 4 };                     /* of a face's edges: 15 points */
enum { NODE_ASKED = 1, NODE_SEEN = 2 };     /* marks of nodes */
enum { FACE_OPEN = 1, FACE_FACES_EYE = 2 }; /* not seen so far; looked at from the present moment */

struct vo_occlusion {
    vo_context *ctx;
    vo_rays *rays;
    float (*x)[3]; /* nodes of all that hides, and 16 bytes more */
    int (*face)[3];
    unsigned char *node; /* marks of the cloth at hand */
    unsigned char *open; /* [face_count] marks of its faces */
    int x_capacity, face_capacity, node_capacity, open_capacity;
};

vo_occlusion_def vo_occlusion_def_default(void) {
    return (vo_occlusion_def){.gap = 0.002, .spacing = 0.03, .rings = 1, .moments = 3};
}

vo_result vo_occlusion_create(vo_context *ctx, vo_occlusion **out) {
    vo_occlusion *o = vo_new(ctx, vo_occlusion);
    *out = NULL;
    if (!o) return vo_fail_memory(ctx, "occlusion");
    o->ctx = ctx;
    vo_result result = vo_rays_create(ctx, &o->rays);
    if (result != VO_OK) {
        vo_occlusion_destroy(o);
        return result;
    }
    *out = o;
    return VO_OK;
}

void vo_occlusion_destroy(vo_occlusion *o) {
    if (!o) return;
    vo_rays_destroy(o->rays);
    vo_free_array(o->ctx, o->x, o->x_capacity);
    vo_free_array(o->ctx, o->face, o->face_capacity);
    vo_free_array(o->ctx, o->node, o->node_capacity);
    vo_free_array(o->ctx, o->open, o->open_capacity);
    vo_delete(o->ctx, o);
}

/* ---- what hides ----------------------------------------------------------------------------- */

static void add_mesh(vo_occlusion *o, const vo_mesh *m, int node, int face) {
    for (int i = 0; i < m->node_count; i++) {
        float *x = o->x[node + i];
        x[0] = (float)m->node_x[i].x, x[1] = (float)m->node_x[i].y, x[2] = (float)m->node_x[i].z;
    }
    for (int i = 0; i < m->face_count; i++)
        for (int k = 0; k < 3; k++) o->face[face + i][k] = node + vo_mesh_face_node(m, i, k);
}

vo_result vo_occlusion_set(vo_occlusion *o, int count, const vo_mesh *const *mesh) {
    int nodes = 0, faces = 0;
    for (int i = 0; i < count; i++) {
        nodes += mesh[i] ? mesh[i]->node_count : 0;
        faces += mesh[i] ? mesh[i]->face_count : 0;
    }
    if (!vo_reserve(o->ctx, &o->x, &o->x_capacity, nodes + 2) ||
        !vo_reserve(o->ctx, &o->face, &o->face_capacity, faces + 1))
        return vo_fail_memory(o->ctx, "occlusion");
    nodes = faces = 0;
    for (int i = 0; i < count; i++) {
        if (!mesh[i]) continue;
        add_mesh(o, mesh[i], nodes, faces);
        nodes += mesh[i]->node_count;
        faces += mesh[i]->face_count;
    }
    vo_rays_def def = {.vertex_count = nodes,
                       .x = (const float(*)[3])o->x,
                       .face_count = faces,
                       .face = o->face,
                       .face_stride = sizeof *o->face,
                       .quick = true};
    return vo_rays_set(o->rays, &def);
}

/* ---- lines of sight ------------------------------------------------------------------------- */

/* One moment's questions about one cloth. */
typedef struct inquiry {
    vo_occlusion *o;
    const vo_occlusion_def *def;
    const vo_factor_def *factor;
    const vo_moment *moment;
    const vo_occlusion_cloth *cloth;
} inquiry;

bool vo_occlusion_sees(const vo_occlusion *o, const vo_occlusion_def *def, const vo_moment *moment,
                       vo_vec3 point) {
    const vo_frustum *f = &moment->frustum;
    vo_vec3 way = v3_sub(f->eye, point);
    double distance = v3_length(way), depth = -v3_dot(f->forward, way);
    double far = vo_max(vo_max(fabs(point.x), fabs(point.y)), fabs(point.z));
    double gap = def->gap + 1e-6 * far; /* beyond the rounding of floats */
    double length = distance * (1 - f->near / depth) - gap;
    if (!(depth > f->near) || !(length > 0)) return true;
    vo_vec3 direction = v3_scale(1 / distance, way);
    vo_ray ray = {v3_add_scaled(point, gap, direction), direction, length};
    return !vo_rays_blocked(o->rays, &ray);
}

static bool sees(const inquiry *q, vo_vec3 point) {
    return vo_occlusion_sees(q->o, q->def, q->moment, point);
}

/* Which faces that are still open the eye may see, were nothing in the way. */
static void find_faces(void *arg, int begin, int end, int chunk) {
    const inquiry *q = arg;
    const vo_mesh *mesh = q->cloth->mesh;
    (void)chunk;
    for (int i = begin; i < end; i++) {
        if (!q->o->open[i]) continue;
        vo_view_face face = vo_view_face_place(mesh, i);
        face.two_sided = q->cloth->two_sided;
        vo_sight sight = vo_factor_look(q->factor, q->moment, &face, VO_PLACE_UNKNOWN);
        q->o->open[i] = sight.front && sight.near ? FACE_OPEN | FACE_FACES_EYE : FACE_OPEN;
    }
}

/* Their corners are to be asked about. */
static void mark_nodes(const inquiry *q) {
    const vo_mesh *mesh = q->cloth->mesh;
    memset(q->o->node, 0, (size_t)mesh->node_count);
    for (int i = 0; i < mesh->face_count; i++)
        for (int k = 0; k < 3 && (q->o->open[i] & FACE_FACES_EYE); k++)
            q->o->node[vo_mesh_face_node(mesh, i, k)] = NODE_ASKED;
}

static void ask_nodes(void *arg, int begin, int end, int chunk) {
    const inquiry *q = arg;
    (void)chunk;
    for (int i = begin; i < end; i++)
        if (q->o->node[i] && sees(q, q->cloth->mesh->node_x[i])) q->o->node[i] |= NODE_SEEN;
}

/* How many parts the edges of a face are cut into for its points. */
static int cuts_of(const inquiry *q, const vo_vec3 x[3]) {
    double longest2 = 0;
    for (int i = 0; i < 3; i++)
        longest2 = vo_max(longest2, v3_length2(v3_sub(x[(i + 1) % 3], x[i])));
    double cuts = ceil(sqrt(longest2) / vo_max(q->def->spacing, 1e-6));
    return cuts < MOST_CUTS ? (int)cuts : MOST_CUTS;
}

/* Points of a face but its corners: the middle, and the lattice of its cut edges. */
static bool sees_inside(const inquiry *q, int face) {
    vo_vec3 x[3];
    for (int k = 0; k < 3; k++)
        x[k] = q->cloth->mesh->node_x[vo_mesh_face_node(q->cloth->mesh, face, k)];
    vo_vec3 a = v3_sub(x[1], x[0]), b = v3_sub(x[2], x[0]);
    if (sees(q, v3_add_scaled(v3_add_scaled(x[0], 1.0 / 3, a), 1.0 / 3, b))) return true;
    int cuts = cuts_of(q, x);
    for (int i = 0; i <= cuts; i++)
        for (int j = 0; i + j <= cuts; j++) {
            bool corner = i == cuts || j == cuts || i + j == 0;
            vo_vec3 p =
                v3_add_scaled(v3_add_scaled(x[0], (double)i / cuts, a), (double)j / cuts, b);
            if (!corner && sees(q, p)) return true;
        }
    return false;
}

static bool sees_corner(const inquiry *q, int face) {
    const vo_mesh *mesh = q->cloth->mesh;
    for (int k = 0; k < 3; k++)
        if (q->o->node[vo_mesh_face_node(mesh, face, k)] & NODE_SEEN) return true;
    return false;
}

static void ask_faces(void *arg, int begin, int end, int chunk) {
    const inquiry *q = arg;
    (void)chunk;
    for (int i = begin; i < end; i++) {
        if (!(q->o->open[i] & FACE_FACES_EYE)) continue;
        q->o->open[i] = !sees_corner(q, i) && !sees_inside(q, i) ? FACE_OPEN : 0;
    }
}

/* Closes the faces that are seen from one moment. */
static void ask_moment(const inquiry *q) {
    const vo_mesh *mesh = q->cloth->mesh;
    vo_context *ctx = q->o->ctx;
    vo_parallel_for(ctx, mesh->face_count, GRAIN, find_faces, (void *)q);
    mark_nodes(q);
    vo_parallel_for(ctx, mesh->node_count, GRAIN, ask_nodes, (void *)q);
    vo_parallel_for(ctx, mesh->face_count, GRAIN, ask_faces, (void *)q);
}

/* ---- the window ----------------------------------------------------------------------------- */

/* Asks from a shot's first and last moments and some between. */
static void ask_shot(inquiry *q, const vo_moment *moment, int count) {
    int asked = vo_min_int(vo_max_int(q->def->moments, 2), count);
    for (int i = 0; i < asked; i++) {
        q->moment = &moment[asked > 1 ? i * (count - 1) / (asked - 1) : 0];
        ask_moment(q);
    }
}

/* Faces next to those that were judged and seen are seen, too. */
static void spread(const inquiry *q) {
    const vo_mesh *mesh = q->cloth->mesh;
    unsigned char *node = q->o->node;
    memset(node, 0, (size_t)mesh->node_count);
    for (int i = 0; i < mesh->face_count; i++)
        for (int k = 0; k < 3 && q->cloth->hidden[i] && !q->o->open[i]; k++)
            node[vo_mesh_face_node(mesh, i, k)] = NODE_SEEN;
    for (int i = 0; i < mesh->face_count; i++)
        for (int k = 0; k < 3; k++)
            if (node[vo_mesh_face_node(mesh, i, k)]) q->o->open[i] = 0;
}

vo_result vo_occlusion_judge(vo_occlusion *o, const vo_occlusion_def *def,
                             const vo_factor_def *factor, int moment_count, const vo_moment *moment,
                             const vo_occlusion_cloth *cloth, int *count) {
    int faces = cloth->mesh->face_count, nodes = cloth->mesh->node_count;
    inquiry q = {.o = o, .def = def, .factor = factor, .cloth = cloth};
    *count = 0;
    if (!vo_reserve(o->ctx, &o->node, &o->node_capacity, nodes + 1) ||
        !vo_reserve(o->ctx, &o->open, &o->open_capacity, faces + 1))
        return vo_fail_memory(o->ctx, "occlusion");
    for (int i = 0; i < faces; i++) o->open[i] = cloth->hidden[i] ? FACE_OPEN : 0;
    for (int i = 0, next; i < moment_count; i = next) {
        for (next = i + 1; next < moment_count && !moment[next].first; next++) {}
        ask_shot(&q, &moment[i], next - i);
    }
    for (int i = 0; i < def->rings; i++) spread(&q);
    for (int i = 0; i < faces; i++) {
        cloth->hidden[i] = o->open[i] != 0;
        *count += cloth->hidden[i];
    }
    return VO_OK;
}
