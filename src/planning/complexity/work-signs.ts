// Signs that a task is small or hard: phrases in work-phrases.json, and patterns here, tuned on the labelled issues in
// bench/complexity. A phrase stands for whole words in any case; `stem*` for every word that begins so, and a blank for
// blanks or a dash. Title signs are searched in the first line only, because in a body the same words are often
// background. Patterns are bounded, so that no text takes long.

import PHRASES from "./work-phrases.json"

export type HardKind = "concurrency" | "security" | "migration" | "port" | "structure" | "cause"
export type SmallKind = "words" | "value" | "entry" | "sight" | "removal" | "name"

export interface Signs {
  readonly title: readonly RegExp[]
  readonly text: readonly RegExp[]
}

function phrases(list: readonly string[]): RegExp {
  const one = (phrase: string) => phrase.replaceAll("*", "\\w*").replaceAll(" ", "[\\s-]+")
  const plain = list.map(one).join("|")
  return new RegExp(`(?<![\\p{L}\\d_])(?:${plain})(?![\\p{L}\\d_])`, "iu")
}

const LANGUAGE =
  "(?:rust|go|golang|c\\+\\+|c#|java|kotlin|swift|python|ruby|php|perl|scala|elixir|haskell|zig|javascript|typescript|fortran|cobol|dart|flutter|react native|react|vue|svelte|angular)(?![\\w+#])"
const PLATFORM =
  "(?:windows|linux|macos|mac|freebsd|android|ios|ipad|iphone|arm|risc-v|raspberry pi|chromeos|web ?assembly|wasm)"
const ACTORS =
  "(?:tabs|processes|threads|workers|nodes|replicas|instances|schedulers|leaders|agents|people|users|requests|jobs|clients|consumers|writers|transactions|checkouts|servers|devices)"
const MANY = "(?:[5-9]|\\d{2,}|five|six|seven|eight|nine|ten|eleven|twelve|dozens of|hundreds of)"
const PARTS =
  "(?:files|modules|services|pages|screens|tables|pipelines|packages|components|call sites|apps|functions|tools|tests|commands|handlers|routes|places|models|repositories)"

