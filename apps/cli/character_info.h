/* voile info for character files: meshes, bones, clips, cameras, unit and axis. */
#ifndef VOILE_CLI_CHARACTER_INFO_H
#define VOILE_CLI_CHARACTER_INFO_H

#include "cli.h"

/* True for the names of files that can hold a character: .glb, .gltf, .fbx, .dae, .bvh, .obj. */
bool is_character_file(const char *path);

/* Prints the contents of the file, as text or with args->json as one JSON object; returns the exit
 * code. */
int character_info(vo_context *ctx, const cli_args *args);

#endif
