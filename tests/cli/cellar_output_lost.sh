# SPDX-License-Identifier: BSD-3-Clause
# What a tool prints and cannot leave is one sentence and an exit code: no report is cut short without a word.
. "$CLI/sample.sh"; sample s
cp s.nc other.nc; ncgen -4 -o other.nc <(sed "s/scalar = 7/scalar = 8/" s.cdl)
for line in "cellar info s.nc" "cellar info --json s.nc" "cellar verify s.nc" "cellar diff s.nc s.nc --no-values" "cellar diff s.nc other.nc" \
    "cellar refs s.nc" "cellar help info" "cellar --help" "nccopy --report=text s.nc copy.nc" "ncdump s.nc" "ncdump --version" "ncgen -lc s.cdl"; do
    $line >/dev/full
    echo "$line: exit $?" >>codes
done
cat codes
