import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createExtractiveGenerator, type ExtractiveGeneratorOptions } from '../../src/adapters/extractive-generator.ts'
import type { Chunk } from '../../src/core/evidence/chunk.ts'
import { aPassage } from '../fixtures/evidence.ts'
import { growth, PROPORTION } from '../growth.ts'

interface Page {
  readonly text: string
  readonly title?: string
  readonly section?: string
  readonly convex?: number
}

async function quote(
  question: string,
  pages: readonly (string | Page)[],
  options?: ExtractiveGeneratorOptions,
): Promise<string> {
  const chunks = pages.map((page, at): Chunk => {
    const { text, title, section, convex } = typeof page === 'string' ? { text: page } : page
    const passage = aPassage(`c${at}`, { text, ...(title && { title }), ...(section && { section }) })
    return { ...passage, scores: convex === undefined ? {} : { convex } }
  })
  const generation = await createExtractiveGenerator(options).generate({
    question,
    chunks,
    context: '',
    signal: AbortSignal.timeout(1000),
  })
  const label = options?.closestPassage ?? 'Closest passage'
  const manner = generation.text === '' || generation.text.startsWith(label) ? 'closest' : 'quoted'
  expect(generation).toMatchObject({ manner, complete: true })
  return generation.text
}

describe('a quoted answer', () => {
  it('is the sentence that holds the question, with its source', async () => {
    const pages = [
      'Paint is blue. Brakes squeal.',
      'Tyres wear.\n\nYou start the engine with the red key.\n\nDoors open.',
    ]
    expect(await quote('How do I start the engine?', pages)).toBe('You start the engine with the red key. [2]')
  })

  it.each(['Hello, how long are backups kept? Please.', 'I would like to know how long backups are kept, please.'])(
    'is found whatever is said around the question: %s',
    async (question) => {
      const pages = ['Backups are kept for ninety days.', 'Ledgers are closed in spring.']
      expect(await quote(question, pages)).toBe('Backups are kept for ninety days. [1]')
    },
  )

  it('comes with the other sentences of a short paragraph, but of no other passage', async () => {
    const pages = [
      'The battery starts the engine. It needs charging in winter. Winter kills it.',
      'In winter a heater helps the battery.',
    ]
    expect(await quote('How does the battery start the engine in winter?', pages)).toBe(
      'The battery starts the engine. It needs charging in winter. Winter kills it. [1]',
    )
  })

  it('has no more sentences than told, all of them neighbours', async () => {
    const text = 'Alpha runs. Beta hums loudly. Gamma glows red. Delta sleeps. Epsilon waits.'
    expect(await quote('beta gamma', [text], { maxSentences: 2 })).toBe('Beta hums loudly. Gamma glows red. [1]')
    expect(await quote('beta gamma', [text], { maxSentences: 1 })).toMatch(
      /^Closest passage: (?:Beta|Gamma)[^.]*\. \[1\]$/,
    )
  })

  it('comes from the page about what is asked, not from one that would undo it', async () => {
    const pages = [
      {
        title: 'Delete',
        section: 'Delete with metadata filter',
        text: 'You can delete all vectors with metadata that matches the provided filter.',
        convex: 0.76,
      },
      {
        title: 'Metadata Filtering',
        text: 'You can restrict the search to vectors by a filter on their metadata.',
        convex: 0.7,
      },
    ]
    expect(await quote('How do I filter vectors by metadata?', pages)).toBe(
      'Closest passage, “Metadata Filtering”: You can restrict the search to vectors by a filter on their metadata. [2]',
    )
    expect(await quote('How do I delete vectors by a metadata filter?', pages)).toContain('delete all vectors')
  })

  it('brings the code or the list that its last sentence announces, whole and as it stands', async () => {
    const code = '```sh\nnpm install engine\n```'
    expect(
      await quote('How do I install the engine?', [`Install the engine from the registry:\n\n${code}\n\nDone.`]),
    ).toBe(`Install the engine from the registry: [1]\n\n${code}`)
    const list = '- petrol\n- diesel'
    expect(await quote('Which fuels does the engine take?', [`The engine takes these fuels:\n\n${list}`])).toBe(
      `The engine takes these fuels: [1]\n\n${list}`,
    )
  })

  it('brings every variant of the code, or none', async () => {
    const variants = '```js\nold()\n```\n\n```js\nnow()\n```'
    const told = await quote('How do I call the engine?', [`You can call the engine in your code.\n\n${variants}`])
    expect(told).toBe(`You can call the engine in your code. [1]\n\n${variants}`)
    const long = `\`\`\`js\n${'engine()\n'.repeat(100)}\`\`\``
    expect(await quote('How do I call the engine?', [`You can call the engine in your code.\n\n${long}`])).toBe(
      'You can call the engine in your code. [1]',
    )
  })

  it.each([
    ['tables', '| engine | start |\n|---|---|\n| engine | key |'],
    ['code', '```\nStart the engine with engine.start() and wait for the engine.\n```'],
    ['code whose end was cut off', '```js\nStart the engine by the engine.'],
    ['code that lost its fence', 'const engine = start({ engine: "red" }); engine.start();'],
    ['headings', '# Start the engine.'],
    ['headings in bold letters', '**How to start the engine.**'],
    ['questions', 'How do I start the engine?'],
    ['list items without an end', '- start the engine\n- engine start key'],
    ['halves of sentences', 'start the engine when the engine is cold.'],
    ['badges', '_Start the engine on:_ :engine-red: :engine-blue:'],
    ['tags', '<Note>Start the engine.</Note>'],
    ['imports', 'import { Engine } from "engine" to start the engine.'],
  ])('is never made of %s', async (_, debris) => {
    const told = await quote('How do I start the engine?', [`${debris}\n\nYou start the engine with a key.`])
    // A fence without its end swallows what follows: nothing is quoted then.
    expect(['You start the engine with a key. [1]', 'Closest passage [1]']).toContain(told)
  })

  it('reads a question in a document as the heading of its answer', async () => {
    const text =
      '- **How much does the engine cost?** You pay 500 a month.\n- **What colour is it?** Blue is the colour.'
    const told = await quote('How much does an engine cost to pay for?', [text])
    expect(told).toBe('You pay 500 a month. [1]')
  })

  it('gives a sentence with a figure to who asks how much', async () => {
    const text = 'The engine weighs a lot, as engines do.\n\nThe engine weighs 90 kilograms when empty.'
    expect(await quote('How much does the engine weigh?', [text])).toContain('90 kilograms')
  })

  it.each([
    ['How long is a strong answer cached?', 'A strong answer is cached for one hour.'],
    ['How often is the oil drained?', 'The oil is drained daily.'],
    ['How old may the oil be?', 'The oil may be used for `90 d` at most.'],
    ['How many doors has the engine?', 'The engine has two doors.'],
  ])('to %j need not repeat the word that asks for an amount', async (question, said) => {
    expect(await quote(question, [said])).toBe(`${said} [1]`)
  })

  it.each([
    ['How long is a strong answer cached?', 'A strong answer is cached in memory.'],
    ['How long is a strong answer cached?', 'A strong answer is cached by `sha256`, as one would.'],
    ['How long is a strong answer cached?', 'A strong answer is cached under [its key](page-2).'],
  ])('to %j must say an amount: not %j', async (question, said) => {
    expect(await quote(question, [said])).toBe(`Closest passage: ${said} [1]`)
  })

  it('that holds all of several words needs no heading that says so', async () => {
    const page = { section: 'Miscellaneous remarks about winter', text: 'The red key starts the engine.' }
    expect(await quote('Does the red key start the engine?', [page])).toBe('The red key starts the engine. [1]')
  })

  it('to how something is done stands under a heading that says so, where there is a heading', async () => {
    const under = (section: string) =>
      quote('How do I start the engine?', [{ section, text: 'You start the engine with the red key.' }])
    expect(await under('Starting the engine')).toBe('You start the engine with the red key. [1]')
    expect(await under('Remarks about winter')).toMatch(/^Closest passage/)
    expect(await under('Starting the engine of a boat')).toMatch(/^Closest passage/)
  })

  it.each([
    ['Which key starts the engine?', 'The engine starts with the key that is named Red.'],
    ['When does the engine start?', 'The lamp is on when the engine starts.'],
    ['When does the engine start?', 'The engine of a friend starts before noon.'],
    ['Where does the engine start?', 'The engine starts in the garage.'],
    ['Who may start the engine?', 'The engine may be started by:\n\n- nobody'],
    ['What happens when the engine starts?', 'The lamp is on when the engine starts.'],
  ])('to %j is none: too many sentences hold its words', async (question, text) => {
    expect(await quote(question, [text])).toMatch(/^Closest passage/)
  })

  it.each([
    ['When does the engine start?', 'The engine starts before noon.'],
    ['When is a question refused?', 'A question is refused when its confidence is low.'],
  ])('to %j says when, behind what was asked', async (question, said) => {
    expect(await quote(question, [said])).toBe(`${said} [1]`)
  })

  it('to how one thing is done is said to be for just that, whatever the heading', async () => {
    const said = (purpose: string) => `To ${purpose}, run the command \`engine remove\`.`
    const under = (purpose: string) => quote('How do I uninstall it?', [{ section: 'Red keys', text: said(purpose) }])
    expect(await under('uninstall')).toBe(`${said('uninstall')} [1]`)
    expect(await under('uninstall the heater')).toMatch(/^Closest passage/)
  })

  it('is only the closest passage where the gate advises', async () => {
    const text = 'You start the engine with the red key.'
    const asked = {
      question: 'How do I start the engine?',
      chunks: [{ ...aPassage('c0', { text }), scores: {} }],
      context: '',
    }
    const answer = await createExtractiveGenerator().generate({
      ...asked,
      caution: 'The evidence is moderate.',
      signal: AbortSignal.timeout(1000),
    })
    expect(answer.text).toMatch(/^Closest passage/)
  })

  it('to what something is is not a condition about it, nor a pointer to another page', async () => {
    const pages = ['If the flywheel is missing, stop.', 'Useful with a flywheel, see [here](flywheel.md).']
    expect(await quote('What is a flywheel?', pages)).toMatch(/^Closest passage/)
    expect(await quote('What is a flywheel?', [...pages, 'A flywheel is a heavy wheel.'])).toContain('a heavy wheel')
  })

  it.each([
    ['of one word only', 'How do I run it every day by itself?', 'You can run the check on a given day of the week.'],
    ['by a story', 'What do I do when the drive is not plugged in?', 'You might plug in the drive now and then.'],
  ])('to how something is done, %s, is none', async (_, question, said) => {
    expect(await quote(question, [{ section: 'Engine, day, drive', text: said }])).toMatch(/^Closest passage/)
  })

  it('to how something is done may tell to do it in a few words', async () => {
    expect(await quote('How do I turn the key to start?', ['Turn the *key* to start.'])).toBe(
      'Turn the *key* to start. [1]',
    )
    expect(await quote('How do I find the key to start?', ['Keys start in red and end in blue.'])).toMatch(/^Closest/)
  })

  it('reads what a definition list says of a term, to its end', async () => {
    const text = ': Port of the engine’s database.\n\nDefaults to `5432` for Postgres.'
    expect(await quote('Which port has the database of the engine?', [text])).toContain(
      'Port of the engine’s database. Defaults to `5432` for Postgres. [1]',
    )
  })

  it.each([
    [
      'that it can be done',
      'How do I transfer a project to an account?',
      'You can transfer whole projects between accounts.',
    ],
    ['what else is done', 'How do I tag a photo?', 'To view photos with a tag, click on the `tag` of a photo.'],
    ['what comes before', 'How do I install the engine?', 'Before you install the engine, you can read its `manual`.'],
    [
      'with another verb',
      'How do I rename an account?',
      'You can open an account by clicking on the account in the list.',
    ],
    ['advice', 'Does the engine need oil at night?', 'You may want to give the engine the oil that it needs at night.'],
    ['of another word', 'Is there a REST API?', 'The API and the rest of it is there.'],
    ['of one, not of the same', 'Can two cars have the same engine?', 'Cars have two doors and an engine.'],
    ['about a person', 'Who may start the engine?', 'Start: **all** keys of the engine may start it.'],
  ])('does not say what was asked: %s', async (_, question, text) => {
    expect(await quote(question, [text])).toMatch(/^Closest passage/)
  })

  it('gives a reason to who asks why', async () => {
    const text = 'The engine stops at noon, every day of the week.\n\nThe engine stops because it overheats.'
    expect(await quote('Why does the engine stop?', [text])).toBe('The engine stops because it overheats. [1]')
  })

  it('does not let a document’s own numbers read like citations', async () => {
    expect(await quote('Does the engine start at noon?', ['The engine starts [7] at noon.'])).toBe(
      'The engine starts (7) at noon. [1]',
    )
  })

  it('trusts a passage less, the further its score is from the best', async () => {
    const pages = (convex: number) => [
      { text: 'Oil keeps every engine going for years.', convex: 0.8 },
      { text: 'You start the engine with the red key.', convex },
    ]
    expect(await quote('How do I start the engine?', pages(0.75))).toBe('You start the engine with the red key. [2]')
    expect(await quote('How do I start the engine?', pages(0.1))).toMatch(/^Closest passage/)
  })
})

