# SPDX-License-Identifier: BSD-3-Clause
. "$CLI/sample.sh"
sample s 't:_Filter = "shuffle|deflate,level=5" ; t:long_name = "<script>" ;'
echo 'netcdf x { dimensions: n = 200 ; m = 200 ; variables: float a\<b\>\&\"c(n, m) ; a\<b\>\&\"c:_ChunkSizes = 50, 50 ;
  a\<b\>\&\"c:_Filter = "zstd,level=3" ; }' | ncgen -4 -o x.nc
python3 - <<'PY'
values = ', '.join(str(round(x * 0.37 % 11 + y / 3, 3)) for x in range(200) for y in range(200))
with open('y.cdl', 'w') as f:
    f.write(f'netcdf y {{ dimensions: n = 200 ; m = 200 ; variables: float v(n, m) ; v:_ChunkSizes = 50, 50 ; v:_Filter = "zstd,level=3" ; '
            f'data: v = {values} ; }}')
PY
ncgen -4 -o y.nc y.cdl; ncgen -3 -o c.nc y.cdl 2>/dev/null; nccopy y.nc y.zarr
for f in s.nc x.nc y.nc y.zarr; do
    cellar info --html page.html $f; echo "exit $?"
    python3 - <<'PY'
import html.parser
import re
page = open('page.html').read()


class Check(html.parser.HTMLParser):
    open_, titles, empty = [], [], {'meta', 'th', 'rect', 'path'}

    def handle_starttag(self, tag, attributes):
        if tag not in self.empty:
            self.open_.append(tag)

    def handle_endtag(self, tag):
        if tag not in self.empty and self.open_.pop() != tag:
            print('out of order:', tag)

    def handle_data(self, data):
        if self.open_ and self.open_[-1] in ('h1', 'h2', 'b'):
            self.titles.append(data)


check = Check()
check.titles.clear()
check.feed(page)
print(check.titles, check.open_, 'script' in page, 'http:' in page or 'https:' in page, page.count('class=card>'),
      page.count('nan') + page.count('inf '))
PY
done
cellar info --html page.html --json s.nc; echo "exit $?"
cellar info --html nofolder/page.html s.nc; echo "exit $?"
cellar info --html page2.html nofile.nc; echo "exit $?"; ls page2.html
