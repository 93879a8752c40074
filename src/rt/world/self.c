/* Groups of cloths that collide with each other, and their queries.
 *
 * A group is a connected component of cloths with self_collision whose boxes, enlarged by the
 * motion of the minor step, overlap; its cloths move together in one thread (move.c). No cloth
 * leaves its enlarged box in the minor step, so cloths of different groups cannot meet. */
#include "rt/world/world.h"

#include "core/timer.h"

#include <float.h>

/* Segments of a move, each with a query. */
enum { MAX_SEGMENTS = 4 };
/* Fast motion is divided so that the mean displacement of a segment, relative to that of the group,
 * is about this, m. */
static const float MAX_SEGMENT_MOTION = 0.015f;
/* Enlargement of boxes besides the motion, m. */
static const float BOX_MARGIN = 0.1f;

/* --- Groups ----------------------------------------------------------------------------------- */

static bool collides(const vo_rt_cloth *c) {
    return c->self_collision && vo_rt_cloth_simulates(c) && !c->state.is_parked;
}

/* Largest displacement of a vertex in the next move at its present speed, m. */
static float estimate_motion(const vo_rt_cloth *c) {
    const vo_rt_front *f = &c->mesh.front;
    float speed2 = 0, path2 = 0;
    for (int i = 1; i < f->vertex_end; i++) {
        if (!(f->flags[i] & VO_RT_VERTEX_USED)) continue;
        speed2 = f_max(speed2, f3_length2(f4_xyz(f->velocity[i])));
        if (f->position[i].w <= 0)
            path2 = f_max(path2, f3_length2(f3_sub(f4_xyz(f->target[i]), f4_xyz(f->position[i]))));
    }
    const vo_rt_world *w = c->world;
    float dt = (float)(c->state.steps_since_move + w->step.span) * w->h;
    float fall = 0.5f * f3_length(w->input.gravity) * dt * dt;
    vo_rt_vec3 carried = f3_sub(c->input.transform.position, c->state.frame.position);
    return sqrtf(speed2) * dt + sqrtf(path2) + fall + f3_length(carried);
}

static void enlarge_box(vo_rt_cloth *c) {
    float m = BOX_MARGIN + 2 * estimate_motion(c);
    vo_rt_vec3 margin = f3(m, m, m);
    c->group_min = f3_sub(c->state.min, margin);
    c->group_max = f3_add(c->state.max, margin);
}

static bool boxes_overlap(const vo_rt_cloth *a, const vo_rt_cloth *b) {
    return a->group_min.x <= b->group_max.x && b->group_min.x <= a->group_max.x &&
           a->group_min.y <= b->group_max.y && b->group_min.y <= a->group_max.y &&
           a->group_min.z <= b->group_max.z && b->group_min.z <= a->group_max.z;
}

/* The leader of a group has the smallest index. */
static vo_rt_cloth *find_leader(vo_rt_cloth *c) {
    while (c->leader != c) c = c->leader;
    return c;
}

static void unite(vo_rt_cloth *a, vo_rt_cloth *b) {
    a = find_leader(a);
    b = find_leader(b);
    if (a->index < b->index)
        b->leader = a;
    else
        a->leader = b;
}

/* Links the members in the order of their indices. */
static void link_members(vo_rt_world *w) {
    for (int i = w->active_count - 1; i >= 0; i--) {
        vo_rt_cloth *c = w->active[i];
        c->leader = find_leader(c);
        if (c->leader == c) continue;
        c->next_member = c->leader->next_member;
        c->leader->next_member = c;
    }
    for (int i = 0; i < w->active_count; i++) {
        vo_rt_cloth *c = w->active[i];
        int member = 0;
        if (c->leader != c) continue;
        for (vo_rt_cloth *m = c; m; m = m->next_member) m->member = member++;
    }
}

/* A cloth of a group does not sleep while another one moves. */
static void wake_members(vo_rt_world *w) {
    for (int i = 0; i < w->active_count; i++) {
        vo_rt_cloth *leader = w->active[i];
        bool moves = false;
        if (leader->leader != leader) continue;
        for (vo_rt_cloth *c = leader; c; c = c->next_member) moves |= !c->state.is_sleeping;
        for (vo_rt_cloth *c = leader; c && moves; c = c->next_member) {
            if (c->state.is_sleeping) c->state.rest_time = 0;
            c->state.is_sleeping = false;
        }
    }
}

