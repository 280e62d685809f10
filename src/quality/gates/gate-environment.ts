/**
 * What commands of gates get of the environment, on top of what any agent gets: where toolchains live. Neither keys nor
 * tokens: a test that a task brings along must not be able to send them anywhere. A name may end in `*`.
 */
export const GATE_VARIABLES: readonly string[] = [
  ...["NVM_DIR", "NVM_BIN", "VOLTA_HOME", "FNM_DIR", "PNPM_HOME", "BUN_INSTALL", "COREPACK_HOME", "NODE_PATH"],
  ...["CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN", "CARGO_TARGET_DIR", "RUSTFLAGS"],
  ...["GOPATH", "GOROOT", "GOCACHE", "GOMODCACHE", "GOFLAGS", "GOPROXY", "GOTOOLCHAIN", "CGO_ENABLED"],
  ...["VIRTUAL_ENV", "PYTHONPATH", "PYENV_ROOT", "CONDA_PREFIX", "UV_CACHE_DIR", "POETRY_HOME"],
  ...["JAVA_HOME", "M2_HOME", "MAVEN_HOME", "MAVEN_OPTS", "GRADLE_HOME", "GRADLE_USER_HOME", "SDKMAN_DIR"],
  ...["CC", "CXX", "CFLAGS", "CXXFLAGS", "LDFLAGS", "PKG_CONFIG_PATH", "LD_LIBRARY_PATH", "ASDF_DIR", "MISE_DATA_DIR"],
  ...["XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR"],
]

/** Nobody sits at a terminal: test runners that would go on watching end instead. */
export const GATE_CONSTANTS: Readonly<Record<string, string>> = { CI: "true" }
