/* Separation of pairs that would approach too far, in three ways of increasing strength:
 *
 * - Gauss-Seidel: each pair moves those of its vertices that cross the separating planes back to
 *   them, both sides by half of the excess.
 * - Supported: the same, but the side that is nearer to a body in the graph of contacts stays, so
 *   that stacks settle in one sweep from the body outwards (shock propagation; Guendelman, Bridson
 *   and Fedkiw 2003, "Nonconvex rigid bodies with stacking").
 * - Restrained: each vertex of the pairs that are left stays on its side of a plane between the
 *   features, for all pairs of the vertex (compare the displacement bounds of self.h). The planes
 *   move with the support of the vertices, at first that of the nearest contacts, then a smooth
 *   field around the bodies. Displacements are projected to the planes, and what still crosses one
 *   is shortened: vertices are independent. The set of restrained vertices grows until no pair
 *   inside it or beside it approaches. */
#include "rt/self/self_private.h"

#include <string.h>

/* Part of its contact distance that a pair keeps, and part of its distance if that is less. */
static const float KEPT_GAP = 0.3f, KEPT_DISTANCE = 0.5f;
/* Part of the distance to be kept below which a pair is not separated sufficiently. */
static const float LEAST_KEPT = 0.1f;
/* Volume of a pair, relative to the lengths of its edges, that rounding may change, m. */
static const float LEAST_GAP = 1e-6f;
/* Excess, relative to the distance to be kept, that counts as a change. */
static const float LEAST_CHANGE = 0.1f;
/* Sweeps over the pairs: one per layer of a stack, and two to notice the end. */
enum { SEPARATION_PASSES = 8, SUPPORT_SWEEPS = 6, RESTRAINT_PASSES = 4, SMOOTHING_PASSES = 8 };
/* Rounds of restraint after which vertices move with their references only. */
enum { FREE_ROUNDS = 8, MAX_GROWTH = 6 };
/* Level of vertices that are connected to no body. */
static const float UNSUPPORTED = 255;

static bool is_fixed(const vo_rt_self_set *set, int v) {
    return (set->flags[v] & (VO_RT_SELF_FIXED | VO_RT_SELF_RESTRAINED)) != 0;
}

/* Part of the gap of the set to which pairs that are closer open, and part of it that rounding may
 * use in a segment. */
static const float OPENING = 0.25f, TOLERANCE = 0.05f;

/* Distance that a pair keeps, m. */
static float kept_distance(const vo_rt_self_set *set, const vo_rt_self_pair *p) {
    float part = f_max(KEPT_DISTANCE * vo_rt_self_clearance(set, p), OPENING * set->gap);
    return f_min(KEPT_GAP * p->gap, part);
}

/* Distance below which a pair is not separated sufficiently, m. */
static float least_distance(const vo_rt_self_set *set, const vo_rt_self_pair *p) {
    float kept = f_min(KEPT_GAP * p->gap, KEPT_DISTANCE * vo_rt_self_clearance(set, p));
    return LEAST_KEPT * kept - TOLERANCE * set->gap;
}

static float distance_left(const vo_rt_self_set *set, const vo_rt_self_pair *p) {
    return vo_rt_self_clearance(set, p) - f_max(vo_rt_self_approach(set->move, p), 0);
}

/* Vectors of a pair at a time: two edges of its features, and one that joins them. */
typedef struct frame {
    vo_rt_vec3 u, v, w;
} frame;

static frame find_frame(const vo_rt_self_set *set, const vo_rt_self_pair *p, float s) {
    vo_rt_vec3 x[4];
    for (int k = 0; k < 4; k++)
        x[k] = f3_add_scaled(f4_xyz(set->x[p->vertex[k]]), s, f4_xyz(set->move[p->vertex[k]]));
    if (p->count_a == 1) return (frame){f3_sub(x[2], x[1]), f3_sub(x[3], x[1]), f3_sub(x[0], x[1])};
    return (frame){f3_sub(x[1], x[0]), f3_sub(x[3], x[2]), f3_sub(x[2], x[0])};
}

static float determinant(vo_rt_vec3 u, vo_rt_vec3 v, vo_rt_vec3 w) {
    return f3_dot(f3_cross(u, v), w);
}

/* True if the four vertices are never coplanar on their paths, so that the features do not meet,
 * however they turn: the Bernstein coefficients of the volume, a cubic polynomial, have one sign.
 */
