/* Springs, eight at a time: XPBD projection, forces, and Provot's correction.
 *
 * Macklin, Mueller, Chentanez: XPBD: Position-Based Simulation of Compliant Constrained Dynamics,
 * 2016. Provot: Deformation Constraints in a Mass-Spring Model to Describe Rigid Cloth Behaviour,
 * 1995. */
#include "math/simd_float.h"

#include "rt/solve/kernels.h"

/* Smallest product of length (m) and inverse mass (1/kg) that is divided by. */
static const float LEAST = 1e-20f;

/* Spring whose ends are loaded: d = b - a. */
typedef struct spring_lanes {
    vo_v8 a, b, d;
    vo_f8 wa, wb, w; /* inverse masses and their sum */
    vo_f8 rest, length;
} spring_lanes;

VO_INLINE spring_lanes load_springs(const vo_rt_vec4 *position, const vo_rt_spring_group *g) {
    spring_lanes s;
    s.a = v8_gather(position, g->a, &s.wa);
    s.b = v8_gather(position, g->b, &s.wb);
    s.d = v8_sub(s.b, s.a);
    s.w = s.wa + s.wb;
    s.rest = f8_load(g->rest);
    s.length = f8_sqrt(v8_dot(s.d, s.d));
    return s;
}

/* Moves the ends by s d, weighted by their inverse masses: positive s shortens. */
VO_INLINE void store_springs(vo_rt_vec4 *position, const vo_rt_spring_group *g,
                             const spring_lanes *p, vo_f8 s) {
    v8_scatter(position, g->a, v8_add_scaled(p->a, s * p->wa, p->d), p->wa);
    v8_scatter(position, g->b, v8_add_scaled(p->b, -(s * p->wb), p->d), p->wb);
}

/* compliance / h^2 of springs: the strain of a strip is compliance * force / width. */
VO_INLINE vo_f8 scale_compliance(const vo_rt_spring_group *g, vo_f8 rest, float compliance) {
    return f8_set(compliance) * f8_divide(rest, f8_load(g->width), 1e-12f);
}

/* Limits the resistance to compression: a strip of length l with bending stiffness B buckles under
 * a force of pi^2 B / l^2 per width (Euler), which stays nearly constant while it bends further.
 * Springs that are compressed beyond pass->compression are projected to it. */
VO_INLINE vo_f8 limit_compression(const vo_rt_spring_group *g, const spring_lanes *p, vo_f8 c,
                                  vo_f8 s, const vo_rt_spring_pass *pass) {
    vo_f8 force = f8_divide(f8_set(-pass->buckling) * f8_load(g->width),
                            p->rest * p->rest * p->length, LEAST);
    vo_f8 beyond = f8_min(c + f8_set(pass->compression) * p->rest, f8_set(0));
    vo_f8 hard = f8_divide(beyond, p->length * p->w, LEAST);
    return f8_select(c < f8_set(0), f8_min(f8_max(s, force), hard), s);
}

/* lambda = C / (w_a + w_b + alpha / h^2), C = length - rest. */
VO_INLINE void project_stiff(vo_rt_vec4 *position, const vo_rt_spring_group *g,
                             const vo_rt_spring_pass *pass) {
    spring_lanes p = load_springs(position, g);
    vo_f8 c = p.length - p.rest, s = f8_divide(c, p.length * p.w, LEAST);
    store_springs(position, g, &p, limit_compression(g, &p, c, s, pass));
}

/* The compliant correction, or the one that reaches the limit if it is larger. */
VO_INLINE void project_compliant(vo_rt_vec4 *position, const vo_rt_spring_group *g,
                                 const vo_rt_spring_pass *pass) {
    spring_lanes p = load_springs(position, g);
    vo_f8 alpha = scale_compliance(g, p.rest, pass->compliance);
    vo_f8 c = p.length - p.rest, excess = c - f8_set(pass->limit) * p.rest;
    vo_f8 soft = f8_divide(c, p.length * (p.w + alpha), LEAST);
    vo_f8 hard = f8_divide(excess, p.length * p.w, LEAST);
    soft = limit_compression(g, &p, c, soft, pass);
    store_springs(position, g, &p, f8_select(excess > f8_set(0), f8_max(soft, hard), soft));
}

