# SPDX-License-Identifier: BSD-3-Clause
# The two commands: `make demo` shows what Cellar does, `make test` checks that
# it does. Both install what they need. The build itself is CMake's.

BUILD  ?= build
PREFIX ?= /usr/local
JOBS   ?= $(shell nproc)
LAUNCH := $(if $(shell command -v ccache),-DCMAKE_C_COMPILER_LAUNCHER=ccache)
CONFIGURE = cmake -G Ninja $(LAUNCH) -DCELLAR_WERROR=ON
CTEST  = ctest --output-on-failure -j $(JOBS)
QUICK  = -LE 'long|bench|manual'

all: build

help:
	@sed -n 's/^#> //p' Makefile

#> make            build the library, the plugins and the tools in build/
build: $(BUILD)/build.ninja
	@cmake --build $(BUILD) -j $(JOBS)

$(BUILD)/build.ninja:
	@scripts/setup.sh build
	@cmake -S . -B $(BUILD) $(if $(shell command -v ninja),-G Ninja) $(LAUNCH) -DCMAKE_INSTALL_PREFIX=$(PREFIX) -DCELLAR_TESTS=OFF >/dev/null

#> make demo       build, store a sample field with several filter chains, print the table
demo:
	@scripts/setup.sh build
	@$(MAKE) --no-print-directory build
	@$(BUILD)/examples/demo $(BUILD)/tools/nccopy

#> make test       build with and without sanitizers, and run every test
test: test-plain test-asan test-clang test-nohdf5 test-python-quick

test-setup:
	@scripts/setup.sh test
	@scripts/peers.sh .venv-peers

test-plain: test-setup
	@$(CONFIGURE) -S . -B build-test >/dev/null
	@cmake --build build-test -j $(JOBS)
	@cd build-test && $(CTEST) $(QUICK)

test-asan: test-setup
	@$(CONFIGURE) -S . -B build-asan -DCMAKE_BUILD_TYPE=Debug -DCELLAR_SANITIZE=address,undefined >/dev/null
	@cmake --build build-asan -j $(JOBS)
	@cd build-asan && $(CTEST) $(QUICK)

# clang's sanitizers see what gcc's do not: the unit tests, those of mended faults, and damaged files.
test-clang: test-setup
	@$(CONFIGURE) -S . -B build-clang -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=Debug -DCELLAR_SANITIZE=address,undefined >/dev/null
	@cmake --build build-clang -j $(JOBS)
	@cd build-clang && $(CTEST) $(QUICK) -R '^test_|^regress_|^cases_|^codec_table|_damage|^fuzz_text|^plugin_|^missing_filter|^fault_chain' -E 'peer'

# Zarr and classic files without libhdf5: the same tests.
test-nohdf5: test-setup
	@$(CONFIGURE) -S . -B build-nohdf5 -DCELLAR_HDF5=OFF >/dev/null
	@cmake --build build-nohdf5 -j $(JOBS)
	@cd build-nohdf5 && $(CTEST) $(QUICK) -R 'interop_zarr2|container_suite_(nczarr|zarr|classic|64)|test_store|show_filters_|classic_same|classic_damage'

#> make test-h5-own  the tests that only read HDF5 files, in a build that never reads through libhdf5 and cannot load it
test-h5-own: test-setup
	@$(CONFIGURE) -S . -B build-own -DCELLAR_HDF5_READ=own -DCMAKE_SHARED_LINKER_FLAGS=-Wl,-rpath,$(CURDIR)/build-own/without >/dev/null
	@mkdir -p build-own/without
	@sed -n 's/.*CEL_HDF5_SONAME=\\"\([^\\]*\).*/\1/p' build-own/build.ninja | head -n 1 | while read -r soname; do echo none >build-own/without/$$soname; done
	@cmake --build build-own -j $(JOBS)
	@tests/files/read_alone.sh build-own

#> make test-tsan  the thread tests, in five formats and beside fork, under ThreadSanitizer
test-tsan: test-setup
	@$(CONFIGURE) -S . -B build-tsan -DCMAKE_BUILD_TYPE=Debug -DCELLAR_SANITIZE=thread >/dev/null
	@cmake --build build-tsan -j $(JOBS)
	@cd build-tsan && $(CTEST) -L thread

