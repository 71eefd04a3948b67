# SPDX-License-Identifier: BSD-3-Clause
# The C program compiles as a user would compile it, and makes the same file.
. "$CLI/sample.sh"
sample s
cat >y.cdl <<'C'
netcdf y { types: compound c { int a ; float b(2) ; string s ; } ; int(*) vl ; byte enum e { no = 0, yes = 1 } ; opaque(3) o ;
dimensions: n = 2 ; t = unlimited ;
variables: c v(n) ; vl w(n) ; e k(t) ; o r ; double d(n) ; c v:att = {1, {2, 3}, "x"} ; char text(n, n) ;
data: v = {1, {1.5, 2.5}, "a"}, {2, {3, 4}, "b"} ; w = {1, 2, 3}, {} ; k = yes, no ; r = 0x010203 ; d = NaN, -Infinity ; text = "ab", "c" ; }
C
for f in s y; do
    ncgen -4 -o $f.nc $f.cdl && ncgen -4 -lc -N made $f.cdl >$f.c &&
    cc ${SANITIZE:+-fsanitize=$SANITIZE} -std=c99 -Wall -Wextra -pedantic -Werror -I"$INCLUDE" -I"$INCLUDE2" -o $f.prog $f.c -L"$LIBRARY" -lcellar -lm &&
    LD_LIBRARY_PATH=$LIBRARY ./$f.prog && ncdump -s -n x $f.nc >1 && ncdump -s -n x made.nc >2 && cmp 1 2 && echo $f: same
done
