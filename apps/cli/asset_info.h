/* voile info for .vrt files: size and contents of an asset of the real-time library. */
#ifndef VOILE_CLI_ASSET_INFO_H
#define VOILE_CLI_ASSET_INFO_H

#include "cli.h"
#include "json_out.h"

/* True for names that end in .vrt. */
bool is_asset_file(const char *path);

/* Prints the contents of the file, as text or with args->json as one JSON object; returns the exit
 * code. */
int asset_info(vo_context *ctx, const cli_args *args);

/* Adds the members of an asset to the open object. */
void asset_info_json(json_out *j, const vo_rt_asset_info *info);
/* Prints the lines below the name of an asset. */
void asset_info_print(const vo_rt_asset_info *info);

#endif