static bool keeps_side(const vo_rt_self_set *set, const vo_rt_self_pair *p) {
    frame a = find_frame(set, p, 0), b = find_frame(set, p, 1);
    float volume[4] = {
        determinant(a.u, a.v, a.w),
        (determinant(b.u, a.v, a.w) + determinant(a.u, b.v, a.w) + determinant(a.u, a.v, b.w)) / 3,
        (determinant(a.u, b.v, b.w) + determinant(b.u, a.v, b.w) + determinant(b.u, b.v, a.w)) / 3,
        determinant(b.u, b.v, b.w)};
    float area = f_max(f3_length(f3_cross(a.u, a.v)), f3_length(f3_cross(b.u, b.v)));
    float size = f_max(f3_length(a.u) * f3_length(a.v), f3_length(b.u) * f3_length(b.v));
    float least = f_max((LEAST_KEPT * kept_distance(set, p) + set->gap) * area, LEAST_GAP * size);
    float sign = volume[0] < 0 ? -1 : 1;
    for (int i = 0; i < 4; i++)
        if (!(sign * volume[i] > least)) return false;
    return true;
}

bool vo_rt_self_is_violated(const vo_rt_self_set *set, const vo_rt_self_pair *p) {
    return distance_left(set, p) < least_distance(set, p) && !vo_rt_self_is_exempt(set, p) &&
           !keeps_side(set, p);
}

bool vo_rt_self_is_separated(const vo_rt_self_set *set) {
    for (int i = 0; i < set->pair_count; i++)
        if (vo_rt_self_is_violated(set, &set->pair[i])) return false;
    return true;
}

/* --- Support ---------------------------------------------------------------------------------- */

/* Vertex of a side with the largest weight. */
static int main_vertex(const vo_rt_self_pair *p, int side) {
    int begin = side == 0 ? 0 : p->count_a, end = side == 0 ? p->count_a : 4, best = begin;
    for (int k = begin + 1; k < end; k++)
        if (fabsf(p->weight[k]) > fabsf(p->weight[best])) best = k;
    return p->vertex[best];
}

/* Steps from a vertex to a body, or to a prescribed vertex, in the graph of contacts. */
static float level_of(const vo_rt_self_set *set, int v) {
    return set->x[v].w > 0 ? set->support[v].w : 0;
}

static bool is_body(const vo_rt_self_set *set, int v) {
    return (set->flags[v] & VO_RT_SELF_FIXED) != 0;
}

/* Displacement of a side that supports the other: of the nearest point on a body, or the support of
 * the main vertex. */
static vo_rt_vec3 side_motion(const vo_rt_self_set *set, const vo_rt_self_pair *p, int side) {
    int begin = side == 0 ? 0 : p->count_a, end = side == 0 ? p->count_a : 4;
    int v = main_vertex(p, side);
    if (!is_body(set, v)) return f4_xyz(level_of(set, v) > 0 ? set->support[v] : set->move[v]);
    vo_rt_vec3 d = f3(0, 0, 0);
    for (int k = begin; k < end; k++)
        d = f3_add_scaled(d, fabsf(p->weight[k]), f4_xyz(set->move[p->vertex[k]]));
    return d;
}

/* Lets one side of a pair be supported by the other. True if that shortens its way to a body. */
static bool support_side(vo_rt_self_set *set, const vo_rt_self_pair *p, int side) {
    int v = main_vertex(p, side);
    float level = level_of(set, main_vertex(p, 1 - side)) + 1;
    if (!(level < level_of(set, v))) return false;
    set->support[v] = f4_make(side_motion(set, p, 1 - side), level);
    return true;
}

void vo_rt_self_find_support(vo_rt_self_set *set) {
    for (int v = 0; v < set->cloth_vertex_count; v++)
        set->support[v] = f4_make(f4_xyz(set->move[v]), UNSUPPORTED);
    bool changed = true;
    for (int sweep = 0; sweep < SUPPORT_SWEEPS && changed; sweep++) {
        changed = false;
        for (int i = 0; i < set->pair_count; i++) { /* in alternating directions */
            const vo_rt_self_pair *p = &set->pair[sweep % 2 ? set->pair_count - 1 - i : i];
            if (distance_left(set, p) > p->gap || vo_rt_self_is_exempt(set, p)) continue;
            changed |= support_side(set, p, 0);
            changed |= support_side(set, p, 1);
        }
    }
}

/* --- Planes ----------------------------------------------------------------------------------- */

