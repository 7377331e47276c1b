import { readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Static, TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { Failure } from '../../errors.ts'
import { DefaultManifest, Manifest } from '../../model/market.ts'
import { checkCosts, checkManifest } from './checkManifest.ts'
import { type CostTable, costTable } from './costTable.ts'
import { listMetrics, type ServedMetric } from './listMetrics.ts'

export interface Markets {
  readonly codes: readonly string[]
  readonly manifests: readonly Manifest[]
  /** Every metric of every market by name, in the order of the coverage index. */
  readonly metrics: ReadonlyMap<string, ServedMetric>
  readonly costs: CostTable
  get(code: string): Manifest | undefined
}

const shippedFolder = new URL('../../../manifests/', import.meta.url)
const defaultFile = 'default.yaml'

/** Reads and checks every manifest. All faults are reported at once, each with its file and path. */
export async function loadMarkets(folder: URL | string = shippedFolder): Promise<Markets> {
  const path = folder instanceof URL ? fileURLToPath(folder) : folder
  const files = (await readdir(path)).filter(name => name.endsWith('.yaml')).sort()
  const faults: string[] = []
  const manifests: Manifest[] = []
  let fallback: DefaultManifest | undefined
  for (const file of files) {
    const text = await Bun.file(`${path.replace(/\/$/, '')}/${file}`).text()
    if (file === defaultFile) {
      fallback = parse(file, text, DefaultManifest, faults)
      if (fallback) checkCosts(file, fallback.costs, faults)
      continue
    }
    const manifest = parse(file, text, Manifest, faults)
    if (manifest === undefined) continue
    checkManifest(file, manifest, faults)
    manifests.push(manifest)
  }
  if (!files.includes(defaultFile))
    faults.push(`${defaultFile}: missing; it holds the costs of rows without a market`)
  if (faults.length > 0 || fallback === undefined) {
    throw new Failure('internal', `The manifests need mending:\n  ${faults.join('\n  ')}`)
  }
  return assemble(manifests, fallback)
}

function assemble(manifests: Manifest[], fallback: DefaultManifest): Markets {
  manifests.sort((a, b) => (a.code < b.code ? -1 : 1))
  const byCode = new Map(manifests.map(manifest => [manifest.code, manifest]))
  return Object.freeze({
    codes: manifests.map(manifest => manifest.code),
    manifests,
    metrics: listMetrics(manifests),
    costs: costTable(manifests, fallback),
    get: (code: string) => byCode.get(code),
  })
}

function parse<S extends TSchema>(
  file: string,
  text: string,
  schema: S,
  faults: string[],
): Static<S> | undefined {
  let parsed: unknown
  try {
    parsed = Bun.YAML.parse(text)
  } catch (error) {
    faults.push(`${file}: not YAML: ${error instanceof Error ? error.message : String(error)}`)
    return undefined
  }
  if (Value.Check(schema, parsed)) return parsed
  for (const fault of Value.Errors(schema, parsed)) {
    faults.push(`${file}: ${fault.path || '/'}: ${fault.message}`)
  }
  return undefined
}
