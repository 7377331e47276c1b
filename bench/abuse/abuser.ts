import { runAbuse } from './abuse.ts'
import { isKind, type KindName, kinds } from './kinds/all.ts'

interface Abuser {
  /** How often each outcome came, once it has ended by itself. */
  readonly ended: Promise<Readonly<Record<string, number>>>
}

/** Starts a kind of abuse in a process of its own, so that it does not use the time of the client that is measured.
 * Resolves when its bodies are made and it begins. */
export async function startAbuser(kind: KindName, port: number, ms: number): Promise<Abuser> {
  // `nice`: a crowd does not share the processor with the server.
  const child = Bun.spawn(['nice', '-n', '19', 'bun', import.meta.path, kind, `${port}`, `${ms}`], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
    // The process should end on its own. This is for one that does not.
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
