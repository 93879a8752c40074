#include "view/occlusion.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "view/parcels.h"

#include <string.h>

enum { GRAIN = 128 };
enum { MOST_CUTS = 4 };                     /* of a face's edges: 15 points */
enum { NODE_ASKED = 1, NODE_SEEN = 2 };     /* marks of nodes */
enum { FACE_OPEN = 1, FACE_FACES_EYE = 2 }; /* not seen so far; looked at from the present moment */

/* Where the nodes and faces of a mesh begin among those of all. */
typedef struct place {
    int node, face;
    bool hides;
} place;

struct vo_occlusion {
    vo_context *ctx;
    vo_rays *rays;
    float (*x)[3]; /* nodes of all that hides, and 16 bytes more */
    int (*face)[3];
    place *place;   /* of each mesh that hides, or of each cloth that is judged */
    int face_count; /* of what hides */
    int x_capacity, face_capacity, place_capacity;

    vo_parcels nodes, faces; /* of the cloths that are judged */
    unsigned char *node;     /* marks of their nodes */
    unsigned char *open;     /* marks of their faces */
    int node_capacity, open_capacity;
};

vo_occlusion_def vo_occlusion_def_default(void) {
    return (vo_occlusion_def){.gap = 0.002, .spacing = 0.03, .pixels = 4, .rings = 1, .moments = 3};
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
    vo_free_array(o->ctx, o->place, o->place_capacity);
    vo_parcels_free(o->ctx, &o->nodes);
    vo_parcels_free(o->ctx, &o->faces);
    vo_free_array(o->ctx, o->node, o->node_capacity);
    vo_free_array(o->ctx, o->open, o->open_capacity);
    vo_delete(o->ctx, o);
}

/* ---- what hides ----------------------------------------------------------------------------- */

/* Meshes that are looked through or put into the tree. */
typedef struct gathering {
    vo_occlusion *o;
    const vo_mesh *const *mesh;
    const vo_occlusion_span *span;
} gathering;

/* A ball around a mesh. */
static void enclose(const vo_mesh *m, vo_vec3 *centre, double *radius) {
    vo_vec3 low = m->node_x[0], high = low;
    for (int i = 1; i < m->node_count; i++) {
        low = v3_min(low, m->node_x[i]);
        high = v3_max(high, m->node_x[i]);
    }
    *centre = v3_lerp(low, high, 0.5);
    *radius = 0.5 * v3_length(v3_sub(high, low));
}

/* Whether a line of sight from some moment of the span may meet a mesh.
 *
 * With everything drawn towards the eye, what is near the frame stays near the frustum that begins
 * at the eye: a point s p, s <= 1, is at most s times as far from it as p. So all lines of sight
 * are as near to that one as the points where they begin, which belong to faces within the margin
 * and are at most an edge further away. */
static bool may_hide(const vo_mesh *mesh, const vo_occlusion_span *span) {
    vo_vec3 centre;
    double radius;
    enclose(mesh, &centre, &radius);
    for (int i = 0; i < span->moment_count; i++) {
        vo_moment from_eye = span->moment[i];
        from_eye.frustum.near = 0;
        double far = v3_length(centre) + v3_distance(centre, from_eye.frustum.eye);
        double reach =
            radius + span->longest + 1e-3 + 1e-6 * far; /* beyond the rounding of floats */
        if (vo_factor_place(span->factor, &from_eye, centre, reach) != VO_BALL_OUT) return true;
    }
    return false;
}

static void find_hiding(void *arg, int begin, int end, int chunk) {
    const gathering *g = arg;
    (void)chunk;
    for (int i = begin; i < end; i++) {
        const vo_mesh *m = g->mesh[i];
        g->o->place[i].hides = m && m->face_count > 0 && (!g->span || may_hide(m, g->span));
    }
}

static void add_mesh(vo_occlusion *o, const vo_mesh *m, const place *at) {
    for (int i = 0; i < m->node_count; i++) {
        float *x = o->x[at->node + i];
        x[0] = (float)m->node_x[i].x, x[1] = (float)m->node_x[i].y, x[2] = (float)m->node_x[i].z;
    }
    for (int i = 0; i < m->face_count; i++)
        for (int k = 0; k < 3; k++)
            o->face[at->face + i][k] = at->node + vo_mesh_face_node(m, i, k);
}

static void add_meshes(void *arg, int begin, int end, int chunk) {
    const gathering *g = arg;
    (void)chunk;
    for (int i = begin; i < end; i++)
        if (g->o->place[i].hides) add_mesh(g->o, g->mesh[i], &g->o->place[i]);
}

