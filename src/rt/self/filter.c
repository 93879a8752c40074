/* Filter: displacements without collisions (self.h has the proof).
 *
 * Pairs that would approach too far are separated one after the other (Gauss-Seidel), each by
 * moving those of its vertices that cross the separating planes back to them. Corrections that
 * leave the range of the search lead to a new search for the vertices concerned. If that does not
 * converge, bodies are exempt where they leave no space, and then all displacements are reduced
 * until every pair of cloth keeps its distance; none at all is always a solution. */
#include "rt/self/self_private.h"

#include <string.h>

/* Part of its contact distance that a pair keeps, and part of its distance if that is less. */
static const float KEPT_GAP = 0.3f, KEPT_DISTANCE = 0.5f;
/* Part of the distance to be kept below which a pair is not separated sufficiently. */
static const float LEAST_KEPT = 0.5f;
/* Part of R beyond which a vertex is searched again before the correction: the rest is left to it.
 */
static const float START_RANGE = 0.8f;
/* Smallest cosine of a star that stays calm. */
static const float LEAST_COSINE = 0.1f;
/* Rounds of searches and separations; after the first ones, with common motion. */
enum { SEPARATION_ROUNDS = 3, MAX_ROUNDS = 14, PASSES = 16 };
enum { RELATIVE_HALVINGS = 4, MAX_HALVINGS = 8 };

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

