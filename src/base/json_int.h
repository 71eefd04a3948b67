/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_JSON_INT_H
#define CEL_JSON_INT_H

/* The tree behind json.h: each value is one block, containers hold pointers to their parts. */

#include "json.h"
#include "names.h"

struct json_member {
    char *key;
    struct cel_json *value;
};

/* Arrays grow at powers of two, so that their length alone says how much room there is. */
struct json_members {
    struct json_member *at;
    size_t n;
    struct cel_names index; /* key -> position + 1, once there are more than a few */
};

struct cel_json {
    enum cel_json_type type;
    bool negative; /* of an integer: it is value.number as int64_t */
    union {
        uint64_t number;
        struct {
            double real;
            char *text; /* as it was read; NULL: made from the value */
        };
        struct {
            char *string;
            size_t len;
        };
        struct {
            struct cel_json **item;
            size_t n;
        };
        struct json_members *members;
    };
};

struct cel_json *cel_json_new_real_as(double v, const char *text, size_t len); /* keeps the text */
int cel_json_add_new(struct cel_json *object, char *key,
                     struct cel_json *v); /* takes both over; CEL_ABSENT: the key is there already */
struct cel_json *cel_json_adopt_string(char *text, size_t len); /* takes the text over, also on failure */

#endif
