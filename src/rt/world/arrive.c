/* Cloth and bodies that meet without a motion between them: a body or a cloth was created, enabled,
 * teleported or reset.
 *
 * If each vertex inside the body left it at the nearest point, a cloth that passes through the
 * middle of a body would be torn around it. All vertices inside therefore leave in one direction:
 * the mean normal of the cloth, on the side to which most of them are nearer. A closed cloth has no
 * mean normal and is around the body: its vertices leave along their own normals, as do those of a
 * cloth that is nowhere deep in the body. Vertices for which that way is long are left to the
 * contacts, which move them to the nearest point. */
#include "rt/world/world.h"

/* Vertices of a cloth inside the shell of a body. */
typedef struct intrusion {
    int count;
    vo_rt_vec3 outward; /* sum of the normals of the nearest points of the shell */
    vo_rt_vec3 normal;  /* sum of the normals of the cloth */
    float depth;        /* m, largest distance below the shell */
} intrusion;

/* Cloth that is nowhere deeper in a body than this, m, is around it, not in its middle: a garment
 * that starts at its animated pose, or whose wearer changes from shapes to a mesh. */
static const float MAX_SKIN_DEPTH = 0.03f;
/* Longest way out of a body along the normal of the cloth, m. */
static const float MAX_EXIT = 0.1f;

static bool is_inside(const vo_rt_cloth *c, int near, int vertex, vo_rt_surface_point *p) {
    const vo_rt_front *f = &c->mesh.front;
    return (f->flags[vertex] & VO_RT_VERTEX_USED) && f->position[vertex].w > 0 &&
           vo_rt_body_find_nearest(c->near_body[near], c->near_shapes[near],
                                   f4_xyz(f->position[vertex]), 0, -1, p);
}

static intrusion measure(const vo_rt_cloth *c, int near) {
    const vo_rt_front *f = &c->mesh.front;
    intrusion sum = {0};
    for (int i = 1; i < f->vertex_end; i++) {
        vo_rt_surface_point p;
        if (!is_inside(c, near, i, &p)) continue;
        sum.count++;
        sum.outward = f3_add(sum.outward, p.normal);
        sum.normal = f3_add(sum.normal, f4_xyz(f->normal[i]));
        sum.depth = f_max(sum.depth, -p.distance);
    }
    return sum;
}

/* False if the vertices agree on a side already, or the cloth has no mean normal. */
static bool choose_direction(const intrusion *sum, vo_rt_vec3 *direction) {
    float count = (float)sum->count;
    if (sum->depth < MAX_SKIN_DEPTH) return false;
    if (f3_length(sum->outward) > 0.8f * count || f3_length(sum->normal) < 0.5f * count)
        return false;
    vo_rt_vec3 n = f3_normalize(sum->normal);
    *direction = f3_dot(n, sum->outward) < 0 ? f3_scale(-1, n) : n;
    return true;
}

/* Other cloth is not regarded. */
static void move_vertex(vo_rt_cloth *c, int vertex, vo_rt_vec3 x) {
    vo_rt_front *f = &c->mesh.front;
    c->state.may_intersect = true;
    f->position[vertex] = f4_make(x, f->position[vertex].w);
    f->previous[vertex] = f4_make(x, f->previous[vertex].w);
    f->velocity[vertex] = f4_make(f3(0, 0, 0), f->velocity[vertex].w);
}

/* All vertices leave in one direction. */
static void leave_together(vo_rt_cloth *c, int near, vo_rt_vec3 d) {
    vo_rt_body *body = c->near_body[near];
    vo_rt_vec3 min, max;
    vo_rt_body_get_bounds(body, &min, &max);
    float length = f3_distance(min, max), thickness = c->input.fabric.thickness;
    for (int i = 1; i < c->mesh.front.vertex_end; i++) {
        vo_rt_surface_point p;
        if (!is_inside(c, near, i, &p)) continue;
        vo_rt_vec3 x = f4_xyz(c->mesh.front.position[i]);
        if (vo_rt_body_find_exit(body, c->near_shapes[near], x, d, length, &p))
            move_vertex(c, i, f3_add_scaled(p.point, thickness, p.normal));
    }
}

/* Each vertex leaves along the normal of the cloth, with its velocity. */
static void leave_along_normals(vo_rt_cloth *c, int near) {
    vo_rt_front *f = &c->mesh.front;
    for (int i = 1; i < f->vertex_end; i++) {
        vo_rt_surface_point p;
        if (!is_inside(c, near, i, &p)) continue;
        vo_rt_vec3 x = f4_xyz(f->position[i]), v = f4_xyz(f->velocity[i]), n = f4_xyz(f->normal[i]);
        if (!vo_rt_body_find_exit(c->near_body[near], c->near_shapes[near], x, n, MAX_EXIT, &p))
            continue;
        move_vertex(c, i, f3_add_scaled(p.point, c->input.fabric.thickness, p.normal));
        f->velocity[i] = f4_make(v, f->velocity[i].w);
    }
}

static void leave_body(vo_rt_cloth *c, int near) {
    intrusion sum = measure(c, near);
    vo_rt_vec3 d;
    if (sum.count == 0) return;
    if (choose_direction(&sum, &d))
        leave_together(c, near, d);
    else
        leave_along_normals(c, near);
}

static void arrive(void *arg, int begin, int end, int chunk) {
    vo_rt_world *w = arg;
    (void)chunk;
    for (int i = begin; i < end; i++) {
        vo_rt_cloth *c = w->active[i];
        if (!c->moves) continue;
        vo_rt_bodies_select(c, w->h);
        for (int k = 0; k < c->near_count; k++)
            if (c->state.arrives || c->near_body[k]->is_teleported) leave_body(c, k);
        c->state.arrives = false;
    }
}

void vo_rt_arrive_cloths(vo_rt_world *w) {
    if (!vo_threads_run(w->threads, w->active_count, 1, arrive, w)) w->step.tasks_failed = true;
}