void vo_rt_groups_find(vo_rt_world *w) {
    for (int i = 0; i < w->active_count; i++) {
        vo_rt_cloth *c = w->active[i];
        c->leader = c;
        c->next_member = NULL;
        c->has_group = collides(c);
        if (c->has_group) enlarge_box(c);
    }
    for (int i = 0; i < w->active_count; i++) {
        if (!w->active[i]->has_group) continue;
        for (int k = i + 1; k < w->active_count; k++)
            if (w->active[k]->has_group && boxes_overlap(w->active[i], w->active[k]))
                unite(w->active[i], w->active[k]);
    }
    link_members(w);
    wake_members(w);
}

static bool reserve_group(vo_rt_cloth *leader) {
    vo_rt_self_size size = {0};
    for (vo_rt_cloth *c = leader; c; c = c->next_member) {
        size.members++;
        size.vertices += c->mesh.front.vertex_end;
        size.faces += c->mesh.front.triangle_count;
        size.cells += c->mesh.asset->triangle_count;
        size.fans += c->mesh.asset->vertex_count;
    }
    vo_rt_groups_count_bodies(leader, &size);
    return vo_rt_self_reserve(&leader->self, &leader->world->heap, &size);
}

/* The cloths of a group without memory move alone. */
static void dissolve(vo_rt_cloth *leader) {
    for (vo_rt_cloth *c = leader, *next; c; c = next) {
        next = c->next_member;
        c->leader = c;
        c->next_member = NULL;
        c->has_group = false;
        c->state.may_intersect = true;
        c->stats.self_skipped++;
    }
}

void vo_rt_groups_reserve(vo_rt_world *w) {
    for (int i = 0; i < w->active_count; i++) {
        vo_rt_cloth *c = w->active[i];
        if (c->has_group) vo_rt_bodies_select(c, (float)c->state.steps_since_move * w->h);
    }
    for (int i = 0; i < w->active_count; i++) {
        vo_rt_cloth *c = w->active[i];
        if (c->has_group && c->leader == c && !reserve_group(c)) dissolve(c);
    }
}

/* --- Queries ---------------------------------------------------------------------------------- */

static void describe(vo_rt_cloth *leader, bool has_begun) {
    vo_rt_self_set *set = &leader->self;
    set->member_count = 0;
    for (vo_rt_cloth *c = leader; c; c = c->next_member)
        set->member[set->member_count++] =
            (vo_rt_self_member){.mesh = &c->mesh,
                                .thickness = c->self_thickness,
                                .friction = c->input.fabric.friction,
                                .layer = c->layer,
                                .min = c->group_min,
                                .max = c->group_max,
                                .moves = c->moves,
                                .body_thickness = c->input.fabric.thickness,
                                .has_begun = has_begun,
                                .portion = 1};
}

static void set_interval(vo_rt_self_set *set, float begin, float end) {
    for (int k = 0; k < set->obstacle_count; k++) {
        set->obstacle[k].begin = begin;
        set->obstacle[k].end = end;
    }
}

static bool may_intersect(const vo_rt_cloth *leader) {
    for (const vo_rt_cloth *c = leader; c; c = c->next_member)
        if (c->state.may_intersect) return true;
    return false;
}

static void add_counts(vo_rt_cloth *c, const vo_rt_self_counts *n) {
    vo_rt_cloth_stats *s = &c->stats;
    s->self_cluster_pairs += n->cluster_pairs;
    s->self_face_pairs += n->face_pairs;
    s->self_feature_pairs += n->feature_pairs;
    s->self_near_pairs += n->near_pairs;
    s->self_compared_pairs += n->compared_pairs;
    s->self_adjacent_pairs += n->adjacent_pairs;
    s->self_queries++;
}

/* Query radius at which the largest proximity of the members is measured, m. */
static float find_static_radius(const vo_rt_cloth *leader) {
    float proximity = 0;
    for (const vo_rt_cloth *c = leader; c; c = c->next_member)
        proximity = f_max(proximity, c->input.adaption.proximity);
    return 0.5f * f_min(proximity, BOX_MARGIN);
}

