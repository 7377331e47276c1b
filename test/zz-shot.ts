import { openChromium } from './chromium.ts'
const b = await openChromium('/usr/bin/chromium')
let n=0
for (const [name,url,w,h,scheme,full,js] of JSON.parse(process.argv[2]) as any) {
  const c = await b.newContext({viewport:{width:w,height:h},colorScheme:scheme??'light',javaScriptEnabled:js??true,extraHTTPHeaders:{'X-Forwarded-For':`10.9.0.${n++}`}})
  const p = await c.newPage()
  p.on('pageerror', e=>console.log(name,'ERR',e.message)); p.on('console', m=>console.log(name,'C',m.text()))
  await p.goto('http://127.0.0.1:4217'+url)
  await p.waitForTimeout(400)
  if (typeof full==='string') await p.evaluate(full)
  await p.waitForTimeout(200)
  await p.screenshot({path:`/tmp/cells-shots/${name}.png`, fullPage: full===true})
  await c.close()
}
await b.close()
