/** What one run of `bun test` says: its exit code, the counts at the end of its output, and the tests that its JUnit report calls failed. */
export interface Outcome {
  readonly code: number
  readonly passed: number
  readonly failed: number
  /** Errors outside of any test, such as a file that cannot be loaded. The report does not have them. */
  readonly errors: number
  readonly failures: readonly Failure[]
}

interface Failure {
  readonly file: string
  readonly name: string
  readonly message: string
}

export function outcomeOf(code: number, output: string, report: string): Outcome {
  const plain = Bun.stripANSI(output)
  const count = (word: string) =>
    Number([...plain.matchAll(new RegExp(`^ *(\\d+) ${word}s?$`, 'gm'))].at(-1)?.[1] ?? 0)
  const cases = report.matchAll(/<testcase ([^>]*[^/])>\s*<failure ([^>]*)>/g)
  const failures = [...cases].map(([, test, failure]) => ({
    file: attribute(test, 'file'),
    name: [attribute(test, 'classname'), attribute(test, 'name')].filter(part => part !== '').join(' > '),
    message: attribute(failure, 'message').trim(),
  }))
  return { code, passed: count('pass'), failed: count('fail'), errors: count('error'), failures }
}

/** The files that may run once more. None where the report does not explain the exit code: the run was stopped, a file could not be
 * loaded, or a failure is missing from the report. A second run of the rest would hide that. */
export function failedFiles({ code, failed, errors, failures }: Outcome): readonly string[] {
  const explained = code !== 0 && errors === 0 && failed > 0 && failed === failures.length
  return explained ? [...new Set(failures.map(({ file }) => file))] : []
}

/** The end of the output: what failed, what became of it alone, and the counts of both runs together. */
export function summary(first: Outcome, again?: Outcome): string {
  const passesAlone = again?.code === 0
  const lines = first.failures.map(({ file, name, message }) => {
    const outcome = passesAlone ? 'failed among the others, passes alone' : 'failed'
    return `${outcome}: ${file}: ${name}\n${message.slice(0, 1_000).replace(/^/gm, '    ')}`
  })
  const passed = first.passed + (passesAlone ? first.failed : 0)
  const failed = passesAlone ? 0 : Math.max(1, first.failed)
  return ['', ...lines, '', ` ${passed} pass`, ` ${failed} fail`].join('\n')
}

function attribute(text: string, name: string): string {
  const value = new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(text)?.[1] ?? ''
  return value
    .replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&apos;/g, "'")
    .replace(/&amp;/g, '&')
}
