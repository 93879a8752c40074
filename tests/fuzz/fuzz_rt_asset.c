/* Garment files and links of seams: the input is loaded as it is and with corrected checksums,
 * since a wrong checksum would reject every mutation; then it is read as the text of links. */
#include "fuzz.h"

#include "rt/asset/asset_private.h"

/* Reads colours and finer points of the first and last triangles of all levels. */
static void use_levels(const vo_rt_asset *asset) {
    for (int level = 0; level <= asset->max_level; level++) {
        int last = (int)vo_rt_level_triangles(asset->triangle_count, level) - 1;
        for (int k = 0; k < 2; k++) {
            vo_rt_vec2 middle[3];
            int address = k ? last : 0;
            if (asset->coloured_levels >= 0) {
                int colour = vo_rt_asset_colour(asset, level, address, 2);
                fuzz_require(colour >= 0 && colour < vo_rt_asset_colour_sets(asset), "colour");
            }
            if (asset->fine && level < asset->max_level)
                vo_rt_asset_fine_middles(asset, level, address, middle);
        }
    }
}

static void load(const vo_allocator *allocator, const uint8_t *data, size_t size) {
    vo_rt_asset *asset = NULL;
    vo_rt_message message = {{0}};
    vo_result result = vo_rt_asset_load(allocator, data, size, &asset, &message);
    if (result != VO_OK) {
        fuzz_require(result == VO_BAD_DATA && !asset && message.text[0], "no message");
        return;
    }
    fuzz_require(vo_rt_check_content(asset, &message) == VO_OK, message.text);
    fuzz_require(vo_rt_asset_get_info(asset).mass > 0, "no mass");
    use_levels(asset);
    vo_rt_asset_destroy(asset);
}

/* Two triangles and the border of a third. */
static void read_links(const vo_allocator *allocator, const uint8_t *data, size_t size) {
    static const vo_rt_vec3 positions[9] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {2, 0, 0}, {3, 0, 0},
                                            {2, 1, 0}, {4, 0, 0}, {5, 0, 0}, {4, 1, 0}};
    static const int32_t triangles[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    vo_rt_asset_def def = vo_rt_asset_def_default();
    def.vertex_count = 9;
    def.positions = positions;
    def.triangle_count = 3;
    def.triangles = triangles;
    vo_rt_seaming *seaming;
    vo_rt_asset *asset;
    vo_rt_message message = {{0}};
    fuzz_require(vo_rt_seaming_create(allocator, &def, &seaming, &message) == VO_OK, message.text);
    vo_result result = vo_rt_seaming_read(seaming, (const char *)data, size, &message);
    fuzz_require(result == VO_OK || (result == VO_BAD_DATA && message.text[0]), "no message");
    char text[1024];
    fuzz_require(vo_rt_seaming_write(seaming, text, sizeof text) < sizeof text, "too long");
    fuzz_require(vo_rt_seaming_read(seaming, text, strlen(text), &message) == VO_OK, message.text);
    for (int merge = 0; merge < 2; merge++) {
        if (vo_rt_seaming_create_asset(seaming, merge, NULL, &asset, &message) != VO_OK) continue;
        fuzz_require(vo_rt_check_content(asset, &message) == VO_OK, message.text);
        vo_rt_asset_destroy(asset);
    }
    vo_rt_seaming_destroy(seaming);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_run run;
    fuzz_begin(&run);
    vo_allocator allocator = {&run, fuzz_allocate, fuzz_release};
    load(&allocator, data, size);
    uint8_t *copy = malloc(size ? size : 1);
    fuzz_require(copy != NULL, "no memory");
    memcpy(copy, data, size);
    vo_rt_block_seal(copy, size);
    load(&allocator, copy, size);
    free(copy);
    read_links(&allocator, data, size);
    fuzz_end(&run);
    return 0;
}
