#include "remesh/metric.h"

/* Requests with a larger trace are scaled down: they would push others below rounding. */
#define MAX_TRACE 1e14

vo_eigen2 vo_metric_eigen(vo_sym2 m) {
    double size = vo_max(vo_max(fabs(m.xx), fabs(m.yy)), fabs(m.xy));
    if (size == 0 || !sym2_is_finite(m)) return (vo_eigen2){0, 0, {1, 0}};
    if (size > 1e-100 && size < 1e100) return vo_sym2_eigen(m);
    int exponent = ilogb(size);
    vo_eigen2 e = vo_sym2_eigen(
        (vo_sym2){ldexp(m.xx, -exponent), ldexp(m.xy, -exponent), ldexp(m.yy, -exponent)});
    e.lambda_max = ldexp(e.lambda_max, exponent);
    e.lambda_min = ldexp(e.lambda_min, exponent);
    return e;
}

vo_sym2 vo_metric_from_eigen(vo_eigen2 e) {
    vo_vec2 other = {-e.axis.y, e.axis.x};
    return sym2_add(sym2_outer(e.lambda_max, e.axis), sym2_outer(e.lambda_min, other));
}

vo_sym2 vo_metric_sanitise(vo_sym2 m) {
    if (!sym2_is_finite(m)) return (vo_sym2){0};
    double trace = m.xx + m.yy;
    if (trace <= MAX_TRACE) return m;
    if (isfinite(trace)) return sym2_scale(MAX_TRACE / trace, m);
    return vo_metric_sanitise(sym2_scale(0.25, m));
}

/* ---- maximum -------------------------------------------------------------------------------- */

/* A tensor as a disk (see metric.h). */
typedef struct disk {
    vo_vec2 centre;
    double radius;
} disk;

static disk disk_of(vo_sym2 m) { return (disk){{0.5 * (m.xx - m.yy), m.xy}, 0.5 * (m.xx + m.yy)}; }

static vo_sym2 tensor_of(disk d) {
    return (vo_sym2){d.radius + d.centre.x, d.centre.y, d.radius - d.centre.x};
}

static bool contains(disk outer, disk inner) {
    vo_vec2 d = v2_sub(inner.centre, outer.centre);
    double room = outer.radius - inner.radius;
    return room >= 0 && v2_dot(d, d) <= room * room;
}

/* Distance by which `inner` extends beyond `outer`; at most 0 if it is contained. */
static double excess(disk outer, disk inner) {
    return v2_length(v2_sub(inner.centre, outer.centre)) + inner.radius - outer.radius;
}

/* Smallest disk around two disks that do not contain each other. */
static disk around_two(disk a, disk b) {
    vo_vec2 d = v2_sub(b.centre, a.centre);
    double distance = v2_length(d), radius = 0.5 * (distance + a.radius + b.radius);
    return (disk){v2_add(a.centre, v2_scale((radius - a.radius) / distance, d)), radius};
}

/* The smaller root of a x^2 + 2 b x + c that is at least `lower`; NaN if there is none. */
static double smallest_root(double a, double b, double c, double lower) {
    double square = b * b - a * c;
    if (!(square >= 0)) return NAN;
    double q = -(b + copysign(sqrt(square), b));
    double x = q / a, y = c / q;
    if (!(x >= lower)) x = INFINITY;
    if (!(y >= lower)) y = INFINITY;
    return isfinite(vo_min(x, y)) ? vo_min(x, y) : NAN;
}

/* The disk that all three touch from inside (Apollonius). With p = centre - a.centre and
 * s = radius - a.radius: |p| = s,  |p - d_i| = s - e_i  =>  2 d_i . p = |d_i|^2 - e_i^2 + 2 e_i s,
 * where d_i and e_i are the centres and radii of b and c minus those of a. So p = u + s w is linear
 * in s, and |u + s w| = s is a quadratic equation. The radius is NaN if there is no such disk. */
