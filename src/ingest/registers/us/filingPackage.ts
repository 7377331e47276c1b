import { Failure } from '../../../errors.ts'
import type {
  FigureContext,
  ReportedFigure,
  Statement,
  WholeFiling,
} from '../../../wholeFilings/wholeFiling.ts'
import { NamedFaults } from '../../reading/namedFaults.ts'
import { decodeText } from '../../reading/text.ts'
import { figuresOf } from '../../xbrl/figures.ts'
import { readInline } from '../../xbrl/inline.ts'
import { readXbrl, type XbrlInstance } from '../../xbrl/instance.ts'
import { type Linkbases, readLinkbases } from '../../xbrl/linkbase.ts'
import { presentationsOf } from '../../xbrl/presentations.ts'
import { type CoverPage, readCoverPage } from './coverPage.ts'

export interface PackageContent {
  readonly filing: WholeFiling
  readonly cover: CoverPage
  /** Figures that could not be read, and figures that the filing itself contradicts, with their documents and lines. */
  readonly faults: NamedFaults
  /** How many of the faults are figures that could not be read and are not in `filing`. */
  readonly unreadFigures: number
  /** The documents that the package lacks, such as a linkbase or an instance's schema. */
  readonly missing: readonly string[]
}

const declaresInline = /xmlns:[\w.-]+\s*=\s*["']http:\/\/www\.xbrl\.org\/20\d\d\/inlineXBRL["']/

interface PackageDocument {
  readonly name: string
  readonly bytes: Uint8Array
}

/**
 * Reads a filing from the documents of its `*-xbrl.zip`: an inline report or an instance, its schema and its
 * linkbases. Statements are in the order of the SEC's renderer, which sorts roles by their titles. If a document
 * cannot be read, throws a Failure that names the document and the line, so that a filing is never stored in part.
 */
export function readFilingPackage(accession: string, documents: readonly PackageDocument[]): PackageContent {
  const xml: { name: string; text: string }[] = []
  const inline: { name: string; text: string }[] = []
  for (const document of documents) {
    if (/\.(xml|xsd)$/i.test(document.name)) xml.push(textOf(document))
    else if (/\.x?html?$/i.test(document.name)) {
      const page = textOf(document)
      if (declaresInline.test(page.text)) inline.push(page)
    }
  }
  const linked = xml.filter(({ text }) => /<(\w+:)?(linkbase|schema)[\s>]/.test(text.slice(0, 4_000)))
  const instances = xml.filter(({ text }) => /<(\w+:)?xbrl[\s>]/.test(text.slice(0, 4_000)))
  if (inline.length === 0 && instances.length !== 1)
    throw new Failure(
      'body_invalid',
      `The package has ${instances.length} instances and no inline report; it must have one.`,
    )
  const linkbases = readLinkbases(linked)
  const documentNames = inline.length > 0 ? inline.map(({ name }) => name) : [instances[0].name]
  const instance = inline.length > 0 ? readInline(inline) : readInstance(instances[0])
  const names = new ConceptNames(linkbases, documentNames[0])
  const faults = new NamedFaults()
  const figures = figuresOf(instance, {
    spell: name => names.expanded(name),
    fault: (line, text) => faults.add(`${documentNames.join(', ')}, line ${line}: ${text}`),
  })
  const unreadFigures = faults.count
  noteContradictions(figures, faults)
  const presentations = presentationsOf(linkbases, { conceptOfId, language: 'en' })
  const missing = [
    ...(presentations.statements.length === 0 ? ['a presentation linkbase'] : []),
    ...(linkbases.labels.size === 0 ? ['a label linkbase'] : []),
    ...(linkbases.titles.size === 0 ? ['the titles of its statements'] : []),
  ]
  const filing: WholeFiling = {
    accession,
    taxonomies: names.taxonomies,
    figures,
    statements: presentations.statements.toSorted(byTitle),
    sums: presentations.sums,
    defaultMembers: presentations.defaultMembers,
  }
  return { filing, cover: readCoverPage(instance), faults, unreadFigures, missing }
}

function textOf({ name, bytes }: PackageDocument): { name: string; text: string } {
  try {
    return { name, text: decodeText(bytes, 'utf-8') }
  } catch (error) {
    if (error instanceof Failure) throw new Failure(error.code, `${name}: ${error.message}`)
    throw error
  }
}

function readInstance({ name, text }: { readonly name: string; readonly text: string }): XbrlInstance {
  try {
    return readXbrl(text)
  } catch (error) {
    if (error instanceof Failure) throw new Failure(error.code, `${name}, ${error.message}`)
    throw error
  }
}

/** Matches the namespaces of taxonomies that many companies use, and captures the part that names the taxonomy. */
const standardNamespace =
  /^https?:\/\/(?:fasb\.org|xbrl\.us|xbrl\.sec\.gov|xbrl\.ifrs\.org\/taxonomy\/[\d-]+)\/([a-z-]+)(?:\/|$)/

/** Spells the concepts of a filing with prefixes. */
class ConceptNames {
  readonly taxonomies = new Map<string, string>()
  readonly #prefixes: ReadonlyMap<string, string>
  readonly #fileName: string
  readonly #names = new Map<string, string>()

  constructor({ prefixes }: Linkbases, instanceName: string) {
    this.#prefixes = prefixes
    this.#fileName = instanceName
  }

  /** Spells a name in the form `{namespace}name`. Other texts are members of typed dimensions, even with a brace in them. */
  expanded(name: string): string {
    const known = this.#names.get(name)
    if (known !== undefined) return known
    const [, namespace, local] = /^\{([^}]*)\}(.*)$/s.exec(name) ?? ['', '', name]
    const spelled = namespace === '' ? local : `${this.#prefixOf(namespace)}:${local}`
    this.#names.set(name, spelled)
    return spelled
  }

  /**
   * The prefix that schemas use for a namespace. If the company's schema is missing, its prefix is taken from the
   * beginning of the instance's name, as the SEC requires: `nflx-20091231.xml`.
   */
  #prefixOf(namespace: string): string {
    const standard = standardNamespace.exec(namespace)?.[1]
    const own = /([^/]+?)[-_]\d{8}[^/]*$/.exec(this.#fileName)?.[1] ?? 'custom'
    const prefix = this.#prefixes.get(namespace) ?? standard ?? own
    const known = this.taxonomies.get(prefix)
    if (known === undefined) this.taxonomies.set(prefix, namespace)
    return prefix
  }
}

