/* Untangling: 200 tangles with fixed seeds, and the odd cases. */
#include "collide/untangle.h"
#include "core/timer.h"
#include "untangle_cases.h"

#include <string.h>

static void dump(const tangle_case *c, const vo_vec3 *x, int seed, const char *when) {
    const char *folder = getenv("VOILE_DUMP");
    if (!folder) return;
    char path[512];
    for (int p = 0; p < c->parts; p++) {
        snprintf(path, sizeof path, "%s/%03d-%s-%d.obj", folder, seed, when, p);
        case_write(c, x, p, path);
    }
}

/* Shortest and longest edge as parts of what they were. */
static void strain(const tangle_case *c, const vo_vec3 *x, const vo_vec3 *x0, double out[4]) {
    out[0] = INFINITY; out[1] = 0; out[2] = INFINITY; out[3] = 0;
    for (int e = 0; e < c->edges; e++) {
        int a = c->edge[e][0], b = c->edge[e][1];
        if (c->inverse_mass[a] == 0) continue;
        double q = v3_distance(x[a], x[b]) / v3_distance(x0[a], x0[b]);
        out[0] = vo_min(out[0], q);
        out[1] = vo_max(out[1], q);
    }
    for (int f = 0; f < c->faces; f++) {
        const int *n = c->face[f];
        if (c->inverse_mass[n[0]] == 0) continue;
        double q = v3_length(v3_cross(v3_sub(x[n[1]], x[n[0]]), v3_sub(x[n[2]], x[n[0]]))) / v3_length(v3_cross(v3_sub(x0[n[1]], x0[n[0]]), v3_sub(x0[n[2]], x0[n[0]])));
        out[2] = vo_min(out[2], q);
        out[3] = vo_max(out[3], q);
    }
}

int main(int argc, char **argv) {
    vo_context *ctx = test_context(1);
    int from = argc > 1 ? atoi(argv[1]) : 0, to = argc > 2 ? atoi(argv[2]) : 200;
    int step = argc > 3 ? atoi(argv[3]) : 1, solved = 0;
    int kinds[TANGLE_KINDS] = {0};
    double total = 0;
    for (int s = from; s < to; s += step) {
        tangle_case c;
        make_tangle(&c, s);
        dump(&c, c.x, s, "a");
        vo_untangle_def def = vo_untangle_def_default();
        def.soup = case_soup(&c);
        vo_untangler *u;
        vo_untangle_report r;
        vo_vec3 *x0 = malloc((size_t)c.nodes * sizeof *x0);
        memcpy(x0, c.x, (size_t)c.nodes * sizeof *x0);
        double t = test_seconds();
        assert_ok(ctx, vo_untangler_create(ctx, &def, c.x, &u));
        assert_ok(ctx, vo_untangle(u, c.x, &r));
        t = test_seconds() - t;
        total += t;
        int left = case_count_pairs(&c, c.x);
        dump(&c, c.x, s, "b");
        double q[4];
        strain(&c, c.x, x0, q);
        free(x0);
        printf("%3d %-14s %4d faces %3d contours %4d pairs %.2f m -> %3d it %d restarts, %d pairs, moved %.3f, gap %.5f, edge %.2f %.2f area %.2f %.2f inside %d %.0f ms%s\n", s,
               tangle_names[s < 1000 ? s % 10 : 10 + s % 6], c.faces, r.contours_before, r.pairs_before,
               r.length_before, r.iterations, r.restarts, left, r.moved, r.gap, q[0], q[1], q[2], q[3], r.inside_count, t * 1e3, left ? "  LEFT" : "");
        solved += left == 0;
        kinds[s % TANGLE_KINDS] += left == 0;
        vo_untangler_destroy(u);
        case_free(&c);
    }
    printf("%d solved, %.1f s\n", solved, total);
    for (int k = 0; k < TANGLE_KINDS; k++) printf("%s %d, ", tangle_names[k], kinds[k]);
    printf("\n");
    vo_context_destroy(ctx);
    return 0;
}