/* Puts meshes that hide one after the other; returns the end of them. */
static place line_up(vo_occlusion *o, int count, const vo_mesh *const *mesh) {
    place end = {0};
    for (int i = 0; i < count; i++) {
        o->place[i].node = end.node, o->place[i].face = end.face;
        end.node += o->place[i].hides ? mesh[i]->node_count : 0;
        end.face += o->place[i].hides ? mesh[i]->face_count : 0;
    }
    return end;
}

vo_result vo_occlusion_set(vo_occlusion *o, int count, const vo_mesh *const *mesh,
                           const vo_occlusion_span *span) {
    gathering g = {o, mesh, span};
    if (!vo_reserve(o->ctx, &o->place, &o->place_capacity, count + 1))
        return vo_fail_memory(o->ctx, "occlusion");
    vo_parallel_for(o->ctx, count, 1, find_hiding, &g);
    place end = line_up(o, count, mesh);
    if (!vo_reserve(o->ctx, &o->x, &o->x_capacity, end.node + 2) ||
        !vo_reserve(o->ctx, &o->face, &o->face_capacity, end.face + 1))
        return vo_fail_memory(o->ctx, "occlusion");
    o->face_count = end.face;
    vo_parallel_for(o->ctx, count, 1, add_meshes, &g);
    vo_rays_def def = {.vertex_count = end.node,
                       .x = (const float(*)[3])o->x,
                       .face_count = end.face,
                       .face = o->face,
                       .face_stride = sizeof *o->face,
                       .quick = true,
                       .shared = true};
    return vo_rays_set(o->rays, &def);
}

int vo_occlusion_face_count(const vo_occlusion *o) { return o->face_count; }

/* ---- lines of sight ------------------------------------------------------------------------- */

/* One moment's questions about all cloths. */
typedef struct inquiry {
    vo_occlusion *o;
    const vo_occlusion_def *def;
    const vo_factor_def *factor;
    const vo_moment *moment;
    int cloth_count;
    const vo_occlusion_cloth *cloth;
} inquiry;

/* The line of sight from a point to the eye; false if nothing can be between. */
static bool draw_line(const vo_occlusion_def *def, const vo_moment *moment, vo_vec3 point,
                      vo_ray *ray) {
    const vo_frustum *f = &moment->frustum;
    vo_vec3 way = v3_sub(f->eye, point);
    double distance = v3_length(way), depth = -v3_dot(f->forward, way);
    double far = vo_max(vo_max(fabs(point.x), fabs(point.y)), fabs(point.z));
    double gap = def->gap + 1e-6 * far; /* beyond the rounding of floats */
    double length = distance * (1 - f->near / depth) - gap;
    if (!(depth > f->near) || !(length > 0)) return false;
    vo_vec3 direction = v3_scale(1 / distance, way);
    *ray = (vo_ray){v3_add_scaled(point, gap, direction), direction, length};
    return true;
}

bool vo_occlusion_sees(const vo_occlusion *o, const vo_occlusion_def *def, const vo_moment *moment,
                       vo_vec3 point) {
    vo_ray ray;
    return !draw_line(def, moment, point, &ray) || !vo_rays_blocked(o->rays, &ray);
}

/* Points that are near each other, to be asked about together. */
typedef struct bunch {
    int count;
    vo_vec3 x[VO_RAYS_TOGETHER];
    int item[VO_RAYS_TOGETHER]; /* whatever each belongs to */
} bunch;

static bool is_full(const bunch *b) { return b->count == VO_RAYS_TOGETHER; }

static void put(bunch *b, vo_vec3 x, int item) {
    b->x[b->count] = x;
    b->item[b->count++] = item;
}

/* Which of them are seen, a bit each. */
static unsigned see_bunch(const inquiry *q, const bunch *b) {
    vo_ray ray[VO_RAYS_TOGETHER];
    unsigned all = (1u << b->count) - 1, drawn = 0;
    for (int i = 0; i < b->count; i++)
        if (draw_line(q->def, q->moment, b->x[i], &ray[i])) drawn |= 1u << i;
    return drawn ? all & ~vo_rays_blocked_together(q->o->rays, ray, drawn, true) : all;
}

/* Marks of a cloth's nodes and faces. */
static unsigned char *node_marks(const inquiry *q, int cloth) {
    return q->o->node + q->o->place[cloth].node;
}
static unsigned char *face_marks(const inquiry *q, int cloth) {
    return q->o->open + q->o->place[cloth].face;
}

