/* Refinement criteria of edges: Simnett et al. 2010, section 3.3 (curvature, length) and 7.2
 * (collision); size on screen; the error estimate of section 3 of "multi-resolution collision":
 * mean curvature times length^2 / 8, the sagitta of the edge. */
#include "rt/world/world.h"

/* Smaller deviations from the curved surface are not visible, pixels. */
static const float DEVIATION_PIXELS = 0.75f;
/* Edges may dip below the shell of a body by this, pixels and m: the shell hides it. A budget adds
 * BUDGET_DIP, m, per unit of its scale beyond 1, so that the deepest edges are refined first. */
static const float DIP_PIXELS = 0.5f, MAX_DIP = 0.004f, BUDGET_DIP = 0.001f;
/* Other cloth that touches counts as this part of the threshold apart: a budget limits refinement
 * there too. */
static const float LEAST_PROXIMITY = 0.25f;

struct vo_rt_view vo_rt_criteria_make_view(const vo_rt_camera *camera, float margin) {
    float t = tanf(0.5f * camera->fov_y);
    return (struct vo_rt_view){.position = camera->position,
                               .right = fq_rotate(camera->rotation, f3(1, 0, 0)),
                               .up = fq_rotate(camera->rotation, f3(0, 1, 0)),
                               .forward = fq_rotate(camera->rotation, f3(0, 0, -1)),
                               .tan_x = t * camera->aspect * (1 + margin),
                               .tan_y = t * (1 + margin),
                               .focal = 0.5f * camera->height_pixels / t};
}

vo_rt_criteria vo_rt_criteria_make(const vo_rt_cloth *c) {
    const vo_rt_world *w = c->world;
    const vo_rt_adaption *a = &c->input.adaption;
    float scale = w->detail_scale;
    vo_rt_criteria k = {.cloth = c,
                        .bodies = vo_rt_bodies_near(c),
                        .max_angle = f_min(a->max_angle * scale, 3.1f),
                        .max_deviation = a->max_deviation * scale,
                        .max_length = a->max_length * scale,
                        .edge_pixels = w->def.lod.edge_pixels * scale,
                        .scale = scale,
                        .camera_count = w->input.camera_count,
                        .view = w->view};
    k.cos_split = cosf(k.max_angle);
    k.cos_join = cosf(0.5f * a->join_ratio * k.max_angle);
    return k;
}

/* True if a ball reaches into the frustum. */
static bool sees_ball(const struct vo_rt_view *v, vo_rt_vec3 center, float radius) {
    vo_rt_vec3 d = f3_sub(center, v->position);
    float depth = f3_dot(d, v->forward);
    if (depth < -radius) return false;
    /* Distance from a side plane is (|x| - depth tan) / sqrt(1 + tan^2). */
    float x = fabsf(f3_dot(d, v->right)) - depth * v->tan_x;
    float y = fabsf(f3_dot(d, v->up)) - depth * v->tan_y;
    return x <= radius * sqrtf(1 + v->tan_x * v->tan_x) &&
           y <= radius * sqrtf(1 + v->tan_y * v->tan_y);
}

bool vo_rt_criteria_sees(const vo_rt_world *w, vo_rt_vec3 min, vo_rt_vec3 max) {
    vo_rt_vec3 center = f3_lerp(min, max, 0.5f);
    for (int i = 0; i < w->input.camera_count; i++)
        if (sees_ball(&w->view[i], center, f3_distance(max, center))) return true;
    return w->input.camera_count == 0;
}

/* Largest size of an edge on the screens of the cameras that see it, pixels; 0: not visible. */
static float size_on_screen(const vo_rt_criteria *k, vo_rt_vec3 a, vo_rt_vec3 b, float length) {
    vo_rt_vec3 middle = f3_lerp(a, b, 0.5f);
    float best = 0;
    for (int i = 0; i < k->camera_count; i++) {
        if (!sees_ball(&k->view[i], middle, length)) continue;
        float distance = f3_distance(middle, k->view[i].position);
        best = f_max(best, k->view[i].focal * length / f_max(distance, 0.01f));
    }
    return best;
}

/* Cosine of the bend angle of a leaf edge; 1 on the boundary. */
static float bend_cosine(const vo_rt_mesh *m, const vo_rt_edge *e) {
    return e->bend >= 0 ? m->front.bend_cosine[e->bend] : 1;
}

/* Sagitta of the curve through the ends with their normals: curvature times length^2 / 8. */
static float sagitta(const vo_rt_front *f, int a, int b) {
    vo_rt_vec3 d = f3_sub(f4_xyz(f->position[b]), f4_xyz(f->position[a]));
    vo_rt_vec3 n = f3_sub(f4_xyz(f->normal[b]), f4_xyz(f->normal[a]));
    return 0.125f * fabsf(f3_dot(n, d));
}

