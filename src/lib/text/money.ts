/** `$0.42`. People count in cents; what is less than one says so, and is never shown as nothing. */
export function money(dollars: number): string {
  return dollars > 0 && dollars < 0.005 ? "<$0.01" : `$${dollars.toFixed(2)}`
}
