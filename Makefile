# Everything mkt needs is Go, a C compiler, make and git; the first build fetches
# the modules. `make` alone builds; `make check` is the whole truth and what CI runs.

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := build

GO ?= go
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
VERSION := $(shell git describe --always --dirty --abbrev=12 --exclude '*' 2>/dev/null || echo dev)

# Two builds of one tree give the same bytes: no paths, no build time, and the
# commit from git alone. Tests share the flags, and so what is compiled.
export GOFLAGS := $(GOFLAGS) -trimpath -buildvcs=false

# lint has vetted what "make check" tests.
VETTED := -vet=off
# The slowest tests wait for processes and deadlines most of the time.
PARALLEL := -parallel 4
# Without symbols: those of DuckDB, which nothing loads, are 7 MB.
LDFLAGS := -s -w -X main.version=$(VERSION)
ifeq ($(shell uname),Linux)
# libstdc++ and libgcc are linked statically: the folder that the linker searches first has libstdc++.a alone.
static = -extldflags "-Wl,--exclude-libs,ALL -static-libgcc -L$(1)/lib"
endif
link = mkdir -p $(1)/lib && ln -sf "$$($$($(GO) env CC) -print-file-name=libstdc++.a)" $(1)/lib/ && \
	$(GO) build -ldflags '$(LDFLAGS) $(call static,$(1))' -o $(1)/mkt ./cmd/mkt

# Where goroutines meet. The rest is one goroutine a run, or (publish/table) rests
# on a Parquet library that the detector's pointer checks stop. TIMED needs an order of
# goroutines, which the detector changes.
RACE := ./internal/accounts/audit ./cmd/mkt/internal/cli/... ./internal/receipts/commitlog ./internal/console/... ./internal/evidence/doctor \
	./internal/evidence/page ./internal/schedule ./internal/tail ./internal/accounts \
	./fetch ./fetch/internal/requests ./fetch/internal/upstream ./fetch/raw ./fetch/simulator/... \
	./internal/listen ./publish/durable ./internal/cluster/store ./internal/cluster/store/object ./internal/receipts/witness ./serve/...
TIMED := TestSimulatedFaults
# In these packages the detector watches the tests RACED, which run cycles with several workers and
# requests at once. The others repeat such a cycle for each defect of the input, or have one goroutine.
PARTLY := ./internal/testing/dataroot ./transform ./scripts/internal/backtest
RACED := ^Test(NamesInOtherScripts|BadLiveInput|Run|Again|AnyParallelism|BrokenPayloads|PanicCostsOnePayload|Cancelled|DamagedArchive|$\
	DamagedParts|Joining|Memory|Goldens|SportmonksRun|LiveRun|LiveFromMemory|RunOfAHalf)$$

.PHONY: build
build: ## bin/mkt
	@if [ -e bin/mkt ]; then echo "building bin/mkt"; \
	else echo "building bin/mkt: the first build fetches the modules, and compiles and links DuckDB, which takes a minute or more"; fi
	@$(call link,bin) && echo "built bin/mkt $(VERSION) in $$SECONDS s"

.PHONY: lake
lake: ## bin/mkt-lake, which "mkt lake" runs: the library for Iceberg is larger than mkt
	@cd lake && $(GO) build -ldflags '$(LDFLAGS)' -o ../bin/mkt-lake ./cmd/mkt-lake && echo "built bin/mkt-lake $(VERSION)"

.PHONY: demo-ports
demo-ports: # before the first build, which takes minutes
	@for at in "$${MKT_DEMO_LISTEN:-127.0.0.1:8180}" "$${MKT_DEMO_CONSOLE:-127.0.0.1:8190}"; do \
	if (exec 3<>"/dev/tcp/$${at%:*}/$${at##*:}") 2>/dev/null; then \
	echo "make demo: $$at is in use, perhaps by another demo; stop that program, or take free ports:"; \
	echo "    MKT_DEMO_LISTEN=127.0.0.1:0 MKT_DEMO_CONSOLE=127.0.0.1:0 make demo"; exit 1; fi; done

.PHONY: demo
demo: demo-ports build ## the whole system in one process, on the provider simulator
	./bin/mkt demo

.PHONY: demo-cluster
demo-cluster: build ## a cluster on this machine: workers and replicas on an object store and Redis, some of which are killed
	cd cluster && $(GO) build -o ../bin/demo-cluster ./cmd/demo && MKT_CLUSTER_BINARY=$(CURDIR)/bin/mkt ../bin/demo-cluster

# The whole system from outside, which takes longer than all other tests.
SYSTEM := ^Test(Script|Canary|Worlds|LiveWorlds|ServedWorld)$$

.PHONY: test
test: ## the tests, except for those of the whole system (make check) and those that need minutes
	@n=$$($(GO) list ./... | wc -l); \
	echo "$$n packages: minutes in a fresh clone, less where nothing has changed since the last run; make check also runs $(SYSTEM)"; \
	$(GO) test -short $(PARALLEL) -skip '$(SYSTEM)' ./... 2>&1 | awk -v of=$$n -f .ci/packages.awk

