#include "collide/candidates_place.h"

#include "collide/arrays.h"
#include "core/memory.h"
#include "core/parallel.h"

#include <string.h>

enum { GRAIN = 64 };

/* Turns that leave more than this of a distance are taken by the nodes. */
static const double MAX_BEND = 0.125;

/* ---- memory --------------------------------------------------------------------------------- */

vo_result vo_places_create(vo_context *ctx, const vo_surface *surface, const vo_clusters *clusters,
                           double stray, vo_places *p) {
    *p = (vo_places){.ctx = ctx,
                     .surface = surface,
                     .clusters = clusters,
                     .kernels = vo_candidates_kernels_for(ctx),
                     .stray = stray};
    int nodes = surface->node_count, n = clusters->count;
    bool ok = VO_PADDED_NEW(ctx, p->at, nodes) && VO_PADDED_NEW(ctx, p->to, nodes) &&
              VO_PADDED_NEW(ctx, p->part, surface->part_count) && VO_PADDED_NEW(ctx, p->box, n) &&
              VO_PADDED_NEW(ctx, p->end_box, n) && VO_PADDED_NEW(ctx, p->hull, n) &&
              VO_PADDED_NEW(ctx, p->motion, n) && VO_PADDED_NEW(ctx, p->own_box, n) &&
              VO_PADDED_NEW(ctx, p->own_centre, n) && VO_PADDED_NEW(ctx, p->own_radius, n) &&
              VO_PADDED_NEW(ctx, p->dirty, n);
    return ok ? VO_OK : vo_fail_memory(ctx, "candidates");
}

void vo_places_free(vo_places *p) {
    vo_context *ctx = p->ctx;
    if (!ctx) return;
    int nodes = p->surface->node_count, n = p->clusters->count;
    VO_PADDED_FREE(ctx, p->at, nodes);
    VO_PADDED_FREE(ctx, p->to, nodes);
    VO_PADDED_FREE(ctx, p->part, p->surface->part_count);
    VO_PADDED_FREE(ctx, p->box, n);
    VO_PADDED_FREE(ctx, p->end_box, n);
    VO_PADDED_FREE(ctx, p->hull, n);
    VO_PADDED_FREE(ctx, p->motion, n);
    VO_PADDED_FREE(ctx, p->own_box, n);
    VO_PADDED_FREE(ctx, p->own_centre, n);
    VO_PADDED_FREE(ctx, p->own_radius, n);
    VO_PADDED_FREE(ctx, p->dirty, n);
    *p = (vo_places){0};
}

/* ---- parts ---------------------------------------------------------------------------------- */

/* Boxes of the clusters of a rigid part in its own frame; once. */
static void measure_rest(vo_places *p, int index) {
    const vo_surface_part *part = &p->surface->part[index];
    const vo_clusters *k = p->clusters;
    if (p->part[index].rest == part->rest) return;
    p->part[index].rest = part->rest;
    p->part[index].whole = box_empty();
    for (int c = k->part_begin[index]; c < k->part_begin[index + 1]; c++) {
        vo_box box = box_empty();
        double radius = 0;
        for (int i = k->node.begin[c]; i < k->node.begin[c + 1]; i++)
            box = box_add(box, part->rest[k->node.item[i] - part->node_begin]);
        vo_vec3 centre = v3_lerp(box.min, box.max, 0.5);
        for (int i = k->node.begin[c]; i < k->node.begin[c + 1]; i++)
            radius =
                vo_max(radius, v3_distance(centre, part->rest[k->node.item[i] - part->node_begin]));
        p->own_box[c] = box;
        p->part[index].whole = box_join(p->part[index].whole, box);
        p->own_centre[c] = centre;
        p->own_radius[c] = radius;
    }
}

static bool is_proper(vo_transform t) {
    double length2 = q_dot(t.rotation, t.rotation);
    return t.scale > 0 && fabs(length2 - 1) < 0x1p-44;
}

/* Whether the nodes of a part are where its pose says, up to what is allowed. */
static vo_part_place look(vo_places *p, int index, int end, const vo_vec3 *x) {
    const vo_surface_part *part = &p->surface->part[index];
    vo_part_place out = {.pose = part->pose[end]};
    if (!part->obstacle || !part->rigid || !part->rest || !is_proper(out.pose)) return out;
    double stray2 = 0;
    for (int i = part->node_begin; i < part->node_end; i++) {
        vo_vec3 d = v3_sub(x[i], xf_point(out.pose, part->rest[i - part->node_begin]));
        double d2 = v3_length2(d);
        if (!(d2 <= p->stray * p->stray)) return out;
        stray2 = vo_max(stray2, d2);
    }
    out.rigid = true;
    out.stray = sqrt(stray2);
    measure_rest(p, index);
    return out;
}

