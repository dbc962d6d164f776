/** A button that saves what a path answers as a file, and says so where it cannot. */
import { save } from './api.js'
import { el } from './dom.js'

export function saveButton(path, parameters, name) {
  const failed = el('span', { className: 'quiet', role: 'status' })
  const button = el(
    'button',
    {
      type: 'button',
      onclick: async () => {
        failed.textContent = ''
        button.disabled = true
        await save(path, parameters, name).catch((thrown) => (failed.textContent = ` ${thrown.message}`))
        button.disabled = false
      },
    },
    'Save as CSV',
  )
  return el('p', { className: 'save' }, button, failed)
}
