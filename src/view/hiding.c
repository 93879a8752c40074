#include "view/hiding.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "spatial/aabb.h"

/* Less than this until the window's end is no motion, m. */
static const double STILL = 0.01;

/* A mesh among all. */
typedef struct stand {
    int node, face; /* where its nodes and faces begin */
    bool between;   /* eyes and what they look at, maybe */
    vo_vec3 centre; /* of a ball around it */
    double radius;  /* m */
    double travel;  /* m, the most that a point of it goes until the window's end */
} stand;

/* A tree and its nodes. */
typedef struct world {
    vo_rays *rays;
    float (*x)[3]; /* [node_count + 2]: 16 bytes more than nodes */
    int x_capacity;
} world;

struct vo_hiders {
    vo_context *ctx;
    int count;
    const vo_hiding *hiding; /* [count] the caller's */
    double ahead;            /* s */
    stand *stand;            /* [count] */
    int node_count, face_count;
    int (*face)[3];
    world now, later;
    bool foreseen; /* `later` is made */
    int stand_capacity, face_capacity;
};

vo_result vo_hiders_create(vo_context *ctx, vo_hiders **out) {
    vo_hiders *h = vo_new(ctx, vo_hiders);
    *out = NULL;
    if (!h) return vo_fail_memory(ctx, "what hides");
    h->ctx = ctx;
    vo_result result = vo_rays_create(ctx, &h->now.rays);
    if (result == VO_OK) result = vo_rays_create(ctx, &h->later.rays);
    if (result != VO_OK) {
        vo_hiders_destroy(h);
        return result;
    }
    *out = h;
    return VO_OK;
}

static void free_world(vo_context *ctx, world *w) {
    vo_rays_destroy(w->rays);
    vo_free_array(ctx, w->x, w->x_capacity);
}

void vo_hiders_destroy(vo_hiders *h) {
    if (!h) return;
    free_world(h->ctx, &h->now);
    free_world(h->ctx, &h->later);
    vo_free_array(h->ctx, h->stand, h->stand_capacity);
    vo_free_array(h->ctx, h->face, h->face_capacity);
    vo_delete(h->ctx, h);
}

/* ---- who stands where ----------------------------------------------------------------------- */

static vo_box bounds(const vo_mesh *m) {
    vo_box box = box_empty();
    for (int i = 0; i < m->node_count; i++) box = box_add(box, m->node_x[i]);
    return box;
}

/* Where a mesh goes until the window's end, by its velocity. */
static vo_vec3 way_of(const vo_hiders *h, int i) {
    return v3_scale(h->ahead, h->hiding[i].velocity);
}

/* m, the most that a point of a mesh goes: of a box, a corner goes furthest. */
static double find_travel(const vo_hiders *h, int i, vo_box box) {
    const vo_transform *then = h->hiding[i].then;
    if (!then) return v3_length(way_of(h, i));
    double most = 0;
    for (int k = 0; k < 8; k++) {
        vo_vec3 corner = v3(k & 1 ? box.max.x : box.min.x, k & 2 ? box.max.y : box.min.y,
                            k & 4 ? box.max.z : box.min.z);
        most = vo_max(most, v3_distance(xf_point(*then, corner), corner));
    }
    return most;
}

static void measure(void *arg, int begin, int end, int chunk) {
    vo_hiders *h = arg;
    (void)chunk;
    for (int i = begin; i < end; i++) {
        const vo_mesh *mesh = h->hiding[i].mesh;
        stand *s = &h->stand[i];
        *s = (stand){0};
        if (!mesh || mesh->node_count == 0) continue;
        vo_box box = bounds(mesh);
        s->centre = v3_lerp(box.min, box.max, 0.5);
        s->radius = 0.5 * v3_length(v3_sub(box.max, box.min));
        s->travel = find_travel(h, i, box);
    }
}

static double most_travel(const vo_hiders *h) {
    double most = 0;
    for (int i = 0; i < h->count; i++) most = vo_max(most, h->stand[i].travel);
    return most;
}

/* A choice of those that may be between. */
typedef struct choice {
    vo_hiders *h;
    const vo_hiding_span *span;
    double travel; /* m, the most that anything moves */
} choice;

/* Whether a line of sight from some moment of the span may meet a mesh, now or later.
 *
 * With everything drawn towards the eye, what is near the frame stays near the frustum that begins
 * at the eye: a point s p, s <= 1, is at most s times as far from it as p. So all lines of sight
 * are as near to that one as the points where they begin, which belong to faces within the margin
 * and are at most an edge further away; and both they and the mesh may have moved. */
static bool may_stand_between(const choice *c, const stand *s) {
    const vo_hiding_span *span = c->span;
    vo_vec3 centre = s->centre;
    for (int i = 0; i < span->moment_count; i++) {
        vo_moment from_eye = span->moment[i];
        from_eye.frustum.near = 0;
        double far = v3_length(centre) + v3_distance(centre, from_eye.frustum.eye);
        double rounding = 1e-3 + 1e-6 * far; /* of floats, and more */
        double reach = s->radius + span->longest + 2 * c->travel + rounding;
        if (vo_factor_place(span->factor, &from_eye, centre, reach) != VO_BALL_OUT) return true;
    }
    return false;
}