/* The rigid motion between two poses. */
static void compare_poses(vo_part_motion *m) {
    vo_quat n = q_mul(m->to.pose.rotation, q_conjugate(m->at.pose.rotation));
    double k = m->to.pose.scale / m->at.pose.scale;
    vo_vec3 axis = v3(n.x, n.y, n.z);
    m->turn = v3_scale(2 * k * n.w, axis);
    m->bend = fabs(k - 1) + k * 2 * v3_length2(axis);
    m->rigid = m->at.rigid && m->to.rigid && m->bend < MAX_BEND;
    m->back = xf_inverse(m->at.pose);
    if (m->to.rigid) m->end = vo_frame_of(m->to.pose);
}

vo_vec3 vo_part_shift(const vo_part_motion *m, vo_vec3 p) {
    return v3_sub(xf_point(m->to.pose, xf_point(m->back, p)), p);
}

static vo_vec3 sizes(vo_vec3 a) { return v3(fabs(a.x), fabs(a.y), fabs(a.z)); }

vo_frame vo_frame_of(vo_transform t) {
    return (vo_frame){.t = t,
                      .x = sizes(xf_vector(t, v3(1, 0, 0))),
                      .y = sizes(xf_vector(t, v3(0, 1, 0))),
                      .z = sizes(xf_vector(t, v3(0, 0, 1))),
                      .size = v3_length(t.translation)};
}

vo_box vo_frame_box(const vo_frame *f, const vo_box *box) {
    vo_vec3 middle = v3_lerp(box->min, box->max, 0.5), centre = xf_point(f->t, middle);
    vo_vec3 half = v3_scale(0.5, v3_sub(box->max, box->min));
    vo_vec3 reach = v3_add_scaled(v3_scale(half.x, f->x), half.y, f->y);
    reach = v3_add_scaled(reach, half.z, f->z);
    double size = f->size + f->t.scale * (fabs(middle.x) + fabs(middle.y) + fabs(middle.z) +
                                          half.x + half.y + half.z);
    vo_box out = {v3_sub(centre, reach), v3_add(centre, reach)};
    return box_grow(out, 0x1p-46 * size);
}

/* ---- motions -------------------------------------------------------------------------------- */

/* Motion and boxes of a cluster by its nodes. */
static void move_soft(vo_places *p, int c) {
    p->kernels->move(p->clusters, c, p->at, p->to, &p->motion[c], &p->end_box[c]);
}

/* The same for a cluster of a part that moves as a rigid body. */
static void move_rigid(vo_places *p, int c, const vo_part_motion *part) {
    vo_cluster_motion *m = &p->motion[c];
    double stray = part->at.stray + part->to.stray;
    m->centre = xf_point(part->at.pose, p->own_centre[c]);
    vo_vec3 end = xf_point(part->to.pose, p->own_centre[c]);
    m->shift = v3_sub(end, m->centre);
    m->turn = part->turn;
    double size = v3_length(m->centre) + v3_length(end);
    m->radius = part->at.pose.scale * p->own_radius[c] * (1 + 0x1p-40) + stray + 0x1p-46 * size;
    m->rest = part->bend * m->radius * (1 + 0x1p-40) + stray + 0x1p-46 * size;
    p->end_box[c] = box_grow(vo_frame_box(&part->end, &p->own_box[c]), part->to.stray);
}

/* A cluster that stands still. */
static void stand(vo_places *p, int c) {
    vo_cluster_motion *m = &p->motion[c];
    m->shift = m->turn = v3_zero();
    m->rest = 0;
    p->end_box[c] = p->box[c];
}

/* The box round two; nowhere if one of them is. */
static vo_box join(const vo_box *a, const vo_box *b) {
    return isnan(a->min.x) ? *a : box_join(*a, *b);
}

typedef struct move_job {
    vo_places *places;
    bool all; /* or only the clusters marked as dirty */
} move_job;

