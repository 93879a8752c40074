#include "view/occlusion.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "view/parcels.h"

#include <string.h>

enum { GRAIN = 128 };
enum { MOST_CUTS = 4 };                                  /* of a face's edges: 15 points */
enum { NODE_ASKED = 1, NODE_SEEN = 2, NODE_UNSEEN = 4 }; /* marks of nodes */
enum { FACE_JUDGED = 1, FACE_FACING = 2 }; /* of faces; the latter for the moment at hand */

/* Where the marks of a cloth's nodes and faces begin. */
typedef struct place {
    int node, face;
} place;

struct vo_occlusion {
    vo_context *ctx;
    vo_hiders *hiders;
    double ahead; /* s, to the world as it will be */

    vo_parcels nodes, faces; /* of the cloths that are judged */
    place *place;            /* of each of them */
    unsigned char *node;     /* marks of their nodes */
    unsigned char *face;     /* and faces */
    int place_capacity, node_capacity, face_capacity;

    /* Of an eye that has asked: pictures are asked about from where windows begin. */
    vo_vec3 eye;
    double near;
    vo_vec3 forward;
    int known_count;      /* nodes of all cloths; 0: nobody has */
    unsigned char *known; /* [known_count] the marks of nodes then */
    int known_capacity;
};

vo_occlusion_def vo_occlusion_def_default(void) {
    return (vo_occlusion_def){
        .gap = 0.002, .spacing = 0.03, .pixels = 4, .rings = 1, .moments = 3, .foresee = true};
}

vo_result vo_occlusion_create(vo_context *ctx, vo_occlusion **out) {
    vo_occlusion *o = vo_new(ctx, vo_occlusion);
    *out = NULL;
    if (!o) return vo_fail_memory(ctx, "occlusion");
    o->ctx = ctx;
    vo_result result = vo_hiders_create(ctx, &o->hiders);
    if (result != VO_OK) {
        vo_occlusion_destroy(o);
        return result;
    }
    *out = o;
    return VO_OK;
}

void vo_occlusion_destroy(vo_occlusion *o) {
    if (!o) return;
    vo_hiders_destroy(o->hiders);
    vo_parcels_free(o->ctx, &o->nodes);
    vo_parcels_free(o->ctx, &o->faces);
    vo_free_array(o->ctx, o->place, o->place_capacity);
    vo_free_array(o->ctx, o->node, o->node_capacity);
    vo_free_array(o->ctx, o->face, o->face_capacity);
    vo_free_array(o->ctx, o->known, o->known_capacity);
    vo_delete(o->ctx, o);
}

vo_result vo_occlusion_set(vo_occlusion *o, int count, const vo_hiding *hiding,
                           const vo_hiding_span *span) {
    o->ahead = span->ahead;
    o->known_count = 0;
    return vo_hiders_set(o->hiders, count, hiding, span);
}

int vo_occlusion_face_count(const vo_occlusion *o) { return vo_hiders_face_count(o->hiders); }

/* ---- lines of sight ------------------------------------------------------------------------- */

/* One moment's questions about all cloths. */
typedef struct inquiry {
    vo_occlusion *o;
    const vo_rays *rays; /* what is between */
    bool later;          /* at the end of the window */
    bool thorough;       /* the lattice is asked, too, not only corners and middles */
    vo_vec3 carried;     /* m, as in vo_later */
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
    return !draw_line(def, moment, point, &ray) || !vo_rays_blocked(vo_hiders_now(o->hiders), &ray);
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
    return drawn ? all & ~vo_rays_blocked_together(q->rays, ray, drawn, true) : all;
}

/* What is known of one cloth. */
typedef struct sheet {
    const vo_mesh *mesh;
    vo_vec3 way; /* m, from where it is to where it is asked about */
    bool two_sided;
    unsigned char bit;          /* of the eye */
    unsigned char *node, *face; /* marks */
    unsigned char *asked, *seen;
} sheet;

static sheet sheet_of(const inquiry *q, int cloth) {
    const vo_occlusion_cloth *c = &q->cloth[cloth];
    return (sheet){.mesh = c->mesh,
                   .way = q->later ? v3_sub(v3_scale(q->o->ahead, c->velocity), q->carried)
                                   : v3_zero(),
                   .two_sided = c->two_sided,
                   .bit = q->moment ? vo_occlusion_bit(q->moment->eye) : 0,
                   .node = q->o->node + q->o->place[cloth].node,
                   .face = q->o->face + q->o->place[cloth].face,
                   .asked = c->asked,
                   .seen = c->seen};
}

static vo_vec3 node_of(const sheet *s, int node) { return v3_add(s->mesh->node_x[node], s->way); }

