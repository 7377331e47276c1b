import type { SaxesTagNS } from 'saxes'
import { readXml } from '../reading/readXml.ts'
import { type Deposit, type IdentityField, identityFields } from './deposit.ts'
import type { Line } from './forms.ts'

const namespace = 'fr:inpi:odrncs:bilansSaisisXML'
const fieldOf = new Map<string, IdentityField>()
for (const [field, name] of Object.entries(identityFields)) fieldOf.set(name, field as IdentityField)

const mostDepth = 20
const mostLines = 1_000_000
/** No name or number of a deposit is longer. */
const longestText = 10_000

/** Reads `bilans/bilan/{identite, detail/page/liasse}` in one pass. A DOCTYPE is refused: entities could be bombs or name
 * files. */
export function depositsOfXml(text: string): Deposit[] {
  const reader = new DepositReader()
  readXml(text, reader)
  return reader.deposits
}

type Identity = Partial<Record<IdentityField, string>>

class DepositReader {
  readonly deposits: Deposit[] = []
  readonly #path: string[] = []
  #identity: Identity = {}
  #lines: Line[] = []
  #page = Number.NaN
  #text = ''
  #linesRead = 0

  open({ uri, local, attributes }: SaxesTagNS): string | null {
    if (this.#path.length === 0 && (local !== 'bilans' || uri !== namespace)) {
      return `the document is no list of accounts: it opens with ${local} and not with bilans of ${namespace}`
    }
    if (this.#path.length >= mostDepth) return `elements lie deeper than ${mostDepth} in one another`
    this.#path.push(uri === namespace ? local : '')
    this.#text = ''
    switch (this.#path.join('/')) {
      case 'bilans/bilan':
        this.#identity = {}
        this.#lines = []
        return null
      case 'bilans/bilan/detail/page':
        this.#page = pageOf(attributes.numero?.value)
        return Number.isNaN(this.#page) ? 'a page without a number' : null
      case 'bilans/bilan/detail/page/liasse': {
        if (++this.#linesRead > mostLines) return `more than ${mostLines} lines`
        const code = attributes.code?.value.trim()
        if (!code) return 'a line (liasse) without a code'
        const amount = (name: string) => attributes[name]?.value.trim() ?? ''
        const amounts = [amount('m1'), amount('m2'), amount('m3'), amount('m4')] as const
        this.#lines.push({ page: this.#page, code, amounts })
        return null
      }
      default:
        return null
    }
  }

  text(piece: string): void {
    if (this.#text.length < longestText) this.#text += piece
  }

  close(): string | null {
    const path = this.#path.join('/')
    const local = this.#path.pop() ?? ''
    if (path === 'bilans/bilan') {
      this.deposits.push({ identity: this.#identity, lines: this.#lines })
    } else if (path === `bilans/bilan/identite/${local}`) {
      const field = fieldOf.get(local)
      if (field !== undefined) {
        if (this.#identity[field] !== undefined) return `identite says ${local} twice`
        this.#identity[field] = this.#text.trim()
      }
    }
    this.#text = ''
    return null
  }
}

const pageOf = (text: string | undefined) => (/^\d{1,3}$/.test(text ?? '') ? Number(text) : Number.NaN)
