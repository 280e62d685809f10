// `npm run build [entry] [outfile]`: one executable file that needs neither Bun nor node_modules to run.
import { mkdirSync, statSync } from "node:fs"
import { dirname } from "node:path"

if (import.meta.main) process.exit(await build(Bun.argv[2] ?? "src/start.ts", Bun.argv[3] ?? "dist/teamwork"))

async function build(entry: string, outfile: string): Promise<number> {
  mkdirSync(dirname(outfile), { recursive: true })
  // The program runs inside other people's repositories: their .env and bunfig.toml are none of its business.
  const flags = ["--no-compile-autoload-dotenv", "--no-compile-autoload-bunfig"]
  // Without esm, bytecode allows no top-level await; without splitting, a start would run the imports of every part.
  const optimise = ["--bytecode", "--format=esm", "--minify", "--splitting"]
  const child = Bun.spawn(
    [process.execPath, "build", "--compile", ...optimise, ...flags, entry, "--outfile", outfile],
    { env: process.env, stdio: ["ignore", "inherit", "inherit"] },
  )
  const exitCode = await child.exited
  if (exitCode !== 0) return exitCode
  console.log(`${outfile}: ${(statSync(outfile).size / 1e6).toFixed(0)} MB`)
  return 0
}
