import { runAbuse } from './abuse.ts'
import { isKind, type KindName, kinds } from './kinds/all.ts'

interface Abuser {
  /** Resolves when the process has ended by itself, to how often each outcome occurred. */
  readonly ended: Promise<Readonly<Record<string, number>>>
}

/** Starts one kind of abuse in its own process, so that it does not take processor time from the measured client.
 * Resolves when its bodies are ready and the abuse begins. */
export async function startAbuser(kind: KindName, port: number, ms: number): Promise<Abuser> {
  // Runs with `nice`, because real abusers do not share a processor with the server.
  const child = Bun.spawn(['nice', '-n', '19', 'bun', import.meta.path, kind, `${port}`, `${ms}`], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
    // The process should end by itself; the timeout ends one that does not.
    timeout: ms + 120_000,
  })
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const readUntil = async (mark: string) => {
    while (!text.includes(mark)) {
      const { done, value } = await lines.read()
      if (done) throw new Error(`The abuser ${kind} ended early: ${text}`)
      text += value
    }
  }
  await readUntil(begun)
  const ended = readUntil('}\n').then(() => JSON.parse(text.slice(text.indexOf('{'))))
  return { ended }
}

const begun = 'begun\n'

if (import.meta.main) {
  const [kind = '', port, ms] = Bun.argv.slice(2)
  if (!isKind(kind)) throw new Error(`There is no kind of abuse ${kind}.`)
  const attack = kinds[kind].prepare()
  process.stdout.write(begun)
  console.log(JSON.stringify(await runAbuse(attack, Number(port), Number(ms))))
  process.exit(0)
}
