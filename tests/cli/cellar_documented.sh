# SPDX-License-Identifier: BSD-3-Clause
# Each option of each subcommand is in its --help, in its paragraph of the man page and in the completion of bash; each subcommand has a
# section of the manual.
docs="$CLI/../../docs"
cellar --completion=bash >cellar.bash && . ./cellar.bash
general=" help version untrusted "
for command in $(cellar help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
    sed -n "/^\.It Cm $command/,/^\.It Cm\|^\.El/p" "$docs/man/cellar.1" | sed '1!{/^\.It Cm/d}' >man.txt
    [ -s man.txt ] || echo "cellar.1 has no $command"
    grep -q "^## cellar $command\|\`$command\`\](run.md)" "$docs/command.md" || [ $command = help ] || echo "command.md has no section for $command"
    COMP_WORDS=(cellar $command --) COMP_CWORD=2
    _cellar
    for option in $(cellar $command --help | sed -n 's/^ \{2,6\}\(-., \)\{0,1\}--\([a-z-]*\).*/\2/p'); do
        printf '%s\n' "${COMPREPLY[@]}" | grep -q "^--$option\(=.*\)\?$" || echo "$command --$option: not completed: ${COMPREPLY[*]}"
        [[ $general == *" $option "* ]] && continue
        short=$(cellar $command --help | sed -n "s/^  -\(.\), --$option.*/\1/p")
        grep -q -- "Fl -$option\b${short:+\|Fl $short\b}" man.txt || echo "$command --$option: not in the man page"
    done
done
echo done