export const HARD_SIGNS: Readonly<Record<HardKind, Signs>> = {
  concurrency: {
    title: [phrases(PHRASES.concurrency.title)],
    text: [
      phrases(PHRASES.concurrency.text),
      new RegExp(
        `\\b(?:two|both|several|multiple|many) (?:\\w+ )?${ACTORS}\\b.{0,60}\\b(?:same|at once|together|refresh|claim|edit|write|read|pick)`,
        "i",
      ),
      /\b(?:both|two|several|each)\b.{0,60}\bat the same (?:time|moment|second)\b|\bread\b.{0,20}\b(?:add|increment|change)\b.{0,20}\b(?:save|write)\b/i,
      /(?<!caps |package-|num |npm |yarn |poetry |to |small |a )\block(?:s|ed|ing)?\b(?!-?file| file|s? in place|screen| screen| icon)/i,
      /死锁|并发|竞态|多线程|同时|デッドロック|競合|並行|同時に|\bnebenläufig\w*|\bverklemm\w*|\bwettlauf\w*|\bconcurrencia\b|\bconcurrence\b|\binterblocage\b/i,
    ],
  },
  security: {
    title: [phrases(PHRASES.security.title)],
    text: [
      phrases(PHRASES.security.text),
      /\bcve-\d{4}|\b(?:passwords?|tokens?|secrets?)\b.{0,40}\bplain ?text\b|\brotat\w+ .{0,20}\bkeys?\b|_SECRET_|\bsecret_/i,
      /\b(?:sees?|reads?|views?|access|download|deletes?|edits?|change)\b.{0,40}(?:\bother (?:users?|customers?|tenants?|people|accounts?)|\b[A-Z]'s |\bsome(?:one|body) else's)/,
      /漏洞|注入|加密|越权|权限|他人|暴力破解|脆弱性|権限|\bsicherheitslücke\w*|\bverschlüssel\w*|\bvulnerabilidad\w*|\bcifrar\b|\bfaille\b|\bchiffre\w*/i,
    ],
  },
  migration: {
    title: [
      phrases(PHRASES.migration.title),
      /\b(?:move|moving|switch|switching|change|convert|transition|replace)\b.{0,60}\bfrom (?:[A-Z]\w+|the old|our own)\b.{0,40}\bto (?:[A-Z]\w+|the new)/,
      /\b(?:[Mm]ov(?:e|ing)|[Ss]witch(?:ing)?)\b.{0,60}\bto [A-Z][A-Za-z]*\b/,
      /\bupgrad\w+ (?:from |to )?(?:[A-Z][\w.]*|the \w+) ?v?\d/i,
      /\b[A-Z][A-Za-z.]+ v?\d+(?:\.\d+)* (?:to|->|→) (?:[A-Z]\w+ )?v?\d|\w -> [A-Za-z]+ ?\w*\b(?!\.)/,
      /迁移|移行|\bmigr(?:er|ar|ieren|ierung|ación)\b|\bumstell(?:en|ung)\b|\bcambiar de \w+ a \w+/i,
    ],
    text: [
      phrases(PHRASES.migration.text),
      /\b\d[\d.,]* ?(?:million|billion|TB|GB)\b|\b(?:convert|correct|migrate|upgrade)\b.{0,40}\bexisting (?:rows|data|records|projects|files)\b/i,
    ],
  },
  port: {
    title: [
      /^(?:\[?\w+[\]:]? )?port(?:ing)?\b(?! is| number| \d)|\bport(?:ing)? (?:the |our |it )?.{0,40}\b(?:from|to) [A-Z]/i,
      phrases(PHRASES.port.title),
      new RegExp(
        `\\b(?:convert|translate|move|switch|replace|transpile)\\b.{0,60}\\b(?:to|with|by|into) (?:an? )?${LANGUAGE}`,
        "i",
      ),
      /\bconvert\b.{0,40}\bfrom \w+ to \w+/i,
      new RegExp(
        `\\b${PLATFORM}(?: native)? (?:support|version|build|port|client|app)\\b|\\b(?:support|build)(?:ing)? (?:for |on )?${PLATFORM}s?$|\\bnative ${PLATFORM}\\b|\\b(?:running|compile|build) on ${PLATFORM}`,
        "i",
      ),
      /重写|移植|書き直|\bportier\w+|\bréécri\w+|\breescrib\w+|\bneu schreiben\b/i,
    ],
    text: [phrases(PHRASES.port.text)],
  },
  structure: {
    title: [
      phrases(PHRASES.structure.title),
      /\b(?:whole|entire) (?:code ?base|app|application|system|project|repository|site|api|platform|file)\b|\bacross (?:all|the|every|our)?\s?\w*/i,
      /\bsplit\b.{0,60}\b(?:services?|packages|modules|system|own)\b|\bone \w+ (?:\w+ )?instead of\b|\bmore than one (?:database|backend|provider)\b/i,
    ],
    text: [new RegExp(`\\b${MANY} (?:\\w+ ){0,2}${PARTS}\\b`, "i"), phrases(PHRASES.structure.text)],
  },
  cause: {
    title: [
      phrases(PHRASES.cause.title),
      /\b\d+x (?:slower|as long)\b|\bafter (?:some|a few|several|about an?) (?:minutes|hours|days|weeks?)\b|\bevery (?:\w+ )?(?:\d+ seconds|third|fourth)\b/i,
    ],
    text: [
      phrases(PHRASES.cause.text),
      /\b(?:can ?not|can't|cannot|couldn't|could not|unable to|haven't|don't know how to) (?:\w+ )?(?:reproduce|trigger|explain|find)\b|\bdon't know (?:why|how|where)\b/i,
      /\b(?:1|one|once) (?:in|out of) (?:\d+|ten|twenty|fifteen|\w+teen)\b|\bnot always the same\b|\bfind out what happened\b|\bsome (?:samsung|models|phones)\b/i,
      /内存泄漏|找不到原因|偶尔|メモリリーク|\bspeicherleck\w*|\bsporadisch\b|\bmanchmal\b|\bfuite de mémoire\b|\bparfois\b|\bfuga de memoria\b|\ba veces\b/i,
    ],
  },
}

const VALUE = "`?(?:#[0-9a-f]{3,8}|v?\\d[\\d.,]* ?\\w{0,10}|true|false|info|debug|warn\\w*|error|on|off)`?"