static void choose(void *arg, int begin, int end, int chunk) {
    const choice *c = arg;
    (void)chunk;
    for (int i = begin; i < end; i++) {
        const vo_mesh *m = c->h->hiding[i].mesh;
        c->h->stand[i].between = m && m->face_count > 0 && may_stand_between(c, &c->h->stand[i]);
    }
}

/* Puts those that may be between one after the other. */
static void line_up(vo_hiders *h) {
    h->node_count = h->face_count = 0;
    for (int i = 0; i < h->count; i++) {
        stand *s = &h->stand[i];
        s->node = h->node_count, s->face = h->face_count;
        if (!s->between) continue;
        h->node_count += h->hiding[i].mesh->node_count;
        h->face_count += h->hiding[i].mesh->face_count;
    }
}

/* ---- trees ---------------------------------------------------------------------------------- */

static void list_faces(void *arg, int begin, int end, int chunk) {
    const vo_hiders *h = arg;
    (void)chunk;
    for (int i = begin; i < end; i++) {
        const vo_mesh *m = h->hiding[i].mesh;
        const stand *s = &h->stand[i];
        for (int f = 0; s->between && f < m->face_count; f++)
            for (int k = 0; k < 3; k++)
                h->face[s->face + f][k] = s->node + vo_mesh_face_node(m, f, k);
    }
}

/* Nodes now, or at the window's end. */
typedef struct placing {
    const vo_hiders *h;
    float (*x)[3];
    bool later;
} placing;

/* What is gone by then is a point, which hides nothing. */
static vo_vec3 place_later(const vo_hiders *h, int i, vo_vec3 x) {
    const vo_transform *then = h->hiding[i].then;
    if (h->hiding[i].gone) return h->hiding[i].mesh->node_x[0];
    return then ? xf_point(*then, x) : v3_add(x, way_of(h, i));
}

static void place_nodes(void *arg, int begin, int end, int chunk) {
    const placing *g = arg;
    (void)chunk;
    for (int i = begin; i < end; i++) {
        const vo_hiding *hiding = &g->h->hiding[i];
        const stand *s = &g->h->stand[i];
        for (int n = 0; s->between && n < hiding->mesh->node_count; n++) {
            vo_vec3 at = hiding->mesh->node_x[n];
            if (g->later) at = place_later(g->h, i, at);
            float *x = g->x[s->node + n];
            x[0] = (float)at.x, x[1] = (float)at.y, x[2] = (float)at.z;
        }
    }
}

static vo_result make_world(vo_hiders *h, bool later, world *w) {
    if (!vo_reserve(h->ctx, &w->x, &w->x_capacity, h->node_count + 2))
        return vo_fail_memory(h->ctx, "what hides");
    placing g = {h, w->x, later};
    vo_parallel_for(h->ctx, h->count, 1, place_nodes, &g);
    vo_rays_def def = {.vertex_count = h->node_count,
                       .x = (const float(*)[3])w->x,
                       .face_count = h->face_count,
                       .face = h->face,
                       .face_stride = sizeof *h->face,
                       .quick = true,
                       .shared = true};
    return vo_rays_set(w->rays, &def);
}

vo_result vo_hiders_set(vo_hiders *h, int count, const vo_hiding *hiding,
                        const vo_hiding_span *span) {
    h->count = count;
    h->hiding = hiding;
    h->ahead = span->ahead;
    h->foreseen = false;
    if (!vo_reserve(h->ctx, &h->stand, &h->stand_capacity, count + 1))
        return vo_fail_memory(h->ctx, "what hides");
    vo_parallel_for(h->ctx, count, 1, measure, h);
    choice c = {h, span, most_travel(h)};
    vo_parallel_for(h->ctx, count, 1, choose, &c);
    line_up(h);
    if (!vo_reserve(h->ctx, &h->face, &h->face_capacity, h->face_count + 1))
        return vo_fail_memory(h->ctx, "what hides");
    vo_parallel_for(h->ctx, count, 1, list_faces, h);
    return make_world(h, false, &h->now);
}

int vo_hiders_face_count(const vo_hiders *h) { return h->face_count; }

const vo_rays *vo_hiders_now(const vo_hiders *h) { return h->now.rays; }

/* How those that are between move until the window's end, m: the first of them, and at most another
 * one, by itself and against the first. */
typedef struct motion {
    vo_vec3 first;
    double most, apart;
} motion;

static motion motion_of(const vo_hiders *h) {
    motion m = {0};
    bool any = false;
    for (int i = 0; i < h->count; i++) {
        if (!h->stand[i].between) continue;
        double travel = h->hiding[i].gone ? INFINITY : h->stand[i].travel;
        bool turns = (h->hiding[i].gone || h->hiding[i].then) && travel > STILL;
        vo_vec3 way = h->hiding[i].then ? v3_zero() : way_of(h, i);
        if (!any) m.first = way;
        any = true;
        m.most = vo_max(m.most, travel);
        m.apart = vo_max(m.apart, turns ? INFINITY : v3_distance(way, m.first));
    }
    return m;
}

vo_result vo_hiders_later(vo_hiders *h, vo_later *out) {
    motion m = motion_of(h);
    *out = (vo_later){.rays = NULL};
    if (!(m.most > STILL)) return VO_OK;
    if (!(m.apart > STILL)) {
        *out = (vo_later){h->now.rays, m.first};
        return VO_OK;
    }
    if (!h->foreseen) VO_TRY(make_world(h, true, &h->later));
    h->foreseen = true;
    out->rays = h->later.rays;
    return VO_OK;
}
