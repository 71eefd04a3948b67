# SPDX-License-Identifier: BSD-3-Clause
cellar --hlep; cellar help --hlep; cellar --completion=fish; cellar help a b
