import { derivationVersionOf } from '../derivationVersion.ts'
import type { Register } from '../registerInterface.ts'
import { concepts, rules } from './concepts.ts'
import { createReader, readKoreanReport } from './readDocument.ts'

/** OpenDART. */
export const krRegister: Register = {
  market: 'KR',
  name: 'OpenDART (Korea)',
  concepts,
  rules,
  documentNames: /\.(json|jsonl|xml)$/i,
  derivationVersion: derivationVersionOf(import.meta.path),
  readDocument: readKoreanReport,
  createReader,
  explainingNames: /(^|\/)company_\d{8}(-\d+)?\.json$/,
  help: `
  corpCode.zip, CORPCODE.xml   All companies; those with a stock code are served
  *_CFS.json, *_OFS.json       Responses of fnlttSinglAcntAll, consolidated and separate
  *.jsonl, *.jsonl.gz          Many of them, one per line, each with its request as \`_request\`
  *.json                       Overviews (company.json), one or an array: the board and the closing month
  A folder or a zip            Every .json, .jsonl and .xml in it

Statements have no dates. Import the overviews of companies whose years do not end in December together with their
statements, in any order. Without an overview, December is assumed where the receipt dates support it. Other reports are
left out and read again by the next import.

Example:
  ./asfiled import kr corpCode.zip fnlttSinglAcntAll/`,
}