describe('a section whose heading says what is asked', () => {
  const CODE = '```sh\nengine start --red\n```'
  const LIST = '- petrol\n- diesel'

  it('is quoted from its beginning, with the lists and code behind, up to what is no text', async () => {
    const text = `Starting the engine\n\n> New in 2.0\n\nTurn the *red* key.\n\n${CODE}\n\nFill it with one of these:\n\n${LIST}\n\n![An engine](engine.png)\n\nWait.`
    expect(await quote('How do I start the engine?', [{ section: 'Starting the engine', text }])).toBe(
      `Turn the *red* key. [1]\n\n${CODE}\n\nFill it with one of these:\n\n${LIST}`,
    )
  })

  it('is not quoted to a sentence that only leads on, nor beyond the sentences allowed', async () => {
    const section = 'Starting the engine'
    const text = `Turn the *red* key. Wait for it.\n\nThen fill it with one of these:\n\n![Fuels](fuels.png)`
    const asked = 'How do I start the engine?'
    expect(await quote(asked, [{ section, text }])).toBe('Turn the *red* key. Wait for it. [1]')
    const two = `Turn the *red* key.\n\nWait for it.\n\nFill it.`
    expect(await quote(asked, [{ section, text: two }], { maxSentences: 2 })).toBe(
      'Turn the *red* key. [1]\n\nWait for it.',
    )
  })

  it.each([
    ['points elsewhere', 'See the [*key* page](key.md) for the engine.'],
    ['leads to what is not quoted', 'Turn the *key*, as you see below.\n\n| key | red |'],
    ['does not tell how', 'An engine that is started burns oil.'],
    ['is a remark', 'Note: turn the *key* with care.'],
    ['is warned of', ':::danger\n\nTurn the *red* key.'],
    ['is taken back', 'Turn the *red* key.\n\nHowever, that does not work.\n\n'.repeat(2)],
    ['is a list', '- Turn the *red* key.\n\nWait for it.'],
  ])('is the closest passage when its beginning %s', async (_, text) => {
    expect(await quote('How do I start the engine?', [{ section: 'Starting the engine', text }])).toMatch(/^Closest/)
  })

  it.each([
    ['How do I turn off the red lamp?', 'Turning the red lamp on', 'Turn the *red* lamp on.'],
    ['How do I host the red lamp?', 'Where is the red lamp hosted?', 'Choose a host of the red lamp in *Hosts*.'],
    ['How do I make a red lamp?', 'Red lamps', 'Red lamps are made known by *signs* that you can buy.'],
    [
      'How do I change how many lamps are lit?',
      'Lamps',
      'You can change how many lamps are lit: 12 lamps are lit by default.',
    ],
    ['Who has access to all lamps?', 'Access to lamps', 'Those with access to lamps are none of all.'],
  ])('is about that, and about nothing else: %j is not %j', async (question, section, text) => {
    expect(await quote(question, [{ section, text }])).toMatch(/^Closest passage/)
  })

  it('may be a question of the same kind in other words', async () => {
    const page = { section: 'Why is the lamp red?', text: 'The factory has paint of one kind.' }
    expect(await quote('Why is a lamp red?', [page])).toBe('The factory has paint of one kind. [1]')
  })

  it('is trusted less, the further its score is from the best', async () => {
    const text = 'Turn the *red* key.'
    const pages = (convex: number) => [
      { text: 'Engines are loud.', convex: 0.9 },
      { section: 'Starting the engine', text, convex },
    ]
    expect(await quote('How do I start the engine?', pages(0.8))).toBe('Turn the *red* key. [2]')
    expect(await quote('How do I start the engine?', pages(0.3))).toMatch(/^Closest passage/)
  })
})

