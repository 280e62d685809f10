import { barrelForm, CHANGELOG, ENTRIES, ENV_FILE, GEMFILE, GO_MOD, REQUIREMENTS } from "./line-forms.ts"
import { isJson, mergeJson } from "./merge-json.ts"
import { mergeLinesBy } from "./merge-lines.ts"
import { mergeToml } from "./merge-toml.ts"
import { isYaml, mergeYaml } from "./merge-yaml.ts"
import { type MergeRule, type Sides, UNITED } from "./shared-file.ts"
import { parseToml } from "./toml-text.ts"
import { uniteAdditions } from "./unite-additions.ts"

export interface FileRule {
  /** The rule in words. */
  readonly how: string
  readonly merge: MergeRule
  readonly isValid: (text: string) => boolean
}

const MEANING = "merged by meaning"
const UNION = "merged line by line"
const ALWAYS = () => true

const JSON_RULE: FileRule = { how: MEANING, merge: mergeJson, isValid: isJson }
const TOML_RULE: FileRule = { how: MEANING, merge: mergeToml, isValid: (text) => parseToml(text) !== undefined }
const YAML_RULE: FileRule = { how: MEANING, merge: mergeYaml, isValid: isYaml }

const RULES: readonly (readonly [RegExp, FileRule])[] = [
  [
    /^(?:package|composer|deno|biome|turbo|nx|lerna|jsconfig|tsconfig[\w.-]*|\.eslintrc|\.prettierrc)\.jsonc?$/,
    JSON_RULE,
  ],
  [/^(?:Cargo|pyproject|Pipfile|wrangler|netlify|rust-toolchain|clippy|ruff)(?:\.toml)?$/, TOML_RULE],
  [/^pnpm-workspace\.ya?ml$/, YAML_RULE],
  [/^(?:[\w.-]*requirements[\w.-]*|constraints[\w.-]*)\.(?:txt|in)$/, byLines(REQUIREMENTS, MEANING)],
  [/^(?:Gemfile|gems\.rb)$/, byLines(GEMFILE, MEANING)],
  [/^go\.mod$/, byLines(GO_MOD, MEANING)],
  // Lines of hashes: extra lines do no harm.
  [/^go\.sum$/, byLines(ENTRIES, UNION)],
  [/^\.(?:git|npm|docker|prettier|eslint)(?:ignore|attributes)$/, byLines(ENTRIES, UNION)],
  [/^\.env(?:\.[\w.-]+)?$/, byLines(ENV_FILE, MEANING)],
  [/^(?:CHANGELOG|CHANGES|HISTORY|NEWS|RELEASES)(?:\.(?:md|markdown|rst|txt))?$/i, byLines(CHANGELOG, UNION)],
]

function byLines(form: Parameters<typeof mergeLinesBy>[0], how: string): FileRule {
  return { how, merge: mergeLinesBy(form), isValid: ALWAYS }
}

/** Undefined where people must merge the file. */
export function findRule(path: string): FileRule | undefined {
  const name = path.split("/").at(-1) ?? ""
  return RULES.find(([pattern]) => pattern.test(name))?.[1]
}

/** For files that are recognized by their content. */
export function findRuleFor(path: string, { base, ours, theirs }: Sides): FileRule | undefined {
  const form = barrelForm(path, [base, ours, theirs])
  return findRule(path) ?? (form && byLines(form, UNION))
}

const READERS: readonly (readonly [RegExp, FileRule["isValid"]])[] = [
  [/\.jsonc?$/i, JSON_RULE.isValid],
  [/\.toml$/i, TOML_RULE.isValid],
  [/\.ya?ml$/i, YAML_RULE.isValid],
]

/** For other texts: takes both sides' additions. Use it only where a gate judges the result. */
export function unionRule(path: string): FileRule {
  const isValid = READERS.find(([pattern]) => pattern.test(path))?.[1] ?? ALWAYS
  return { how: UNITED, merge: uniteAdditions, isValid }
}