void VO_KERNEL(vo_rt_project_springs)(vo_rt_front *front, const vo_rt_spring_pass *pass) {
    if (pass->compliance > 0) {
        VO_RT_FOR_GROUPS(i, front->spring_group_count) {
            project_compliant(front->position, &front->springs[i], pass);
        }
    } else {
        VO_RT_FOR_GROUPS(i, front->spring_group_count) {
            project_stiff(front->position, &front->springs[i], pass);
        }
    }
}

void VO_KERNEL(vo_rt_limit_springs)(vo_rt_front *front, const vo_rt_spring_pass *pass) {
    VO_RT_FOR_GROUPS(i, front->spring_group_count) {
        const vo_rt_spring_group *g = &front->springs[i];
        spring_lanes p = load_springs(front->position, g);
        vo_f8 excess = p.length - f8_set(1 + pass->limit) * p.rest;
        if (!m8_any(excess > f8_set(0))) continue;
        vo_f8 s = f8_divide(f8_max(excess, f8_set(0)), p.length * p.w, LEAST);
        store_springs(front->position, g, &p, s);
    }
}

/* Fraction of 1 / (h^2 (w_a + w_b)) at which explicit springs are clamped: with six springs per
 * vertex the largest eigenvalue of the system is about 12 / 2 of it, and Verlet integration is
 * stable below 4. */
static const float MAX_EXPLICIT_STIFFNESS = 0.25f;

void VO_KERNEL(vo_rt_apply_spring_forces)(vo_rt_front *front, const vo_rt_spring_pass *pass) {
    const vo_f8 zero = f8_set(0);
    VO_RT_FOR_GROUPS(i, front->spring_group_count) {
        const vo_rt_spring_group *g = &front->springs[i];
        spring_lanes start = load_springs(front->velocity, g); /* positions at the start */
        spring_lanes p = load_springs(front->position, g);
        /* k h^2 = min(1 / alpha, limit / w) */
        vo_f8 alpha = scale_compliance(g, start.rest, pass->compliance);
        vo_f8 flexibility = f8_max(alpha, p.w * (1 / MAX_EXPLICIT_STIFFNESS));
        vo_f8 s = f8_divide(start.length - start.rest, start.length * flexibility, LEAST);
        p.d = start.d;
        store_springs(front->position, g, &p, f8_select(p.w > zero, s, zero));
    }
}

/* v_a and v_b approach each other: d(v_b - v_a)/dt = -viscosity / rest^2 (v_b - v_a), integrated
 * implicitly; momentum is conserved. */
void VO_KERNEL(vo_rt_damp_springs)(vo_rt_front *front, float viscosity_dt) {
    VO_RT_FOR_GROUPS(i, front->spring_group_count) {
        const vo_rt_spring_group *g = &front->springs[i];
        vo_f8 wa, wb, unused;
        v8_gather(front->position, g->a, &wa);
        v8_gather(front->position, g->b, &wb);
        vo_v8 a = v8_gather(front->velocity, g->a, &unused);
        vo_v8 b = v8_gather(front->velocity, g->b, &unused);
        vo_v8 d = v8_sub(b, a);
        vo_f8 rest = f8_load(g->rest);
        vo_f8 s = f8_divide(f8_set(viscosity_dt), (f8_set(viscosity_dt) + rest * rest) * (wa + wb),
                            LEAST);
        v8_scatter(front->velocity, g->a, v8_add_scaled(a, s * wa, d), f8_set(0));
        v8_scatter(front->velocity, g->b, v8_add_scaled(b, -(s * wb), d), f8_set(0));
    }
}