describe('what a sentence stands in', () => {
  const PASSWORDS = 'How should I store passwords in the database?'
  const PLAIN = 'Store passwords in plain text in the database, where you can read them.'

  it('a list item is quoted behind what leads to the list', async () => {
    const text = 'You can start the engine in one of two ways.\n\n- Turn the red key.\n- Let it roll, downhill.'
    expect(await quote('How do I start the engine by rolling downhill?', [text])).toContain(
      'You can start the engine in one of two ways. [1]\n\n- Let it roll, downhill.',
    )
  })

  it.each([
    ['a list', `You must never do any of the following:\n\n- ${PLAIN}\n- Share it.`],
    ['a list without a colon', `The following will void your warranty.\n\n- ${PLAIN}`],
    ['a list whose announcement has more sentences', `Never do these. Each of them is dangerous.\n\n- ${PLAIN}`],
    ['the second part of a list', `You must never do these:\n\n- Share it.\n\n\`\`\`sh\nshare\n\`\`\`\n\n- ${PLAIN}`],
    ['an item behind a paragraph of another', `You must never do these:\n\n- Share.\n\n  It is secret.\n\n- ${PLAIN}`],
    ['an item within an item', `Of passwords:\n\n- You must never do these:\n  - ${PLAIN}`],
    ['an item within an item, apart', `Of passwords:\n\n- You must never do these:\n\n  - ${PLAIN}`],
    ['a paragraph behind a colon', `What you must never do:\n\n${PLAIN}`],
    ['a heading in bold letters', `Passwords are secret.\n\n**What you must never do**\n\n${PLAIN}`],
    ['a list under such a heading', `Passwords are secret.\n\n**Never**\n\n- ${PLAIN}`],
  ])('what forbids stands before what is forbidden: %s', async (_, text) => {
    const told = await quote(PASSWORDS, [text])
    expect(told).toMatch(/^Closest passage/)
    if (told.includes(PLAIN)) expect(told).toMatch(/(?:[Nn]ever|void).*Store passwords/s)
  })

  it.each([
    ['Wrong:', `Wrong: ${PLAIN}`],
    ['a cross', `❌ ${PLAIN}`],
    ['a directive', `:::danger\n\n${PLAIN}\n\n:::`],
    ['a label in bold letters', `**Don't:** ${PLAIN}`],
    ['what takes it back', `${PLAIN} Not so: hash them.`],
    ['what takes it back in the next paragraph', `${PLAIN}\n\nThis is wrong.`],
    ['what takes it back behind code', `${PLAIN}\n\n\`\`\`sql\nselect 1\n\`\`\`\n\nDon't do this.`],
    ['a belief', 'Many people think that you can store passwords in plain text in the database.'],
    ['the past', `In older versions you can store passwords in plain text in the database.`],
    ['a list that may be cut off', `- ${PLAIN}`],
    ['a list behind a table', `| Never |\n|---|\n\n- ${PLAIN}`],
    ['what it refers to elsewhere', `They can be used to store passwords in plain text in the database.`],
    ['an exception', `However, you can store passwords in plain text in the database.`],
    ['a case that nobody asked about', `On a laptop, you can store passwords in plain text in the database.`],
    ['brackets', `(You can store passwords in plain text in the database.)`],
  ])('is no answer with %s', async (_, text) => {
    expect(await quote(PASSWORDS, [text])).toMatch(/^Closest passage/)
    expect(await quote(PASSWORDS, ['You can store passwords in the database by hashing them.'])).not.toMatch(/^Closest/)
  })

  it.each(['What not to do', 'Deprecated', 'Common mistakes', 'Migrating from version 1', 'Known limitations'])(
    'is no answer under the heading %j, which is named',
    async (section) => {
      const told = await quote(PASSWORDS, [{ section, text: `${section}\n\nYou can store passwords in the database.` }])
      expect(told).toMatch(/^Closest passage, “/)
      expect(told).toContain(section)
    },
  )

  it('a heading that warns is what some ask for', async () => {
    const page = {
      section: 'Common mistakes',
      text: 'Common mistakes when starting are a cold engine and an empty tank.',
    }
    expect(await quote('What are common mistakes when starting?', [page])).toContain('a cold engine')
    const upgrade = { section: 'Upgrading the engine', text: 'You can upgrade the engine with the blue kit.' }
    expect(await quote('How do I upgrade the engine?', [upgrade])).toBe(
      'You can upgrade the engine with the blue kit. [1]',
    )
  })

  it('the limit of the old version is not that of the new', async () => {
    const text =
      'In the old version these limits hold.\n\n- An upload has 10 MB at most.\n\nIn the new version these limits hold.\n\n- An upload may be larger.'
    const told = await quote('How large may an upload be?', [text])
    expect(told).toMatch(/^Closest passage/)
    expect(told).toMatch(/old version.*10 MB/s)
  })

  it('“No.” is quoted with the question that it answers', async () => {
    const told = await quote('Does the engine run without oil?', [
      '**Can I run the engine without oil?** No. The engine needs oil.',
    ])
    expect(told).toBe('Can I run the engine without oil? No. The engine needs oil. [1]')
  })

  it.each([
    ['with bars outside', '| Key | Use |\n|---|---|\n| red | You start the engine with the red key. |'],
    ['without them', 'Key | Use\n--- | ---\nRed | You start the engine with the red key, never with another one.'],
    ['cut off from its header', 'Blue | You start the engine with the blue key, but only to see whether it breaks.'],
  ])('a row of a table is not quoted: %s', async (_, text) => {
    expect(await quote('How do I start the engine?', [text])).toBe('Closest passage [1]')
  })
})

