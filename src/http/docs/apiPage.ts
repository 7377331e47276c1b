import { html } from '../../html.ts'
import { documentPage } from './documentPage.ts'

/** The page /docs: Swagger UI for /openapi.json, with a single field for the API key above it. api.js makes
 * both work. */
export const apiPage = (): string =>
  documentPage({
    title: 'API',
    section: 'API',
    styles: ['swagger-ui.css', 'api.css'],
    scripts: ['swagger-ui-bundle.js', 'api.js'],
    layout: 'bare',
    main: html`<noscript><p>This page needs JavaScript. <a href="/openapi.json">/openapi.json</a> has the same content as JSON.</p></noscript>
<div class="key" hidden>
<label for="key">API key</label>
<input id="key" type="password" placeholder="demo" autocomplete="off" autocapitalize="off" spellcheck="false" aria-describedby="key-use">
<button id="key-show" type="button" aria-pressed="false" aria-controls="key">Show</button>
<p id="key-use" role="status"></p>
</div>
<div id="swagger-ui"></div>`,
  })
