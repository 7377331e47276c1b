import { readZipFiles, packageNames, filingsOf } from './ingest/registers/us/packages.ts'
import { readFilingPackage } from '../src/ingest/registers/us/filingPackage.ts'
import { kindOfStatement } from '../src/wholeFilings/kindOfStatement.ts'
for (const name of packageNames) {
  const files = await readZipFiles(`filings/${name}`)
  const { filing } = readFilingPackage('0', files!)
  for (const s of filing.statements) { const k = kindOfStatement(s); if (k) console.log('  ', s.title, k, s.parenthetical, s.title===null? s.role+s.lines.map(l=>l.concept).join():'') }
}
for (const set of ['2009q3','20250701']) {
  const files = await readZipFiles(`fsds/${set}.zip`)
  const fs = filingsOf(files!)
  const m: Record<string, number> = {}
  const ex: Record<string,string[]> = {}
  for (const f of fs) for (const s of f.statements) { if (s.parenthetical) continue
    const k = `${s.kind}->${kindOfStatement({ ...s, kind: null })}`; m[k]=(m[k]??0)+1
    ;(ex[k]??=[]).push(f.accession+' '+s.role+' '+s.lines.map(l=>l.concept.split(':')[1]).slice(0,14).join(' ')) }
  console.log(set, fs.length, m)
  for (const k of Object.keys(ex)) { const [a,b]=k.split('->'); if (a!==b && a!=='UN') console.log(k, '\n   ', ex[k].slice(0,4).join('\n    ')) }
}
