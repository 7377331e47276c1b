/** Kinds of accounts that are read: complete, consolidated, simplified. */
export type FormCode = 'C' | 'K' | 'S'

interface Page {
  /** Which of m1 to m4 holds the year's amount and which the prior year's: indexes into `Amounts`. */
  readonly year: number
  readonly before: number
  readonly tags: Readonly<Record<string, readonly string[]>>
}

const net = { year: 2, before: 3 } as const
const plain = { year: 0, before: 1 } as const
const own = (form: FormCode, ...codes: string[]) =>
  Object.fromEntries(codes.map(code => [`${form}:${code}`, [code]]))

const assets = (form: FormCode) => ({ ...net, tags: own(form, 'CO', 'CJ', 'CF') })

/**
 * Where each form states the figures that are read: pages, their columns, and the codes that a tag adds up.
 * Assets have the columns gross, depreciation, net, and net of the prior year. The same code means something
 * else on another page.
 */
export const forms: Readonly<Record<FormCode, Readonly<Record<number, Page>>>> = {
  C: {
    1: assets('C'),
    2: { ...plain, tags: own('C', 'DL', 'EC', 'DR') },
    3: { ...net, tags: own('C', 'FJ', 'FL', 'GG') },
    4: { ...plain, tags: own('C', 'HN') },
  },
  K: {
    1: assets('K'),
    2: { ...plain, tags: own('K', 'DL', 'EC') },
    3: { ...net, tags: own('K', 'FJ', 'FL', 'GG') },
    4: { ...plain, tags: own('K', 'R6', 'R8') },
  },
  S: {
    1: { ...net, tags: own('S', '110', '142', '154', '176', '096', '084') },
    2: { ...plain, tags: { ...own('S', '270', '310'), 'S:210+214+218': ['210', '214', '218'] } },
  },
}

/** Pages of the income statement: if a company keeps it confidential, nothing on them counts. */
export const incomePages: Readonly<Record<FormCode, readonly number[]>> = { C: [3, 4], K: [3, 4], S: [2] }