/** In this order. Only titles show that a task is small. */
export const SMALL_SIGNS: Readonly<Record<SmallKind, readonly RegExp[]>> = {
  words: [
    phrases(PHRASES.small.words),
    /^(?:\[docs?\]|docs?(?:\([\w-]+\))?:|nits?:|style(?:\(\w+\))?:)/i,
    /\b(?:clarify|Clarify|mention|Mention|document that|note that|say which|example)\b.{0,40}\bdoc(?:s|umentation)\b|\bexample in .{0,12}docs\b|\b(?:mention|document) the (?:new )?[A-Z_]+\b/,
    /\b(?:fix|improve|update|correct) (?:the )?comments?\b|\bcomment (?:on|in|above|for) \w+(?:\(\))?$|\b(?:fix|correct|wrong)\b.{0,30}\b(?:error message|translation)\b|\bs\/\w+\/\w+\//i,
    /"[^"]+" ?(?:->|→|to|instead of|should be) ?"|\bstill says\b|^(?:\w+ ){0,3}text: |\bdescription of\b.{0,40}\b(?:wrong|outdated)\b|\bshould say\b|错别字|拼写|誤字|誤植|опечатк/i,
  ],
  value: [
    /^(?:chore|build|fix)?(?:\(deps[\w-]*\))?:? ?bump\b|^chore\(deps|\bbump (?:the )?version\b|^pin \S+ (?:to )?v?\d/i,
    /\bupdate\b.{0,60}\bto v?\d+(?:\.\d+)*$/i,
    new RegExp(
      `\\b(?:set|change|increase|decrease|raise|lower|reduce|make|use|downgrade|shorten|extend)\\b.{0,60}\\b(?:to|from|instead of) ${VALUE}`,
      "i",
    ),
    /^set `?[\w.]+`?:? (?:to )?(?:`|true|false|\d)|^set `[^`]+`|\bdefault port\b|\bhttps in\b|\bturn off\b.{0,40}\b(?:rule|warning)\b/i,
    /\b(?:use|set|raise|pin|make)\b.{0,40} (?:\d[\w.]*|"[^"]+"|--\w+)$/i,
    /\b(?:colou?r|font size|padding|margin|height|width)\b.{0,30}\bto\b|\d+ ?px\b|\btwo pixels\b|\balign the (?:icon|text|logo|label)\b/i,
  ],
  entry: [phrases(PHRASES.small.entry), /^ignore\b|\bto the \w+ list$/i],
  sight: [
    // A small visible thing, and its fault.
    /^(?=.{0,90}$)(?=.*\b(?:link|url|label|caption|heading|gif|logo|image|icon|text|address|comment|accent|credits|man page|manual|sponsors|version|acento)\b)(?=.*\b(?:fix|wrong|outdated|missing|replace|new|update|old|empty|lacks|should be|falta|still)\b).+$/i,
    /^[\w./-]+\.(?:json|md|ya?ml|toml|txt|cfg|ini|sh|html|css)\b.{0,60}$/i,
  ],
  removal: [
    /^(?:\w+: )?(?:remove|delete|drop|strip)\b.{0,60}\b(?:unused|dead code|commented|console\.log|debug print|file|import|imports|trailing|white ?space|leftover|left in|obsolete|label|variable|todo)\b|\bduplicate key\b|\bfmt$|^(?:run )?(?:gofmt|rustfmt|terraform fmt)\b/i,
    /\bindentation\b|\bwhite ?space\b|\bsort imports\b|\b(?:format|reformat) \S+(?: \w+)? with\b|\bprettier\b/i,
  ],
  name: [
    /^(?:\w+: )?rename\b.{0,80}\bto\b|\brename (?:the )?(?:local )?(?:variable|constant|label|button|heading|title)\b|\bswap the order\b/i,
  ],
}

/** One side of a system says little; several are a sign of hard work. */
export const SIDES: Readonly<Record<string, RegExp>> = {
  flow: /\b(?:workers?|threads?|processes|queues?|jobs?|consumers?|producers?|events?|callbacks?|requests|buffers?|loops?|messages|handlers?)\b/i,
  state:
    /\b(?:stored?|memory|caches?|index(?:es)?|tables?|transactions?|states?|snapshots?|rows|checkpoints?|databases?|data|schemas?)\b/i,
  topology:
    /\b(?:services?|nodes?|clusters?|servers?|network|clients?|replicas?|machines?|interfaces?|gateways?|systems?|cores?)\b/i,
  load: /\b(?:under load|per second|at once|quickly|thousands|millions?|same time|in the field|GB|large|big)\b/i,
  doubt:
    /\b(?:never|always|lost|wrong results|looks? (?:like|as if|right|fine|different)|seems?|helps|fixes it|a few|again|only (?:on|in|with|when|some|release)|roughly|about (?:\d+|once|one)|don't know|no (?:pattern|errors?|idea)|nothing|(?:more|less) often|some of|every (?:third|few|now)|depends on)\b/i,
  scope: /\b(?:all|every|everything|whole|entire|both|none of|throughout|different|separated?)\b/i,
  duty: /\b(?:must|ha(?:s|ve) to|needs? (?:to|a)|make sure|guarantee\w*|stay|keep (?:working|running)|compatib\w*)\b/i,
  trust:
    /\b(?:access|admins?|verif\w*|checks?|control\w*|private|anyone|anybody|whoever|refuse|logged in|log(?:ging)? in|passwords?|accounts?|permissions?|signed|anonymous|internal|trust\w*|consent)\b/i,
  past: /\b(?:old|existing|years|legacy|side by side|so far|older|previous)\b/i,
  depth:
    /\b(?:pars(?:e|er|ing)|compiler|drivers?|kernel|native|protocols?|librar\w+|layers?|engines?|runtime|algorithms?|graph|incremental|deterministic|isolation|dependenc\w+|simulat\w+|statistics)\b/i,
}

/** One feature in the title: the text may touch one more side. */
export const ONE_FEATURE =
  /^(?:\[?\w+[\]:)]+:? )*(?:feature(?: request)?:|(?:feature(?: request)?:? )?(?:add|show|allow|support|print|accept|skip|remember|make|let|display|sort|filter|option|export|import|provide|validate|include|hide|highlight|write|document|limit|use|publish|upload|notify|send|retry|remind)\b)/i
