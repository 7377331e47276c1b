import { html } from '../../html.ts'
import { documentPage } from './documentPage.ts'

/** The page /docs: Swagger UI on /openapi.json, and above it the one field for a key. api.js fills both with life. */
export const apiPage = (): string =>
  documentPage({
    title: 'API',
    section: 'API',
    styles: ['swagger-ui.css', 'api.css'],
    scripts: ['swagger-ui-bundle.js', 'api.js'],
    layout: 'bare',
    main: html`<noscript><p>This page needs scripts. The same content as JSON: <a href="/openapi.json">/openapi.json</a>.</p></noscript>
<div class="key" hidden>
<label for="key">API key</label>
<input id="key" type="password" placeholder="demo" autocomplete="off" autocapitalize="off" spellcheck="false" aria-describedby="key-use">
<button id="key-show" type="button" aria-pressed="false" aria-controls="key">Show</button>
<p id="key-use" role="status"></p>
</div>
<div id="swagger-ui"></div>`,
  })