describe('code in a quote', () => {
  it('stays as it is, brackets and spaces too', async () => {
    const code = '```js\nconst first = uploads[0]  // [1]\n```'
    expect(await quote('How do I read the first upload?', [`You can read the first upload [2] so:\n\n${code}`])).toBe(
      `You can read the first upload (2) so: [1]\n\n${code}`,
    )
    expect(
      await quote('How do I read the first upload?', ['You can read the first upload by `uploads[0]  ` [3, 4].']),
    ).toBe('You can read the first upload by `uploads[0]  ` (3, 4). [1]')
  })
})

describe('where no sentence answers', () => {
  it('the closest passage is named, and what is nearest in it quoted', async () => {
    const page = { title: 'Engines', section: 'Engines › Winter', text: 'Winter\n\nIn winter the oil is thick.' }
    expect(await quote('Which battery survives a cold winter?', [page])).toBe(
      'Closest passage, “Engines › Winter”: In winter the oil is thick. [1]',
    )
  })

  it('the words for it can be changed', async () => {
    const text = await quote('zebra', ['Erster Satz.'], { closestPassage: 'Nächste Stelle' })
    expect(text).toBe('Nächste Stelle: Erster Satz. [1]')
  })

  it('a passage without a sentence is only named, and without evidence there is no text', async () => {
    expect(await quote('engine', [{ title: 'Table', text: '| engine | start |' }])).toBe('Closest passage, “Table” [1]')
    expect(await quote('engine', [])).toBe('')
  })

  it('headings alone make no answer', async () => {
    const page = { title: 'Engine start', section: 'Engine start', text: 'Please turn to the next page for all of it.' }
    expect(await quote('How does the engine start?', [page])).toMatch(/^Closest passage/)
  })
})

