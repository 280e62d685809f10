const MAX_LENGTH = 200

/**
 * A name of any kind as the name of a file: two different ones never meet, and none leads out of its folder. What is no
 * letter, digit, '.', '_' or '-' is written as its bytes (`%2F`).
 */
export function fileName(name: string): string {
  return encode(name, /[A-Za-z0-9._-]/)
}

/** The same, also for disks on which `A` and `a` are one name: capitals are written as bytes, too. */
export function caseSafeName(name: string): string {
  return encode(name, /[a-z0-9._-]/)
}

function encode(name: string, plain: RegExp): string {
  const letters = Array.from(new TextEncoder().encode(name), (byte) => {
    const letter = String.fromCharCode(byte)
    return plain.test(letter) ? letter : percent(byte)
  })
  const encoded = letters.join("")
  // `.` and `..` are folders, and the empty name is none at all.
  const safe = /^\.+$/.test(encoded) ? encoded.replaceAll(".", "%2E") : encoded || "%"
  if (safe.length <= MAX_LENGTH) return safe
  const hash = new Bun.CryptoHasher("sha256").update(name).digest("hex")
  return `${safe.slice(0, MAX_LENGTH - hash.length)}${hash}`
}

function percent(byte: number): string {
  return `%${byte.toString(16).toUpperCase().padStart(2, "0")}`
}
