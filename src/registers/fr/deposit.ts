import type { Line } from './forms.ts'

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
