/** A setting as it may be shown: the password of a database address is nobody's business but the database's. */
export function maskPassword(text: string): string {
  return text.replace(/(:\/\/[^:@/\s]*:)[^\s]*@/, "$1***@").replace(/([?&]password=)[^&\s]*/gi, "$1***")
}
