// Signs in the words of a task that it is small, or hard. The phrases were tuned on the labelled issues in
// bench/complexity. A phrase stands for whole words in any case; `stem*` stands for every word that begins so, and a
// blank for blanks or a dash. Phrases for titles are searched in the first line only, because in a body the same words
// are often background. Patterns are bounded, so that no text takes long.

export type HardKind = "concurrency" | "security" | "migration" | "port" | "structure" | "cause"
export type SmallKind = "words" | "value" | "entry" | "sight" | "removal" | "name"

export interface Signs {
  readonly title: readonly RegExp[]
  readonly text: readonly RegExp[]
}

function phrases(list: string): RegExp {
  const one = (phrase: string) => phrase.replaceAll("*", "\\w*").replaceAll(" ", "[\\s-]+")
  const plain = list.split(", ").map(one).join("|")
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
    title: [
      phrases(
        "parallel*, in order, order of events, fair queue*, queueing, on shutdown, watermark*, ordering, desync*, out of sync, when two, clobber*, more than once, while another",
      ),
    ],
    text: [
      phrases(
        "deadlock*, livelock*, race condition*, raec condition*, data race*, racy, toctou, concurren*, in parallel, thread safe*, " +
          "multithread*, multi thread*, mutex*, semaphore*, spinlock*, goroutine*, starvation, split brain, leader election, " +
          "lost update*, double booking*, simultaneous*, condition variable*, atomic*, compare and swap, out of order, wrong order, " +
          "interleav*, within milliseconds, handled twice, executed twice, processed twice, sent twice, emitted twice, runs twice, " +
          "exactly once, exactly one worker, main thread, ui thread, several threads, several machines, holding a lock, lock is held, " +
          "lock held, another thread, another consumer, another worker, another instance, another process, another node, then both, " +
          "backpressure, back pressure, eventual* consisten*, stale read*, happens before, two people, message passing, own process, order is not defined, order isn't defined, desync*, non deterministic*, nondeterministic*, duplicate rows, duplicated rows, interrupt handler*, isr, reentran*",
      ),
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
    title: [
      phrases(
        "security, secret*, permissions, permission check*, sandbox*, signature*, signing, api token*, access token*, credential*, reentrancy, kicked, password reset, hash password*, " +
          "sso, saml, oidc, ldap, single sign on, impersonat*, oauth*, api key*, privacy, account takeover, taken over, cheat*, hack*, authentication bypass",
      ),
    ],
    text: [
      phrases(
        "sql injection, command injection, code injection, injection, xss, csrf, xsrf, ssrf, xxe, idor, rce, cross site, " +
          "request forgery, vulnerab*, exploit*, attacker*, path traversal, directory traversal, open redirect, privilege escalation, " +
          "access control, rbac, role based, authorization server, ownership check, encrypt*, re encrypt*, decrypt*, cryptograph*, " +
          "tamper*, two factor, 2fa, mfa, totp, passkey*, webauthn, phish*, spoof*, hijack*, brute force, bypass*, untrusted, " +
          "unauthenticated, without logging in, without login, without authentication, gdpr, personal data, private key*, secret key*, " +
          "signed assertion*, key rotation, least privilege, replay attack*, constant time, gives away, guessed, guessable, predictable, without a login, without a password, trusts the, server trusts, takeover, session fixation, stolen, malicious, least privilege, sanitise, sanitize, sanitizing, cluster admin, short lived credential*, brute forc*, stored hashed, rate limit bypass, revocation, audit trail",
      ),
      /\bcve-\d{4}|\b(?:passwords?|tokens?|secrets?)\b.{0,40}\bplain ?text\b|\brotat\w+ .{0,20}\bkeys?\b|_SECRET_|\bsecret_/i,
      /\b(?:sees?|reads?|views?|access|download|deletes?|edits?|change)\b.{0,40}(?:\bother (?:users?|customers?|tenants?|people|accounts?)|\b[A-Z]'s |\bsome(?:one|body) else's)/,
      /漏洞|注入|加密|越权|权限|他人|暴力破解|脆弱性|権限|\bsicherheitslücke\w*|\bverschlüssel\w*|\bvulnerabilidad\w*|\bcifrar\b|\bfaille\b|\bchiffre\w*/i,
    ],
  },
  migration: {
    title: [
      phrases(
        "migrate, migrates, migrating, migration, migrations, get off, get rid of, move off, move away from, retire, sunset, phase out, " +
          "end of life, eol, stop storing, stop using, partition*, shard*, re shard, cut over, cutover, primary key*, convert existing, " +
          "switch over, schema change, discontinued, deprecated, reindex*, reprocess*, drop support for, replatform*, upgrade to the new",
      ),
      /\b(?:move|moving|switch|switching|change|convert|transition|replace)\b.{0,60}\bfrom (?:[A-Z]\w+|the old|our own)\b.{0,40}\bto (?:[A-Z]\w+|the new)/,
      /\b(?:[Mm]ov(?:e|ing)|[Ss]witch(?:ing)?)\b.{0,60}\bto [A-Z][A-Za-z]*\b/,
      /\bupgrad\w+ (?:from |to )?(?:[A-Z][\w.]*|the \w+) ?v?\d/i,
      /\b[A-Z][A-Za-z.]+ v?\d+(?:\.\d+)* (?:to|->|→) (?:[A-Z]\w+ )?v?\d|\w -> [A-Za-z]+ ?\w*\b(?!\.)/,
      /迁移|移行|\bmigr(?:er|ar|ieren|ierung|ación)\b|\bumstell(?:en|ung)\b|\bcambiar de \w+ a \w+/i,
    ],
    text: [
      phrases(
        "without downtime, zero downtime, no downtime, maintenance window, window for maintenance, backfill*, dual write*, double write*, " +
          "old data, legacy data, old tables, old column, convert existing, versions behind, existing rows included, data migration, without interruption, reindex*, rebuilt, must not lose, must stay readable, must keep working, has to keep working, old versions, old format, any version",
      ),
      /\b\d[\d.,]* ?(?:million|billion|TB|GB)\b|\b(?:convert|correct|migrate|upgrade)\b.{0,40}\bexisting (?:rows|data|records|projects|files)\b/i,
    ],
  },
  port: {
    title: [
      /^(?:\[?\w+[\]:]? )?port(?:ing)?\b(?! is| number| \d)|\bport(?:ing)? (?:the |our |it )?.{0,40}\b(?:from|to) [A-Z]/i,
      phrases(
        "rewrite, rewrites, rewriting, rewritten, re write*, reimplement*, re implement*, cross platform, apple silicon, raspberry pi, arm64, aarch64, " +
          "webassembly, wasm, native build*, native version, native app, web version, multiplatform, multi platform, console release, llvm, backend for, without electron",
      ),
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
    text: [phrases("feature parity")],
  },
  structure: {
    title: [
      phrases(
        "architect*, rearchitect*, micro service*, microservice*, monolith*, event sourcing, event driven, cqrs, tenancy, tenant*, multi tenan*, " +
          "plugin api, plugin interface, plugin system, plug in system, pluggable, extension api, distributed, replication, raft, paxos, consensus, " +
          "high availability, failover, restructur*, reorgani*, redesign*, overhaul*, garbage collect*, type inference, query planner, join order, " +
          "query optimizer, storage engine, write ahead, crash recovery, incremental compil*, incremental build*, jit, collaborative, crdt*, " +
          "offline support, offline mode, offline first, offline sync, undo/redo, undo redo, dependency injection, caching layer, cache layer, entity component, internationali*, localization support, " +
          "virtual machine, bytecode, vm, interpreter, rules engine, rule engine, workflow engine, policy engine, template engine, query language, " +
          "dsl, protocol, design system, component library, monorepo, abstraction layer, streaming, real time, realtime, " +
          "pattern matching, language server, framework, state machine, behaviour tree*, behavior tree*, feature store, solver, blue green, own process, mvcc, borrow check*, sync across, several providers, several databases, unify, unified, decoupl*, modulari*, everywhere, backend pluggable, sdk, data model, replace callbacks",
      ),
      /\b(?:whole|entire) (?:code ?base|app|application|system|project|repository|site|api|platform|file)\b|\bacross (?:all|the|every|our)?\s?\w*/i,
      /\bsplit\b.{0,60}\b(?:services?|packages|modules|system|own)\b|\bone \w+ (?:\w+ )?instead of\b|\bmore than one (?:database|backend|provider)\b/i,
    ],
    text: [
      new RegExp(`\\b${MANY} (?:\\w+ ){0,2}${PARTS}\\b`, "i"),
      phrases(
        "all over the place, sprinkled, throughout the code, every module, every handler, nearly all, nearly every, almost every, almost all, " +
          "everything imports, app by app, module by module, service by service, all the way through, whole code base, entire code base, " +
          "whole codebase, entire codebase, constant memory, single point of failure, whole test suite, all screens, " +
          "every screen, data separation, all services, hard coded everywhere, life cycle, failover, grammar",
      ),
    ],
  },
  cause: {
    title: [
      phrases(
        "leak*, memory grows, freeze*, freezing, hang*, stall*, stutter*, slower since, slow since, x slower, performance regression, battery drain, " +
          "cpu at 100*, oops*, random*, differs from, get lost, lost messages, disappear*, unstable, cuts out, as long since, frame drops, miscompil*, differ, diverge*, restart, restarts, by itself, toute seule, garbage, why do, why does, why is",
      ),
      /\b\d+x (?:slower|as long)\b|\bafter (?:some|a few|several|about an?) (?:minutes|hours|days|weeks?)\b|\bevery (?:\w+ )?(?:\d+ seconds|third|fourth)\b/i,
    ],
    text: [
      phrases(
        "sometimes, occasional*, intermittent*, sporadic*, flaky, flakiness, flakey, now and then, from time to time, once in a while, every few hours, " +
          "every few days, memory leak*, memroy leak*, out of memory, oom*, heap dump*, corrupt*, segfault*, segmentation fault, sigsegv, exc_bad_access, " +
          "heap buffer*, use after free, page fault, core dump*, core was generated, kernel panic, undefined behavior, undefined behaviour, " +
          "not reproducible, never reproducible, hard to reproduce, unable to reproduce, no steps to reproduce, no idea why, no idea where, no idea how, " +
          "no clue, make sense of, not been able to, root cause, nothing in the logs, nothing in the log, logs nothing, logs show nothing, no exceptions, " +
          "works after reboot, restart helps, restarting helps, re running helps, generating it again works, some machines, some devices, some customers, " +
          "certain devices, heisenbug, bisect*, on purpose, not found a pattern, without success, for no reason, no obvious, not on my machine, unclear, nobody can explain, can think of, impossible à reproduire, goes away, works for me, not for everyone, suspicious, for a few people, see it, never happens, some months, certains clients, ab und zu, unregelmäßig",
      ),
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
    phrases(
      "typo, typos, misspell*, mis spell*, spelling, wording, reword*, grammar, punctuation, capitali?ation, capitali?e, copyright, changelog, " +
        "broken link*, dead link*, wrong link, wrong anchor, broken image, badge, screenshot*, docstring*, code comment*, readme, copy change, " +
        "extra space, missing comma, missing period, missing space, headings, is lower case, are lower case, wrong unit, question mark, exclamation mark, telefonnummer, beschriftung, product name, log line, " +
        "log message*, help text, placeholder text, beta label, the label, in the handbook, in the manual, wrong default value, misleading comment, " +
        "errata, tippfehler, rechtschreib*, punkt am satzende, faute de frappe, orthographe, erro de digitação, error tipográfico, traducción de, traduction de",
    ),
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
  entry: [
    phrases(
      "gitignore, dockerignore, npmignore, eslintignore, editorconfig, codeowners, adopters, maintainers, to the list, to the list of, flag list, " +
        "extend the list, ci matrix, issue template, report template, favicon, add license*, notice",
    ),
    /^ignore\b|\bto the \w+ list$/i,
  ],
  sight: [
    // Something small that people see, and what is wrong with it.
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

/** The sides of a system. One says little; several at once are a sign of hard work. */
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

/** A title that asks for one feature: its text may touch one more side. */
export const ONE_FEATURE =
  /^(?:\[?\w+[\]:)]+:? )*(?:feature(?: request)?:|(?:feature(?: request)?:? )?(?:add|show|allow|support|print|accept|skip|remember|make|let|display|sort|filter|option|export|import|provide|validate|include|hide|highlight|write|document|limit|use|publish|upload|notify|send|retry|remind)\b)/i