/* Which faces that are still open the eye may see, were nothing in the way. */
static void find_faces(void *arg, int begin, int end, int chunk) {
    const inquiry *q = arg;
    const vo_parcel *p = &q->o->faces.parcel[begin];
    const vo_occlusion_cloth *cloth = &q->cloth[p->cloth];
    unsigned char *open = face_marks(q, p->cloth);
    (void)end, (void)chunk;
    for (int i = p->begin; i < p->end; i++) {
        if (!open[i]) continue;
        vo_view_face face = vo_view_face_place(cloth->mesh, i);
        face.two_sided = cloth->two_sided;
        vo_sight sight = vo_factor_look(q->factor, q->moment, &face, VO_PLACE_UNKNOWN);
        open[i] = sight.front && sight.near ? FACE_OPEN | FACE_FACES_EYE : FACE_OPEN;
    }
}

/* Their corners are to be asked about. */
static void mark_nodes(void *arg, int begin, int end, int chunk) {
    const inquiry *q = arg;
    const vo_mesh *mesh = q->cloth[begin].mesh;
    unsigned char *node = node_marks(q, begin);
    const unsigned char *open = face_marks(q, begin);
    (void)end, (void)chunk;
    memset(node, 0, (size_t)mesh->node_count);
    for (int i = 0; i < mesh->face_count; i++)
        for (int k = 0; k < 3 && (open[i] & FACE_FACES_EYE); k++)
            node[vo_mesh_face_node(mesh, i, k)] = NODE_ASKED;
}

static void ask_nodes(void *arg, int begin, int end, int chunk) {
    const inquiry *q = arg;
    const vo_parcel *p = &q->o->nodes.parcel[begin];
    const vo_mesh *mesh = q->cloth[p->cloth].mesh;
    unsigned char *node = node_marks(q, p->cloth);
    (void)end, (void)chunk;
    for (int i = p->begin; i < p->end;) {
        bunch b = {.count = 0};
        for (; i < p->end && !is_full(&b); i++)
            if (node[i]) put(&b, mesh->node_x[i], i);
        unsigned seen = see_bunch(q, &b);
        for (int k = 0; k < b.count; k++)
            if (seen >> k & 1) node[b.item[k]] |= NODE_SEEN;
    }
}

/* How many parts the edges of a face are cut into for its points. */
static int cuts_of(const inquiry *q, const vo_vec3 x[3]) {
    const vo_moment *m = q->moment;
    double longest2 = 0, depth = INFINITY;
    for (int i = 0; i < 3; i++) {
        longest2 = vo_max(longest2, v3_length2(v3_sub(x[(i + 1) % 3], x[i])));
        depth = vo_min(depth, v3_dot(m->frustum.forward, v3_sub(x[i], m->frustum.eye)));
    }
    double shown = q->def->pixels * depth / vo_max(m->pixel_x, m->pixel_y);
    double cuts = ceil(sqrt(longest2) / vo_max(vo_max(q->def->spacing, shown), 1e-6));
    return cuts < MOST_CUTS ? (int)cuts : MOST_CUTS;
}

/* Points of a face but its corners: the middle, and the lattice of its cut edges. */
static bool sees_inside(const inquiry *q, const vo_mesh *mesh, int face) {
    vo_vec3 x[3];
    for (int k = 0; k < 3; k++) x[k] = mesh->node_x[vo_mesh_face_node(mesh, face, k)];
    vo_vec3 a = v3_sub(x[1], x[0]), b = v3_sub(x[2], x[0]);
    bunch points = {.count = 0};
    put(&points, v3_add_scaled(v3_add_scaled(x[0], 1.0 / 3, a), 1.0 / 3, b), face);
    int cuts = cuts_of(q, x);
    for (int i = 0; i <= cuts; i++)
        for (int j = 0; i + j <= cuts; j++) {
            if (i == cuts || j == cuts || i + j == 0) continue; /* a corner */
            if (is_full(&points)) {
                if (see_bunch(q, &points)) return true;
                points.count = 0;
            }
            double u = (double)i / cuts, v = (double)j / cuts;
            put(&points, v3_add_scaled(v3_add_scaled(x[0], u, a), v, b), face);
        }
    return see_bunch(q, &points) != 0;
}

static bool sees_corner(const vo_mesh *mesh, const unsigned char *node, int face) {
    for (int k = 0; k < 3; k++)
        if (node[vo_mesh_face_node(mesh, face, k)] & NODE_SEEN) return true;
    return false;
}

