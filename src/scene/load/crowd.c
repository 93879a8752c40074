/* Crowds: copies of the scene's characters and garments at many places. The document is expanded:
 * the other loaders and the stored scene of a run contain a list of characters and garments instead
 * of the crowd. Equal bodies and garments are still created once (character/body.h, sew/sew.h). */
#include "core/random.h"
#include "scene/load/load.h"

#include <string.h>

enum { MAX_CHARACTERS = 100000 };

/* Place of one copy of all characters. */
typedef struct place {
    vo_transform transform; /* in the file's units and axes */
    double start;           /* s, added to the start of the motions */
} place;

/* ---- places --------------------------------------------------------------------------------- */

typedef struct grid {
    int rows, columns;
    double spacing[2], turn, delay;
    vo_vec3 across, along, up; /* unit vectors of the file's axes */
    vo_random random;
} grid;

static grid read_grid(const vo_json_cursor *root, const vo_json_cursor *crowd) {
    grid g = {.spacing = {2, 2},
              .rows = vo_get_int(crowd, "rows", 1),
              .columns = vo_get_int(crowd, "columns", 1),
              .turn = vo_get_real(crowd, "turn"),
              .delay = vo_get_real(crowd, "delay"),
              .random = vo_random_seed((uint64_t)vo_get_int(crowd, "seed", 1))};
    (void)vo_json_read_reals(vo_json_get(crowd, "spacing"), g.spacing, 2);
    char axis = vo_get_string(root, "up_axis")[0];
    g.up = v3(axis == 'x', axis == 'y', axis == 'z');
    g.across = axis == 'x' ? v3(0, 1, 0) : v3(1, 0, 0);
    g.along = v3_cross(g.up, g.across);
    return g;
}

