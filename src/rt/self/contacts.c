/* Contacts of cloth with cloth: XPBD inequality constraints without compliance, in list order. */
#include "rt/self/self_private.h"

/* The vertices of a pair in the leaf lists. */
typedef struct quad {
    vo_rt_vec4 *x[4];
    const vo_rt_vec4 *start[4]; /* at the start of the substep; NULL: does not move */
    float w[4];                 /* 1/kg */
} quad;

static quad load(const vo_rt_self_set *set, const vo_rt_self_pair *p) {
    quad q;
    for (int k = 0; k < 4; k++) {
        const vo_rt_self_member *m = &set->member[p->member[k >= p->count_a]];
        vo_rt_front *f = &m->mesh->front;
        int slot = p->vertex[k] - m->first;
        q.x[k] = &f->position[slot];
        q.start[k] = m->moves ? &f->velocity[slot] : NULL;
        q.w[k] = set->x[p->vertex[k]].w;
    }
    return q;
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
        if (q->start[k])
            d = f3_add_scaled(d, weight[k], f3_sub(f4_xyz(*q->x[k]), f4_xyz(*q->start[k])));
    return d;
}

/* Moves the nearest points apart by `d`, weighted by the inverse masses. */
static void move_apart(quad *q, const float weight[4], float sum, vo_rt_vec3 d) {
    for (int k = 0; k < 4; k++) {
        vo_rt_vec3 x = f3_add_scaled(f4_xyz(*q->x[k]), q->w[k] * weight[k] / sum, d);
        *q->x[k] = f4_make(x, q->x[k]->w);
    }
}

static void project(const vo_rt_self_set *set, const vo_rt_self_pair *p) {
    quad q = load(set, p);
    float depth = p->gap - f3_dot(p->normal, difference(&q, p->weight));
    if (!(depth > 0)) return;
    float sum = 0;
    for (int k = 0; k < 4; k++) sum += q.w[k] * p->weight[k] * p->weight[k];
    if (!(sum > 0)) return;
    float friction =
        0.5f * (set->member[p->member[0]].friction + set->member[p->member[1]].friction);
    vo_rt_vec3 s = slip(&q, p->weight);
    vo_rt_vec3 tangential = f3_add_scaled(s, -f3_dot(s, p->normal), p->normal);
    float length2 = f3_length2(tangential), limit = friction * depth;
    float keep = length2 > limit * limit ? limit / sqrtf(length2) : 1;
    vo_rt_vec3 move = f3_add_scaled(f3_scale(depth, p->normal), -keep, tangential);
    move_apart(&q, p->weight, sum, move);
}

void vo_rt_self_project(vo_rt_self_set *set, float h) {
    for (int i = 0; i < set->contact_count; i++) project(set, &set->pair[i]);
    if (set->hit_count > 0) vo_rt_self_untangle(set, h);
}
