# The two commands to know: make demo, make test.

export CUPEL_LIB_DIR     ?= $(CURDIR)/target/release
export CUPEL_INCLUDE_DIR ?= $(CURDIR)/include

CARGO   ?= cargo
PREFIX  ?= /usr/local
SECONDS ?= 60

.PHONY: help
help: ## Print what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: toolchain
toolchain:
	@scripts/toolchain.sh

.PHONY: lib
lib: toolchain ## Build the shared and the static library
	$(CARGO) build --release --lib
	scripts/static-library.sh "$(CUPEL_LIB_DIR)/libcupel.a" target/static/libcupel.a

.PHONY: header
header: toolchain ## Make include/cupel.h anew from src/capi
	CUPEL_UPDATE_HEADER=1 $(CARGO) check --quiet

.PHONY: demo
demo: lib ## Show what of the commit history to keep under a budget
	scripts/demo.sh

.PHONY: demo-cpp demo-go demo-dotnet demo-python
demo-cpp demo-go demo-dotnet: demo-%: lib
	bindings/$*/demo.sh
demo-python: toolchain
	bindings/python/demo.sh

.PHONY: test
test: ## Test everything, and say of each language whether it passed
	scripts/test.sh

.PHONY: test-rust test-c test-cpp test-go test-dotnet test-python test-docs test-packages
test-rust: toolchain ## Test the Rust crate and the C ABI from Rust
	scripts/test-rust.sh
test-c test-cpp test-go test-dotnet test-docs test-packages: test-%: lib
	scripts/test.sh $*
test-python: toolchain
	bindings/python/test.sh

.PHONY: test-sanitizers
test-sanitizers: lib ## Run the tests under AddressSanitizer, ThreadSanitizer and Miri
	scripts/test-sanitizers.sh

.PHONY: test-platforms
test-platforms: lib ## Run the tests on other platforms: ARM, big-endian, musl, Windows, WebAssembly
	tests/platforms/run.sh $(PLATFORMS)

.PHONY: fuzz
fuzz: toolchain ## Fuzz every target for SECONDS seconds
	scripts/fuzz.sh $(SECONDS)

.PHONY: bench bench-quick
bench: toolchain ## Measure everything, and write docs/benchmarks.md and its plots
	scripts/bench.sh full
bench-quick: toolchain ## Measure the main figures, and print them
	scripts/bench.sh quick

.PHONY: install
install: lib ## Install library, header, pkg-config file and CMake package to PREFIX
	PREFIX="$(PREFIX)" scripts/install.sh

.PHONY: uninstall
uninstall: ## Remove what install installed
	PREFIX="$(PREFIX)" scripts/install.sh uninstall

.PHONY: dist
dist: toolchain ## Make the packages of a release in target/dist, for all platforms or for PLATFORMS
	scripts/dist.sh $(PLATFORMS)

.PHONY: guide
guide: ## Build the guide in target/guide and the reference of the headers in target/doc
	scripts/guide.sh

.PHONY: clean
clean: ## Remove what was built
	rm -rf target
