#include "upsample/rounding.h"

#include <math.h>

static double sum_floats(int count, const float *row) {
    double sum = 0;
    for (int i = 0; i < count; i++) sum += (double)row[i];
    return sum;
}

static int find_smallest(int count, const float *row) {
    int at = 0;
    for (int i = 1; i < count; i++)
        if (fabsf(row[i]) < fabsf(row[at])) at = i;
    return at;
}

void vo_round_row(int count, const double *row, double sum, float *out) {
    double error = sum;
    if (count == 0) return;
    for (int i = 0; i < count; i++) error -= row[i];
    for (int i = 0; i < count; i++) out[i] = (float)(row[i] + error / count);
    int smallest = find_smallest(count, out);
    out[smallest] = (float)((double)out[smallest] + (sum - sum_floats(count, out)));
}
