/** Describes what is wrong with a file in words for its sender. The text of any other exception never reaches
 * a client. */
export class FileFault extends Error {}

/** The file would take more memory than its reader can use. */
export class FileTooLarge extends FileFault {}

/** @param what the part of the file that contradicts itself */
export const damage = (what: string) =>
  new FileFault(`it is damaged: ${what}; write it again as plain Parquet`)

export const damaged = 'it is damaged, or of a kind that is not supported; write it again as plain Parquet'
