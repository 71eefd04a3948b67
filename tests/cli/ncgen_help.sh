# SPDX-License-Identifier: BSD-3-Clause
ncgen --help
