/** Makes the OpenAPI description from the table of operations. */
import type { Json } from 'hono-rag-gate/core/lib'
import type { Scope } from 'hono-rag-gate/ports'
import type { Schema } from './schema.ts'

/** A response of a route, by status. */
export interface Answer {
  readonly about: string
  /** Schema of the JSON body; absent if there is none. */
  readonly body?: Schema
  /** Whether `format=csv` returns the rows as a table. */
  readonly csv?: true
  /** Whether the response is also available as server-sent events. */
  readonly events?: true
  /** Media type of a text response. */
  readonly text?: string
}

/** Request and responses of a route. */
export interface Operation {
  readonly method: 'get' | 'post' | 'put' | 'delete'
  /** With parameters in braces, such as `/v1/decisions/{id}`. */
  readonly path: string
  readonly about: string
  /** Required scope; `none` for public routes. */
  readonly scope: Scope | 'none'
  /** Query parameters, optional unless the name ends with `!`. */
  readonly query?: Readonly<Record<string, Schema>>
  /** The JSON body. */
  readonly takes?: Schema
  readonly answers: Readonly<Record<number, Answer>>
}

/** Version of the description, which is that of the statistics' responses. */
const VERSION = '1'

/** The OpenAPI document of operations. @see https://spec.openapis.org/oas/v3.1.1.html */
export function describeApi(operations: readonly Operation[], schemas: Readonly<Record<string, Schema>>): Json {
  const paths: Record<string, Record<string, Json>> = {}
  for (const each of operations) {
    paths[each.path] = { ...paths[each.path], [each.method]: operationOf(each) }
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'hono-rag-gate',
      version: VERSION,
      description: 'A gate in front of a language model: questions, documents, policies, statistics.',
    },
    paths,
    components: {
      schemas,
      responses: { Error: { description: 'What went wrong', content: json({ $ref: '#/components/schemas/Error' }) } },
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    },
  }
}

function operationOf({ method, path, about, scope, query = {}, takes, answers }: Operation): Json {
  const inPath = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  const inQuery = Object.entries(query).map(([name, { description = '', ...schema }]) => ({
    name: name.replace(/!$/, ''),
    in: 'query',
    required: name.endsWith('!'),
    description,
    schema,
  }))
  const parameters = [...inPath, ...inQuery]
  return {
    operationId: `${method} ${path}`.replaceAll(/[^a-z]+/gi, '_').replace(/_$/, ''),
    summary: about,
    ...(scope === 'none' ? {} : { description: `Needs the scope ${scope}.` }),
    security: scope === 'none' ? [{}, { bearer: [] }] : [{ bearer: [] }],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(takes === undefined ? {} : { requestBody: { required: true, content: json(takes) } }),
    responses: {
      ...Object.fromEntries(
        Object.entries(answers).map(([status, { about: description, body, csv, events, text }]) => [
          status,
          {
            description,
            ...(body === undefined
              ? {}
              : {
                  content: {
                    ...json(body),
                    ...(csv ? plain('text/csv') : {}),
                    ...(events ? plain('text/event-stream') : {}),
                  },
                }),
            ...(text === undefined ? {} : { content: plain(text) }),
          },
        ]),
      ),
      default: { $ref: '#/components/responses/Error' },
    },
  }
}

function plain(mediaType: string): Record<string, Json> {
  return { [mediaType]: { schema: { type: 'string' } } }
}

function json(schema: Schema): Record<string, Json> {
  return { 'application/json': { schema } }
}
