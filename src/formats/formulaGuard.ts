/** Matches white space and invisible characters first, because programs that trim a cell find the formula
 * after them. Then = + - @, including their full-width and small forms from East Asian fonts, which
 * spreadsheets accept as well. */
const startsFormula =
  /^'*(?:[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]*[=+\-@＝＋－＠﹦﹢﹣﹫]|[\t\r\n])/u
/** The same after a character that some spreadsheets treat as a separator, beginning the next cell. */
const startsFormulaInside =
  /([;\t\r\n])(?=['\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]*[=+\-@＝＋－＠﹦﹢﹣﹫])/gu
const guardInside =
  /([;\t\r\n])'(?=['\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]*[=+\-@＝＋－＠﹦﹢﹣﹫])/gu
const isNumber = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/
const hasSeparator = /[;\t\r\n]/

/** A spreadsheet would run text that starts with = + - @, a tab or a line break as a formula. Unless it is a
 * number, such text gets a leading apostrophe, and so does such a part after a semicolon, a tab or a line
 * break. */
export function withFormulaGuard(text: string): string {
  const led = startsFormula.test(text) && !isNumber.test(text) ? `'${text}` : text
  return hasSeparator.test(led) ? led.replace(startsFormulaInside, "$1'") : led
}

/** Reverses `withFormulaGuard`: the text without the apostrophes that it added. */
export function withoutFormulaGuard(cell: string): string {
  const led = hasSeparator.test(cell) ? cell.replace(guardInside, '$1') : cell
  return led.startsWith("'") && startsFormula.test(led) ? led.slice(1) : led
}
