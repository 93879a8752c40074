/* Filter: displacements without collisions (self.h has the proof).
 *
 * Pairs that would approach too far are separated one after the other (Gauss-Seidel), each by
 * moving those of its vertices that cross the separating planes back to them. Corrections that
 * leave the range of the search lead to a new search for the vertices concerned. If that does not
 * converge, all displacements are reduced until every pair keeps its distance; none at all is
 * always a solution, unless bodies move: then the segment is divided into parts, and in the
 * smallest ones bodies pass where they leave no space. */
#include "rt/self/self_private.h"

/* Largest deviation of a vertex from its predicted displacement, besides the length of the latter,
 * m. Only cloth that is stretched far beyond its limit moves faster. */
static const float MAX_DEVIATION = 0.01f;
/* Smallest cosine of a star that stays calm. */
static const float LEAST_COSINE = 0.1f;
/* Rounds of separations and searches: the first one with support, with restraint, and the end. */
enum { SUPPORT_ROUND = 1, RESTRAINT_ROUND = 3, MAX_ROUNDS = 24 };
enum { RADIUS_HALVINGS = 3, MAX_HALVINGS = 8 };

typedef struct filter {
    vo_rt_self_set *set;
    const vo_rt_self_query *query;
    vo_rt_self_filtered result;
} filter;

/* --- Displacements ---------------------------------------------------------------------------- */

static vo_rt_vec3 clamp_to_box(vo_rt_vec3 x, const vo_rt_self_member *m, float inset) {
    vo_rt_vec3 d = f3(inset, inset, inset);
    return f3_max(f3_add(m->min, d), f3_min(f3_sub(m->max, d), x));
}

/* Displacement of a slot relative to the shift, inside the box of its member. */
static vo_rt_vec3 load_move(const vo_rt_self_set *set, const vo_rt_self_member *m, int slot) {
    int v = m->first + slot;
    vo_rt_vec3 x = f4_xyz(m->mesh->front.position[slot]), start = f4_xyz(set->x[v]);
    if (!f3_is_finite(x)) return f4_xyz(set->drift[v]);
    return f3_sub(f3_sub(clamp_to_box(x, m, 2 * set->radius[v]), start), set->shift);
}

/* Limits the deviation of a displacement from its prediction: long paths have many pairs. */
static vo_rt_vec3 limit_deviation(const vo_rt_self_set *set, int v, vo_rt_vec3 d) {
    vo_rt_vec3 p = f4_xyz(set->drift[v]), away = f3_sub(d, p);
    float limit = MAX_DEVIATION + f3_length(f3_add(p, set->shift)), length = f3_length(away);
    return length > limit && set->x[v].w > 0 ? f3_add_scaled(p, limit / length, away) : d;
}

static void load_moves(vo_rt_self_set *set) {
    for (int v = 0; v < set->vertex_count; v++) set->move[v] = set->drift[v];
    for (int k = 0; k < set->member_count; k++) {
        const vo_rt_self_member *m = &set->member[k];
        const vo_rt_front *f = &m->mesh->front;
        for (int i = 1; m->moves && i < f->vertex_end; i++)
            if (f->flags[i] & VO_RT_VERTEX_USED)
                set->move[m->first + i] =
                    f4_make(limit_deviation(set, m->first + i, load_move(set, m, i)), 0);
    }
}

/* Writes the corrected positions. A correction was made over the whole segment, so the velocity of
 * the last substep changes by its part of it only. */
static int store_moves(const vo_rt_self_set *set, int substeps) {
    float part = 1 - 1 / (float)substeps;
    int count = 0;
    for (int k = 0; k < set->member_count; k++) {
        const vo_rt_self_member *m = &set->member[k];
        vo_rt_front *f = &m->mesh->front;
        for (int i = 1; m->moves && i < f->vertex_end; i++) {
            int v = m->first + i;
            vo_rt_vec3 path = f3_add(set->shift, f4_xyz(set->move[v]));
            vo_rt_vec3 x = f3_add(f4_xyz(set->x[v]), path);
            vo_rt_vec3 change = f3_sub(x, f4_xyz(f->position[i]));
            if (!(f->flags[i] & VO_RT_VERTEX_USED)) continue;
            bool is_known = f3_is_finite(change);
            if (is_known && f3_length2(change) <= 1e-14f) continue;
            vo_rt_vec3 start = f3_add_scaled(f4_xyz(f->velocity[i]), part, change);
            f->velocity[i] = f4_make(is_known ? start : x, f->velocity[i].w);
            f->position[i] = f4_make(x, f->position[i].w);
            count++;
        }
    }
    return count;
}