/* Whether the eye would see a face, were nothing in the way. */
static bool faces_eye(const inquiry *q, const sheet *s, int index) {
    vo_view_face face = vo_view_face_place(s->mesh, index);
    for (int k = 0; k < 3; k++) face.x[k] = v3_add(face.x[k], s->way);
    face.two_sided = s->two_sided;
    vo_sight sight = vo_factor_look(q->factor, q->moment, &face);
    return sight.front && sight.near;
}

/* Which faces that it has not seen so far it would see; later, of those that it would see now.
 * Loops over parcels and cloths have one in each chunk. */
static void find_faces(void *arg, int index, int end, int chunk) {
    const inquiry *q = arg;
    const vo_parcel *p = &q->o->faces.parcel[index];
    sheet s = sheet_of(q, p->cloth);
    (void)end, (void)chunk;
    for (int i = p->begin; i < p->end; i++) {
        bool open = (s.face[i] & FACE_JUDGED) && !(s.seen[i] & s.bit);
        if (q->later) open = open && (s.asked[i] & s.bit);
        bool facing = open && faces_eye(q, &s, i);
        s.face[i] = (unsigned char)((s.face[i] & FACE_JUDGED) | (facing ? FACE_FACING : 0));
        if (facing) s.asked[i] |= s.bit;
    }
}

/* Their corners are to be asked about. */
static void mark_nodes(void *arg, int cloth, int end, int chunk) {
    sheet s = sheet_of(arg, cloth);
    (void)end, (void)chunk;
    memset(s.node, 0, (size_t)s.mesh->node_count);
    for (int i = 0; i < s.mesh->face_count; i++)
        for (int k = 0; k < 3 && (s.face[i] & FACE_FACING); k++)
            s.node[vo_mesh_face_node(s.mesh, i, k)] = NODE_ASKED;
}

/* Whether lines of sight to the nodes of these cloths have been asked for from the same place. */
static bool is_known(const inquiry *q) {
    const vo_occlusion *o = q->o;
    const vo_frustum *f = &q->moment->frustum;
    return !q->later && o->known_count == o->nodes.items && o->near == f->near &&
           v3_distance(o->eye, f->eye) == 0 && v3_distance(o->forward, f->forward) == 0;
}

/* Takes over what is known of the nodes of a parcel. */
static void recall(const inquiry *q, const vo_parcel *p, sheet *s) {
    const unsigned char *known = q->o->known + p->first - p->begin;
    for (int i = p->begin; i < p->end; i++)
        if (s->node[i] && known[i]) s->node[i] = known[i];
}