#> make test-long  everything else: fuzzing, thousands of configurations, large files
test-long: test-setup
	@scripts/bits-peers.sh .venv-bits
	@$(CONFIGURE) -S . -B build-asan -DCMAKE_BUILD_TYPE=Debug -DCELLAR_SANITIZE=address,undefined >/dev/null
	@cmake --build build-asan -j $(JOBS)
	@cd build-asan && $(CTEST) -L long
	@$(CONFIGURE) -S . -B build-test >/dev/null
	@cmake --build build-test -j $(JOBS)
	@cd build-test && $(CTEST) -L long -R peak_memory

#> make fuzz       each fuzz target T minutes (default 1): executions, edges and reports; docs/torture.md
#> make fuzz-coverage  line coverage of our readers by the fuzz corpus
T ?= 1
FUZZ = $(CONFIGURE) -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCELLAR_FUZZ=ON

fuzz-setup:
	@scripts/setup.sh fuzz
	@scripts/peers.sh .venv-peers

fuzz: fuzz-setup
	@$(FUZZ) -DCELLAR_SANITIZE=address,undefined -S . -B build-fuzz >/dev/null
	@cmake --build build-fuzz -j $(JOBS) --target fuzz_targets fuzz_seeds
	@JOBS=$(JOBS) tests/fuzz/run.sh build-fuzz $(T)

fuzz-coverage: fuzz-setup
	@$(FUZZ) -DCMAKE_C_FLAGS='-fprofile-instr-generate -fcoverage-mapping' -S . -B build-fuzz-coverage >/dev/null
	@cmake --build build-fuzz-coverage -j $(JOBS) --target fuzz_targets
	@tests/fuzz/coverage.py build-fuzz-coverage

#> make fuzz-corpus  what the fuzzing found so far, merged into tests/fuzz/corpus
fuzz-corpus:
	@tests/fuzz/merge.sh build-fuzz

#> make test-corpus  every data file of HDF5's, netCDF's and PyTables' own tests, dumped and compared with netCDF-C and h5py, and copied there and back
test-corpus: test-setup
	@$(CONFIGURE) -S . -B build-asan -DCMAKE_BUILD_TYPE=Debug -DCELLAR_SANITIZE=address,undefined >/dev/null
	@cmake --build build-asan -j $(JOBS) --target ncdump nccopy cellar_command
	@JOBS=$(JOBS) scripts/corpus.sh build-corpus build-asan/tools/ncdump $(PART)
	@ASAN_OPTIONS=detect_leaks=0 JOBS=$(JOBS) tests/cli/copy_corpus.py build-corpus build-asan/tools $(PART)

#> make test-netcdf  netCDF-C's own test programs and scripts against an installed Cellar; PART=tst_att for some of them
test-netcdf: test-setup
	@cmake -G Ninja $(LAUNCH) -S . -B build-netcdf -DCELLAR_TESTS=OFF -DCMAKE_INSTALL_PREFIX=$(CURDIR)/build-netcdf/prefix >/dev/null
	@cmake --build build-netcdf -j $(JOBS)
	@cmake --install build-netcdf >/dev/null
	@scripts/test-netcdf.sh build-netcdf-source $(CURDIR)/build-netcdf/prefix $(PART)

#> make test-zarr  random Zarr arrays both ways with zarr-python 3, 2.18 and 2.13, zarrs, TensorStore, zarrita and GDAL; PART=gdal for one
test-zarr: test-setup
	@scripts/setup.sh zarr
	@scripts/zarr-peers.sh .venv-zarr
	@$(CONFIGURE) -S . -B build-test >/dev/null
	@cmake --build build-test -j $(JOBS) --target zarr_peer nccopy
	@scripts/test-zarr.sh $(CURDIR)/build-test/tests/interop/zarr/zarr_peer $(CURDIR)/build-test/tools/nccopy $(CURDIR)/.venv-peers $(CURDIR)/.venv-zarr 300 $(PART)

