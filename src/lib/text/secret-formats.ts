// The formats of keys, each as a pattern for all of it and one for what may be its beginning at the end of a text.

interface Piece {
  readonly whole: string
  /** Not empty, and only at the end of a text. */
  readonly begun: string
}

/** Each begins a word. */
const KEYS: readonly Piece[] = [
  all(word("sk-"), run("[\\w-]", 16)),
  all(letter("[sr]"), word("k_"), oneOf(word("live"), word("test")), word("_"), run("\\w", 16)),
  all(word("gh"), letter("[pousr]"), word("_"), run("[A-Za-z0-9]", 20)),
  all(word("github_pat_"), run("\\w", 20)),
  all(word("glpat-"), run("[\\w-]", 16)),
  all(word("npm_"), run("[A-Za-z0-9]", 30)),
  all(word("hf_"), run("[A-Za-z0-9]", 20)),
  all(oneOf(word("AKIA"), word("ASIA")), run("[A-Z0-9]", 16, 16), followedBy("\\b")),
  all(word("AIza"), run("[\\w-]", 30)),
  all(word("ya29."), run("[\\w-]", 20)),
  all(word("xox"), letter("[a-z]"), word("-"), run("[\\w-]", 10)),
  all(word("xapp-"), run("[\\w-]", 10)),
  all(word("eyJ"), run("[\\w-]", 8), word("."), run("[\\w-]", 8), word("."), run("[\\w-]", 0)),
]

const PRIVATE_KEY = all(
  ...[word("-----BEGIN "), run("[A-Z ]", 0, 30), word("PRIVATE KEY-----")],
  // Up to the end of the block, or, when it was cut, as far as it looks like one.
  run("(?:[\\w+/=\\s\\\\:,.]|-(?!----))", 0),
  maybe(all(word("-----END "), run("[A-Z ]", 0, 30), word("PRIVATE KEY-----"))),
)

const DATABASES = "postgres postgresql mysql mariadb mongodb mongodb+srv redis rediss amqp amqps".split(" ")
const PARAMETERS = "password passwd token key apikey api_key access_token secret".split(" ")
const user = run("[^\\s:@/\"'`]", 0)
const quote = maybe(letter("[\"']"))
const space = maybe(letter("\\s"))

/** Of these what stands in front of the secret stays, to say whose it is. (Looking behind instead is many times slower.) */
const NAMED: readonly Piece[] = [
  all(shown(all(word("://"), user, word(":"))), run("[^\\s/\"'`]", 1), followedBy("(?=@)")),
  all(shown(all(letter("[?&]"), oneOf(...PARAMETERS.map(word)), word("="))), run("[^&\\s\"'`]", 1)),
]
const NAMED_IN_WORD: readonly Piece[] = [
  // Databases take passwords as they are; in any other address a slash ends the place where one may be.
  all(
    shown(all(oneOf(...DATABASES.map(word)), word("://"), user, word(":"))),
    run("[^\\s\"'`]", 1),
    followedBy("(?=@)"),
  ),
  all(
    shown(
      all(
        ...[letter("[Aa]"), word("uthorization"), quote, space, letter("[:=]"), space, quote],
        oneOf(all(letter("[Bb]"), oneOf(word("earer"), word("asic"))), all(letter("[Tt]"), word("oken"))),
        letter("\\s"),
      ),
    ),
    run("[\\w.~+/=-]", 6),
  ),
]

/** What is to be shown of a match is in one of its groups. */
export const WHOLE_SECRETS: readonly string[] = [
  PRIVATE_KEY.whole,
  ...[...KEYS, ...NAMED_IN_WORD].map(({ whole }) => `\\b${whole}`),
  ...NAMED.map(({ whole }) => whole),
]
/** Finds from where on the end of a text may be the beginning of a secret. */
export const BEGUN_SECRET = `(?:${[
  `\\b(?:${[...KEYS, ...NAMED_IN_WORD].map(({ begun }) => begun).join("|")})`,
  ...[PRIVATE_KEY, ...NAMED].map(({ begun }) => begun),
].join("|")})$`
/**
 * What each of the formats begins with; a new one needs its sign here. Most texts have none, and to look for one is ten
 * times faster than to look for the formats: it is found from a character that is rare in texts, and only there is looked
 * back.
 */
export const SIGN_OF_SECRET =
  /[-_9IJz](?<=\b(?:KEY-|[sr]k[-_]|gh[pousr]_|github_pat_|glpat-|npm_|hf_|A[KS]I|AI(?=za)|ya29|xox[a-z]-|xapp-|eyJ|[Aa]uthoriz))|:\/\/[^\s:@/"'`]*:|[?&][a-z_]{3,12}=/
/** Most formats hold no space. Those that do hold one of these before their first space. */
export const BEFORE_SPACE: readonly string[] = ["-----BEGIN", "uthorization"]

function word(text: string): Piece {
  const letters = [...text].map((each) => RegExp.escape(each))
  return { whole: letters.join(""), begun: letters.reduceRight((rest, each) => `${each}(?:${rest})?`) }
}

function letter(choice: string): Piece {
  return { whole: choice, begun: choice }
}

function run(choice: string, min: number, max: number | "" = ""): Piece {
  return { whole: `${choice}{${min},${max}}`, begun: `${choice}{1,${max}}` }
}

function oneOf(...pieces: readonly Piece[]): Piece {
  return {
    whole: `(?:${pieces.map(({ whole }) => whole).join("|")})`,
    begun: `(?:${pieces.map(({ begun }) => begun).join("|")})`,
  }
}

function maybe({ whole, begun }: Piece): Piece {
  return { whole: `(?:${whole})?`, begun }
}

function shown({ whole, begun }: Piece): Piece {
  return { whole: `(${whole})`, begun }
}

/** What comes behind decides and is not part of it. */
function followedBy(whole: string): Piece {
  return { whole, begun: "(?!)" }
}

/** Begun with its first piece, or with all of that and what may be begun of the rest. */
function all(...pieces: readonly Piece[]): Piece {
  const begun = pieces.map((piece) => piece.begun)
  return {
    whole: pieces.map(({ whole }) => whole).join(""),
    begun: pieces.reduceRight((rest, { whole }, at) => {
      return rest === "" ? `(?:${begun[at]})` : `(?:${begun[at]}|${whole}(?:${rest})?)`
    }, ""),
  }
}
