#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_schema.py SCHEMA [DOCUMENT]: does the JSON document (or standard input) follow the schema?

The part of JSON Schema that docs/schema uses: type, enum, minimum, required, properties, additionalProperties, items.
A word the checker does not know is an error, so that no schema says more than is checked."""
import json
import sys

KNOWN = {'$schema', 'title', 'description', 'type', 'enum', 'minimum', 'required', 'properties', 'additionalProperties', 'items'}
TYPES = {'object': dict, 'array': list, 'string': str, 'boolean': bool, 'null': type(None)}


def is_type(value, name):
    if name == 'integer':
        return isinstance(value, int) and not isinstance(value, bool)
    if name == 'number':
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def check(value, schema, where, wrong):
    for word in schema.keys() - KNOWN:
        wrong.append(f'{where}: the schema says {word}, which is not checked')
    if 'type' in schema:
        names = schema['type'] if isinstance(schema['type'], list) else [schema['type']]
        if not any(is_type(value, name) for name in names):
            wrong.append(f'{where}: {value!r} is not of type {names}')
            return
    if 'enum' in schema and value not in schema['enum']:
        wrong.append(f'{where}: {value!r} is none of {schema["enum"]}')
    if 'minimum' in schema and is_type(value, 'number') and value < schema['minimum']:
        wrong.append(f'{where}: {value} is less than {schema["minimum"]}')
    if isinstance(value, dict):
        known = schema.get('properties', {})
        for name in schema.get('required', []):
            if name not in value:
                wrong.append(f'{where}: no member {name}')
        for name, member in value.items():
            if name in known:
                check(member, known[name], f'{where}.{name}', wrong)
            elif isinstance(schema.get('additionalProperties'), dict):
                check(member, schema['additionalProperties'], f'{where}.{name}', wrong)
            elif schema.get('additionalProperties') is False:
                wrong.append(f'{where}: the schema has no member {name}')
    if isinstance(value, list) and 'items' in schema:
        for i, item in enumerate(value):
            check(item, schema['items'], f'{where}[{i}]', wrong)


wrong = []
with open(sys.argv[1]) as schema, (open(sys.argv[2]) if len(sys.argv) > 2 else sys.stdin) as document:
    check(json.load(document), json.load(schema), '$', wrong)
print('\n'.join(wrong) or 'follows its schema')
sys.exit(bool(wrong))
