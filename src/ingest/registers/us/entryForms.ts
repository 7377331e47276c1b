/**
 * The forms that determine a filer's state (`filing_role` in the migration 0046_universe.sql): periodic reports, and
 * notices that register or remove a class of securities.
 */
const stateForms =
  /^(10-?[KQ](T|T405|405|SB|SB40)?(\/A)?|20-F(\/A)?|40-F(\/A)?|25|25-NSE|15F?-(12B|12G|15D)|8-A12B)$/

export const decidesState = (form: string): boolean => stateForms.test(form)
