# SPDX-License-Identifier: BSD-3-Clause
cellar help | sed 's/^  help .*/&/; t; /^  /d'
cellar help help; cellar --help | head -1; cellar help --help | head -1
# Each row of the list has a help text of its own.
for command in $(cellar help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
    cellar help $command | grep -q "^usage: cellar $command " || echo "cellar help $command: no usage line"
    cellar $command --help | cmp - <(cellar help $command)
done
