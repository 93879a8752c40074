/* voile: the command. */
#include <voile/voile.h>

#include <stdio.h>

int main(void) {
    printf("voile %s\n", vo_version());
    return 0;
}
