/** A Worker whose requests are rehearsed while it starts; it answers with what became of them. */
import { balanced } from '../../src/presets/balanced/balanced.ts'
import { rehearse } from '../../src/middleware/rehearse.ts'

const answered = await rehearse(balanced())

export default { fetch: () => Response.json(answered) }
