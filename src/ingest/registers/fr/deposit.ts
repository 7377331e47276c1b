/** Accounts as they were deposited: the same from XML and from JSON, every field as its text stands. */
export interface Deposit {
  readonly identity: Readonly<Partial<Record<IdentityField, string>>>
  /** Another place where the record says when it was deposited. */
  readonly filedAgain?: string
  readonly lines: readonly Line[]
}

/** The fields of `identite` that are read: their names in XML by those in JSON. */
export const identityFields = {
  siren: 'siren',
  dateClotureExercice: 'date_cloture_exercice',
  dateClotureExerciceNMoins1: 'date_cloture_exercice_n-1',
  dureeExerciceN: 'duree_exercice_n',
  dureeExerciceNMoins1: 'duree_exercice_n-1',
  codeGreffe: 'code_greffe',
  numDepot: 'num_depot',
  numGestion: 'num_gestion',
  dateDepot: 'date_depot',
  codeTypeBilan: 'code_type_bilan',
  codeDevise: 'code_devise',
  codeConfidentialite: 'code_confidentialite',
  denomination: 'denomination',
} as const

export type IdentityField = keyof typeof identityFields

export const isIdentityField = (name: string): name is IdentityField => Object.hasOwn(identityFields, name)

/** Kinds of accounts that are read: complete, consolidated, simplified. */
export type FormCode = 'C' | 'K' | 'S'

/** The amounts of a line, m1 to m4; an empty text is no amount. */
export type Amounts = readonly [string, string, string, string]

export interface Line {
  readonly page: number
  readonly code: string
  readonly amounts: Amounts
}

interface Page {
  /** Which of m1 to m4 is the year's amount, and which that of the year before: indexes into `Amounts`. */
  readonly year: number
  readonly before: number
  readonly tags: Readonly<Record<string, readonly string[]>>
}

const net = { year: 2, before: 3 } as const
const plain = { year: 0, before: 1 } as const
const own = (form: FormCode, ...codes: string[]) =>
  Object.fromEntries(codes.map(code => [`${form}:${code}`, [code]]))

const assets = (form: FormCode) => ({ ...net, tags: own(form, 'CO', 'CJ', 'CF') })

/** Where each form states what is read: pages, their columns, and the codes whose amounts a tag adds up. Assets have the
 * columns gross, written down, net, net of the year before; a code means something else on another page. */
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

/** Pages with the income statement: where a company keeps it confidential, nothing on them counts. */
export const incomePages: Readonly<Record<FormCode, readonly number[]>> = { C: [3, 4], K: [3, 4], S: [2] }