/** `us-gaap_Assets` becomes `us-gaap:Assets`. No prefix contains an underscore. */
const conceptOfId = (id: string) => id.replace('_', ':')

/**
 * Notes figures that are stated more than once with values that rounding does not explain. All of them are
 * kept.
 */
function noteContradictions(figures: readonly ReportedFigure[], faults: NamedFaults): void {
  const first = new Map<string, Map<FigureContext, ReportedFigure>>()
  for (const figure of figures) {
    if (figure.value === null) continue
    const key = `${figure.concept} ${figure.unit}`
    const byContext = first.get(key) ?? new Map<FigureContext, ReportedFigure>()
    first.set(key, byContext)
    const other = byContext.get(figure.context)
    if (other === undefined) byContext.set(figure.context, figure)
    else if (!agree(figure, other))
      faults.add(`${figure.concept} is stated as ${other.value} and as ${figure.value} for the same period`)
  }
}

/** True if some number, rounded to the accuracy of each figure, gives both values. */
function agree(a: ReportedFigure, b: ReportedFigure): boolean {
  if (a.value === b.value) return true
  const slack = (decimals: number | null) =>
    decimals === null || decimals === Number.POSITIVE_INFINITY ? 0 : 0.5 * 10 ** -decimals
  const allowed = slack(a.decimals) + slack(b.decimals)
  const difference = Math.abs(Number(a.value) - Number(b.value))
  return difference <= allowed * (1 + 1e-9)
}

/** Statements without a title come last, in the order of the linkbase. */
function byTitle({ title: a }: Statement, { title: b }: Statement): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1
  return a < b ? -1 : a > b ? 1 : 0
}
