/* voile upsample: prints results as tables or JSON. */
#ifndef VOILE_CLI_UPSAMPLE_PRINT_H
#define VOILE_CLI_UPSAMPLE_PRINT_H

#include "cli.h"

void upsample_print_report(const cli_args *args, const char *file,
                           const vo_upsample_report *report);
void upsample_print_run(const cli_args *args, const vo_upsample_run_report *report);
/* With an output folder, also writes compare.json; returns the exit code. */
int upsample_print_comparison(const cli_args *args, const vo_upsample_comparison *comparison);

#endif
