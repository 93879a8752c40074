/* voile upsample: the texts of the command and its options. */
#ifndef VOILE_CLI_UPSAMPLE_OPTIONS_H
#define VOILE_CLI_UPSAMPLE_OPTIONS_H

#include "cli.h"

extern const char upsample_text[];
extern const cli_option upsample_options[];
extern const cli_note upsample_notes[], upsample_examples[];

#endif
