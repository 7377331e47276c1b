// Loaded in the head: a theme that is set after the first paint would make the page flash.
const root = document.documentElement
const systemIsDark = matchMedia('(prefers-color-scheme: dark)')
const themeName = 'asfiled-theme'

// A browser that blocks storage throws here. The theme is then not remembered.
function themeStorage() {
  try {
    return localStorage
  } catch {
    return null
  }
}

let theme = themeStorage()?.getItem(themeName) ?? ''

function applyTheme() {
  const dark = theme === '' ? systemIsDark.matches : theme === 'dark'
  // Swagger UI recognises the first of these classes.
  root.classList.toggle('dark-mode', dark)
  root.classList.toggle('light-mode', !dark)
}

applyTheme()
systemIsDark.addEventListener('change', applyTheme)

addEventListener('DOMContentLoaded', () => {
  const select = document.querySelector('#theme')
  select.value = theme
  select.addEventListener('change', () => {
    theme = select.value
    if (theme === '') themeStorage()?.removeItem(themeName)
    else themeStorage()?.setItem(themeName, theme)
    applyTheme()
  })
})