static void find(vo_rt_cloth *leader, bool is_static) {
    vo_rt_self_set *set = &leader->self;
    bool tests = may_intersect(leader);
    vo_rt_self_query query = {.is_static = is_static,
                              .static_radius = find_static_radius(leader),
                              .finds_intersections = tests,
                              .use_avx2 = leader->world->use_avx2};
    set->counts = (vo_rt_self_counts){0};
    vo_rt_self_find(set, &query);
    add_counts(leader, &set->counts);
    leader->stats.self_contacts = set->contact_count;
    leader->stats.cost += vo_rt_budget_query_cost(set);
    if (tests) leader->stats.self_intersections = set->hit_count;
    bool is_clear = tests && set->hit_count == 0;
    for (vo_rt_cloth *c = leader; c; c = c->next_member)
        c->state.may_intersect = (c->state.may_intersect && !is_clear) || set->is_touching;
}

/* --- Adaption --------------------------------------------------------------------------------- */

static void inspect(void *arg, int begin, int end, int chunk) {
    vo_rt_world *w = arg;
    (void)chunk;
    for (int i = begin; i < end; i++) {
        vo_rt_cloth *leader = w->active[i];
        bool adapts = false;
        if (!leader->has_group || leader->leader != leader) continue;
        for (vo_rt_cloth *c = leader; c; c = c->next_member) adapts |= c->adapts;
        if (!adapts) continue;
        double start = vo_now();
        describe(leader, false);
        vo_rt_groups_describe_bodies(leader);
        set_interval(&leader->self, 0, 0);
        find(leader, true);
        leader->stats.self_s += vo_now() - start;
    }
}

void vo_rt_groups_inspect(vo_rt_world *w) {
    vo_rt_groups_reserve(w);
    if (!vo_threads_run(w->threads, w->active_count, 1, inspect, w)) w->step.tasks_failed = true;
}

/* --- Moves ------------------------------------------------------------------------------------ */

/* Mean displacement of the vertices in the move at their present velocities, relative to that of
 * the group, m. */
static float estimate_drift(const vo_rt_cloth *leader) {
    double sum[4] = {0}, count = 0;
    for (const vo_rt_cloth *c = leader; c; c = c->next_member) {
        const vo_rt_front *f = &c->mesh.front;
        for (int i = 1; c->moves && i < f->vertex_end; i++) {
            if (!(f->flags[i] & VO_RT_VERTEX_USED)) continue;
            vo_rt_vec3 d = f3_scale(c->move_dt, f4_xyz(f->velocity[i]));
            sum[0] += (double)d.x, sum[1] += (double)d.y, sum[2] += (double)d.z;
            sum[3] += (double)f3_length2(d);
            count++;
        }
    }
    if (!(count > 0)) return 0;
    double mean2 = (sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]) / (count * count);
    double rest = sum[3] / count - mean2;
    return rest > 0 ? (float)sqrt(rest) : 0;
}

/* Substeps of a segment. */
static int choose_segment(const vo_rt_cloth *leader, int substeps) {
    float parts = ceilf(estimate_drift(leader) / MAX_SEGMENT_MOTION);
    int count = parts >= 1 && parts < MAX_SEGMENTS ? (int)parts : parts >= 1 ? MAX_SEGMENTS : 1;
    return (substeps + count - 1) / count;
}

/* Contacts with bodies at fraction `end` of the move. */
static void set_contacts(vo_rt_self_member *m, const vo_rt_cloth *c, float end) {
    m->contact = c->contacts.contact;
    m->contact_count = c->moves ? c->contacts.count : 0;
    m->contact_time = end * c->move_dt;
}

/* Displacement by the acceleration of all free vertices in a number of substeps, beyond that of
 * their velocity: h^2 + 2 h^2 + ... */
static vo_rt_vec3 predict_fall(const vo_rt_cloth *c, int segment) {
    float h = c->minor.substep.h, n = (float)segment;
    return f3_scale(0.5f * n * (n + 1) * h * h, c->minor.substep.acceleration);
}

/* A part of a move: substeps from `first` to `last`, of `substeps` in all. */
typedef struct segment {
    int first, last, substeps;
} segment;

/* Query at the start of the first segment; the move has begun without a substep. */
static void find_first(vo_rt_cloth *leader, const segment *g) {
    if (leader->next_member) /* frames of different cloths move independently */
        for (vo_rt_cloth *c = leader; c; c = c->next_member)
            if (c->input.linear_inertia < 1 || c->input.angular_inertia < 1)
                c->state.may_intersect = true;
    describe(leader, true);
    vo_rt_groups_describe_bodies(leader);
    vo_rt_self_member *m = leader->self.member;
    for (vo_rt_cloth *c = leader; c; c = c->next_member, m++) {
        m->portion = (float)g->last / (float)g->substeps;
        m->scale = m->portion * c->move_dt;
        m->fall = predict_fall(c, g->last);
    }
}