static void ask_nodes(void *arg, int index, int end, int chunk) {
    const inquiry *q = arg;
    const vo_parcel *p = &q->o->nodes.parcel[index];
    sheet s = sheet_of(q, p->cloth);
    (void)end, (void)chunk;
    if (is_known(q)) recall(q, p, &s);
    for (int i = p->begin; i < p->end;) {
        bunch b = {.count = 0};
        for (; i < p->end && !is_full(&b); i++)
            if (s.node[i] == NODE_ASKED) put(&b, node_of(&s, i), i);
        unsigned seen = see_bunch(q, &b);
        for (int k = 0; k < b.count; k++)
            s.node[b.item[k]] = NODE_ASKED | (seen >> k & 1 ? NODE_SEEN : NODE_UNSEEN);
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
static bool sees_inside(const inquiry *q, const sheet *s, int face) {
    vo_vec3 x[3];
    for (int k = 0; k < 3; k++) x[k] = node_of(s, vo_mesh_face_node(s->mesh, face, k));
    vo_vec3 a = v3_sub(x[1], x[0]), b = v3_sub(x[2], x[0]);
    bunch points = {.count = 0};
    put(&points, v3_add_scaled(v3_add_scaled(x[0], 1.0 / 3, a), 1.0 / 3, b), face);
    int cuts = q->thorough ? cuts_of(q, x) : 0;
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

static bool sees_corner(const sheet *s, int face) {
    for (int k = 0; k < 3; k++)
        if (s->node[vo_mesh_face_node(s->mesh, face, k)] & NODE_SEEN) return true;
    return false;
}

static void ask_faces(void *arg, int index, int end, int chunk) {
    const inquiry *q = arg;
    const vo_parcel *p = &q->o->faces.parcel[index];
    sheet s = sheet_of(q, p->cloth);
    (void)end, (void)chunk;
    for (int i = p->begin; i < p->end; i++)
        if ((s.face[i] & FACE_FACING) && (sees_corner(&s, i) || sees_inside(q, &s, i)))
            s.seen[i] |= s.bit;
}

/* Keeps what is known of all nodes, if it is the first time. */
static void keep_nodes(const inquiry *q) {
    vo_occlusion *o = q->o;
    int count = o->nodes.items;
    if (o->known_count > 0 || q->later) return;
    memcpy(o->known, o->node, (size_t)count);
    o->known_count = count;
    o->eye = q->moment->frustum.eye;
    o->near = q->moment->frustum.near;
    o->forward = q->moment->frustum.forward;
}

/* Finds the faces that are seen from one moment. */
static void ask_moment(inquiry *q) {
    vo_occlusion *o = q->o;
    vo_parallel_for(o->ctx, o->faces.count, 1, find_faces, q);
    vo_parallel_for(o->ctx, q->cloth_count, 1, mark_nodes, q);
    vo_parallel_for(o->ctx, o->nodes.count, 1, ask_nodes, q);
    keep_nodes(q);
    vo_parallel_for(o->ctx, o->faces.count, 1, ask_faces, q);
}

/* ---- the window ----------------------------------------------------------------------------- */

/* The moments of the window, shot after shot. */
typedef struct moments {
    int count;
    const vo_moment *moment;
} moments;

/* One past the last moment of a shot. */
static int shot_end(const moments *m, int begin) {
    int end = begin + 1;
    while (end < m->count && !m->moment[end].first) end++;
    return end;
}

/* Asks from a shot's first and last moments and some between. */
static void ask_shot(inquiry *q, const vo_moment *moment, int count) {
    int asked = vo_min_int(vo_max_int(q->def->moments, 2), count);
    for (int i = 0; i < asked; i++) {
        q->moment = &moment[asked > 1 ? i * (count - 1) / (asked - 1) : 0];
        q->thorough = i == 0 || i + 1 == asked;
        ask_moment(q);
    }
}

/* Where everything is now. */
static void ask_now(inquiry *q, const moments *m) {
    q->rays = vo_hiders_now(q->o->hiders);
    for (int i = 0; i < m->count; i = shot_end(m, i))
        ask_shot(q, &m->moment[i], shot_end(m, i) - i);
}

/* Whether any face is seen by fewer eyes than would. */
static bool hides_any(const inquiry *q) {
    for (int c = 0; c < q->cloth_count; c++)
        for (int i = 0; i < q->cloth[c].mesh->face_count; i++)
            if (q->cloth[c].asked[i] & ~q->cloth[c].seen[i]) return true;
    return false;
}

/* Where everything will be, if it goes on as it does. */
static vo_result ask_later(inquiry *q, const moments *m) {
    if (!q->def->foresee || !hides_any(q)) return VO_OK;
    vo_later world;
    VO_TRY(vo_hiders_later(q->o->hiders, &world));
    if (!world.rays) return VO_OK;
    q->later = true;
    q->thorough = false;
    q->rays = world.rays;
    q->carried = world.carried;
    for (int i = 0; i < m->count; i = shot_end(m, i)) {
        vo_moment last = m->moment[shot_end(m, i) - 1];
        last.frustum.eye = v3_sub(last.frustum.eye, world.carried);
        q->moment = &last;
        ask_moment(q);
    }
    q->moment = NULL;
    return VO_OK;
}

/* Faces next to those that were judged and seen are seen, too. */
static void spread(void *arg, int cloth, int end, int chunk) {
    sheet s = sheet_of(arg, cloth);
    (void)end, (void)chunk;
    memset(s.node, 0, (size_t)s.mesh->node_count);
    for (int i = 0; i < s.mesh->face_count; i++)
        for (int k = 0; k < 3 && (s.face[i] & FACE_JUDGED); k++)
            s.node[vo_mesh_face_node(s.mesh, i, k)] |= s.seen[i];
    for (int i = 0; i < s.mesh->face_count; i++)
        for (int k = 0; k < 3; k++) s.seen[i] |= s.node[vo_mesh_face_node(s.mesh, i, k)];
}

/* Room for the marks of all cloths; nothing is known of any face. */
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
        !vo_reserve(o->ctx, &o->known, &o->known_capacity, o->nodes.items + 1) ||
        !vo_reserve(o->ctx, &o->face, &o->face_capacity, o->faces.items + 1))
        return vo_fail_memory(o->ctx, "occlusion");
    for (int i = 0; i < count; i++)
        for (int k = 0; k < cloth[i].mesh->face_count; k++) {
            o->face[o->place[i].face + k] = cloth[i].asked[k] ? FACE_JUDGED : 0;
            cloth[i].asked[k] = cloth[i].seen[k] = 0;
        }
    return VO_OK;
}

vo_result vo_occlusion_judge(vo_occlusion *o, const vo_occlusion_def *def,
                             const vo_factor_def *factor, int moment_count, const vo_moment *moment,
                             int cloth_count, const vo_occlusion_cloth *cloth) {
    inquiry q = {.o = o, .def = def, .factor = factor, .cloth_count = cloth_count, .cloth = cloth};
    moments all = {moment_count, moment};
    VO_TRY(open_cloths(o, cloth_count, cloth));
    ask_now(&q, &all);
    VO_TRY(ask_later(&q, &all));
    for (int i = 0; i < def->rings; i++) vo_parallel_for(o->ctx, cloth_count, 1, spread, &q);
    return VO_OK;
}