static disk around_three(disk a, disk b, disk c) {
    vo_vec2 d1 = v2_sub(b.centre, a.centre), d2 = v2_sub(c.centre, a.centre);
    double e1 = b.radius - a.radius, e2 = c.radius - a.radius;
    vo_mat2 rows = {d1.x, d1.y, d2.x, d2.y};
    if (m2_det(rows) == 0) return (disk){a.centre, NAN};
    vo_mat2 inverse = m2_inverse(rows);
    vo_vec2 u =
        m2_mul(inverse, v2(0.5 * (v2_dot(d1, d1) - e1 * e1), 0.5 * (v2_dot(d2, d2) - e2 * e2)));
    vo_vec2 w = m2_mul(inverse, v2(e1, e2));
    double s =
        smallest_root(v2_dot(w, w) - 1, v2_dot(u, w), v2_dot(u, u), vo_max(0, vo_max(e1, e2)));
    return (disk){v2_add(a.centre, v2_add(u, v2_scale(s, w))), a.radius + s};
}

/* Disks that do not contain each other, with the indices of their tensors. */
typedef struct disk_set {
    disk disk[VO_METRIC_MAX_TERMS];
    int source[VO_METRIC_MAX_TERMS];
    int count;
} disk_set;

/* State of the search for the smallest enclosing disk. */
typedef struct disk_search {
    const disk_set *set;
    disk best;
    bool final; /* `best` is optimal */
} disk_search;

/* Adds a disk unless one of the set contains it; removes those that it contains. */
static void add_disk(disk_set *set, disk added, int source) {
    int kept = 0;
    for (int i = 0; i < set->count; i++)
        if (contains(set->disk[i], added)) return;
    for (int i = 0; i < set->count; i++) {
        if (contains(added, set->disk[i])) continue;
        set->disk[kept] = set->disk[i];
        set->source[kept++] = set->source[i];
    }
    set->disk[kept] = added;
    set->source[kept++] = source;
    set->count = kept;
}

/* Grows a candidate until it contains the whole set, and keeps it if it is the smallest. Rounding
 * errors of a candidate can therefore cost a little size, but never containment. */
static void try_disk(disk_search *search, disk candidate) {
    if (isnan(candidate.radius)) return;
    double grow = 0;
    for (int i = 0; i < search->set->count; i++)
        grow = vo_max(grow, excess(candidate, search->set->disk[i]));
    candidate.radius += grow;
    if (candidate.radius < search->best.radius) search->best = candidate;
    if (grow <= 0) search->final = true;
}

/* The smallest enclosing disk touches two or three disks of the set: tests all combinations. A
 * smallest disk around two that contains the others is optimal. */
static disk smallest_around(const disk_set *set) {
    disk_search search = {.set = set, .best = {{0, 0}, INFINITY}};
    for (int i = 0; i < set->count; i++)
        for (int j = 0; j < i && !search.final; j++)
            try_disk(&search, around_two(set->disk[i], set->disk[j]));
    if (search.final) return search.best;
    for (int i = 0; i < set->count; i++)
        for (int j = 0; j < i; j++)
            for (int k = 0; k < j; k++)
                try_disk(&search, around_three(set->disk[i], set->disk[j], set->disk[k]));
    return search.best;
}

vo_sym2 vo_metric_max(int count, const vo_sym2 *m) {
    disk_set set = {.count = 0};
    double size = 0;
    for (int i = 0; i < count; i++) size = vo_max(size, m[i].xx + m[i].yy);
    if (!(size > 0)) return (vo_sym2){0};
    for (int i = 0; i < count; i++)
        if (m[i].xx + m[i].yy > 0) add_disk(&set, disk_of(sym2_scale(1 / size, m[i])), i);
    if (set.count == 1) return m[set.source[0]];
    return sym2_scale(size, tensor_of(smallest_around(&set)));
}

/* ---- limits --------------------------------------------------------------------------------- */

/* 1 / length^2, or `otherwise` where the length sets no limit. */
static double length_to_eigenvalue(double length, double otherwise) {
    if (!(length > 0) || isinf(length)) return otherwise;
    return vo_clamp(1 / (length * length), VO_METRIC_MIN, VO_METRIC_MAX);
}

