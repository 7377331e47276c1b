import type { Register } from '../register.ts'
import { concepts, krRules } from './concepts.ts'
import { readTogether } from './readDocument.ts'

/** OpenDART. */
export const kr: Register = {
  market: 'KR',
  name: 'OpenDART (Korea)',
  rules: krRules,
  documentNames: /\.(json|jsonl|xml)$/i,
  mapping: `2 ${JSON.stringify(concepts)}`,
  readDocument: document => readTogether()(document),
  readTogether,
  explainingNames: /(^|\/)company_\d{8}(-\d+)?\.json$/,
  help: `
  corpCode.zip, CORPCODE.xml   all companies; those with a stock code are served
  *_CFS.json, *_OFS.json       answers of fnlttSinglAcntAll, consolidated and not
  *.jsonl, *.jsonl.gz          many of them, one a line, each with its request as \`_request\`
  *.json                       overviews (company.json), one or an array: the board and the closing month
  a folder or a zip            every .json, .jsonl and .xml in it

Statements have no dates. Give the overviews of companies whose years do not end in December with their statements, in
any order; without one December is assumed where the days of receipt bear it out. Other reports are left out, and are
read again by the next import.

Example:
  asfiled import kr corpCode.zip fnlttSinglAcntAll/`,
}
