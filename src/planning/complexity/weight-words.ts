// Words that make a task heavier, in the form of domain-words.ts.

export const WEIGHT_WORDS = {
  architecture:
    "architect*, rearchitect*, microservice, micro service, monolith*, event driven, event sourcing, cqrs, " +
    "system design, domain driven, domain model, data model, scalab*, distributed, multi tenant, multitenant, shard*, " +
    "design pattern, trade off, tradeoff, service boundary, plugin system, high availability, dependency injection",
  debug:
    "debug*, bug, buggy, crash*, race condition, deadlock*, memory leak, leak, leaking, stack trace, stacktrace, " +
    "traceback, root cause, regression, flaky, flakiness, segfault*, hang, hanging, failing, broken, investigat*, " +
    "diagnos*, troubleshoot*, not working, stopped working, doesn't work, intermittent*, throws",
  risk:
    "auth, authn, authz, authenticat*, authoriz*, authoris*, oauth, oauth2, oidc, jwt, sso, secur*, vulnerab*, xss, " +
    "csrf, sql injection, password, credential, encrypt*, decrypt*, permission, payment, billing, production, prod, " +
    "critical, data loss, breaking change, downtime, gdpr, pii, compliance, sensitive",
  refactor:
    "refactor*, restructur*, reorgani*, rewrit*, rewrote, moderni*, consolidat*, technical debt, tech debt, decoupl*, " +
    "modulari*, dedupl*, clean up",
  why: "why, how come, what causes, what caused",
  tests: "test, tested, testing, tdd, coverage, e2e",
  irreversible:
    "irreversibl*, purg*, wipe, wiping, permanently, " +
    "hard delete, force push, delete all, delete every, rm rf, data migration, database migration, schema migration, " +
    "production data, production database",
} as const satisfies Record<string, string>

export type WeightGroup = keyof typeof WEIGHT_WORDS
