/* Shewchuk 1997: "Adaptive precision floating-point arithmetic and fast robust geometric
 * predicates". Theorem numbers are those of the paper.
 *
 * An expansion is a sum of doubles of increasing magnitude that do not overlap: the lowest set bit
 * of each is above the highest bit of the one before it. Its sign is the sign of its last term. The
 * permitted operations depend on the distance of the terms:
 * - results of two_sum and two_product are nonadjacent (a zero bit between terms); `scale` (theorem
 *   19) and `sum_steady` (theorem 12) keep that, with rounding to even;
 * - `sum_merge` (theorem 13) is faster for long expansions. Its arguments are nonadjacent
 * expansions or its own results; its result may only be summed again or tested for its sign. Zero
 * terms are always dropped, so numbers with few bits are cheap. */
#include "math/predicates.h"

#define EPSILON 0x1p-53 /* relative rounding error of one operation */
#define TINY    1e-290  /* keeps error bounds out of the denormal range */

enum { MAX_TERMS = 192 }; /* three products of 16 terms with 2 terms */

typedef struct expansion {
    int n;
    double term[MAX_TERMS];
} expansion;

/* Exact sum, difference or product of two doubles: the rounded result and its error. */
typedef struct double_pair {
    double low, high;
} double_pair;

/* a + b, theorem 7. */
static inline double_pair two_sum(double a, double b) {
    double s = a + b;
    double b_part = s - a, a_part = s - b_part;
    return (double_pair){(a - a_part) + (b - b_part), s};
}

/* The upper and lower 26 bits of a, theorem 17. */
static inline double_pair split(double a) {
    double c = 0x1.0000002p27 * a;
    double high = c - (c - a);
    return (double_pair){a - high, high};
}

/* a b, theorem 18. */
static inline double_pair two_product(double a, double b) {
    double p = a * b;
    double_pair x = split(a), y = split(b);
    double error = p - x.high * y.high - x.low * y.high - x.high * y.low;
    return (double_pair){x.low * y.low - error, p};
}

static inline void add_term(expansion *e, double term) {
    if (term != 0) e->term[e->n++] = term;
}

/* e = a - b, for single numbers. */
static void set_difference(expansion *e, double a, double b) {
    double_pair d = two_sum(a, -b);
    e->n = 0;
    add_term(e, d.low);
    add_term(e, d.high);
}

/* h = e b, theorem 19. */
static void scale(const expansion *e, double b, expansion *h) {
    h->n = 0;
    double carry = 0;
    for (int i = 0; i < e->n; i++) {
        double_pair p = two_product(e->term[i], b);
        double_pair s = two_sum(carry, p.low);
        add_term(h, s.low);
        s = two_sum(p.high, s.high);
        add_term(h, s.low);
        carry = s.high;
    }
    add_term(h, carry);
}

/* h = h + b for a single number, theorem 10. */
static void grow(expansion *h, double b) {
    int n = h->n;
    h->n = 0;
    for (int i = 0; i < n; i++) {
        double_pair s = two_sum(b, h->term[i]);
        add_term(h, s.low); /* never past term i, which has been read */
        b = s.high;
    }
    add_term(h, b);
}

/* h = h + e, theorem 12: adds the terms of e one by one. */
static void sum_steady(expansion *h, const expansion *e) {
    for (int i = 0; i < e->n; i++) grow(h, e->term[i]);
}

/* Removes and returns the next term of two expansions in the order of magnitude. */
static inline double next_term(const expansion *e, int *i, const expansion *f, int *j) {
    if (*j == f->n || (*i < e->n && fabs(e->term[*i]) < fabs(f->term[*j]))) return e->term[(*i)++];
    return f->term[(*j)++];
}

/* h = e + f, theorem 13, with the general sum in place of the fast one at the start. */
static void sum_merge(const expansion *e, const expansion *f, expansion *h) {
    int i = 0, j = 0, n = e->n + f->n;
    double carry = 0;
    h->n = 0;
    for (int k = 0; k < n; k++) {
        double_pair s = two_sum(carry, next_term(e, &i, f, &j));
        add_term(h, s.low);
        carry = s.high;
    }
    add_term(h, carry);
}

