#include "collide/pair_cache/kinematics.h"

#include "collide/arrays.h"
#include "core/memory.h"
#include "core/parallel.h"

#include <string.h>

enum { GRAIN = 64 };

/* Largest residual ratio of a rigid step; parts with larger rotations are treated as deformable. */
static const double MAX_RESIDUAL_RATIO = 0.125;

/* ---- memory --------------------------------------------------------------------------------- */

vo_result vo_cluster_kinematics_create(vo_context *ctx, const vo_surface *surface,
                                       const vo_clusters *clusters, double rigid_tolerance,
                                       vo_cluster_kinematics *p) {
    *p = (vo_cluster_kinematics){.ctx = ctx,
                                 .surface = surface,
                                 .clusters = clusters,
                                 .kernels = vo_candidates_kernels_for(ctx),
                                 .rigid_tolerance = rigid_tolerance};
    int nodes = surface->node_count, n = clusters->count;
    bool ok = VO_PADDED_NEW(ctx, p->x_start, nodes) && VO_PADDED_NEW(ctx, p->x_end, nodes) &&
              VO_PADDED_NEW(ctx, p->part, surface->part_count) &&
              VO_PADDED_NEW(ctx, p->start_box, n) && VO_PADDED_NEW(ctx, p->end_box, n) &&
              VO_PADDED_NEW(ctx, p->swept_box, n) && VO_PADDED_NEW(ctx, p->motion, n) &&
              VO_PADDED_NEW(ctx, p->rest_box, n) && VO_PADDED_NEW(ctx, p->rest_centre, n) &&
              VO_PADDED_NEW(ctx, p->rest_radius, n) && VO_PADDED_NEW(ctx, p->dirty, n);
    return ok ? VO_OK : vo_fail_memory(ctx, "candidates");
}

void vo_cluster_kinematics_free(vo_cluster_kinematics *p) {
    vo_context *ctx = p->ctx;
    if (!ctx) return;
    int nodes = p->surface->node_count, n = p->clusters->count;
    VO_PADDED_FREE(ctx, p->x_start, nodes);
    VO_PADDED_FREE(ctx, p->x_end, nodes);
    VO_PADDED_FREE(ctx, p->part, p->surface->part_count);
    VO_PADDED_FREE(ctx, p->start_box, n);
    VO_PADDED_FREE(ctx, p->end_box, n);
    VO_PADDED_FREE(ctx, p->swept_box, n);
    VO_PADDED_FREE(ctx, p->motion, n);
    VO_PADDED_FREE(ctx, p->rest_box, n);
    VO_PADDED_FREE(ctx, p->rest_centre, n);
    VO_PADDED_FREE(ctx, p->rest_radius, n);
    VO_PADDED_FREE(ctx, p->dirty, n);
    *p = (vo_cluster_kinematics){0};
}

/* ---- parts ---------------------------------------------------------------------------------- */

/* Computes the rest boxes of the clusters of a rigid part, once per rest shape. */
static void measure_rest(vo_cluster_kinematics *p, int index) {
    const vo_surface_part *part = &p->surface->part[index];
    const vo_clusters *k = p->clusters;
    if (p->part[index].rest_x == part->rest) return;
    p->part[index].rest_x = part->rest;
    p->part[index].rest_bounds = box_empty();
    for (int c = k->part_begin[index]; c < k->part_begin[index + 1]; c++) {
        vo_box box = box_empty();
        double radius = 0;
        for (int i = k->node.begin[c]; i < k->node.begin[c + 1]; i++)
            box = box_add(box, part->rest[k->node.item[i] - part->node_begin]);
        vo_vec3 centre = v3_lerp(box.min, box.max, 0.5);
        for (int i = k->node.begin[c]; i < k->node.begin[c + 1]; i++)
            radius =
                vo_max(radius, v3_distance(centre, part->rest[k->node.item[i] - part->node_begin]));
        p->rest_box[c] = box;
        p->part[index].rest_bounds = box_join(p->part[index].rest_bounds, box);
        p->rest_centre[c] = centre;
        p->rest_radius[c] = radius;
    }
}

static bool is_proper(vo_transform t) {
    double length2 = q_dot(t.rotation, t.rotation);
    return t.scale > 0 && fabs(length2 - 1) < 0x1p-44;
}

/* Returns the pose of a part at one end of the step; rigid if every node is within the
 * tolerance. */
static vo_part_pose find_pose(vo_cluster_kinematics *p, int index, int end, const vo_vec3 *x) {
    const vo_surface_part *part = &p->surface->part[index];
    vo_part_pose out = {.pose = part->pose[end]};
    if (!part->obstacle || !part->rigid || !part->rest || !is_proper(out.pose)) return out;
    double deviation2 = 0;
    for (int i = part->node_begin; i < part->node_end; i++) {
        vo_vec3 d = v3_sub(x[i], xf_point(out.pose, part->rest[i - part->node_begin]));
        double d2 = v3_length2(d);
        if (!(d2 <= p->rigid_tolerance * p->rigid_tolerance)) return out;
        deviation2 = vo_max(deviation2, d2);
    }
    out.rigid = true;
    out.deviation = sqrt(deviation2);
    measure_rest(p, index);
    return out;
}