/* --- Search ----------------------------------------------------------------------------------- */

/* The search is repeated around the displacement of the vertex. */
static bool mark_moved(vo_rt_self_set *set, int v) {
    if (set->flags[v] & (VO_RT_SELF_MOVED | VO_RT_SELF_FIXED)) return false;
    set->flags[v] |= VO_RT_SELF_MOVED;
    set->drift[v] = set->move[v];
    return true;
}

static bool mark_outside(vo_rt_self_set *set) {
    bool any = false;
    for (int v = 0; v < set->cloth_vertex_count; v++) {
        float limit = VO_RT_SELF_RANGE * set->high[v].w;
        vo_rt_vec3 d = f3_sub(f4_xyz(set->move[v]), f4_xyz(set->drift[v]));
        if (f3_length2(d) > limit * limit) any |= mark_moved(set, v);
    }
    return any;
}

static void mark_fan(vo_rt_self_set *set, int fan) {
    for (int i = set->fan_begin[fan]; i < set->fan_begin[fan + 1]; i++) {
        const vo_rt_self_cell *c = &set->cell[set->fan_cell[i]];
        for (int f = c->begin; f < c->end; f++)
            for (int k = 0; k < 3; k++) mark_moved(set, set->face[f].vertex[k]);
    }
    vo_rt_self_unset_flat(set, fan);
}

/* Stars that are no longer calm and fans that are no longer flat: pairs of their faces are
 * searched. */
static bool mark_stars(vo_rt_self_set *set) {
    bool any = false;
    vo_rt_self_measure_stars(set, set->move);
    for (int v = 0; v < set->cloth_vertex_count; v++) {
        if (!(set->flags[v] & VO_RT_SELF_CALM) || set->star[v].cosine >= LEAST_COSINE) continue;
        set->flags[v] &= (uint8_t)~VO_RT_SELF_CALM;
        for (int i = set->star_begin[v]; i < set->star_begin[v + 1]; i++)
            for (int k = 0; k < 3; k++)
                any |= mark_moved(set, set->face[set->star_face[i]].vertex[k]);
    }
    return vo_rt_self_measure_flat(set, set->move, mark_fan) > 0 || any;
}

static bool is_moved(const vo_rt_self_set *set, const vo_rt_self_pair *p) {
    for (int k = 0; k < 4; k++)
        if (set->flags[p->vertex[k]] & VO_RT_SELF_MOVED) return true;
    return false;
}

/* Adds the pairs of the marked vertices, within smaller radii if they do not fit into the memory.
 */
static void find_moved_pairs(filter *f) {
    vo_rt_self_set *set = f->set;
    int count = set->pair_count;
    bool was_full = set->is_full;
    vo_rt_self_find_pairs(set, f->query, true);
    for (int k = 0; k < RADIUS_HALVINGS && set->is_full && !was_full; k++) {
        for (int v = 0; v < set->cloth_vertex_count; v++)
            if (set->flags[v] & VO_RT_SELF_MOVED) set->radius[v] *= 0.5f;
        set->pair_count = count;
        set->is_full = false;
        vo_rt_self_find_pairs(set, f->query, true);
    }
}

/* Replaces the pairs of the marked vertices. */
static void search_again(filter *f) {
    vo_rt_self_set *set = f->set;
    int count = 0;
    for (int i = 0; i < set->pair_count; i++)
        if (!is_moved(set, &set->pair[i])) set->pair[count++] = set->pair[i];
    set->pair_count = count;
    for (int i = 0; i < set->cloth_face_count; i++) {
        const int32_t *v = set->face[i].vertex;
        set->face[i].is_moved =
            ((set->flags[v[0]] | set->flags[v[1]] | set->flags[v[2]]) & VO_RT_SELF_MOVED) != 0;
    }
    find_moved_pairs(f);
    for (int v = 0; v < set->cloth_vertex_count; v++) set->flags[v] &= (uint8_t)~VO_RT_SELF_MOVED;
    f->result.searches++;
}

/* Completes the list of pairs for the displacements. */
static void complete_pairs(filter *f) {
    bool outside = mark_outside(f->set), open = mark_stars(f->set);
    if (outside || open) search_again(f);
}

/* --- No solution ------------------------------------------------------------------------------ */

