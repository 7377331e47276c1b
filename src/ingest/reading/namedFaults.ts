/** Things that an import has to say about single figures: how many there are, and the first of them by their place. */
export class NamedFaults {
  count = 0
  readonly named: string[] = []

  /** @param figures that have this fault */
  add(text: string, figures = 1): void {
    if (figures <= 0) return
    this.count += figures
    if (this.named.length < maxNamed) this.named.push(text)
  }

  /** Takes in those of one document. */
  merge(document: string, { count, named }: Pick<NamedFaults, 'count' | 'named'>): void {
    this.count += count
    for (const text of named) if (this.named.length < maxNamed) this.named.push(`${document}: ${text}`)
  }

  /** Takes in those of another part of an import. */
  addAll({ count, named }: Pick<NamedFaults, 'count' | 'named'>): void {
    this.count += count
    for (const text of named) if (this.named.length < maxNamed) this.named.push(text)
  }
}

const maxNamed = 20
const maxLength = 60

/** A value as a message shows it. */
export function shown(value: unknown): string {
  if (value === undefined) return 'missing'
  if (typeof value === 'number' && !Number.isFinite(value)) return 'a number beyond 1.8e308'
  const text = JSON.stringify(value) ?? String(value)
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
}