/* Computes the rigid motion between the two poses. */
static void compare_poses(vo_part_motion *m) {
    vo_quat n = q_mul(m->end_pose.pose.rotation, q_conjugate(m->start_pose.pose.rotation));
    double k = m->end_pose.pose.scale / m->start_pose.pose.scale;
    vo_vec3 axis = v3(n.x, n.y, n.z);
    m->rotation = v3_scale(2 * k * n.w, axis);
    m->residual_ratio = fabs(k - 1) + k * 2 * v3_length2(axis);
    m->rigid = m->start_pose.rigid && m->end_pose.rigid && m->residual_ratio < MAX_RESIDUAL_RATIO;
    m->inverse_pose = xf_inverse(m->start_pose.pose);
    if (m->end_pose.rigid) m->end_frame = vo_box_transform_make(m->end_pose.pose);
}

vo_vec3 vo_part_displacement(const vo_part_motion *m, vo_vec3 p) {
    return v3_sub(xf_point(m->end_pose.pose, xf_point(m->inverse_pose, p)), p);
}

static vo_vec3 absolute(vo_vec3 a) { return v3(fabs(a.x), fabs(a.y), fabs(a.z)); }

vo_box_transform vo_box_transform_make(vo_transform t) {
    return (vo_box_transform){.t = t,
                              .x = absolute(xf_vector(t, v3(1, 0, 0))),
                              .y = absolute(xf_vector(t, v3(0, 1, 0))),
                              .z = absolute(xf_vector(t, v3(0, 0, 1))),
                              .size = v3_length(t.translation)};
}

vo_box vo_box_transform_apply(const vo_box_transform *f, const vo_box *box) {
    vo_vec3 middle = v3_lerp(box->min, box->max, 0.5), centre = xf_point(f->t, middle);
    vo_vec3 half = v3_scale(0.5, v3_sub(box->max, box->min));
    vo_vec3 half_extent = v3_add_scaled(v3_scale(half.x, f->x), half.y, f->y);
    half_extent = v3_add_scaled(half_extent, half.z, f->z);
    double size = f->size + f->t.scale * (fabs(middle.x) + fabs(middle.y) + fabs(middle.z) +
                                          half.x + half.y + half.z);
    vo_box out = {v3_sub(centre, half_extent), v3_add(centre, half_extent)};
    return box_grow(out, 0x1p-46 * size);
}

/* ---- motions -------------------------------------------------------------------------------- */

/* Computes the motion and boxes of a cluster from its nodes. */
static void move_soft(vo_cluster_kinematics *p, int c) {
    p->kernels->fit_motion(p->clusters, c, p->x_start, p->x_end, &p->motion[c], &p->end_box[c]);
}

/* Computes them for a cluster of a rigid part. */
static void move_rigid(vo_cluster_kinematics *p, int c, const vo_part_motion *part) {
    vo_cluster_motion *m = &p->motion[c];
    double deviation = part->start_pose.deviation + part->end_pose.deviation;
    m->centre = xf_point(part->start_pose.pose, p->rest_centre[c]);
    vo_vec3 end = xf_point(part->end_pose.pose, p->rest_centre[c]);
    m->translation = v3_sub(end, m->centre);
    m->rotation = part->rotation;
    double size = v3_length(m->centre) + v3_length(end);
    m->radius = part->start_pose.pose.scale * p->rest_radius[c] * (1 + 0x1p-40) + deviation +
                0x1p-46 * size;
    m->residual = part->residual_ratio * m->radius * (1 + 0x1p-40) + deviation + 0x1p-46 * size;
    p->end_box[c] = box_grow(vo_box_transform_apply(&part->end_frame, &p->rest_box[c]),
                             part->end_pose.deviation);
}

/* Sets the motion of a cluster at rest. */
static void stop_cluster(vo_cluster_kinematics *p, int c) {
    vo_cluster_motion *m = &p->motion[c];
    m->translation = m->rotation = v3_zero();
    m->residual = 0;
    p->end_box[c] = p->start_box[c];
}

/* Returns the union of two boxes; NaN if the first is. */
static vo_box join(const vo_box *a, const vo_box *b) {
    return isnan(a->min.x) ? *a : box_join(*a, *b);
}

typedef struct move_job {
    vo_cluster_kinematics *kinematics;
    bool all; /* false: only the clusters marked as dirty */
} move_job;

