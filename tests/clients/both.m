% SPDX-License-Identifier: BSD-3-Clause
% both.m FILE OUTPUT: read with Octave's netcdf package, write a copy.
pkg load netcdf
word = argv();
in = word{end - 1};
out = word{end};
ta = ncread(in, "ta");
printf("%d ", size(ta)); printf("%.10g\n", mean(ta(! isnan(ta))));
disp(ncreadatt(in, "ta", "units"));
part = ncread(in, "pk", [2 3 4], [5 2 1]);
printf("%.8g ", part); printf("\n");
nccreate(out, "t", "Dimensions", {"lon", 36, "lat", 18, "time", Inf}, "Datatype", "single", "Format", "netcdf4", "DeflateLevel", 2);
ncwrite(out, "t", ta);
ncwriteatt(out, "t", "units", "K");
ncwriteatt(out, "/", "title", "by Octave");
