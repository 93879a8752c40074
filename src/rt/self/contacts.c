/* Contacts of cloth with cloth: XPBD inequality constraints without compliance, in list order. */
#include "rt/self/self_private.h"

/* The vertices of a pair: those of cloths in the leaf lists, those of bodies at the end of the
 * substep. */
typedef struct quad {
    vo_rt_vec4 *x[4];
    vo_rt_vec3 start[4]; /* at the start of the substep */
    vo_rt_vec4 body[4];  /* memory of `x` */
    float w[4];          /* 1/kg */
} quad;

/* Part of the segment from which the substep lasts, and to which. */
typedef struct interval {
    float s0, s1;
} interval;

static void load_body(const vo_rt_self_set *set, quad *q, int k, int vertex, interval t) {
    vo_rt_vec3 path = f3_add(set->shift, f4_xyz(set->drift[vertex])), x = f4_xyz(set->x[vertex]);
    q->body[k] = f4_make(f3_add_scaled(x, t.s1, path), 0);
    q->x[k] = &q->body[k];
    q->start[k] = f3_add_scaled(x, t.s0, path);
}

static void load(const vo_rt_self_set *set, const vo_rt_self_pair *p, interval t, quad *q) {
    for (int k = 0; k < 4; k++) {
        int member = p->member[k >= p->count_a];
        q->w[k] = set->x[p->vertex[k]].w;
        if (vo_rt_self_is_obstacle(set, member)) {
            load_body(set, q, k, p->vertex[k], t);
            continue;
        }
        const vo_rt_self_member *m = &set->member[member];
        vo_rt_front *f = &m->mesh->front;
        int slot = p->vertex[k] - m->first;
        q->x[k] = &f->position[slot];
        q->start[k] = f4_xyz(m->moves ? f->velocity[slot] : f->position[slot]);
    }
}

/* Difference of the nearest points of the query. */
static vo_rt_vec3 difference(const quad *q, const float weight[4]) {
    vo_rt_vec3 d = f3(0, 0, 0);
    for (int k = 0; k < 4; k++) d = f3_add_scaled(d, weight[k], f4_xyz(*q->x[k]));
    return d;
}

/* Displacement of the nearest points against each other since the start of the substep. */
static vo_rt_vec3 slip(const quad *q, const float weight[4]) {
    vo_rt_vec3 d = f3(0, 0, 0);
    for (int k = 0; k < 4; k++)
        d = f3_add_scaled(d, weight[k], f3_sub(f4_xyz(*q->x[k]), q->start[k]));
    return d;
}

/* Moves the nearest points apart by `d`, weighted by the inverse masses. */
static void move_apart(quad *q, const float weight[4], float sum, vo_rt_vec3 d) {
    for (int k = 0; k < 4; k++) {
        vo_rt_vec3 x = f3_add_scaled(f4_xyz(*q->x[k]), q->w[k] * weight[k] / sum, d);
        *q->x[k] = f4_make(x, q->x[k]->w);
    }
}

/* Coulomb coefficient: mean of two cloths, product of cloth and body. */
static float friction_of(const vo_rt_self_set *set, const vo_rt_self_pair *p) {
    float f[2];
    for (int side = 0; side < 2; side++) {
        int member = p->member[side];
        if (vo_rt_self_is_obstacle(set, member))
            return set->obstacle[member - set->member_count].friction *
                   set->member[p->member[1 - side]].friction;
        f[side] = set->member[member].friction;
    }
    return 0.5f * (f[0] + f[1]);
}

static void project(const vo_rt_self_set *set, const vo_rt_self_pair *p, interval t) {
    quad q;
    load(set, p, t, &q);
    float depth = p->gap - f3_dot(p->normal, difference(&q, p->weight));
    if (!(depth > 0)) return;
    float sum = 0;
    for (int k = 0; k < 4; k++) sum += q.w[k] * p->weight[k] * p->weight[k];
    if (!(sum > 0)) return;
    vo_rt_vec3 s = slip(&q, p->weight);
    vo_rt_vec3 tangential = f3_add_scaled(s, -f3_dot(s, p->normal), p->normal);
    float length2 = f3_length2(tangential), limit = friction_of(set, p) * depth;
    float keep = length2 > limit * limit ? limit / sqrtf(length2) : 1;
    vo_rt_vec3 move = f3_add_scaled(f3_scale(depth, p->normal), -keep, tangential);
    move_apart(&q, p->weight, sum, move);
}

void vo_rt_self_project(vo_rt_self_set *set, float h, float s0, float s1) {
    for (int i = 0; i < set->contact_count; i++) project(set, &set->pair[i], (interval){s0, s1});
    if (set->hit_count > 0) vo_rt_self_untangle(set, h, s0, s1);
}
