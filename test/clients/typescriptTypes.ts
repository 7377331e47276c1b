import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { errorCodes } from '../../src/errors.ts'
import { testDatabase } from '../database.ts'
import { testServer } from '../http/testServer.ts'

/** The generated file of the TypeScript client. After a change of the API write it again: `bun test/clients/typescriptTypes.ts`. */

const root = resolve(import.meta.dir, '../..')
export const typesFile = join(root, 'clients/typescript/src/openapi.ts')

/** The specification of the server, without the headers of its responses: openapi-fetch does not type them. */
async function readSpecification(): Promise<object> {
  const database = await testDatabase()
  const server = await testServer(database.sql)
  const response = await fetch(`${server.url}/openapi.json`)
  const document: {
    paths: Record<string, Record<string, { responses: Record<string, { headers?: object }> }>>
  } = await response.json()
  await server.stop()
  await database.close()
  for (const methods of Object.values(document.paths))
    for (const { responses } of Object.values(methods))
      for (const answer of Object.values(responses)) delete answer.headers
  return document
}

const header = `// Generated from /openapi.json by openapi-typescript, and from the list of error codes. A change here is lost.

/** Every code of an error. /docs/errors explains them. */
export const errorCodes = ${JSON.stringify(errorCodes)} as const
export type ErrorCode = (typeof errorCodes)[number]

`

const binary = /("application\/vnd\.apache\.(?:parquet|arrow\.stream)"): string;/g

/** What the file has to contain for this API. */
export async function generateTypes(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'asfiled-types-'))
  try {
    const specification = join(folder, 'openapi.json')
    await Bun.write(specification, JSON.stringify(await readSpecification()))
    const generator = join(root, 'node_modules/openapi-typescript/bin/cli.js')
    const preload = join(root, 'test/http/docs/typescript5.ts')
    const target = join(folder, 'openapi.ts')
    const child = Bun.spawn(['bun', '--preload', preload, generator, specification, '-o', target], {
      cwd: root,
      stdout: 'ignore',
      stderr: 'pipe',
    })
    const [faults, code] = await Promise.all([new Response(child.stderr).text(), child.exited])
    if (code !== 0) throw new Error(faults)
    const types = await Bun.file(target).text()
    // A body of Parquet or Arrow is bytes, for which OpenAPI has no type of its own.
    return header + types.replace(binary, '$1: Uint8Array | Blob;')
  } finally {
    await rm(folder, { recursive: true })
  }
}

if (import.meta.main) {
  await Bun.write(typesFile, await generateTypes())
  process.exit(0)
}
