/** The `licence` field of every response to a free or demo key. */
export const freeLicenceNotice =
  'Supplied under the Free Licence: for evaluation and personal use, with attribution; no redistribution.'
