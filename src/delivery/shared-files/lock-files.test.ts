import { describe, expect, it } from "bun:test"
import { isLockFile, isManifest, placesOfLocks, whatIsLocked } from "./lock-files.ts"

describe("lock files", () => {
  it("are known by name, and looked for beside a manifest and above it", () => {
    expect(["package-lock.json", "web/yarn.lock", "Cargo.lock", "go.sum"].map(isLockFile)).toEqual([
      true,
      true,
      true,
      true,
    ])
    expect(isLockFile("package.json")).toBeFalse()
    expect(["a/package.json", "Cargo.toml", "pyproject.toml", "go.mod", "Gemfile"].every(isManifest)).toBeTrue()
    const places = placesOfLocks("packages/a/package.json").map(({ path }) => path)
    expect(places).toContain("packages/a/package-lock.json")
    expect(places).toContain("package-lock.json")
    expect(places.indexOf("packages/a/yarn.lock")).toBeLessThan(places.indexOf("yarn.lock"))
  })

  it("depend on what a manifest asks for, and not on its version or scripts", () => {
    const manifest = (more: object) => JSON.stringify({ name: "shop", dependencies: { a: "1" }, ...more })
    const before = whatIsLocked("package.json", manifest({}))
    expect(whatIsLocked("package.json", manifest({ version: "2.0.0", scripts: { a: "b" } }))).toBe(before)
    expect(whatIsLocked("package.json", manifest({ devDependencies: { b: "1" } }))).not.toBe(before)
    const cargo = (version: string, log: string) =>
      `[package]\nversion = "${version}"\n\n[dependencies]\nlog = "${log}"\n`
    expect(whatIsLocked("Cargo.toml", cargo("1", "0.4"))).toBe(whatIsLocked("Cargo.toml", cargo("2", "0.4")))
    expect(whatIsLocked("Cargo.toml", cargo("1", "0.4"))).not.toBe(whatIsLocked("Cargo.toml", cargo("1", "0.5")))
    expect(whatIsLocked("package.json", undefined)).toBe("")
  })
})