# The packages that "make race" does not run whole.
.PHONY: check-test
check-test:
	@mkdir -p bin
	MKT_SIMULATE_FOR=$(or $(SIMULATE_FOR),20s) MKT_SIMULATE_COMMIT=$$(git rev-parse HEAD) \
	$(GO) test -short $(VETTED) $(PARALLEL) -v ./fetch $$($(GO) list ./... | grep -vxFf <($(GO) list $(RACE))) 2>&1 | tee bin/test.log | awk -f .ci/summary.awk

.PHONY: test-long
test-long: ## every test: twenty minutes on two cores
	$(GO) test -timeout 60m ./...

.PHONY: race
race: ## the race detector where goroutines meet
	@mkdir -p bin
	{ $(GO) test -short -race $(VETTED) $(PARALLEL) -v -skip '$(TIMED)' $(RACE) && \
	$(GO) test -short -race $(VETTED) $(PARALLEL) -v -run '$(RACED)' $(PARTLY); } 2>&1 | tee bin/race.log | awk -f .ci/summary.awk

.PHONY: check-node
check-node: ## the official Socket.IO client against the socket, generated clients, a browser on the console, a linter on the API's documents (needs node and npm)
	@if ! command -v npm >/dev/null; then echo "check-node: npm is not there; the tests with the official client and the linter were skipped"; \
	elif $(MAKE) --no-print-directory testdata/node/node_modules; then \
	CHECK_NODE=1 $(GO) test -short $(VETTED) $(PARALLEL) -run '^TestNode' $$(grep -rl '^func TestNode' --include='*_test.go' cmd serve | xargs -n1 dirname | sort -u | sed 's|^|./|'); \
	elif (cd testdata/node && npm ping --silent >/dev/null 2>&1); then echo "check-node: npm reaches its registry and cannot install"; exit 1; \
	else echo "check-node: npm does not reach its registry; the tests with the official client and the linter were skipped"; fi

testdata/node/node_modules: testdata/node/package-lock.json
	cd testdata/node && npm ci --no-audit --no-fund --silent
	@touch $@

.PHONY: check-cluster
check-cluster: build ## what runs on more than one machine, against an object store and Redis in processes of their own
	@mkdir -p bin
	cd cluster && $(GO) vet ./...
	cd cluster && MKT_CLUSTER_BINARY=$(CURDIR)/bin/mkt $(GO) test -short $(VETTED) $(PARALLEL) -v ./... 2>&1 | tee ../bin/test-cluster.log | awk -f ../.ci/summary.awk

.PHONY: check-lake
check-lake: ## the module of mkt-lake: vet, staticcheck, and the tests, with icebird as an independent reader (needs node and npm)
	cd lake && $(GO) vet ./... && $(GO) run $(STATICCHECK) ./...
	@mkdir -p bin; $(GO) run ./scripts/licences lake > bin/lake-licences.md; \
	cmp bin/lake-licences.md lake/licences.md || { echo "lake/licences.md is not what is linked: make lake-licences"; exit 1; }
	@icebird=; if ! command -v npm >/dev/null; then echo "check-lake: npm is not there; the test with icebird is skipped"; \
	elif $(MAKE) --no-print-directory lake/testdata/node/node_modules; then icebird=node; \
	elif (cd lake/testdata/node && npm ping --silent >/dev/null 2>&1); then echo "check-lake: npm reaches its registry and cannot install"; exit 1; \
	else echo "check-lake: npm does not reach its registry; the test with icebird is skipped"; fi; \
	cd lake && CHECK_LAKE=$$icebird $(GO) test $(VETTED) ./...

lake/testdata/node/node_modules: lake/testdata/node/package-lock.json
	cd lake/testdata/node && npm ci --no-audit --no-fund --silent
	@touch $@

.PHONY: lint
lint: ## gofmt, vet, staticcheck
	@bad=$$(gofmt -l $$(git ls-files '*.go')); if [ -n "$$bad" ]; then echo "not gofmt-ed:"; echo "$$bad"; exit 1; fi
	$(GO) vet ./...
	$(GO) run $(STATICCHECK) ./...
	cd cluster && $(GO) vet ./... && $(GO) run $(STATICCHECK) ./...

.PHONY: check
check: lint check-test check-cluster check-lake check-node race vulncheck ## what CI runs
	@if [ -d ../shared/providers/betsapi ]; then echo "recordings: ../shared/providers, used"; \
	else echo "recordings: ../shared/providers is not there; the tests on recorded payloads were skipped"; fi
	@cat bin/vulncheck.log
	@echo "check: not run: tests of minutes (make test-long), benchmarks (make bench, make cost), fuzzing (make fuzz), the second build (make reproducible), the packages (make check-packages)"