static void load_moves(vo_rt_self_set *set) {
    for (int v = 0; v < set->vertex_count; v++) set->move[v] = set->drift[v];
    for (int k = 0; k < set->member_count; k++) {
        const vo_rt_self_member *m = &set->member[k];
        const vo_rt_front *f = &m->mesh->front;
        for (int i = 1; m->moves && i < f->vertex_end; i++)
            if (f->flags[i] & VO_RT_VERTEX_USED)
                set->move[m->first + i] = f4_make(load_move(set, m, i), 0);
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

static bool mark_outside(vo_rt_self_set *set, float range) {
    bool any = false;
    for (int v = 0; v < set->cloth_vertex_count; v++) {
        float limit = range * set->high[v].w;
        vo_rt_vec3 d = f3_sub(f4_xyz(set->move[v]), f4_xyz(set->drift[v]));
        if (f3_length2(d) > limit * limit) any |= mark_moved(set, v);
    }
    return any;
}

/* Stars that are no longer calm: pairs of their faces are searched. */
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
    return any;
}

static bool is_moved(const vo_rt_self_set *set, const vo_rt_self_pair *p) {
    for (int k = 0; k < 4; k++)
        if (set->flags[p->vertex[k]] & VO_RT_SELF_MOVED) return true;
    return false;
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
    vo_rt_self_find_pairs(set, f->query, true);
    for (int v = 0; v < set->cloth_vertex_count; v++) set->flags[v] &= (uint8_t)~VO_RT_SELF_MOVED;
    f->result.searches++;
}

/* True if the list of pairs is complete for the displacements. */
static bool is_covered(filter *f, float range) {
    bool outside = mark_outside(f->set, range), open = mark_stars(f->set);
    if (!outside && !open) return true;
    search_again(f);
    return false;
}

/* --- Separation ------------------------------------------------------------------------------- */

/* Distance that a pair keeps, m. */
static float kept_distance(const vo_rt_self_set *set, const vo_rt_self_pair *p) {
    return f_min(KEPT_GAP * p->gap, KEPT_DISTANCE * vo_rt_self_clearance(set, p));
}

static bool is_fixed(const vo_rt_self_set *set, int v) { return set->flags[v] & VO_RT_SELF_FIXED; }

static void limit_vertex(vo_rt_self_set *set, const vo_rt_self_pair *p, int k, float low,
                         float high) {
    int v = p->vertex[k];
    float d = f3_dot(p->normal, f4_xyz(set->move[v]));
    float to = k < p->count_a ? f_max(d, low) : f_min(d, high);
    if (to != d) set->move[v] = f4_make(f3_add_scaled(f4_xyz(set->move[v]), to - d, p->normal), 0);
}

/* Moves the vertices of a pair back to two planes: its excess is shared by both sides, unless one
 * is fixed. True if there was any. */
static bool separate(vo_rt_self_set *set, const vo_rt_self_pair *p) {
    float a, b;
    vo_rt_self_measure_sides(set->move, p, &a, &b);
    float excess = b - a - vo_rt_self_clearance(set, p) + kept_distance(set, p);
    bool fixed_a = is_fixed(set, p->vertex[0]), fixed_b = is_fixed(set, p->vertex[3]);
    if (!(excess > 0) || (fixed_a && fixed_b)) return false;
    float share = fixed_a ? 0 : fixed_b ? 1 : 0.5f;
    for (int k = 0; k < 4; k++)
        if (!(k < p->count_a ? fixed_a : fixed_b))
            limit_vertex(set, p, k, a + share * excess, b - (1 - share) * excess);
    return excess > 0.02f * kept_distance(set, p);
}

/* True if a displacement has changed. */
static bool separate_pairs(vo_rt_self_set *set) {
    bool changed = true, any = false;
    for (int pass = 0; pass < PASSES && changed; pass++) {
        changed = false;
        for (int i = 0; i < set->pair_count; i++) { /* in alternating directions */
            const vo_rt_self_pair *p = &set->pair[pass % 2 ? set->pair_count - 1 - i : i];
            if (!vo_rt_self_is_exempt(set, p)) changed |= separate(set, p);
        }
        any |= changed;
    }
    return any;
}

/* True if a pair comes too close. */
static bool is_violated(const vo_rt_self_set *set, const vo_rt_self_pair *p) {
    float left = vo_rt_self_clearance(set, p) - f_max(vo_rt_self_approach(set->move, p), 0);
    return left < LEAST_KEPT * kept_distance(set, p) && !vo_rt_self_is_exempt(set, p);
}

static bool is_separated(const vo_rt_self_set *set) {
    for (int i = 0; i < set->pair_count; i++)
        if (is_violated(set, &set->pair[i])) return false;
    return true;
}

/* --- Common motion ---------------------------------------------------------------------------- */

/* Weight of a fixed vertex in the mean of a zone. */
static const float FIXED_WEIGHT = 1e3f;

static int find_zone(int32_t *zone, int v) {
    while (zone[v] != v) v = zone[v] = zone[zone[v]];
    return v;
}

static void add_to_zone(vo_rt_self_set *set, int zone, int v, float weight) {
    vo_rt_vec4 *sum = &set->zone_sum[zone];
    vo_rt_vec3 d = f3_add_scaled(f4_xyz(*sum), weight, f4_xyz(set->move[v]));
    *sum = f4_make(d, sum->w + weight);
}

/* Unites the zones of the vertices of a pair that move; fixed ones determine the motion. */
static void unite_pair(vo_rt_self_set *set, const vo_rt_self_pair *p) {
    int first = -1;
    for (int k = 0; k < 4; k++) {
        if (is_fixed(set, p->vertex[k])) continue;
        int zone = find_zone(set->zone, p->vertex[k]);
        if (first < 0) first = zone;
        int low = zone < first ? zone : first; /* the root has the smallest index */
        set->zone[zone] = set->zone[first] = low;
        first = low;
        set->flags[p->vertex[k]] |= VO_RT_SELF_ZONE;
    }
}

static void add_fixed(vo_rt_self_set *set, const vo_rt_self_pair *p) {
    int zone = -1;
    for (int k = 0; k < 4; k++)
        if (!is_fixed(set, p->vertex[k])) zone = find_zone(set->zone, p->vertex[k]);
    for (int k = 0; k < 4 && zone >= 0; k++)
        if (is_fixed(set, p->vertex[k])) add_to_zone(set, zone, p->vertex[k], FIXED_WEIGHT);
}

static void begin_zones(vo_rt_self_set *set) {
    for (int v = 0; v < set->cloth_vertex_count; v++) {
        set->zone[v] = v;
        set->flags[v] &= (uint8_t)~VO_RT_SELF_ZONE;
    }
}

/* The vertices of pairs that are not separated move together (rigid impact zones, Provot 1997, here
 * without rotation). Zones grow from one call to the next, so that some call leaves no pair inside
 * or between them that approaches. */
static void merge_moves(vo_rt_self_set *set) {
    for (int i = 0; i < set->pair_count; i++)
        if (is_violated(set, &set->pair[i])) unite_pair(set, &set->pair[i]);
    memset(set->zone_sum, 0, (size_t)set->cloth_vertex_count * sizeof *set->zone_sum);
    for (int i = 0; i < set->pair_count; i++)
        if (is_violated(set, &set->pair[i])) add_fixed(set, &set->pair[i]);
    for (int v = 0; v < set->cloth_vertex_count; v++)
        if (set->flags[v] & VO_RT_SELF_ZONE) add_to_zone(set, find_zone(set->zone, v), v, 1);
    for (int v = 0; v < set->cloth_vertex_count; v++) {
        if (!(set->flags[v] & VO_RT_SELF_ZONE)) continue;
        vo_rt_vec4 sum = set->zone_sum[find_zone(set->zone, v)];
        set->move[v] = f4_make(f3_scale(1 / sum.w, f4_xyz(sum)), 0);
    }
}

/* --- No solution ------------------------------------------------------------------------------ */

/* True if a body beside the pair moves in this segment. */
static bool has_moving_obstacle(const vo_rt_self_set *set, const vo_rt_self_pair *p) {
    for (int side = 0; side < 2; side++) {
        int v = p->vertex[side == 0 ? 0 : 3];
        if (vo_rt_self_is_obstacle(set, p->member[side]) &&
            f3_length2(f3_add(set->shift, f4_xyz(set->drift[v]))) > 0)
            return true;
    }
    return false;
}

/* Moving bodies pass where they leave no space. */
static void exempt_bodies(vo_rt_self_set *set) {
    for (int i = 0; i < set->pair_count; i++) {
        const vo_rt_self_pair *p = &set->pair[i];
        if (!has_moving_obstacle(set, p) || !is_violated(set, p)) continue;
        set->is_penetrated = true;
        for (int k = 0; k < 4; k++) set->flags[p->vertex[k]] |= VO_RT_SELF_PRESSED;
    }
}

/* Scales the displacements, relative to `origin` in the frame of the shift. */
static void scale_moves(vo_rt_self_set *set, float scale, vo_rt_vec3 origin) {
    for (int v = 0; v < set->cloth_vertex_count; v++) {
        vo_rt_vec3 d = f3_sub(f4_xyz(set->move[v]), origin);
        if (!is_fixed(set, v)) set->move[v] = f4_make(f3_add_scaled(origin, scale, d), 0);
    }
}

static bool stars_are_calm(vo_rt_self_set *set) {
    vo_rt_self_measure_stars(set, set->move);
    for (int v = 0; v < set->cloth_vertex_count; v++)
        if ((set->flags[v] & VO_RT_SELF_CALM) && set->star[v].cosine < LEAST_COSINE) return false;
    return true;
}

/* Halves the displacements until all pairs of cloth keep their distance. */
static bool halve(vo_rt_self_set *set, vo_rt_vec3 origin, int count) {
    for (int k = 0; k < count; k++) {
        scale_moves(set, 0.5f, origin);
        exempt_bodies(set);
        if (is_separated(set) && stars_are_calm(set)) return true;
    }
    return false;
}

/* All displacements become smaller, which needs no new search: the paths become shorter. First
 * relative to the mean motion, then relative to the world, in which resting bodies are. */
static void reduce(filter *f) {
    vo_rt_self_set *set = f->set;
    vo_rt_vec3 still = f3_scale(-1, set->shift);
    f->result.is_limited = true;
    if (!set->is_full &&
        (halve(set, f3(0, 0, 0), RELATIVE_HALVINGS) || halve(set, still, MAX_HALVINGS)))
        return;
    scale_moves(set, 0, still);
    exempt_bodies(set);
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

static void resolve(filter *f) {
    is_covered(f, START_RANGE);
    for (int round = 0; round < MAX_ROUNDS; round++) {
        bool changed = round <= SEPARATION_ROUNDS && separate_pairs(f->set);
        if (!changed && round == 0) return;
        if (is_covered(f, VO_RT_SELF_RANGE) && is_separated(f->set)) return;
        if (round == SEPARATION_ROUNDS) begin_zones(f->set);
        if (round >= SEPARATION_ROUNDS) merge_moves(f->set);
    }
    exempt_bodies(f->set);
    separate_pairs(f->set);
    restrict_to_search(f->set);
    if (!is_separated(f->set) || !stars_are_calm(f->set)) reduce(f);
}

vo_rt_self_filtered vo_rt_self_filter(vo_rt_self_set *set, const vo_rt_self_query *query,
                                      int substeps) {
    filter f = {.set = set, .query = query};
    set->is_penetrated = false;
    load_moves(set);
    resolve(&f);
    if (set->is_full && !f.result.is_limited) reduce(&f);
    f.result.corrected = store_moves(set, substeps);
    return f.result;
}