/* Rejects the keys of the grid, which do not apply to a list of places. */
static vo_result exclude_grid(const vo_json_cursor *crowd) {
    static const char *const keys[] = {"rows", "columns", "spacing", "turn", "delay", "seed"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (vo_has(crowd, keys[i]))
            return vo_json_fail(vo_json_get(crowd, keys[i]), "places and %s exclude each other",
                                keys[i]);
    return VO_OK;
}

/* Returns place k of the grid, row by row; the grid is centred at the origin. */
static place grid_place(grid *g, int k) {
    double x = (k % g->columns - 0.5 * (g->columns - 1)) * g->spacing[0];
    double y = (k / g->columns - 0.5 * (g->rows - 1)) * g->spacing[1];
    double turn = vo_random_real(&g->random, -g->turn, g->turn);
    place p = {.transform = xf_identity(), .start = vo_random_real(&g->random, 0, g->delay)};
    p.transform.translation = v3_add(v3_scale(x, g->across), v3_scale(y, g->along));
    p.transform.rotation = q_axis_angle(g->up, turn * (VO_PI / 180));
    return p;
}

static place given_place(const vo_json_cursor *places, int k) {
    vo_json_cursor at = vo_json_item(places, k);
    return (place){vo_pose_transform(vo_get_pose(&at, "transform")), vo_get_real(&at, "start")};
}

/* ---- copies --------------------------------------------------------------------------------- */

static vo_result put_transform(const vo_json_cursor *in, vo_transform t) {
    vo_json_cursor at;
    double angle = 2 * atan2(v3_length(v3(t.rotation.x, t.rotation.y, t.rotation.z)), t.rotation.w);
    double turn[4] = {angle * (180 / VO_PI), t.rotation.x, t.rotation.y, t.rotation.z};
    VO_TRY(vo_json_put_object(in, "transform", &at));
    VO_TRY(vo_json_put_reals(&at, "translate", &t.translation.x, 3));
    VO_TRY(vo_json_put_real(&at, "scale", t.scale));
    return vo_json_put_reals(&at, "rotate", turn, 4);
}

/* Adds `start` to the start of a motion; a motion given as a path becomes an object first. */
static vo_result put_start(const vo_json_cursor *character, vo_json_cursor motion, double start) {
    vo_json_cursor at;
    if (!vo_json_is_present(motion) || start == 0) return VO_OK;
    if (vo_json_kind(motion) == VO_JSON_STRING) {
        VO_TRY(vo_json_put_object(character, "motion", &at));
        VO_TRY(vo_json_put_copy(&at, "file", motion));
        return vo_json_put_real(&at, "start", start);
    }
    at = vo_json_get(character, "motion");
    return vo_json_put_real(&at, "start", start + vo_get_real(&motion, "start"));
}

static vo_result copy_character(const vo_json_cursor *list, vo_json_cursor from, const place *p) {
    VO_TRY(vo_json_put_copy(list, NULL, from));
    vo_json_cursor made = vo_json_item(list, vo_json_length(*list) - 1);
    vo_transform own = vo_pose_transform(vo_get_pose(&from, "transform"));
    VO_TRY(put_transform(&made, xf_mul(p->transform, own)));
    return put_start(&made, vo_json_get(&from, "motion"), p->start);
}

static vo_result copy_garment(const vo_json_cursor *list, vo_json_cursor from, int first) {
    VO_TRY(vo_json_put_copy(list, NULL, from));
    vo_json_cursor made = vo_json_item(list, vo_json_length(*list) - 1);
    return vo_json_put_int(&made, "character", first + vo_get_int(&from, "character", 0));
}

/* Appends another copy of all characters and their garments. */
static vo_result copy_all(const vo_json_cursor *root, const vo_json_cursor *made, const place *p,
                          int k) {
    vo_json_cursor characters = vo_json_get(root, "characters"),
                   garments = vo_json_get(root, "garments");
    vo_json_cursor to_characters = vo_json_get(made, "characters");
    vo_json_cursor to_garments = vo_json_get(made, "garments");
    int count = vo_json_length(characters);
    for (int i = 0; i < count; i++)
        VO_TRY(copy_character(&to_characters, vo_json_item(&characters, i), p));
    for (int i = 0; i < vo_json_length(garments); i++)
        VO_TRY(copy_garment(&to_garments, vo_json_item(&garments, i), k * count));
    return VO_OK;
}

/* Appends the copies of all places to the lists of `made`. */
static vo_result write_copies(const vo_json_cursor *root, const vo_json_cursor *crowd,
                              const vo_json_cursor *made) {
    vo_json_cursor places = vo_json_get(crowd, "places"), list;
    grid g = read_grid(root, crowd);
    bool given = vo_json_length(places) > 0;
    double count = given ? vo_json_length(places) : (double)g.rows * g.columns;
    int each = vo_json_length(vo_json_get(root, "characters"));
    if (given) VO_TRY(exclude_grid(crowd));
    if (each == 0) return vo_json_fail(*crowd, "the scene has no characters to copy");
    if (count * each > MAX_CHARACTERS)
        return vo_json_fail(*crowd, "%g characters exceed the limit of %d", count * each,
                            MAX_CHARACTERS);
    VO_TRY(vo_json_put_array(made, "characters", &list));
    VO_TRY(vo_json_put_array(made, "garments", &list));
    for (int k = 0; k < (int)count; k++) {
        VO_TRY(vo_check_cancel(root->ctx));
        place p = given ? given_place(&places, k) : grid_place(&g, k);
        VO_TRY(copy_all(root, made, &p, k));
        vo_report_work(root->ctx, "copying the characters of a crowd", k + 1, (int)count);
    }
    return VO_OK;
}

vo_result vo_load_crowd(vo_loader *loader, const vo_json_cursor *root) {
    vo_json_cursor crowd = vo_json_get(root, "crowd");
    if (!vo_json_is_present(crowd)) return VO_OK;
    loader->detail = vo_get_real(&crowd, "detail");
    loader->copied = vo_json_length(vo_json_get(root, "characters"));
    vo_json_doc doc;
    VO_TRY(vo_json_new(loader->ctx, crowd.file, &doc));
    vo_json_cursor made = vo_json_root(&doc);
    vo_result result = write_copies(root, &crowd, &made);
    if (result == VO_OK)
        result = vo_json_put_copy(root, "characters", vo_json_get(&made, "characters"));
    if (result == VO_OK)
        result = vo_json_put_copy(root, "garments", vo_json_get(&made, "garments"));
    vo_json_free(&doc);
    VO_TRY(result);
    vo_json_remove(root, "crowd");
    return vo_scene_check(loader->doc, (char[2]){0}, 2); /* fills in the new objects' defaults */
}