.PHONY: simulate-faults
simulate-faults: ## one world of SEED for DAYS (1) simulated days with faults: make simulate-faults SEED=7 DAYS=2; with CLUSTER=1 three workers, with LIVE=1 matches in play, with SERVED=1 servers and their clients; FOR=8h: worlds of new seeds for so long
ifdef FOR
	@[ -z "$(SEED)$(CLUSTER)$(LIVE)$(SERVED)$(LOG)" ] || { echo "simulate-faults: FOR chooses seeds and kinds of worlds by itself; it goes with DAYS alone"; exit 1; }
	MKT_SIMULATE_FOR=$(FOR) MKT_SIMULATE_COMMIT="$$(git rev-parse HEAD) $$(date)" $(GO) test -count=1 -timeout 48h -v -run TestWorldsOfNewSeeds ./internal/testing/simulation -days $(or $(DAYS),5) -side $$(nproc)
else ifdef SERVED
	$(GO) test -count=1 -timeout 60m -v -run TestServedWorld ./internal/testing/simulation/served -once -minutes 20 -seed $(or $(SEED),1) $(if $(LOG),-log $(LOG))
else
	$(GO) test -count=1 -timeout 60m -v -run $(if $(LIVE),TestLiveWorlds,TestWorlds) ./internal/testing/simulation -seed $(or $(SEED),1) -days $(or $(DAYS),1) $(if $(CLUSTER),-cluster) $(if $(LOG),-log $(LOG))
endif

.PHONY: simulate-defects
simulate-defects: ## the simulation finds planted defects, one after the other, each within BUDGET (1h)
	MKT_SIMULATE_DEFECTS=1 $(GO) test -count=1 -timeout 48h -v -run TestDefectsAreFound ./internal/testing/simulation -budget $(or $(BUDGET),1h)

.PHONY: drills
drills: build ## faults on the real binary and disk, and the long forms of the tests: an hour and a half alone on two cores
	scripts/drills/kill.sh 20
	scripts/drills/term.sh
	scripts/drills/smalldisk.sh
	scripts/drills/long.sh
	scripts/drills/gc.sh
	scripts/drills/restore.sh
	scripts/drills/store.sh

.PHONY: bench
bench: ## benchmarks of the stages and of serve
	$(GO) test -run '^$$' -bench . -benchmem ./transform/... ./publish/... ./serve/...

.PHONY: cost
cost: build ## what a megabyte, a selection, a request and a connection cost, beside DuckDB, nginx and the official server: 15 minutes on a quiet machine
	$(GO) run ./scripts/bench

.PHONY: fuzz
fuzz: ## every fuzz target for FUZZTIME (30s), one after the other
	scripts/fuzz.sh $(or $(FUZZTIME),30s)

.PHONY: vulncheck
vulncheck: ## known vulnerabilities that the code can reach; GOVULNDB=file:///folder takes a copy of the database
	@rm -f bin/vulncheck.log
	scripts/vulncheck.sh
	scripts/vulncheck.sh -C lake ./...

.PHONY: licences
licences: ## write docs/licences.md again
	@mkdir -p bin
	$(GO) run ./scripts/licences mkt > bin/licences.md && mv bin/licences.md docs/licences.md

.PHONY: lake-licences
lake-licences: ## write lake/licences.md again, and bin/lake-licences.txt, for mkt-lake
	@mkdir -p bin
	$(GO) run ./scripts/licences lake > bin/lake-licences.md && mv bin/lake-licences.md lake/licences.md
	$(GO) run ./scripts/licences lake-texts > bin/lake-licences.txt

.PHONY: arm64
arm64: # bin/linux-arm64/mkt
	@if ! command -v aarch64-linux-gnu-g++ >/dev/null; then rm -rf bin/linux-arm64; \
	else echo "building bin/linux-arm64/mkt"; export GOOS=linux GOARCH=arm64 CGO_ENABLED=1 CC=aarch64-linux-gnu-gcc CXX=aarch64-linux-gnu-g++; \
	$(call link,bin/linux-arm64); fi

.PHONY: release
release: ## bin/release: tar, deb, rpm, image (OCI) and CycloneDX for linux/amd64, and for linux/arm64 with Debian's g++-aarch64-linux-gnu; licences, SHA256SUMS
	scripts/release.sh

.PHONY: check-packages
check-packages: release ## installs the packages and starts them, and runs the images, in folders of their own (needs root)
	CHECK_PACKAGES=1 $(GO) test -count=1 -timeout 60m -v -run Installed ./scripts/packages

.PHONY: reproducible
reproducible: ## two clones of this commit, in two folders, give the same release; takes minutes
	scripts/reproducible.sh

.PHONY: clean
clean: ## what was built
	rm -rf bin

.PHONY: help
help: ## this list
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "%-14s %s\n", $$1, $$2}'
