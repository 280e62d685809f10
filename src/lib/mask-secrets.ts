/** Hides secrets in a text that leaves us: an event, a log, a prompt, evidence. */
export type Mask = (text: string) => string

const MASKED = "***"
/** Shorter values are words and numbers that appear everywhere; hiding them would hide what a person has to read. */
const MIN_SECRET_LENGTH = 6

const SECRET_NAME =
  /(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|AUTH|PAT|DSN)(?:_|$)|(?:KEY|TOKEN|SECRET|PASSWORD)$/i
/** Named like a secret, but a path or an address of something. */
const HARMLESS_NAME = /(?:_FILE|_PATH|_DIR|_SOCK|_URL|_ID|_TYPE|_HEADER|_LIMIT|_TOKENS|KEYBOARD|KEYMAP)$/i

const KEY_FORMATS = [
  // Up to the end of the block, or, when it was cut, as far as it looks like one.
  String.raw`-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----(?:[\w+/=\s\\:,.]|-(?!----))*(?:-----END [A-Z ]{0,30}PRIVATE KEY-----)?`,
  String.raw`\bsk-[\w-]{16,}`,
  String.raw`\b[sr]k_(?:live|test)_\w{16,}`,
  String.raw`\bgh[pousr]_[A-Za-z0-9]{20,}`,
  String.raw`\bgithub_pat_\w{20,}`,
  String.raw`\bglpat-[\w-]{16,}`,
  String.raw`\bnpm_[A-Za-z0-9]{30,}`,
  String.raw`\bhf_[A-Za-z0-9]{20,}`,
  String.raw`\b(?:AKIA|ASIA)[A-Z0-9]{16}\b`,
  String.raw`\bAIza[\w-]{30,}`,
  String.raw`\bya29\.[\w-]{20,}`,
  String.raw`\bxox[a-z]-[\w-]{10,}`,
  String.raw`\bxapp-[\w-]{10,}`,
  String.raw`\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*`,
]
/** Of these what stands in front of the secret stays, to say whose it is. (Looking behind instead is many times slower.) */
const NAMED_FORMATS = [
  // Databases take passwords as they are; in any other address a slash ends the place where one may be.
  String.raw`(\b(?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|rediss?|amqps?):\/\/[^\s:@/"'${"`"}]*:)[^\s"'${"`"}]+(?=@)`,
  String.raw`(:\/\/[^\s:@/"'${"`"}]*:)[^\s/"'${"`"}]+(?=@)`,
  String.raw`([?&](?:password|passwd|token|key|api_?key|access_token|secret)=)[^&\s"'${"`"}]+`,
  String.raw`(\b[Aa]uthorization["']?\s?[:=]\s?["']?(?:[Bb]earer|[Bb]asic|[Tt]oken)\s)[\w.~+/=-]{6,}`,
]
const SHOWN = `$1$2$3$4${MASKED}`

/**
 * What each of the formats above begins with; a new one needs its sign here. Most texts have none, and to look for one
 * is ten times faster than to look for the formats: it is found from a character that is rare in texts, and only there
 * is looked back.
 */
const SIGN =
  /[-_9IJz](?<=\b(?:KEY-|[sr]k[-_]|gh[pousr]_|github_pat_|glpat-|npm_|hf_|A[KS]I|AI(?=za)|ya29|xox[a-z]-|xapp-|eyJ|[Aa]uthoriz))|:\/\/[^\s:@/"'`]*:|[?&][a-z_]{3,12}=/

/** A mask for the common formats of keys, and for every value in `env` whose name says that it is secret. */
export function makeMask(env: Readonly<Record<string, string | undefined>> = {}): Mask {
  const values = Object.entries(env).flatMap(([name, value]) => (value && isSecretName(name) ? formsOf(value) : []))
  // The longest first, or one that another begins with would leave the rest of it.
  const literals = [...new Set(values)].sort((a, b) => b.length - a.length)
  const escaped = literals.map((value) => RegExp.escape(value))
  const secrets = new RegExp([...escaped, ...KEY_FORMATS, ...NAMED_FORMATS].join("|"), "g")
  const shortest = literals.at(-1)?.length ?? Number.POSITIVE_INFINITY
  const hasLiteral = (text: string) => text.length >= shortest && literals.some((literal) => text.includes(literal))
  return (text) => (SIGN.test(text) || hasLiteral(text) ? text.replace(secrets, SHOWN) : text)
}

/** For the few texts that are shown where no environment is at hand, such as a setting. */
export function maskSecrets(text: string): string {
  return makeMask()(text)
}

export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name) && !HARMLESS_NAME.test(name)
}

/** A value as it is, and as it looks inside of JSON and of an address. */
function formsOf(value: string): string[] {
  const trimmed = value.trim()
  if (trimmed.length < MIN_SECRET_LENGTH) return []
  return [trimmed, JSON.stringify(trimmed).slice(1, -1), encodeURIComponent(trimmed)]
}