/* Query between substeps. */
static void find_next(vo_rt_cloth *leader, const segment *g) {
    int count = g->last - g->first;
    describe(leader, false);
    vo_rt_self_member *m = leader->self.member;
    vo_rt_groups_describe_bodies(leader);
    for (vo_rt_cloth *c = leader; c; c = c->next_member, m++) {
        m->has_start = true;
        m->scale = (float)count;
        m->fall = predict_fall(c, count);
        m->portion = (float)count / (float)(g->substeps - g->first);
    }
}

static void begin_segment(vo_rt_cloth *leader, const segment *g) {
    float begin = (float)g->first / (float)g->substeps, end = (float)g->last / (float)g->substeps;
    if (g->first == 0)
        find_first(leader, g);
    else
        find_next(leader, g);
    vo_rt_self_member *m = leader->self.member;
    for (vo_rt_cloth *c = leader; c; c = c->next_member, m++) {
        m->duration = (end - begin) * c->move_dt;
        set_contacts(m, c, end);
    }
    set_interval(&leader->self, begin, end);
    find(leader, false);
}

static int choose_substeps(vo_rt_cloth *leader) {
    int substeps = 0;
    for (vo_rt_cloth *c = leader; c; c = c->next_member)
        if (c->moves && c->minor.substeps > substeps) substeps = c->minor.substeps;
    for (vo_rt_cloth *c = leader; c; c = c->next_member)
        if (c->moves && c->minor.substeps > 0) vo_rt_solve_set_substeps(&c->minor, substeps);
    return substeps;
}

static void run_substep(vo_rt_cloth *leader, int index) {
    for (vo_rt_cloth *c = leader; c; c = c->next_member) {
        double start = vo_now();
        if (c->moves && c->minor.substeps > 0) vo_rt_solve_run(&c->minor, index);
        c->stats.solve_s += vo_now() - start;
    }
}

/* Corrects the positions at the end of a segment. */
static void end_segment(vo_rt_cloth *leader, const segment *g) {
    vo_rt_self_set *set = &leader->self;
    vo_rt_self_query query = {.use_avx2 = leader->world->use_avx2};
    set->counts = (vo_rt_self_counts){0};
    vo_rt_self_filtered result = vo_rt_self_filter(set, &query, g->last - g->first);
    leader->stats.self_clamped += result.corrected;
    leader->stats.self_limited += result.is_limited;
    if (result.searches > 0) {
        add_counts(leader, &set->counts);
        leader->stats.self_queries += result.searches - 1;
        leader->stats.cost += result.searches * vo_rt_budget_query_cost(set);
    }
    bool may_meet = set->is_penetrated || set->is_touching;
    for (vo_rt_cloth *c = leader; c && may_meet; c = c->next_member) c->state.may_intersect = true;
}

/* Duration of the longest move of a group, s. */
static float find_duration(const vo_rt_cloth *leader) {
    float dt = 0;
    for (const vo_rt_cloth *c = leader; c; c = c->next_member)
        if (c->moves) dt = f_max(dt, c->move_dt);
    return dt;
}

static void run_segment(vo_rt_cloth *leader, const segment *g, float h) {
    float count = (float)(g->last - g->first);
    double start = vo_now();
    begin_segment(leader, g);
    leader->stats.self_s += vo_now() - start;
    for (int k = g->first; k < g->last; k++) {
        run_substep(leader, k);
        start = vo_now();
        vo_rt_self_project(&leader->self, h, (float)(k - g->first) / count,
                           (float)(k + 1 - g->first) / count);
        leader->stats.cost += vo_rt_budget_self_cost(&leader->self);
        leader->stats.self_s += vo_now() - start;
    }
    start = vo_now();
    end_segment(leader, g);
    leader->stats.self_s += vo_now() - start;
}

void vo_rt_groups_solve(vo_rt_cloth *leader) {
    int substeps = choose_substeps(leader);
    if (substeps == 0) return;
    int length = choose_segment(leader, substeps);
    float h = find_duration(leader) / (float)substeps;
    for (int first = 0; first < substeps; first += length) {
        int last = first + length < substeps ? first + length : substeps;
        run_segment(leader, &(segment){first, last, substeps}, h);
    }
    vo_rt_self_finish(&leader->self);
}