static void move_clusters(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    move_job *job = arg;
    vo_cluster_kinematics *p = job->kinematics;
    for (int c = begin; c < end; c++) {
        const vo_part_motion *part = &p->part[p->clusters->part[c]];
        if (!job->all && !p->dirty[c]) continue;
        if (part->rigid && (part->moves || !part->centres_valid))
            move_rigid(p, c, part);
        else if (part->moves || !part->centres_valid)
            move_soft(p, c);
        else
            stop_cluster(p, c);
        p->swept_box[c] = p->valid ? join(&p->start_box[c], &p->end_box[c]) : p->end_box[c];
    }
}

static void move_all(vo_cluster_kinematics *p, bool all) {
    move_job job = {p, all};
    vo_parallel_for(p->ctx, p->clusters->count, GRAIN, move_clusters, &job);
    for (int i = 0; i < p->surface->part_count; i++) p->part[i].centres_valid = true;
}

static bool same_nodes(const vo_surface_part *part, const vo_vec3 *a, const vo_vec3 *b) {
    size_t n = (size_t)(part->node_end - part->node_begin) * sizeof *a;
    return n == 0 || memcmp(a + part->node_begin, b + part->node_begin, n) == 0;
}

static bool same_positions(const vo_cluster_kinematics *p, const vo_vec3 *a, const vo_vec3 *b) {
    size_t n = (size_t)p->surface->node_count * sizeof *a;
    return n == 0 || memcmp(a, b, n) == 0;
}

static void copy_positions(const vo_cluster_kinematics *p, vo_vec3 *to, const vo_vec3 *from) {
    if (p->surface->node_count > 0) memcpy(to, from, (size_t)p->surface->node_count * sizeof *to);
}

/* Computes the motions of the parts from x_start to x_end, which is x0 (end 0) or x1 (end 1). A
 * part at rest keeps its pose. */
static void move_parts(vo_cluster_kinematics *p, int end) {
    for (int i = 0; i < p->surface->part_count; i++) {
        vo_part_motion *m = &p->part[i];
        m->moves = !same_nodes(&p->surface->part[i], p->x_start, p->x_end);
        m->end_pose = m->moves ? find_pose(p, i, end, p->x_end) : m->start_pose;
        compare_poses(m);
    }
}

/* Computes everything at x0 from an invalid state. */
static void initialise(vo_cluster_kinematics *p) {
    copy_positions(p, p->x_start, p->surface->x0);
    copy_positions(p, p->x_end, p->surface->x0);
    for (int i = 0; i < p->surface->part_count; i++) {
        vo_part_motion *m = &p->part[i];
        *m = (vo_part_motion){.rest_x = m->rest_x, .rest_bounds = m->rest_bounds};
        m->start_pose = m->end_pose = find_pose(p, i, 0, p->x_start);
        compare_poses(m);
    }
    move_all(p, true);
}

bool vo_cluster_kinematics_sync(vo_cluster_kinematics *p) {
    const vo_vec3 *x0 = p->surface->x0;
    if (p->valid && same_positions(p, p->x_start, x0)) return false;
    if (!p->valid) {
        initialise(p);
    } else if (!p->step_valid || !same_positions(p, p->x_end, x0)) {
        copy_positions(p, p->x_end, x0);
        move_parts(p, 0);
        move_all(p, true);
    }
    copy_positions(p, p->x_start, p->x_end);
    for (int i = 0; i < p->surface->part_count; i++) {
        vo_part_motion *m = &p->part[i];
        m->start_pose = m->end_pose;
        m->inverse_pose = xf_inverse(m->start_pose.pose);
        m->centres_valid = !m->moves;
    }
    memcpy(p->start_box, p->end_box, (size_t)p->clusters->count * sizeof *p->start_box);
    p->valid = true;
    p->step_valid = false;
    return true;
}

/* Copies x1 and marks the clusters with a changed node. Returns false if there is none. */
static bool find_changed(vo_cluster_kinematics *p) {
    const vo_surface *s = p->surface;
    const vo_csr *of = &p->clusters->node_clusters;
    if (same_positions(p, p->x_end, s->x1)) return false;
    memset(p->dirty, 0, (size_t)p->clusters->count);
    for (int n = 0; n < s->node_count; n++) {
        if (memcmp(&p->x_end[n], &s->x1[n], sizeof s->x1[n]) == 0) continue;
        p->x_end[n] = s->x1[n];
        for (int i = of->begin[n]; i < of->begin[n + 1]; i++) p->dirty[of->item[i]] = 1;
    }
    return true;
}

void vo_cluster_kinematics_update_step(vo_cluster_kinematics *p) {
    if (!p->step_valid) {
        copy_positions(p, p->x_end, p->surface->x1);
        move_parts(p, 1);
        move_all(p, true);
    } else if (find_changed(p)) {
        /* Clusters without a changed node stay valid, even if their part is now treated
         * differently. */
        move_parts(p, 1);
        move_all(p, false);
    }
    p->step_valid = true;
}