/* h = sign a b for differences a, b of at most two terms. */
static void product(const expansion *a, const expansion *b, double sign, expansion *h) {
    expansion part;
    h->n = 0;
    for (int i = 0; i < b->n; i++) {
        scale(a, sign * b->term[i], &part);
        sum_steady(h, &part);
    }
}

/* h = a d - b c, at most 16 terms. */
static void minor(const expansion *a, const expansion *b, const expansion *c, const expansion *d,
                  expansion *h) {
    expansion part;
    product(a, d, 1, h);
    product(b, c, -1, &part);
    sum_steady(h, &part);
}

/* h = m a for a minor and a difference, at most 64 terms. */
static void minor_times(const expansion *m, const expansion *a, expansion *h) {
    h->n = 0;
    if (a->n == 0) return;
    if (a->n == 1) {
        scale(m, a->term[0], h);
        return;
    }
    expansion low, high;
    scale(m, a->term[0], &low);
    scale(m, a->term[1], &high);
    sum_merge(&low, &high, h);
}

static inline int sign_of(double x) { return (x > 0) - (x < 0); }
static int sign_of_expansion(const expansion *e) { return e->n ? sign_of(e->term[e->n - 1]) : 0; }

static int orient2d_exact(vo_vec2 a, vo_vec2 b, vo_vec2 c) {
    expansion ux, uy, vx, vy, det;
    set_difference(&ux, a.x, c.x);
    set_difference(&uy, a.y, c.y);
    set_difference(&vx, b.x, c.x);
    set_difference(&vy, b.y, c.y);
    minor(&ux, &uy, &vx, &vy, &det);
    return sign_of_expansion(&det);
}

int vo_orient2d(vo_vec2 a, vo_vec2 b, vo_vec2 c) {
    double left = (a.x - c.x) * (b.y - c.y), right = (a.y - c.y) * (b.x - c.x);
    double det = left - right;
    /* Shewchuk 1997, section 4.3: the error is below (3 + 16 eps) eps (|left| + |right|). */
    double size = fabs(left) + fabs(right);
    if (size == 0) return 0;
    if (fabs(det) > (3 + 16 * EPSILON) * EPSILON * size + TINY) return sign_of(det);
    return orient2d_exact(a, b, c);
}

/* Sign of ((b - a) x (c - a)) . (d - a), component by component in exact arithmetic. */
static int orient3d_exact(vo_vec3 a, vo_vec3 b, vo_vec3 c, vo_vec3 d) {
    const double *p[3] = {&b.x, &c.x, &d.x}, *origin = &a.x;
    expansion e[3][3], m, part[3], sum;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) set_difference(&e[i][k], p[i][k], origin[k]);
    for (int k = 0; k < 3; k++) {
        int y = (k + 1) % 3, z = (k + 2) % 3;
        minor(&e[0][y], &e[0][z], &e[1][y], &e[1][z], &m);
        minor_times(&m, &e[2][k], &part[k]);
    }
    sum_merge(&part[0], &part[1], &sum);
    sum_merge(&sum, &part[2], &part[0]);
    return sign_of_expansion(&part[0]);
}

int vo_orient3d(vo_vec3 a, vo_vec3 b, vo_vec3 c, vo_vec3 d) {
    vo_vec3 u = v3_sub(b, a), v = v3_sub(c, a), w = v3_sub(d, a);
    double yz = u.y * v.z, zy = u.z * v.y;
    double zx = u.z * v.x, xz = u.x * v.z;
    double xy = u.x * v.y, yx = u.y * v.x;
    double det = (yz - zy) * w.x + (zx - xz) * w.y + (xy - yx) * w.z;
    double size = (fabs(yz) + fabs(zy)) * fabs(w.x) + (fabs(zx) + fabs(xz)) * fabs(w.y) +
                  (fabs(xy) + fabs(yx)) * fabs(w.z);
    /* Shewchuk 1997, section 4.3: the error is below (7 + 56 eps) eps size. */
    if (size == 0) return 0;
    if (fabs(det) > (7 + 56 * EPSILON) * EPSILON * size + TINY) return sign_of(det);
    return orient3d_exact(a, b, c, d);
}
