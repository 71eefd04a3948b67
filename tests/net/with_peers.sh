#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# with_peers.sh PYTHON SCRIPT...: runs a test with the environment that scripts/net-peers.sh made; without it, loudly, not.
python=$1
if [ ! -x "$python" ]; then
    echo "NOT RUN: there is no $python: run scripts/net-peers.sh .venv-net first" >&2
    exit 77
fi
exec "$@"
