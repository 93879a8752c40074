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
        double t = test_seconds();
        assert_ok(ctx, vo_untangler_create(ctx, &def, c.x, &u));
        assert_ok(ctx, vo_untangle(u, c.x, &r));
        t = test_seconds() - t;
        total += t;
        int left = case_count_pairs(&c, c.x);
        dump(&c, c.x, s, "b");
        printf("%3d %-14s %4d faces %3d contours %4d pairs %.2f m -> %3d it %d restarts, %d pairs, moved %.3f, gap %.5f, inside %d %.0f ms%s\n", s,
               tangle_names[s % TANGLE_KINDS], c.faces, r.contours_before, r.pairs_before,
               r.length_before, r.iterations, r.restarts, left, r.moved, r.gap, r.inside_count, t * 1e3, left ? "  LEFT" : "");
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