/* Moves a vertex back to its plane; `pass` is noted. */
static void limit_vertex(vo_rt_self_set *set, const vo_rt_self_pair *p, int k, float low,
                         float high, uint8_t pass) {
    int v = p->vertex[k];
    float d = f3_dot(p->normal, f4_xyz(set->move[v]));
    float to = k < p->count_a ? f_max(d, low) : f_min(d, high);
    if (to == d || is_fixed(set, v)) return;
    set->move[v] = f4_make(f3_add_scaled(f4_xyz(set->move[v]), to - d, p->normal), 0);
    set->pass[v] = pass;
}

/* Displacements of the vertices of a pair along its normal. */
typedef struct sides {
    float a, b;             /* m, smallest of side A and largest of side B */
    int vertex_a, vertex_b; /* that have them */
} sides;

static sides measure_sides(const vo_rt_self_set *set, const vo_rt_self_pair *p) {
    sides s = {.a = INFINITY, .b = -INFINITY};
    for (int k = 0; k < 4; k++) {
        int v = p->vertex[k];
        float d = f3_dot(p->normal, f4_xyz(set->move[v]));
        if (k < p->count_a && d < s.a) s.a = d, s.vertex_a = v;
        if (k >= p->count_a && d > s.b) s.b = d, s.vertex_b = v;
    }
    return s;
}

/* Part of the excess by which side A moves. */
static float find_share(const vo_rt_self_set *set, const vo_rt_self_pair *p, const sides *s,
                        bool supported) {
    bool fixed_a = is_fixed(set, s->vertex_a), fixed_b = is_fixed(set, s->vertex_b);
    if (fixed_a || fixed_b) return fixed_a ? 0 : 1;
    if (!supported) return 0.5f;
    float a = level_of(set, main_vertex(p, 0)), b = level_of(set, main_vertex(p, 1));
    return a < b ? 0 : a > b ? 1 : 0.5f;
}

/* Moves the vertices of a pair back to two planes. True if there was an excess. */
static bool separate(vo_rt_self_set *set, const vo_rt_self_pair *p, bool supported, uint8_t pass) {
    sides s = measure_sides(set, p);
    float kept = kept_distance(set, p), excess = s.b - s.a - vo_rt_self_clearance(set, p) + kept;
    if (!(excess > 0) || vo_rt_self_is_exempt(set, p) || keeps_side(set, p)) return false;
    float share = find_share(set, p, &s, supported);
    for (int k = 0; k < 4; k++)
        limit_vertex(set, p, k, s.a + share * excess, s.b - (1 - share) * excess, pass);
    return excess > LEAST_CHANGE * kept;
}

/* True if a vertex of a pair has moved in this pass or in the one before. */
static bool has_changed(const vo_rt_self_set *set, const vo_rt_self_pair *p, int pass) {
    const uint8_t *last = set->pass;
    const int32_t *v = p->vertex;
    return last[v[0]] >= pass - 1 || last[v[1]] >= pass - 1 || last[v[2]] >= pass - 1 ||
           last[v[3]] >= pass - 1;
}

bool vo_rt_self_separate(vo_rt_self_set *set, bool supported) {
    bool changed = true, any = false;
    memset(set->pass, 0, (size_t)set->vertex_count);
    for (int pass = 1; pass <= SEPARATION_PASSES && changed; pass++) {
        changed = false;
        for (int i = 0; i < set->pair_count; i++) { /* in alternating directions */
            const vo_rt_self_pair *p = &set->pair[pass % 2 ? i : set->pair_count - 1 - i];
            if (has_changed(set, p, pass)) changed |= separate(set, p, supported, (uint8_t)pass);
        }
        any |= changed;
    }
    return any;
}

/* --- Restraint -------------------------------------------------------------------------------- */

static bool is_restrained(const vo_rt_self_set *set, int v) {
    return v < set->cloth_vertex_count && (set->flags[v] & VO_RT_SELF_RESTRAINED) != 0;
}

static void restrain_pair(vo_rt_self_set *set, const vo_rt_self_pair *p) {
    for (int k = 0; k < 4; k++)
        if (!is_body(set, p->vertex[k])) set->flags[p->vertex[k]] |= VO_RT_SELF_RESTRAINED;
}

/* Displacement of a vertex that needs no limit. */
static vo_rt_vec3 find_reference(const vo_rt_self_set *set, int v) {
    return f4_xyz(is_body(set, v) ? set->move[v] : set->support[v]);
}

static void add_reference(vo_rt_self_set *set, int v, float weight, vo_rt_vec3 d) {
    if (is_body(set, v)) return;
    vo_rt_vec4 *sum = &set->sum[v];
    *sum = f4_make(f3_add_scaled(f4_xyz(*sum), weight, d), sum->w + weight);
}