vo_metric_limits vo_metric_limits_make(double size_min, double size_max, double aspect_min) {
    vo_metric_limits limits = {.min_eigenvalue = length_to_eigenvalue(size_max, VO_METRIC_MIN),
                               .max_eigenvalue = length_to_eigenvalue(size_min, VO_METRIC_MAX),
                               .min_ratio = VO_METRIC_MIN_RATIO};
    limits.min_eigenvalue = vo_min(limits.min_eigenvalue, limits.max_eigenvalue);
    if (aspect_min > 0) limits.min_ratio = vo_clamp(aspect_min * aspect_min, limits.min_ratio, 1);
    return limits;
}

vo_sym2 vo_metric_limit(const vo_metric_limits *limits, vo_sym2 m) {
    vo_eigen2 e = vo_metric_eigen(m);
    e.lambda_max = vo_clamp(e.lambda_max, limits->min_eigenvalue, limits->max_eigenvalue);
    e.lambda_min = vo_clamp(e.lambda_min, limits->min_eigenvalue, limits->max_eigenvalue);
    e.lambda_min = vo_max(e.lambda_min, limits->min_ratio * e.lambda_max);
    if (e.lambda_min == e.lambda_max) return sym2_diagonal(e.lambda_max);
    return vo_metric_from_eigen(e);
}

vo_sym2 vo_metric_bound(vo_sym2 m, vo_sym2 bound) {
    if (!sym2_is_finite(bound)) return m;
    vo_eigen2 b = vo_metric_eigen(bound);
    b.lambda_max = vo_max(b.lambda_max, 1e-24);
    b.lambda_min = vo_max(b.lambda_min, 1e-12 * b.lambda_max);
    /* Coordinates along the axes of the bound, scaled so that the bound is the identity. */
    vo_vec2 axis[2] = {b.axis, {-b.axis.y, b.axis.x}};
    double length[2] = {sqrt(b.lambda_max), sqrt(b.lambda_min)};
    vo_sym2 n = {sym2_dot(m, axis[0], axis[0]) / b.lambda_max,
                 sym2_dot(m, axis[0], axis[1]) / (length[0] * length[1]),
                 sym2_dot(m, axis[1], axis[1]) / b.lambda_min};
    vo_eigen2 e = vo_metric_eigen(n);
    if (e.lambda_max <= 1) return m;
    /* The eigenvalues may differ by many digits: compute the smaller one from the determinant. */
    e.lambda_min = sym2_det(m) / (b.lambda_max * b.lambda_min) / e.lambda_max;
    e.lambda_min = vo_clamp(e.lambda_min, 0, 1); /* eq. 7 */
    e.lambda_max = 1;
    n = vo_metric_from_eigen(e);
    vo_vec2 first = v2_scale(length[0], axis[0]), second = v2_scale(length[1], axis[1]);
    vo_sym2 mixed = {2 * first.x * second.x, first.x * second.y + first.y * second.x,
                     2 * first.y * second.y};
    return sym2_add(sym2_add(sym2_outer(n.xx, first), sym2_outer(n.yy, second)),
                    sym2_scale(n.xy, mixed));
}

/* ---- flips ---------------------------------------------------------------------------------- */

bool vo_metric_should_flip(const vo_vec2 u[4], const vo_sym2 m[4], double threshold) {
    vo_sym2 mean = sym2_scale(0.25, sym2_add(sym2_add(m[0], m[1]), sym2_add(m[2], m[3])));
    vo_vec2 a = v2_sub(u[0], u[2]), b = v2_sub(u[1], u[2]); /* sides at corner 2 */
    vo_vec2 c = v2_sub(u[1], u[3]), d = v2_sub(u[0], u[3]); /* sides at corner 3 */
    double area2 = v2_cross(a, b), area3 = v2_cross(c, d);
    if (!(area2 > 0 && area3 > 0)) return false;
    /* sin(angle2 + angle3) = (cross2 dot3 + dot2 cross3) / (|a| |b| |c| |d|), all in the metric,
     * where a cross product is sqrt(det M) times that of material space. */
    double sine = area2 * sym2_dot(mean, c, d) + sym2_dot(mean, a, b) * area3;
    double lengths2 =
        sym2_dot(mean, a, a) * sym2_dot(mean, b, b) * sym2_dot(mean, c, c) * sym2_dot(mean, d, d);
    return sine < 0 && sine * sine * sym2_det(mean) > threshold * threshold * lengths2;
}
