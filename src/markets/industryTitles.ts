import sicCodes from '../../manifests/sec_sic_codes.txt' with { type: 'text' }

const titles = new Map(
  sicCodes.split('\n').flatMap(line => {
    const [, code, title] = /^(\d{4}) (.+)$/.exec(line) ?? []
    return code === undefined || title === undefined ? [] : [[code, title] as const]
  }),
)

/** Abbreviations that the list uses. The list itself is in capitals. */
const abbreviations = /\b(nec|tv|x(?=-ray))\b/g

/** What the register calls a code of its scheme; null if we have no list of it. */
export function industryTitle(scheme: string, code: string): string | null {
  const title = scheme === 'SIC' ? titles.get(code) : undefined
  if (title === undefined) return null
  const lower = title.toLowerCase().replace(abbreviations, word => word.toUpperCase())
  return lower.charAt(0).toUpperCase() + lower.slice(1)
}
