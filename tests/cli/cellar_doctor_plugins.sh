# SPDX-License-Identifier: BSD-3-Clause
# What lies on the plugin path and is not used is told with the reason.
mkdir plugins && echo text >plugins/libnothing.so
HDF5_PLUGIN_PATH=$PWD/plugins:$PWD/missing cellar doctor | grep -E 'looked for|not used|environment' | sed "s|$PWD|.|g; s|not used: /.*: the dir|not used: BUILT-IN: the dir|" | grep -v BUILT-IN | sed "s,libnothing.so: .*,libnothing.so: the reason,"
