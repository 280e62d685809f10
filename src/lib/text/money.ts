/** `$0.42`. An amount below one cent is shown as `<$0.01`, never as nothing. */
export function money(dollars: number): string {
  return dollars > 0 && dollars < 0.005 ? "<$0.01" : `$${dollars.toFixed(2)}`
}