static bool moves(const vo_rt_self_set *set, int v) {
    return f3_length2(f3_add(set->shift, f4_xyz(set->drift[v]))) > 0;
}

/* True if a body beside the cloths moves in this segment. */
static bool has_moving_obstacle(const vo_rt_self_set *set) {
    for (int i = 0; i < set->pair_count; i++) {
        const vo_rt_self_pair *p = &set->pair[i];
        for (int side = 0; side < 2; side++)
            if (vo_rt_self_is_obstacle(set, p->member[side]) && moves(set, p->vertex[3 * side]))
                return true;
    }
    return false;
}

/* Scales the displacements, relative to `origin` in the frame of the shift. */
static void scale_moves(vo_rt_self_set *set, float scale, vo_rt_vec3 origin) {
    for (int v = 0; v < set->cloth_vertex_count; v++) {
        vo_rt_vec3 d = f3_sub(f4_xyz(set->move[v]), origin);
        if (!(set->flags[v] & VO_RT_SELF_FIXED))
            set->move[v] = f4_make(f3_add_scaled(origin, scale, d), 0);
    }
}

static bool stars_are_calm(vo_rt_self_set *set) {
    vo_rt_self_measure_stars(set, set->move);
    if (vo_rt_self_measure_flat(set, set->move, NULL) > 0) return false;
    for (int v = 0; v < set->cloth_vertex_count; v++)
        if ((set->flags[v] & VO_RT_SELF_CALM) && set->star[v].cosine < LEAST_COSINE) return false;
    return true;
}

/* Halves the displacements until all pairs of cloth keep their distance. */
static bool halve(vo_rt_self_set *set, vo_rt_vec3 origin, int count) {
    for (int k = 0; k < count; k++) {
        scale_moves(set, 0.5f, origin);
        if (vo_rt_self_is_separated(set) && stars_are_calm(set)) return true;
    }
    return false;
}

/* True if the pairs of cloth with cloth keep their distance. */
static bool cloth_is_separated(const vo_rt_self_set *set) {
    for (int i = 0; i < set->pair_count; i++)
        if (!vo_rt_self_has_obstacle(set, &set->pair[i]) &&
            vo_rt_self_is_violated(set, &set->pair[i]))
            return false;
    return true;
}

/* Moving bodies leave no space: they pass, and cloth does not pass through cloth. The cloth leaves
 * them in the following segments. */
static void let_bodies_pass(vo_rt_self_set *set, vo_rt_vec3 still) {
    bool is_free = false;
    for (int k = 0; k < MAX_HALVINGS && !is_free && !set->is_full; k++) {
        is_free = cloth_is_separated(set) && stars_are_calm(set);
        if (!is_free) scale_moves(set, 0.5f, still);
    }
    if (!is_free) scale_moves(set, 0, still);
    stars_are_calm(set);
    set->is_penetrated = true;
    for (int i = 0; i < set->pair_count; i++) {
        const vo_rt_self_pair *p = &set->pair[i];
        if (vo_rt_self_has_obstacle(set, p) && vo_rt_self_is_violated(set, p))
            for (int k = 0; k < 4; k++) set->flags[p->vertex[k]] |= VO_RT_SELF_PRESSED;
    }
}

/* All displacements become smaller, relative to the world, in which the bodies rest: the paths
 * become shorter, which needs no new search. Cloth without bodies beside it keeps its mean motion,
 * if that suffices. */
static void reduce(filter *f) {
    vo_rt_self_set *set = f->set;
    vo_rt_vec3 still = f3_scale(-1, set->shift);
    f->result.is_limited = true;
    if (has_moving_obstacle(set)) {
        let_bodies_pass(set, still);
        return;
    }
    bool is_alone = set->obstacle_count == 0;
    if (!set->is_full && halve(set, is_alone ? f3(0, 0, 0) : still, MAX_HALVINGS)) return;
    scale_moves(set, 0, still);
    stars_are_calm(set);
}

/* The list of pairs is complete for the displacements of the last search; corrections beyond it are
 * undone. */
static void restrict_to_search(vo_rt_self_set *set) {
    for (int v = 0; v < set->cloth_vertex_count; v++) {
        float limit = VO_RT_SELF_RANGE * set->high[v].w;
        vo_rt_vec3 p = f4_xyz(set->drift[v]), d = f3_sub(f4_xyz(set->move[v]), p);
        float length = f3_length(d);
        if (length > limit) set->move[v] = f4_make(f3_add_scaled(p, limit / length, d), 0);
    }
}