#> make test-net   stores and files over HTTP and S3, against rclone, moto and versitygw, with botocore, s3fs and obstore as peers
test-net: test-setup
	@scripts/setup.sh net
	@scripts/net-peers.sh .venv-net
	@$(CONFIGURE) -S . -B build-test >/dev/null
	@cmake --build build-test -j $(JOBS)
	@cd build-test && $(CTEST) -L net

#> make test-mpi   libcellar_mpi: ranks that write, read and err together, 1 to 16 of them under mpirun; netCDF-C's parallel programs
test-mpi: test-setup
	@scripts/setup.sh mpi
	@$(CONFIGURE) -S . -B build-mpi -DCELLAR_MPI=ON -DCELLAR_TESTS=OFF -DCMAKE_INSTALL_PREFIX=$(CURDIR)/build-mpi/prefix >/dev/null
	@cmake --build build-mpi -j $(JOBS)
	@rm -rf build-mpi/run && mkdir build-mpi/run
	@cd build-mpi/run && $(CURDIR)/tests/mpi/run.sh $(CURDIR)/build-mpi/tests/mpi $(MPI_RUNS)
	@cmake --install build-mpi >/dev/null
	@scripts/sources.sh build-netcdf-source trixie netcdf || [ -d build-netcdf-source/netcdf ]
	@scripts/test-netcdf-mpi.sh $(CURDIR)/build-netcdf-source $(CURDIR)/build-mpi/prefix

#> make test-hdf5  the HDF5 tests with libhdf5 1.14 and 2.x, built from source in build-hdf5/
test-hdf5: test-setup
	@for version in 1.14 2; do LAUNCH=$(LAUNCH) JOBS=$(JOBS) scripts/test-hdf5.sh build-hdf5 $$version || exit 1; done

#> make test-clients  NCO, CDO, GDAL, GMT, R, Octave and Python on netCDF-C and on Cellar, and the suites of netCDF-Fortran, netCDF-C++ and netCDF4-python; PART="nco cdo" for some
test-clients: test-setup
	@scripts/setup.sh clients
	@cmake -G Ninja $(LAUNCH) -S . -B build-clients -DCELLAR_TESTS=OFF -DCMAKE_INSTALL_PREFIX=$(CURDIR)/build-clients/prefix >/dev/null
	@cmake --build build-clients -j $(JOBS)
	@cmake --install build-clients >/dev/null
	@scripts/test-clients.sh build-clients-source $(CURDIR)/build-clients/prefix $(PART)

#> make python     the Python package: a wheel that stands alone in build-python/, and the sdist; tried in a clean environment
#> make test-python  all tests of the Python package, and xarray's and zarr-python's own on it
PYTHON_LAUNCH = CMAKE_GENERATOR=Ninja $(if $(shell command -v ccache),CMAKE_C_COMPILER_LAUNCHER=ccache)

python-setup:
	@scripts/setup.sh python
	@scripts/python-venv.sh .venv-python

python: python-setup
	@$(PYTHON_LAUNCH) scripts/python-wheel.sh .venv-python build-python

python-installed: python-setup
	@$(PYTHON_LAUNCH) .venv-python/bin/pip install -q --disable-pip-version-check --no-build-isolation --no-deps --force-reinstall ./python
	@mkdir -p build-python

test-python: python-installed
	@cd build-python && ../.venv-python/bin/python -m pytest -q -p no:cacheprovider ../python/tests

test-python-quick: python-installed
	@cd build-python && ../.venv-python/bin/python -m pytest -q -p no:cacheprovider -m 'not long' --ignore ../python/tests/peers ../python/tests

#> make test-python-newer  the same wheel and the tests of the package on every newer Python of this machine, with the newest peers
test-python-newer: python-setup
	@$(PYTHON_LAUNCH) scripts/python-newer.sh .venv-python build-python-newer

#> make test-python-asan  the module of the Python package under AddressSanitizer, with the tests of its calls
test-python-asan: python-setup
	@$(PYTHON_LAUNCH) scripts/python-asan.sh .venv-python build-python-asan -m 'not long'

#> make docs       the manual as one site with search, in build-docs/html
#> make test-docs  the manual: no warnings, links, and every page whose programs are run
docs:
	@scripts/setup.sh docs
	@scripts/docs.sh build-docs