static void move_clusters(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    move_job *job = arg;
    vo_places *p = job->places;
    for (int c = begin; c < end; c++) {
        const vo_part_motion *part = &p->part[p->clusters->part[c]];
        if (!job->all && !p->dirty[c]) continue;
        if (part->rigid && (part->moves || !part->centred))
            move_rigid(p, c, part);
        else if (part->moves || !part->centred)
            move_soft(p, c);
        else
            stand(p, c);
        p->hull[c] = p->known ? join(&p->box[c], &p->end_box[c]) : p->end_box[c];
    }
}

static void move_all(vo_places *p, bool all) {
    move_job job = {p, all};
    vo_parallel_for(p->ctx, p->clusters->count, GRAIN, move_clusters, &job);
    for (int i = 0; i < p->surface->part_count; i++) p->part[i].centred = true;
}

static bool same_nodes(const vo_surface_part *part, const vo_vec3 *a, const vo_vec3 *b) {
    size_t n = (size_t)(part->node_end - part->node_begin) * sizeof *a;
    return n == 0 || memcmp(a + part->node_begin, b + part->node_begin, n) == 0;
}

static bool same_positions(const vo_places *p, const vo_vec3 *a, const vo_vec3 *b) {
    size_t n = (size_t)p->surface->node_count * sizeof *a;
    return n == 0 || memcmp(a, b, n) == 0;
}

static void copy_positions(const vo_places *p, vo_vec3 *to, const vo_vec3 *from) {
    if (p->surface->node_count > 0) memcpy(to, from, (size_t)p->surface->node_count * sizeof *to);
}

/* How the parts get from `at` to `to`, which are at x0 or x1: `end` says which pose that is. A part
 * that stands still keeps what is known of it. */
static void move_parts(vo_places *p, int end) {
    for (int i = 0; i < p->surface->part_count; i++) {
        vo_part_motion *m = &p->part[i];
        m->moves = !same_nodes(&p->surface->part[i], p->at, p->to);
        m->to = m->moves ? look(p, i, end, p->to) : m->at;
        compare_poses(m);
    }
}

/* What there is at `at`, where nothing was known. */
static void begin(vo_places *p) {
    copy_positions(p, p->at, p->surface->x0);
    copy_positions(p, p->to, p->surface->x0);
    for (int i = 0; i < p->surface->part_count; i++) {
        vo_part_motion *m = &p->part[i];
        *m = (vo_part_motion){.rest = m->rest, .whole = m->whole};
        m->at = m->to = look(p, i, 0, p->at);
        compare_poses(m);
    }
    move_all(p, true);
}

bool vo_places_arrive(vo_places *p) {
    const vo_vec3 *x0 = p->surface->x0;
    if (p->known && same_positions(p, p->at, x0)) return false;
    if (!p->known) {
        begin(p);
    } else if (!p->stepped || !same_positions(p, p->to, x0)) {
        copy_positions(p, p->to, x0);
        move_parts(p, 0);
        move_all(p, true);
    }
    copy_positions(p, p->at, p->to);
    for (int i = 0; i < p->surface->part_count; i++) {
        vo_part_motion *m = &p->part[i];
        m->at = m->to;
        m->back = xf_inverse(m->at.pose);
        m->centred = !m->moves;
    }
    memcpy(p->box, p->end_box, (size_t)p->clusters->count * sizeof *p->box);
    p->known = true;
    p->stepped = false;
    return true;
}

/* Marks the clusters with a node whose x1 is not what it was. False if there is none. */
static bool find_changed(vo_places *p) {
    const vo_surface *s = p->surface;
    const vo_lists *of = &p->clusters->of_node;
    if (same_positions(p, p->to, s->x1)) return false;
    memset(p->dirty, 0, (size_t)p->clusters->count);
    for (int n = 0; n < s->node_count; n++) {
        if (memcmp(&p->to[n], &s->x1[n], sizeof s->x1[n]) == 0) continue;
        p->to[n] = s->x1[n];
        for (int i = of->begin[n]; i < of->begin[n + 1]; i++) p->dirty[of->item[i]] = 1;
    }
    return true;
}

void vo_places_step(vo_places *p) {
    if (!p->stepped) {
        copy_positions(p, p->to, p->surface->x1);
        move_parts(p, 1);
        move_all(p, true);
    } else if (find_changed(p)) {
        /* Clusters without a changed node stay right, however their part is taken now. */
        move_parts(p, 1);
        move_all(p, false);
    }
    p->stepped = true;
}