describe('createExtractiveGenerator', () => {
  it('quotes only what stands in the passage, word for word, whatever is asked', async () => {
    const sentence = fc.constantFrom(
      'The engine starts.',
      'Oil burns [3] slowly.',
      '- Keys open doors.',
      '```\ncode()\n```',
      'Use this:',
      '| a | b |',
      '# Doors',
      'Is it red?',
      'Dr. Smith drives.',
      '<b>',
      '1. First, wait.',
    )
    const gap = fc.constantFrom(' ', '\n', '\n\n')
    const text = fc.array(fc.tuple(sentence, gap), { maxLength: 12 }).map((parts) => parts.flat().join(''))
    const flat = (value: string): string =>
      value
        .replaceAll(/\[(\d+)\]/g, '($1)')
        .replaceAll(/\s+/g, ' ')
        .replaceAll(/(^|\s)(?:(?:[-*+>]|\d+\.)\s)+/g, '$1')
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 3 }), async (texts) => {
        const told = await quote('How do I start the engine with oil and keys?', texts)
        const [, said = '', at = '', behind = ''] = /^(?:Closest passage:? ?)?(.*?) ?\[(\d)\](.*)$/s.exec(told) ?? []
        const source = flat(texts[Number(at) - 1] ?? '')
        for (const line of [said, ...behind.split('\n')]) expect(source).toContain(flat(`${line} `).trim())
      }),
    )
  })

  const ODD = ['a ', '[', '`', '- **x** ', '**', 'Engine? ', '.', '\n', '```\n', 'If a', 'a', 'aB', '# a ', '?)', ' ']
  it.each([...ODD, '**a** ', 'x(', '"'])('takes time in proportion to a passage of %j', async (unit) => {
    expect(await growth((text) => quote('How do I start the engine?', [`# x ${text}y`]), unit, 96_000)).toBeLessThan(
      PROPORTION,
    )
  })

  it('names itself, for the answer key', () => {
    expect(createExtractiveGenerator().model).toBe('extractive/7')
  })
})