test-docs: test-setup docs
	@$(CONFIGURE) -S . -B build-test >/dev/null
	@cmake --build build-test -j $(JOBS)
	@cd build-test && $(CTEST) -L 'docs|manual'

#> make abi-accept  tests/abi anew, after an addition that keeps the promises of docs/versions.md
abi-accept: test-setup
	@$(CONFIGURE) -S . -B build-test >/dev/null
	@cmake --build build-test -j $(JOBS) --target cellar
	@tests/abi/abi.sh accept build-test/src/libcellar.so $(CURDIR)/include

#> make dist       the last commit as build-dist/cellar-VERSION.tar.gz, the same bytes each time, built and tried unpacked; TESTS=all: all of its tests
dist: test-setup
	@JOBS=$(JOBS) scripts/dist.sh build-dist $(if $(TESTS),'$(TESTS)')

#> make deb        the Debian packages from that tarball, in build-dist/packages: equal bytes twice, lintian; used on a bare Debian 12 (root)
deb: dist
	@scripts/setup.sh deb
	@scripts/deb.sh build-dist
	@scripts/test-deb.sh build-dist

#> make sbom       build-dist/cellar.cdx.json: the libraries that are used, their versions and licences (CycloneDX)
sbom: build
	@mkdir -p build-dist
	@python3 scripts/sbom.py $(BUILD)/src/libcellar.so build-dist/cellar.cdx.json

#> make test-cross  built for arm64 and s390x and run by qemu in a bare Debian 12 (root): unit tests, suites, files equal to this machine's; PART=arm64 for one
test-cross: test-setup
	@scripts/setup.sh cross
	@$(CONFIGURE) -S . -B build-test >/dev/null
	@cmake --build build-test -j $(JOBS) --target ncgen nccopy cellar_command
	@for arch in $(or $(PART),arm64 s390x); do JOBS=$(JOBS) scripts/test-cross.sh build-cross $$arch || exit 1; done

#> make format     put every C file into the shape of .clang-format; make test checks it
format:
	@scripts/setup.sh test
	@scripts/format.sh

#> make bench      ratios against netCDF-C and the other peers, measured in one run
bench:
	@scripts/setup.sh bench
	@scripts/peers.sh .venv-peers
	@scripts/bits-peers.sh .venv-bits
	@cmake $(if $(shell command -v ninja),-G Ninja) $(LAUNCH) -S . -B build-bench -DCMAKE_BUILD_TYPE=Release -DCELLAR_BENCH=ON >/dev/null
	@cmake --build build-bench -j $(JOBS)
	@cmake --build build-bench --target run_bench

#> make nd-ratios  docs/nd-ratios.md anew: what the n-dimensional filters gain and lose on real fields
nd-ratios:
	@scripts/setup.sh bench
	@cmake $(if $(shell command -v ninja),-G Ninja) $(LAUNCH) -S . -B build-bench -DCMAKE_BUILD_TYPE=Release -DCELLAR_BENCH=ON >/dev/null
	@cmake --build build-bench -j $(JOBS) --target nd_ratios

#> make install    to PREFIX (default /usr/local); DESTDIR is honoured
install: build
	@cmake -S . -B $(BUILD) -DCMAKE_INSTALL_PREFIX=$(PREFIX) >/dev/null
	@cmake --build $(BUILD) -j $(JOBS)
	@DESTDIR=$(DESTDIR) cmake --install $(BUILD)

#> make clean      remove every build folder
clean:
	rm -rf build build-test build-asan build-clang build-nohdf5 build-own build-tsan build-bench build-fuzz build-fuzz-coverage build-netcdf build-mpi build-clients build-python build-python-asan build-python-newer build-docs build-dist python/build

.PHONY: all help build format demo test test-setup test-plain test-asan test-clang test-nohdf5 test-h5-own test-tsan test-long test-corpus test-netcdf test-hdf5 test-cross test-clients test-zarr test-net test-mpi docs test-docs abi-accept dist deb sbom python python-setup python-installed test-python test-python-quick test-python-newer test-python-asan fuzz-setup fuzz fuzz-coverage fuzz-corpus bench nd-ratios install clean
