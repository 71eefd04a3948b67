/* SPDX-License-Identifier: BSD-3-Clause */
/* Squarified treemaps: rows are laid along the shorter side of what is left, and take parts as long as that makes the worst of
 * them no longer. */

#include "treemap.h"
#include <math.h>

struct space {
    double x, y, width, height;
};

static double sum_of(const struct treemap_part *part, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += part[i].size;
    return sum;
}

/* Long side over short side of the worst of the first n parts in a row along `side`, of areas scale * size. */
static double worst(const struct treemap_part *part, size_t n, double side, double scale)
{
    double depth = sum_of(part, n) * scale / side, most = 0;

    for (size_t i = 0; i < n; i++) {
        double length = part[i].size * scale / depth, ratio = length > depth ? length / depth : depth / length;

        most = ratio > most ? ratio : most;
    }
    return most;
}

static void lay_row(struct treemap_part *part, size_t n, double scale, struct space *left)
{
    int upright = left->width >= left->height;
    double side = upright ? left->height : left->width, depth = sum_of(part, n) * scale / side, at = 0;

    for (size_t i = 0; i < n; i++) {
        double length = part[i].size * scale / depth;

        part[i].x = left->x + (upright ? 0 : at);
        part[i].y = left->y + (upright ? at : 0);
        part[i].width = upright ? depth : length;
        part[i].height = upright ? length : depth;
        at += length;
    }
    if (upright) {
        left->x += depth;
        left->width -= depth;
    } else {
        left->y += depth;
        left->height -= depth;
    }
}

void treemap_divide(struct treemap_part *part, size_t n, double width, double height)
{
    double total = sum_of(part, n), scale = total > 0 ? width * height / total : 0;
    struct space left = {0, 0, width, height};

    while (n > 0 && part[n - 1].size <= 0)
        n--;
    for (size_t from = 0; from < n;) {
        double side = fmin(left.width, left.height);
        size_t row = 1;

        while (from + row < n && side > 0 &&
               worst(part + from, row + 1, side, scale) <= worst(part + from, row, side, scale))
            row++;
        lay_row(part + from, row, scale, &left);
        from += row;
    }
}
