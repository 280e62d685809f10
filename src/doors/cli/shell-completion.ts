import { type CommandRow, command, dashedName } from "../../app/command.ts"
import { choice } from "../../lib/schema.ts"
import { flagsOf } from "./flags.ts"
import { GLOBAL_FIELDS } from "./global-fields.ts"

const SHELLS = ["bash", "zsh", "fish"] as const

export const completion = command({
  summary: "Print a completion script for bash, zsh or fish",
  fields: { shell: choice(SHELLS, "shell") },
  positional: ["shell"],
  example: 'eval "$(teamwork completion bash)"',
  async run({ commands }, input) {
    const words = await readWords(commands)
    const script =
      input.shell === "fish" ? fishScript(words) : input.shell === "zsh" ? zshScript(words) : bashScript(words)
    return { data: { script }, text: () => script, isDocument: true }
  },
})

interface Words {
  /** Keys: nothing typed yet, or a noun. */
  readonly next: Map<string, string[]>
  readonly flags: Map<string, string[]>
}

async function readWords(commands: readonly CommandRow[]): Promise<Words> {
  const next = new Map<string, string[]>([["", []]])
  const flags = new Map<string, string[]>()
  const add = (at: string, word: string) => {
    const words = next.get(at) ?? []
    if (!words.includes(word)) next.set(at, [...words, word])
  }
  for (const row of commands) {
    const [noun = "", verb] = row.name.split(" ")
    add("", noun)
    if (verb !== undefined) add(noun, verb)
    const command = await row.load()
    const fields = { ...command.fields, ...GLOBAL_FIELDS }
    const own = flagsOf(fields).filter((flag) => flag.field !== command.takesRest)
    const all = own.map((flag) => `--${flag.name}`)
    flags.set(row.name, all)
    if (dashedName(row) !== row.name) flags.set(dashedName(row), all)
  }
  return { next, flags }
}

function bashScript({ next, flags }: Words): string {
  const cases = [...flags].map(([name, words]) => `    "${name}"*) words="${words.join(" ")}" ;;`)
  const verbs = [...next].filter(([at]) => at !== "").map(([at, words]) => `    "${at}") words="${words.join(" ")}" ;;`)
  return [
    "_teamwork() {",
    `  local current="\${COMP_WORDS[COMP_CWORD]}" words=""`,
    `  local line="\${COMP_WORDS[*]:1:COMP_CWORD-1}"`,
    '  if [[ "$current" == -* ]]; then case "$line" in',
    ...cases,
    '    esac; elif [[ "$COMP_CWORD" == 1 ]]; then',
    `    words="${(next.get("") ?? []).join(" ")}"`,
    '  elif [[ "$COMP_CWORD" == 2 ]]; then case "$line" in',
    ...verbs,
    "    esac; fi",
    '  COMPREPLY=($(compgen -W "$words" -- "$current"))',
    "}",
    "complete -o default -F _teamwork teamwork",
  ].join("\n")
}

function zshScript(words: Words): string {
  return `autoload -U +X bashcompinit && bashcompinit\n${bashScript(words)}`
}

function fishScript({ next, flags }: Words): string {
  const lines = ["complete -c teamwork -f"]
  for (const [at, words] of next) {
    const when =
      at === ""
        ? "__fish_use_subcommand"
        : `__fish_seen_subcommand_from ${at}; and test (count (commandline -opc)) -eq 2`
    lines.push(`complete -c teamwork -n '${when}' -a '${words.join(" ")}'`)
  }
  for (const [name, words] of flags) {
    const seen = name
      .split(" ")
      .map((word) => `__fish_seen_subcommand_from ${word}`)
      .join("; and ")
    for (const word of words) lines.push(`complete -c teamwork -n '${seen}' -l ${word.slice(2)}`)
  }
  return lines.join("\n")
}