/* Displacements that separate all pairs, by increasingly strong corrections. False if none were
 * found. */
static bool resolve(filter *f) {
    vo_rt_self_set *set = f->set;
    for (int round = 0; round < MAX_ROUNDS && !set->is_full; round++) {
        if (round == SUPPORT_ROUND || round == RESTRAINT_ROUND) vo_rt_self_find_support(set);
        if (round >= RESTRAINT_ROUND) vo_rt_self_restrain(set, round - RESTRAINT_ROUND);
        vo_rt_self_separate(set, round >= SUPPORT_ROUND);
        complete_pairs(f);
        if (vo_rt_self_is_separated(set)) return true;
    }
    if (set->is_full) return false;
    restrict_to_search(set);
    return stars_are_calm(set) && vo_rt_self_is_separated(set);
}

/* --- Parts of a segment ----------------------------------------------------------------------- */

/* First and smallest part of a segment. */
static const float FIRST_PART = 0.25f, LEAST_PART = 1 / 16.0f;

static void set_targets(vo_rt_self_set *set) {
    for (int v = 0; v < set->cloth_vertex_count; v++) {
        vo_rt_vec3 path = f3_add(set->shift, f4_xyz(set->move[v]));
        set->target[v] = f4_make(f3_add(f4_xyz(set->x[v]), path), 0);
    }
}

/* The part of the segment from fraction `begin` to `end`: cloth moves straight to its targets. */
static void begin_part(filter *f, vo_rt_vec3 shift, float begin, float end) {
    vo_rt_self_set *set = f->set;
    float part = (end - begin) / (1 - begin);
    set->shift = f3_scale(end - begin, shift);
    for (int v = 0; v < set->cloth_vertex_count; v++) {
        vo_rt_vec3 way = f3_sub(f4_xyz(set->target[v]), f4_xyz(set->x[v]));
        set->drift[v] = f4_make(f3_sub(f3_scale(part, way), set->shift), 0);
        set->flags[v] &= (uint8_t) ~(VO_RT_SELF_RESTRAINED | VO_RT_SELF_MOVED);
    }
    vo_rt_self_gather_obstacles(set, begin, end);
    for (int i = 0; i < set->cloth_face_count; i++) set->face[i].is_moved = 0;
    vo_rt_self_search(set, f->query);
    for (int v = 0; v < set->vertex_count; v++) set->move[v] = set->drift[v];
    f->result.searches++;
}

static void end_part(vo_rt_self_set *set) {
    for (int v = 0; v < set->cloth_vertex_count; v++) {
        vo_rt_vec3 path = f3_add(set->shift, f4_xyz(set->move[v]));
        set->x[v] = f4_make(f3_add(f4_xyz(set->x[v]), path), set->x[v].w);
    }
}

/* Divides the segment: bodies that move less leave the cloth more time to give way. Where even the
 * smallest part leaves no space, they pass, and the rest is not divided. */
static void resolve_parts(filter *f) {
    vo_rt_self_set *set = f->set;
    vo_rt_vec3 shift = set->shift;
    float begin = 0, part = FIRST_PART;
    while (begin < 1) {
        float end = f_min(begin + part, 1);
        begin_part(f, shift, begin, end);
        bool is_resolved = resolve(f);
        if (!is_resolved && part > LEAST_PART && !set->is_penetrated) {
            part *= 0.5f;
            continue;
        }
        if (!is_resolved) reduce(f);
        if (set->is_penetrated) part = 1;
        begin = end;
        if (begin < 1) end_part(set);
    }
}

/* True if bodies have pierced cloth: a division does not help. */
static bool is_pressed(const vo_rt_self_set *set) {
    for (int v = 0; v < set->cloth_vertex_count; v++)
        if (set->flags[v] & VO_RT_SELF_PRESSED) return true;
    return false;
}

vo_rt_self_filtered vo_rt_self_filter(vo_rt_self_set *set, const vo_rt_self_query *query,
                                      int substeps) {
    filter f = {.set = set, .query = query};
    set->is_penetrated = false;
    for (int v = 0; v < set->cloth_vertex_count; v++)
        set->flags[v] &= (uint8_t)~VO_RT_SELF_RESTRAINED;
    load_moves(set);
    set_targets(set);
    if (set->is_full || !resolve(&f)) {
        if (has_moving_obstacle(set) && !is_pressed(set))
            resolve_parts(&f);
        else
            reduce(&f);
    }
    f.result.corrected = store_moves(set, substeps);
    return f.result;
}