static void ask_faces(void *arg, int begin, int end, int chunk) {
    const inquiry *q = arg;
    const vo_parcel *p = &q->o->faces.parcel[begin];
    const vo_mesh *mesh = q->cloth[p->cloth].mesh;
    const unsigned char *node = node_marks(q, p->cloth);
    unsigned char *open = face_marks(q, p->cloth);
    (void)end, (void)chunk;
    for (int i = p->begin; i < p->end; i++) {
        if (!(open[i] & FACE_FACES_EYE)) continue;
        open[i] = !sees_corner(mesh, node, i) && !sees_inside(q, mesh, i) ? FACE_OPEN : 0;
    }
}

/* Closes the faces that are seen from one moment. */
static void ask_moment(inquiry *q) {
    vo_occlusion *o = q->o;
    vo_parallel_for(o->ctx, o->faces.count, 1, find_faces, q);
    vo_parallel_for(o->ctx, q->cloth_count, 1, mark_nodes, q);
    vo_parallel_for(o->ctx, o->nodes.count, 1, ask_nodes, q);
    vo_parallel_for(o->ctx, o->faces.count, 1, ask_faces, q);
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
static void spread(const inquiry *q, int cloth) {
    const vo_mesh *mesh = q->cloth[cloth].mesh;
    const unsigned char *judged = q->cloth[cloth].hidden;
    unsigned char *node = node_marks(q, cloth), *open = face_marks(q, cloth);
    memset(node, 0, (size_t)mesh->node_count);
    for (int i = 0; i < mesh->face_count; i++)
        for (int k = 0; k < 3 && judged[i] && !open[i]; k++)
            node[vo_mesh_face_node(mesh, i, k)] = NODE_SEEN;
    for (int i = 0; i < mesh->face_count; i++)
        for (int k = 0; k < 3; k++)
            if (node[vo_mesh_face_node(mesh, i, k)]) open[i] = 0;
}

/* What is left open of a cloth is hidden. */
static void conclude(void *arg, int begin, int end, int chunk) {
    const inquiry *q = arg;
    const vo_occlusion_cloth *cloth = &q->cloth[begin];
    const unsigned char *open = face_marks(q, begin);
    (void)end, (void)chunk;
    for (int i = 0; i < q->def->rings; i++) spread(q, begin);
    for (int i = 0; i < cloth->mesh->face_count; i++) cloth->hidden[i] = open[i] != 0;
}

/* Room for the marks of all cloths; faces to be judged are open. */
static vo_result open_cloths(vo_occlusion *o, int count, const vo_occlusion_cloth *cloth) {
    bool room = vo_reserve(o->ctx, &o->place, &o->place_capacity, count + 1);
    vo_parcels_clear(&o->nodes);
    vo_parcels_clear(&o->faces);
    for (int i = 0; i < count && room; i++) {
        const vo_mesh *mesh = cloth[i].mesh;
        o->place[i] = (place){.node = o->nodes.items, .face = o->faces.items};
        room = vo_parcels_add(o->ctx, &o->nodes, i, mesh->node_count, GRAIN) &&
               vo_parcels_add(o->ctx, &o->faces, i, mesh->face_count, GRAIN);
    }
    if (!room || !vo_reserve(o->ctx, &o->node, &o->node_capacity, o->nodes.items + 1) ||
        !vo_reserve(o->ctx, &o->open, &o->open_capacity, o->faces.items + 1))
        return vo_fail_memory(o->ctx, "occlusion");
    for (int i = 0; i < count; i++)
        for (int k = 0; k < cloth[i].mesh->face_count; k++)
            o->open[o->place[i].face + k] = cloth[i].hidden[k] ? FACE_OPEN : 0;
    return VO_OK;
}

vo_result vo_occlusion_judge(vo_occlusion *o, const vo_occlusion_def *def,
                             const vo_factor_def *factor, int moment_count, const vo_moment *moment,
                             int cloth_count, const vo_occlusion_cloth *cloth, int *count) {
    inquiry q = {.o = o, .def = def, .factor = factor, .cloth_count = cloth_count, .cloth = cloth};
    *count = 0;
    VO_TRY(open_cloths(o, cloth_count, cloth));
    for (int i = 0, next; i < moment_count; i = next) {
        for (next = i + 1; next < moment_count && !moment[next].first; next++) {}
        ask_shot(&q, &moment[i], next - i);
    }
    vo_parallel_for(o->ctx, cloth_count, 1, conclude, &q);
    for (int i = 0; i < cloth_count; i++)
        for (int k = 0; k < cloth[i].mesh->face_count; k++) *count += cloth[i].hidden[k];
    return VO_OK;
}
