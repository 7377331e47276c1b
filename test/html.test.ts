import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { html } from '../src/html.ts'

test('what is put in is text: it opens no tag, ends no attribute and names no entity', () => {
  expect(html`<p title="${'"><b>'}">${`<script>alert('1')</script> & &amp;`}</p>`.text).toBe(
    '<p title="&quot;&gt;&lt;b&gt;">&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt; &amp; &amp;amp;</p>',
  )
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), text => {
      const written = html`${text}`.text
      expect(written).not.toMatch(/[<>"']/)
      expect(written).not.toMatch(/&(?!(amp|lt|gt|quot|#39);)/)
      expect(written.isWellFormed()).toBe(true)
    }),
  )
})

test('markup stays markup, lists are joined, and nothing is written for null, undefined and false', () => {
  const items = ['a<', 'b'].map(item => html`<li>${item}</li>`)
  expect(html`<ul>${items}</ul>${null}${undefined}${false}${0}`.text).toBe(
    '<ul><li>a&lt;</li><li>b</li></ul>0',
  )
})
