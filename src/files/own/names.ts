const MAX_LENGTH = 200

/** Unique, and never outside of its folder. Other characters become bytes (`%2F`). */
export function fileName(name: string): string {
  return encode(name, /[A-Za-z0-9._-]/)
}

/** For disks that do not tell `A` from `a`: capitals become bytes too. */
export function caseSafeName(name: string): string {
  return encode(name, /[a-z0-9._-]/)
}

function encode(name: string, plain: RegExp): string {
  const letters = Array.from(new TextEncoder().encode(name), (byte) => {
    const letter = String.fromCharCode(byte)
    return plain.test(letter) ? letter : percent(byte)
  })
  const encoded = letters.join("")
  const safe = /^\.+$/.test(encoded) ? encoded.replaceAll(".", "%2E") : encoded || "%"
  if (safe.length <= MAX_LENGTH) return safe
  const hash = new Bun.CryptoHasher("sha256").update(name).digest("hex")
  return `${safe.slice(0, MAX_LENGTH - hash.length)}${hash}`
}

function percent(byte: number): string {
  return `%${byte.toString(16).toUpperCase().padStart(2, "0")}`
}
