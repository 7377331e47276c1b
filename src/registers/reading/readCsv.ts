import { CsvError, parse } from 'csv-parse/sync'
import { Failure } from '../../errors.ts'

/** No line of a register's file is longer: text blocks of reports have some hundred kilobytes. */
const longestRecord = 16 * 1024 * 1024

/** The rows of a delimited file by RFC 4180, each as wide as the first. What is wrong is said with its line.
 *
 * @param firstLine where the rows begin, 1 for the top of the file */
export function readCsv(text: string, delimiter: ',' | ';' | '\t', firstLine = 1): string[][] {
  try {
    return parse(text, {
      delimiter,
      bom: true,
      from_line: firstLine,
      skip_empty_lines: true,
      max_record_size: longestRecord,
    })
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw new Failure('body_invalid', `${error.message.replace(/\.?$/, '')} (${error.code}).`)
  }
}
