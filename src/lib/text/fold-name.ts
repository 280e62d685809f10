const MAX_LENGTH = 64

/** A name as an id: letters, digits, '.', '_' and '-'. Different names may give the same id. */
export function foldName(name: string, fallback: string): string {
  const id = name
    .replace(/[^A-Za-z0-9._-]/gu, "-")
    .replace(/\.{2,}/g, ".")
    .replace(/^[._-]+/, "")
    .slice(0, MAX_LENGTH)
    .replace(/(\.lock|\.)+$/, "")
  return id === "" ? fallback : id
}

/**
 * A name as an id, where names in other scripts stay apart: they end with a short hash. Accents are left out, so that
 * Latin names stay readable. Plain ASCII is only folded.
 */
export function foldApart(name: string, fallback: string): string {
  return /^[\0-\x7f]*$/.test(name) ? foldName(name, fallback) : foldWithHash(name, fallback)
}

/** The id with a hash of the whole name, for a name that must not meet another one. */
export function foldWithHash(name: string, fallback: string): string {
  const plain = name.normalize("NFKD").replace(/\p{M}/gu, "")
  const readable = foldName(plain, "")
    .replace(/-{2,}/g, "-")
    .slice(0, MAX_LENGTH - HASH_LENGTH - 1)
    .replace(/[-._]+$/, "")
  const hash = new Bun.CryptoHasher("sha256").update(name.normalize("NFC")).digest("hex").slice(0, HASH_LENGTH)
  return `${readable === "" ? fallback : readable}-${hash}`
}

const HASH_LENGTH = 6
