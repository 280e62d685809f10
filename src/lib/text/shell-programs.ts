/** Builtins of the shell. */
const BUILTINS = new Set(
  `cd export set unset echo printf test [ true false : . source exit if then else elif fi for while until do done case esac
  in { } ! wait eval read shift trap umask ulimit local return type pushd popd alias hash`.split(/\s+/),
)
/** Programs that start the program in the next word. */
const STARTERS = new Set(["exec", "command", "time", "nohup", "env", "cross-env", "sudo", "nice", "dotenv", "--"])

/**
 * The programs that a shell line starts: the first word of each command. Of a line with more than quotes, `&&`, `||`, `;`
 * and `|` only the first program is known.
 */
export function shellPrograms(line: string): string[] {
  const isHard = /[`$(<\\\n]|\bfor\b|\bif\b|\bcase\b|\bwhile\b/.test(line)
  const parts = splitCommands(isHard ? (line.split("\n")[0] ?? "") : line)
  const programs = (isHard ? parts.slice(0, 1) : parts).map(firstProgram).filter((name) => name !== undefined)
  return [...new Set(programs)]
}

function splitCommands(line: string): string[][] {
  const commands: string[][] = [[]]
  for (const [, quoted, operator, word] of line.matchAll(/("[^"]*"|'[^']*')|(&&|\|\||[;|&])|([^\s"';|&]+)/g)) {
    if (operator !== undefined) commands.push([])
    else commands.at(-1)?.push(quoted?.slice(1, -1) ?? word ?? "")
  }
  return commands
}

function firstProgram(words: readonly string[]): string | undefined {
  const name = words.find((word) => !/^[A-Za-z_]\w*=/.test(word) && !STARTERS.has(word) && !word.startsWith("-"))
  return name === undefined || BUILTINS.has(name) || !/^[\w@./+-]+$/.test(name) ? undefined : name
}

const NOT_FOUND: readonly RegExp[] = [
  // dash: `sh: 1: frobnicate: not found`; bash: `bash: line 1: frobnicate: command not found`
  /^[^\n]{0,200}?(?:: (?:line )?\d+)?: ([^\s:][^:\n]{0,200}?): (?:command )?not found$/m,
  /^zsh:(?:\d+:)? command not found: (\S{1,200})$/m,
  /^(?:\S{0,100}\/)?env: [‘'"]?([^‘’'"\s:]{1,200})[’'"]?: No such file or directory$/m,
]

/** The program that the shell did not find, by its output; otherwise the first one in the line. */
export function missingProgram(output: string, line: string): string | undefined {
  for (const pattern of NOT_FOUND) {
    const found = pattern.exec(output)?.[1]
    if (found !== undefined) return found
  }
  return shellPrograms(line)[0]
}
