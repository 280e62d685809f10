/** `addBlockedBy` as a flag has it: `add-blocked-by`. */
export function kebab(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
