# SPDX-License-Identifier: BSD-3-Clause
cellar --version | sed "s/[0-9.]*$/VERSION/"; cellar help --version | sed "s/[0-9.]*$/VERSION/"
