import { decodeUtf8, parseJson } from '../reading/parseJson.ts'
import { parseJsonLines } from '../reading/parseJsonLines.ts'
import type { DocumentContent, Register, SourceDocument } from '../register.ts'
import { concepts, krRules } from './concepts.ts'
import { parseCorpCode } from './corpCode.ts'
import { readDocument } from './readDocument.ts'

function read({ name, bytes }: SourceDocument): DocumentContent {
  if (/\.xml$/i.test(name)) return parseCorpCode(decodeUtf8(bytes))
  if (/\.jsonl$/i.test(name)) return readDocument(parseJsonLines(bytes), name)
  const document = parseJson(bytes)
  const answers = Array.isArray(document)
    ? document.map((one, index) => ({ document: one, place: `answer ${index + 1}: ` }))
    : [{ document, place: '' }]
  return readDocument(answers, name)
}

/** OpenDART. */
export const kr: Register = {
  market: 'KR',
  name: 'OpenDART (Korea)',
  rules: krRules,
  documentNames: /\.(json|jsonl|xml)$/i,
  mapping: `1 ${JSON.stringify(concepts)}`,
  readDocument: read,
  help: `
  corpCode.zip, CORPCODE.xml   all companies; those with a stock code are served
  *_CFS.json, *_OFS.json       answers of fnlttSinglAcntAll, consolidated and not
  *.jsonl, *.jsonl.gz          many of them, one a line, each with its request as \`_request\`
  *.json                       overviews (company.json), one or an array: the board and the closing month
  a folder or a zip            every .json, .jsonl and .xml in it

Statements have no dates. Give a company's overview in one .jsonl with its statements where its year does not end in
December; without it December is assumed where the days of receipt bear it out, and other reports are left out.

Example:
  asfiled import kr corpCode.zip fnlttSinglAcntAll/`,
}
