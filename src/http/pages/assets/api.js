const field = document.querySelector('#key')
const show = document.querySelector('#key-show')
const use = document.querySelector('#key-use')
const keyName = 'asfiled-key'

// A browser that blocks storage throws here. The key then lasts until the page is left.
function keyStorage() {
  try {
    return sessionStorage
  } catch {
    return null
  }
}

const key = () => field.value.trim()

/** Sends the key of the field with each request from now on; demo where the field is empty. */
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

// Swagger UI scrolls to links within the page itself, and leaves the focus where it is.
document.querySelector('.skip').addEventListener('click', () => document.querySelector('#main').focus())

const isError = status => /^[45]/.test(status)

/** What this page changes in Swagger UI. */
const changes = ({ React: { createElement: make } }) => ({
  wrapComponents: {
    // The field for the key replaces these buttons.
    authorizeBtn: () => () => null,
    authorizeOperationBtn: () => () => null,

    // An operation has up to a dozen errors. The page of errors explains them all.
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

    // The command would show a key that its field hides.
    curl: Original => props => {
      const sent = props.request.getIn(['headers', 'Authorization'])
      const shown = sent === undefined || sent === 'Bearer demo' ? sent : 'Bearer <API_KEY>'
      return make(Original, { ...props, request: props.request.setIn(['headers', 'Authorization'], shown) })
    },
  },
})

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
