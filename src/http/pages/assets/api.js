const field = document.querySelector('#key')
const show = document.querySelector('#key-show')
const use = document.querySelector('#key-use')
const keyName = 'asfiled-key'

// A browser that blocks storage throws here. The key is then kept only until the page is left.
function keyStorage() {
  try {
    return sessionStorage
  } catch {
    return null
  }
}

const key = () => field.value.trim()

/** Sends the key in the field with each request from now on, or demo if the field is empty. */
function useKey() {
  ui.preauthorizeApiKey('bearer', key() || 'demo')
  use.textContent =
    key() === ''
      ? 'Requests use the public key demo.'
      : 'Requests use your key. It is forgotten when this tab is closed.'
}

field.value = keyStorage()?.getItem(keyName) ?? ''
field.parentElement.hidden = false
field.addEventListener('input', () => {
  if (key() === '') keyStorage()?.removeItem(keyName)
  else keyStorage()?.setItem(keyName, key())
  useKey()
})
show.addEventListener('click', () => {
  const shown = field.type === 'password'
  field.type = shown ? 'text' : 'password'
  show.textContent = shown ? 'Hide' : 'Show'
  show.setAttribute('aria-pressed', String(shown))
})

// Swagger UI handles links within the page itself, but does not move the focus.
document.querySelector('.skip').addEventListener('click', () => document.querySelector('#main').focus())

const isError = status => /^[45]/.test(status)

/** The changes that this page makes to Swagger UI. */
const changes = ({ React: { createElement: make } }) => ({
  wrapComponents: {
    // The field for the key replaces these buttons.
    authorizeBtn: () => () => null,
    authorizeOperationBtn: () => () => null,

    // The heading of an operation is a button, and a link inside a button cannot be reached by a screen reader. The
    // address of the page follows the operation that is opened anyway.
    DeepLink: Original => props =>
      props.path?.includes('/') ? make('span', { className: 'nostyle' }, props.text) : make(Original, props),

    // An operation has up to a dozen errors, which the errors page explains.
    responses: Original => props => {
      const statuses = [...props.responses.keys()]
      const errors = statuses.filter(isError)
      return make(
        'div',
        null,
        make(Original, { ...props, responses: props.responses.filterNot((_, status) => isError(status)) }),
        errors.length > 0 &&
          make(
            'p',
            { className: 'other-answers' },
            make('a', { href: '/docs/errors' }, 'Errors'),
            ` of this operation: ${errors.join(', ')}`,
          ),
      )
    },

    // The command would reveal a key that its field hides.
    curl: Original => props => {
      const sent = props.request.getIn(['headers', 'Authorization'])
      const shown = sent === undefined || sent === 'Bearer demo' ? sent : 'Bearer <API_KEY>'
      return make(Original, { ...props, request: props.request.setIn(['headers', 'Authorization'], shown) })
    },
  },
})

/** Names fields that Swagger UI leaves without a name, and lets the keyboard into boxes that scroll. What remains after this
 * and api.css is Swagger UI's own and cannot be changed from outside: a `main` within that of the page, headings of tags
 * that are h3 without an h2, and responses in a table with the role of a region. axe calls these moderate. */
function mend() {
  for (const field of viewer.querySelectorAll(':is(select, textarea, input):not([aria-label])')) {
    const parameter = field.closest('tr[data-param-name]')?.dataset.paramName
    if (field.matches('.examples-select-element')) field.setAttribute('aria-label', 'Example')
    else if (field.matches('.body-param__text')) field.setAttribute('aria-label', 'Request body')
    else if (parameter !== undefined) field.setAttribute('aria-label', parameter)
  }
  const boxes = [...viewer.querySelectorAll('pre')]
  // All are measured before any is changed: otherwise each would lay out the page again.
  const scrolls = boxes.map(box => box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight)
  for (const [place, box] of boxes.entries()) {
    if (!scrolls[place]) {
      box.removeAttribute('tabindex')
      continue
    }
    box.tabIndex = 0
    box.setAttribute('role', 'group')
    box.setAttribute('aria-label', box.matches('.curl') ? 'Command' : 'Code')
  }
}

const viewer = document.querySelector('#swagger-ui')
let isDue = false
function mendSoon() {
  if (isDue) return
  isDue = true
  requestAnimationFrame(() => {
    isDue = false
    mend()
  })
}
// Swagger UI renders whenever an operation is opened, tried or answered.
new MutationObserver(mendSoon).observe(viewer, { childList: true, subtree: true })
addEventListener('resize', mendSoon)

const ui = SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  defaultModelsExpandDepth: -1,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  validatorUrl: null,
  plugins: [changes],
  onComplete: useKey,
})
