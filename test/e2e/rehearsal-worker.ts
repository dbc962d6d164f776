/** A Worker whose requests are rehearsed while it starts; it answers with what became of them. */
import { rehearse } from '../../src/middleware/rehearse.ts'

const answered = await rehearse()

export default { fetch: () => Response.json(answered) }