/* Each side takes the motion of the nearest point on the other. */
static void couple_pair(vo_rt_self_set *set, const vo_rt_self_pair *p) {
    vo_rt_vec3 point[2] = {{0, 0, 0}, {0, 0, 0}};
    if (vo_rt_self_is_exempt(set, p)) return;
    for (int k = 0; k < 4; k++) {
        vo_rt_vec3 *x = &point[k >= p->count_a];
        *x = f3_add_scaled(*x, fabsf(p->weight[k]), find_reference(set, p->vertex[k]));
    }
    float weight = 1 / (vo_rt_self_clearance(set, p) + set->gap);
    for (int k = 0; k < 4; k++)
        add_reference(set, p->vertex[k], weight * fabsf(p->weight[k]), point[k < p->count_a]);
}

static void couple_edges(vo_rt_self_set *set, const vo_rt_self_face *f) {
    for (int k = 0; k < 3; k++) {
        int a = f->vertex[k], b = f->vertex[k == 2 ? 0 : k + 1];
        float length = f3_distance(f4_xyz(set->x[a]), f4_xyz(set->x[b]));
        float weight = 1 / (length + set->gap);
        add_reference(set, a, weight, find_reference(set, b));
        add_reference(set, b, weight, find_reference(set, a));
    }
}

/* The references become a smooth field around the bodies: Jacobi iterations of Laplace's equation
 * on the edges of the mesh and across the gaps. Points at a distance d then approach by d times the
 * gradient of the field, which is less than d. */
static void smooth_references(vo_rt_self_set *set) {
    for (int pass = 0; pass < SMOOTHING_PASSES; pass++) {
        for (int v = 0; v < set->cloth_vertex_count; v++) set->sum[v] = f4_make(f3(0, 0, 0), 0);
        for (int i = 0; i < set->pair_count; i++) couple_pair(set, &set->pair[i]);
        for (int i = 0; i < set->cloth_face_count; i++) couple_edges(set, &set->face[i]);
        for (int v = 0; v < set->cloth_vertex_count; v++) {
            vo_rt_vec4 sum = set->sum[v];
            if (!(sum.w > 0)) continue;
            vo_rt_vec3 mean = f3_scale(1 / sum.w, f4_xyz(sum));
            set->support[v] = f4_make(mean, set->support[v].w);
        }
    }
}

/* Displacements of the planes between which a pair stays apart: those of side A are at least `low`,
 * those of side B at most `high`, m. */
typedef struct planes {
    float low, high;
} planes;

/* References of the restrained vertices of both sides along the normal: the smallest of side A and
 * the largest of side B; those of one side for both if the other has none. */
static planes measure_references(const vo_rt_self_set *set, const vo_rt_self_pair *p) {
    float a = INFINITY, b = -INFINITY;
    for (int k = 0; k < 4; k++) {
        int v = p->vertex[k];
        if (!is_restrained(set, v)) continue;
        float f = f3_dot(p->normal, find_reference(set, v));
        if (k < p->count_a)
            a = f_min(a, f);
        else
            b = f_max(b, f);
    }
    return (planes){a < INFINITY ? a : b, b > -INFINITY ? b : a};
}

/* Both sides use half of the clearance towards the middle of their references, or `use` times as
 * much; beside a body, cloth uses all of it. False if no vertex is restrained. */
static bool find_planes(const vo_rt_self_set *set, const vo_rt_self_pair *p, float use,
                        planes *out) {
    const uint8_t *f = set->flags;
    const int32_t *v = p->vertex;
    if (!((f[v[0]] | f[v[1]] | f[v[2]] | f[v[3]]) & VO_RT_SELF_RESTRAINED)) return false;
    if (vo_rt_self_is_exempt(set, p)) return false;
    float room = vo_rt_self_clearance(set, p) - kept_distance(set, p);
    if (is_body(set, v[0]) || is_body(set, v[3])) {
        sides s = measure_sides(set, p);
        *out = (planes){s.b - room, s.a + room};
        return true;
    }
    planes r = measure_references(set, p);
    float middle = 0.5f * (r.low + r.high);
    *out = (planes){middle - 0.5f * use * room, middle + 0.5f * use * room};
    return true;
}

