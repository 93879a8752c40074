#include "asset_info.h"

#include "message.h"
#include "text.h"

#include <string.h>

bool is_asset_file(const char *path) {
    size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, ".vrt") == 0;
}

static void point_json(json_out *j, const char *key, vo_rt_vec3 p) {
    json_open(j, key, '[');
    json_real(j, NULL, (double)p.x);
    json_real(j, NULL, (double)p.y);
    json_real(j, NULL, (double)p.z);
    json_close(j, ']');
}

void asset_info_json(json_out *j, const vo_rt_asset_info *info) {
    json_int(j, "vertices", info->vertex_count);
    json_int(j, "faces", info->triangle_count);
    json_int(j, "edges", info->edge_count);
    json_int(j, "seam_edges", info->seam_edge_count);
    json_int(j, "levels", info->max_level);
    json_int(j, "bones", info->bone_count);
    json_int(j, "tethers", info->tether_count);
    json_int(j, "attached", info->attached_count);
    json_int(j, "render_vertices", info->render_vertex_count);
    json_int(j, "render_faces", info->render_triangle_count);
    json_int(j, "detail_vertices", info->detail_vertex_count);
    json_int(j, "detail_faces", info->detail_triangle_count);
    json_int(j, "detail_operators", info->detail_operator_count);
    json_int(j, "detail_bytes", (long long)info->detail_bytes);
    json_int(j, "even_colours", info->even_colours);
    json_int(j, "odd_colours", info->odd_colours);
    json_bool(j, "fine_levels", info->has_fine_levels);
    json_bool(j, "seamed", info->is_seamed);
    json_real(j, "mass_kg", (double)info->mass);
    json_int(j, "bytes", (long long)info->bytes);
    point_json(j, "min", info->min);
    point_json(j, "max", info->max);
}

static void print_count(const char *name, int count) {
    printf("  %-16s %s\n", name, text_count(count).s);
}

void asset_info_print(const vo_rt_asset_info *info) {
    print_count("base faces", info->triangle_count);
    print_count("base vertices", info->vertex_count);
    print_count("seam edges", info->seam_edge_count);
    print_count("levels", info->max_level);
    print_count("attached", info->attached_count);
    print_count("tethers", info->tether_count);
    print_count("bones", info->bone_count);
    print_count("render faces", info->render_triangle_count);
    print_count("render vertices", info->render_vertex_count);
    if (info->detail_vertex_count) {
        print_count("detail faces", info->detail_triangle_count);
        print_count("detail vertices", info->detail_vertex_count);
        printf("  %-16s %d, %s bytes\n", "operators", info->detail_operator_count,
               text_count((long long)info->detail_bytes).s);
    }
    printf("  %-16s %d + %d of even and odd levels\n", "colours", info->even_colours,
           info->odd_colours);
    printf("  %-16s %.3f kg\n", "mass", (double)info->mass);
    printf("  %-16s %.3f x %.3f x %.3f m\n", "size", (double)(info->max.x - info->min.x),
           (double)(info->max.y - info->min.y), (double)(info->max.z - info->min.z));
    if (!info->is_seamed) printf("  its links are not merged yet\n");
}

int asset_info(vo_context *ctx, const cli_args *args) {
    vo_rt_asset *asset;
    vo_result result = vo_cook_load(ctx, args->operand, &asset);
    if (result != VO_OK) return cli_fail_result(ctx, result);
    vo_rt_asset_info info = vo_rt_asset_get_info(asset);
    if (args->json) {
        json_out j = {stdout, false};
        json_open(&j, NULL, '{');
        asset_info_json(&j, &info);
        json_close(&j, '}');
        json_end(&j);
    } else {
        printf("%s: real-time garment, %s bytes\n", args->operand,
               text_count((long long)info.bytes).s);
        asset_info_print(&info);
    }
    vo_rt_asset_destroy(asset);
    return CLI_DONE;
}
