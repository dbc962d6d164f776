/** A button that saves all pages of a path as one file, and reports a failure. */
import { getCsv, type Parameters } from './api.ts'
import { el } from './dom.ts'

export function saveButton(path: string, parameters: Parameters, name: string): HTMLElement {
  const said = el('span', { className: 'quiet', role: 'status' })
  const button = el(
    'button',
    {
      type: 'button',
      onclick: async () => {
        if (button.ariaDisabled === 'true') return
        said.textContent = ''
        // A disabled button would lose the focus.
        button.ariaDisabled = 'true'
        await save(path, parameters, name, (pages) => (said.textContent = ` ${pages} pages …`)).then(
          () => (said.textContent = ''),
          (thrown: Error) => (said.textContent = ` ${thrown.message}`),
        )
        button.ariaDisabled = null
      },
    },
    'Save as CSV',
  )
  return el('p', { className: 'save' }, button, said)
}

async function save(path: string, parameters: Parameters, name: string, tell: (pages: number) => void): Promise<void> {
  const texts: string[] = []
  let cursor: string | undefined
  do {
    const page = await getCsv(path, { ...parameters, cursor })
    // The first line of each page is the header.
    texts.push(texts.length === 0 ? page.text : page.text.slice(page.text.indexOf('\r\n') + 2))
    cursor = page.cursor
    if (texts.length > 1) tell(texts.length)
  } while (cursor !== undefined)
  // Spreadsheets take a file without a byte order mark for one of an 8-bit encoding.
  const link = el('a', {
    href: URL.createObjectURL(new Blob(['\ufeff', ...texts], { type: 'text/csv' })),
    download: name,
  })
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}