/* Separates the references of a pair: vertices may have to move with them alone. */
static void project_reference(vo_rt_self_set *set, const vo_rt_self_pair *p) {
    planes limit;
    if (!find_planes(set, p, 1, &limit)) return;
    for (int k = 0; k < 4; k++) {
        int v = p->vertex[k];
        if (!is_restrained(set, v)) continue;
        vo_rt_vec4 *reference = &set->support[v];
        float f = f3_dot(p->normal, f4_xyz(*reference));
        float to = k < p->count_a ? f_max(f, limit.low) : f_min(f, limit.high);
        vo_rt_vec3 moved = f3_add_scaled(f4_xyz(*reference), to - f, p->normal);
        if (to != f) *reference = f4_make(moved, reference->w);
    }
}

static void project_pair(vo_rt_self_set *set, const vo_rt_self_pair *p, float use) {
    planes limit;
    if (!find_planes(set, p, use, &limit)) return;
    for (int k = 0; k < 4; k++) {
        int v = p->vertex[k];
        if (!is_restrained(set, v)) continue;
        float d = f3_dot(p->normal, f4_xyz(set->move[v]));
        float to = k < p->count_a ? f_max(d, limit.low) : f_min(d, limit.high);
        if (to != d)
            set->move[v] = f4_make(f3_add_scaled(f4_xyz(set->move[v]), to - d, p->normal), 0);
    }
}

/* Part of the way from its reference that leaves each vertex on its side of all planes. */
static void truncate_pair(vo_rt_self_set *set, const vo_rt_self_pair *p, float use, float *part) {
    planes limit;
    if (!find_planes(set, p, use, &limit)) return;
    for (int k = 0; k < 4; k++) {
        int v = p->vertex[k];
        if (!is_restrained(set, v)) continue;
        float sign = k < p->count_a ? 1 : -1, low = k < p->count_a ? limit.low : -limit.high;
        float d = sign * f3_dot(p->normal, f4_xyz(set->move[v]));
        float f = sign * f3_dot(p->normal, find_reference(set, v));
        if (d < low) part[v] = f_min(part[v], f > low ? (f - low) / (f - d) : 0);
    }
}

static void truncate_moves(vo_rt_self_set *set, float use) {
    float *part = set->bound; /* not used before `finish` */
    for (int v = 0; v < set->cloth_vertex_count; v++) part[v] = 1;
    for (int i = 0; i < set->pair_count; i++) truncate_pair(set, &set->pair[i], use, part);
    for (int v = 0; v < set->cloth_vertex_count; v++) {
        if (!is_restrained(set, v) || part[v] >= 1) continue;
        vo_rt_vec3 f = find_reference(set, v), d = f3_sub(f4_xyz(set->move[v]), f);
        set->move[v] = f4_make(f3_add_scaled(f, part[v], d), 0);
    }
}

/* Restrains the neighbours of restrained vertices. */
static void grow_restraint(vo_rt_self_set *set) {
    uint8_t *is_near = set->pass; /* not used between separations */
    memset(is_near, 0, (size_t)set->cloth_vertex_count);
    for (int i = 0; i < set->cloth_face_count; i++) {
        const int32_t *v = set->face[i].vertex;
        if (!((set->flags[v[0]] | set->flags[v[1]] | set->flags[v[2]]) & VO_RT_SELF_RESTRAINED))
            continue;
        is_near[v[0]] = is_near[v[1]] = is_near[v[2]] = 1;
    }
    for (int v = 0; v < set->cloth_vertex_count; v++)
        if (is_near[v] && !is_body(set, v)) set->flags[v] |= VO_RT_SELF_RESTRAINED;
}

/* Rings of neighbours that are added in a round: in the end, everything is restrained. */
static int find_rings(int round) {
    int late = round - FREE_ROUNDS;
    return late < 0 ? 0 : 1 << (late < MAX_GROWTH ? late : MAX_GROWTH);
}

void vo_rt_self_restrain(vo_rt_self_set *set, int round) {
    float use = f_max(1 - (float)round / FREE_ROUNDS, 0);
    for (int i = 0; i < set->pair_count; i++)
        if (vo_rt_self_is_violated(set, &set->pair[i])) restrain_pair(set, &set->pair[i]);
    for (int k = 0; k < find_rings(round); k++) grow_restraint(set);
    if (round > 0) smooth_references(set);
    for (int pass = 0; pass < RESTRAINT_PASSES && round > 0; pass++)
        for (int i = 0; i < set->pair_count; i++)
            project_reference(set, &set->pair[pass % 2 ? set->pair_count - 1 - i : i]);
    for (int pass = 0; pass < RESTRAINT_PASSES; pass++)
        for (int i = 0; i < set->pair_count; i++)
            project_pair(set, &set->pair[pass % 2 ? set->pair_count - 1 - i : i], use);
    truncate_moves(set, use);
}
