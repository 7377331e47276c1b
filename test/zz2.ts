import { OwnTexts } from "../src/wholeFilings/texts.ts"
import { openFigures } from "../src/wholeFilings/figureBlock.ts"
import { realPackages } from './features/statements/importWhole.ts'
import { Terms } from '../src/wholeFilings/terms.ts'
import { encodeFigures, decodeFigures } from '../src/wholeFilings/figureBlock.ts'
import { encodePresentation, decodePresentation } from '../src/wholeFilings/presentationBlock.ts'
import { chooseStatement } from '../src/wholeFilings/kindOfStatement.ts'
import { knownStatement } from '../src/wholeFilings/knownStatement.ts'
import { layOutStatement } from '../src/wholeFilings/layOut.ts'
const time = (n: string, f: () => void) => { for (let i=0;i<100;i++) f(); const t=performance.now(); for (let i=0;i<200;i++) f(); console.log(n, ((performance.now()-t)/200).toFixed(3),'ms') }
for (const { whole } of (await realPackages())!) {
  const terms = new Terms(whole.figures.map(f=>f.concept).filter((c,i,a)=>a.indexOf(c)===i && c.startsWith('us-gaap')))
  const b = encodeFigures(whole, terms); const p = encodePresentation(whole, terms, b.ownTexts)
  console.log(whole.figures.length, b.bytes.length, p.length, b.ownTexts.length)
  time('figures', () => decodeFigures(b.bytes, terms))
  time('presentation', () => decodePresentation(p, terms, new OwnTexts(b.ownTexts)))
  const c = chooseStatement(whole, 'IS')!
  time('choose', () => chooseStatement(whole, 'IS'))
  time('lay', () => layOutStatement(whole, c.statement))
  time('known', () => knownStatement([{...whole, statement: c.statement}]))
  const set = new Set(['us-gaap:NetIncomeLoss'])
  time('one', () => openFigures(b.bytes, terms).figuresOf(set))
}