static bool in_collision(const vo_rt_criteria *k, const vo_rt_front *f, int a, int b, int level,
                         float pixel) {
    if (!k->cloth->input.adaption.collision || k->bodies.count == 0) return false;
    bool touches = (f->flags[a] | f->flags[b]) & VO_RT_VERTEX_CONTACT;
    /* Coarse edges also collide by themselves with round shapes (contact/round.h). */
    if (!touches && (level > 0 || k->cloth->state.uses_shapes)) return false;
    vo_rt_contact_bodies bodies = k->bodies;
    bodies.edge_tolerance = f_min(DIP_PIXELS * pixel, MAX_DIP) + BUDGET_DIP * (k->scale - 1);
    return vo_rt_contact_edge_collides(f, &bodies, a, b);
}

/* Deviation above which an edge splits. */
static float max_deviation(const vo_rt_criteria *k, float pixel) {
    return f_max(k->max_deviation, DEVIATION_PIXELS * pixel);
}

/* True if other cloth is near an edge that is long compared with the threshold. A budget makes the
 * edges longer in proportion to the distance, so that the nearest are refined first. */
static bool is_close(const vo_rt_criteria *k, int a, int b, float length, float scale) {
    float proximity = k->cloth->input.adaption.proximity * scale;
    if (!(proximity > 0) || !k->cloth->has_group || length <= 2 * proximity) return false;
    float part = vo_rt_groups_distance(k->cloth, a, b) / proximity;
    float factor = 1 + (k->scale - 1) * f_max(part, LEAST_PROXIMITY);
    return part < 1 && length > 2 * proximity * factor;
}

static vo_rt_demand test_split(const vo_rt_criteria *k, const vo_rt_mesh *m, const vo_rt_edge *e,
                               float length, float pixel) {
    const vo_rt_adaption *a = &k->cloth->input.adaption;
    if (f_min(length, e->rest) < a->min_length) return VO_RT_KEEP;
    uint8_t flags = m->front.flags[e->vertex[0]] | m->front.flags[e->vertex[1]];
    if (flags & VO_RT_VERTEX_TANGLED) return VO_RT_KEEP;
    bool splits = (k->max_length > 0 && length > k->max_length) ||
                  bend_cosine(m, e) < k->cos_split ||
                  sagitta(&m->front, e->vertex[0], e->vertex[1]) > max_deviation(k, pixel) ||
                  is_close(k, e->vertex[0], e->vertex[1], length, 1) ||
                  in_collision(k, &m->front, e->vertex[0], e->vertex[1], e->level, pixel);
    return splits ? VO_RT_SPLIT : VO_RT_KEEP;
}

/* The angle of the joined edge is about twice that of its halves. */
static bool halves_bend(const vo_rt_criteria *k, const vo_rt_mesh *m, const vo_rt_edge *e) {
    for (int i = 0; i < 2; i++)
        if (bend_cosine(m, &m->edge[e->child + i]) < k->cos_join) return true;
    return false;
}

static vo_rt_demand test_join(const vo_rt_criteria *k, const vo_rt_mesh *m, const vo_rt_edge *e,
                              float length, float pixel) {
    const vo_rt_front *f = &m->front;
    float ratio = k->cloth->input.adaption.join_ratio;
    int a = e->vertex[0], b = e->vertex[1], middle = e->middle;
    vo_rt_vec3 chord = f3_lerp(f4_xyz(f->position[a]), f4_xyz(f->position[b]), 0.5f);
    float height = f3_distance(chord, f4_xyz(f->position[middle]));
    if (k->max_length > 0 && length > ratio * k->max_length) return VO_RT_KEEP;
    if (height > ratio * max_deviation(k, pixel) || halves_bend(k, m, e)) return VO_RT_KEEP;
    if (is_close(k, middle, middle, length, 1.25f)) return VO_RT_KEEP;
    if ((f->flags[middle] & VO_RT_VERTEX_CONTACT) && in_collision(k, f, a, b, 0, pixel))
        return VO_RT_KEEP;
    return VO_RT_JOIN;
}

vo_rt_demand vo_rt_criteria_test(void *user, const vo_rt_mesh *m, int edge, bool is_split) {
    const vo_rt_criteria *k = user;
    const vo_rt_cloth_inputs *in = &k->cloth->input;
    const vo_rt_edge *e = &m->edge[edge];
    if (e->level < in->min_level) return is_split ? VO_RT_KEEP : VO_RT_SPLIT;
    if (e->level >= in->max_level) return is_split ? VO_RT_JOIN : VO_RT_KEEP;
    if (!k->cloth->state.is_visible) return is_split ? VO_RT_JOIN : VO_RT_KEEP;
    vo_rt_vec3 a = f4_xyz(m->front.position[e->vertex[0]]);
    vo_rt_vec3 b = f4_xyz(m->front.position[e->vertex[1]]);
    float length = f3_distance(a, b), pixel = 0; /* m, of a pixel at the edge */
    if (k->camera_count > 0) {
        float limit = k->edge_pixels * (is_split ? in->adaption.join_ratio : 1);
        float size = size_on_screen(k, a, b, length);
        if (size <= 0 || size < limit) return is_split ? VO_RT_JOIN : VO_RT_KEEP;
        pixel = length / size;
    }
    return is_split ? test_join(k, m, e, length, pixel) : test_split(k, m, e, length, pixel);
}
