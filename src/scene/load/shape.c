/* Obstacles of a scene file that are basic shapes. */
#include "scene/keys.h"
#include "scene/load/load.h"

/* A dimension that only some types have; the types are bits of vo_shape_kind. */
typedef struct dimension {
    const char *key;
    unsigned needed, allowed;
} dimension;

#define BIT(kind) (1u << VO_SHAPE_##kind)

static const dimension dimensions[] = {
    {"radius", BIT(SPHERE) | BIT(CYLINDER) | BIT(TORUS) | BIT(FUNNEL), 0},
    {"size", BIT(BOX) | BIT(PLATE) | BIT(BLADE), 0},
    {"height", BIT(CYLINDER) | BIT(FUNNEL) | BIT(RABBIT), 0},
    {"tube", BIT(TORUS), 0},
    {"neck", BIT(FUNNEL), 0},
    {"stem", 0, BIT(FUNNEL)},
    {"thickness", 0, BIT(FUNNEL)},
};

/* Checks that all dimensions that the type needs are present, and no others. */
static vo_result check_dimensions(const vo_json_cursor *shape, int kind) {
    const char *type = vo_shape_words[kind];
    for (size_t i = 0; i < sizeof dimensions / sizeof *dimensions; i++) {
        const dimension *d = &dimensions[i];
        bool given = vo_has(shape, d->key);
        vo_json_cursor at = vo_json_get(shape, d->key);
        if (!given && d->needed >> kind & 1)
            return vo_json_fail(at, "is missing; a %s needs it", type);
        if (given && !((d->needed | d->allowed) >> kind & 1))
            return vo_json_fail(at, "does not apply to a %s", type);
    }
    return VO_OK;
}

vo_result vo_load_shape(vo_loader *loader, vo_json_cursor at, vo_mesh **out) {
    int kind = vo_get_word(&at, "type", vo_shape_words);
    VO_TRY(check_dimensions(&at, kind));
    vo_shape_def def = {.kind = (vo_shape_kind)kind,
                        .radius = vo_get_real(&at, "radius"),
                        .tube = vo_get_real(&at, "tube"),
                        .neck = vo_get_real(&at, "neck"),
                        .height = vo_get_real(&at, "height"),
                        .stem = vo_get_real(&at, "stem"),
                        .thickness = vo_get_real(&at, "thickness"),
                        .size = vo_get_vec3(&at, "size"),
                        .edge_length = vo_get_real(&at, "edge_length")};
    return vo_at_fault(at, vo_mesh_create_shape(loader->ctx, &def, out));
}
