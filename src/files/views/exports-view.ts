export interface MirrorFacts {
  readonly folder: string
  readonly written: number
  readonly removed: number
  readonly unchanged: number
}

export function describeMirror({ folder, written, removed, unchanged }: MirrorFacts): string {
  const parts = [`${written} written`, ...(removed > 0 ? [`${removed} removed`] : []), `${unchanged} unchanged`]
  return `${folder}: ${parts.join(", ")}`
}
