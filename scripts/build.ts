// `npm run build [outfile]`: one executable file that needs neither Bun nor node_modules to run. It is built twice: the
// first one shows by a few calls which of its code a call needs, and in the second that lies together in front.
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"

const SOURCE = join(import.meta.dir, "../src")

if (import.meta.main) await build(resolve(Bun.argv[2] ?? join(SOURCE, "../dist/teamwork")))

async function build(outfile: string): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), "teamwork-build-"))
  try {
    const plugin = await inOnePiece("bin/own-write.ts")
    const first = join(scratch, "teamwork")
    await compile(first, plugin, [])
    mkdirSync(dirname(outfile), { recursive: true })
    await compile(outfile, plugin, await recordCalls(first, scratch))
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
  console.log(`${outfile}: ${(statSync(outfile).size / 1e6).toFixed(0)} MB`)
}

async function compile(outfile: string, plugin: Bun.BunPlugin, records: readonly string[]): Promise<void> {
  await Bun.build({
    entrypoints: [join(SOURCE, "bin/start.ts")],
    plugins: [plugin],
    bytecode: true,
    // Without esm, bytecode allows no top-level await; without splitting, a start would run the imports of every part.
    format: "esm",
    splitting: true,
    minify: true,
    compile: {
      outfile,
      bytecodeOrder: records.length > 0 && [...records],
      // The program runs inside other people's repositories: their .env and bunfig.toml are none of its business.
      autoloadDotenv: false,
      autoloadBunfig: false,
    },
  })
}

/** A file with all that it imports, instead of a dozen pieces that it shares with others. Only for what remembers nothing. */
async function inOnePiece(file: string): Promise<Bun.BunPlugin> {
  const { outputs } = await Bun.build({ entrypoints: [join(SOURCE, file)], target: "bun" })
  const contents = (await outputs[0]?.text()) ?? ""
  const filter = new RegExp(`/src/${RegExp.escape(file)}$`)
  return {
    name: "in-one-piece",
    setup: (bundler) => void bundler.onLoad({ filter }, () => ({ contents, loader: "js" })),
  }
}

/** What people and agents call most, in a home of its own. Returns the files that say which code it took, most used first. */
async function recordCalls(program: string, scratch: string): Promise<string[]> {
  const cwd = join(scratch, "shop")
  mkdirSync(join(cwd, ".git"), { recursive: true })
  writeFileSync(join(cwd, ".git/HEAD"), "ref: refs/heads/main\n")
  const session = "recorded"
  const tool = { tool_name: "Write", tool_input: { file_path: join(cwd, "src/a.ts"), content: "" } }
  const use = JSON.stringify({ session_id: session, cwd, ...tool })
  const calls: readonly { readonly args: readonly string[]; readonly input?: string; readonly isRecorded?: true }[] = [
    { args: ["project", "create", "--goal", "Build a shop"] },
    { args: ["task", "create", "--title", "First", "--files", "src/"] },
    { args: ["task", "create", "--title", "Second", "--files", "docs/"] },
    { args: ["join", "--terminal-id", session] },
    { args: ["task", "claim", "--next", "--owner", "w1"] },
    { args: ["hook", "PreToolUse"], input: use, isRecorded: true },
    { args: ["task", "claim", "--next", "--owner", "w2"], isRecorded: true },
    { args: ["hook", "PostToolUse"], input: use, isRecorded: true },
    { args: ["hook", "Stop"], input: use, isRecorded: true },
    { args: ["task", "list"], isRecorded: true },
    { args: ["project", "status"], isRecorded: true },
  ]
  const records: string[] = []
  for (const { args, input = "", isRecorded = false } of calls) {
    const record = join(scratch, `order-${records.length}`)
    const env = { HOME: scratch, TEAMWORK_HOME: scratch, ...(isRecorded ? { BUN_BYTECODE_ORDER_OUT: record } : {}) }
    await call([program, ...args], { cwd, env, input })
    if (isRecorded) records.push(record)
  }
  return records
}

interface Place {
  readonly cwd: string
  readonly env: Record<string, string>
  readonly input: string
}

async function call(command: readonly string[], { cwd, env, input }: Place): Promise<void> {
  const child = Bun.spawn([...command], { cwd, env, stdio: [new TextEncoder().encode(input), "pipe", "inherit"] })
  const [printed, exitCode] = await Promise.all([child.stdout.text(), child.exited])
  if (exitCode === 0) return
  console.error(printed)
  throw new Error(`${command.join(" ")} ended with ${exitCode}`)
}
