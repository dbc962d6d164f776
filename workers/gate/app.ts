/** The application, without its routes: `index.ts` mounts them, and what they are made of asks it again. */
import { Hono } from 'hono/tiny'
import type { GateBindings } from './bindings.ts'

export const app = new Hono<{ Bindings: GateBindings }>()
