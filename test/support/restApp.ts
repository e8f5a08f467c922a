/** All of REST in memory: requests in, answers out, no socket and no database. */
import { type Context, Effect, Layer, Logger } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { AnswerEnd, type OnAnswerEnd } from "../../src/http/AnswerEnd.ts"
import type { V1Options } from "../../src/http/v1/FaceLive.ts"
import { v1Routes } from "../../src/http/v1/Routes.ts"
import type { LargeAnswersOptions } from "../../src/http/v2/requests/LargeAnswers.ts"
import { type V2Options, v2Routes } from "../../src/http/v2/Routes.ts"
import { newKey, newV1Pair } from "../../src/domain/operator/Keys.ts"
import { permissions } from "../../src/domain/operator/Permission.ts"
import { Access } from "../../src/domain/operator/Access.ts"
import { Secrets } from "../../src/domain/values/Secrets.ts"
import { fakePorts } from "./fakePorts.ts"
import { FakeWorld } from "./fakeRecords.ts"

export const publicUrl = "https://cpo.example"

/** A JSON value as tests look into it. */
// oxlint-disable-next-line typescript/no-explicit-any -- tests read bodies freely, and fail where a field is missing
export type Json = any

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly json: Json
}

export interface Asked {
  readonly key?: string | undefined
  readonly body?: unknown
  /** Sent as it is, instead of `body` as JSON. */
  readonly raw?: string
  readonly headers?: Record<string, string>
  readonly signal?: AbortSignal
}

export type Ask = (method: string, path: string, asked?: Asked) => Promise<Answer>

/** What an organisation got when it was created. */
export interface TestCredentials {
  readonly organisationId: string
  readonly key: string
  readonly clientId: string
  readonly code: string
}

export interface RestApp {
  readonly ask: Ask
  readonly close: () => Promise<void>
  /** Everything that was logged, as text. */
  readonly logged: Array<string>
}

export type RestPorts = Layer.Success<ReturnType<typeof fakePorts>>

const toAnswer = async (response: Response): Promise<Answer> => {
  const text = await response.text()
  const json: Json =
    text !== "" && /json/.test(response.headers.get("content-type") ?? "") ? JSON.parse(text) : undefined
  return { status: response.status, headers: response.headers, text, json }
}

export interface RestOptions {
  readonly allowHttp?: boolean
  readonly largeAnswers?: LargeAnswersOptions
  /** Called for each large answer; without it, an answer ends when it is made. */
  readonly onAnswerEnd?: OnAnswerEnd
  readonly v2?: Partial<V2Options>
  readonly v1?: Partial<V1Options>
  /** The context in which requests are handled, for example to record their statements. */
  readonly context?: Context.Context<never>
}

/** REST with any ports. The header `x-test-plain: yes` marks a request as plain http. */
export const restApp = (ports: Layer.Layer<RestPorts>, options: RestOptions = {}): RestApp => {
  const logged: Array<string> = []
  const logger = Logger.map(Logger.formatJson, (line) => void logged.push(line))
  const routes = Layer.mergeAll(
    v2Routes({
      publicUrl,
      ...(options.largeAnswers === undefined ? {} : { largeAnswers: options.largeAnswers }),
      ...options.v2
    }),
    v1Routes({
      publicUrl,
      isSecure: (request) => request.headers["x-test-plain"] !== "yes",
      allowHttp: options.allowHttp ?? false,
      ...options.v1
    })
  ).pipe(
    Layer.provide(options.onAnswerEnd === undefined ? Layer.empty : Layer.succeed(AnswerEnd, options.onAnswerEnd)),
    Layer.provide(ports),
    Layer.provide(HttpServer.layerServices),
    Layer.provide(Logger.layer([logger]))
  )
  const { dispose, handler } = HttpRouter.toWebHandler(routes, { disableLogger: true })
  const ask: Ask = async (method, path, asked = {}) => {
    const headers = new Headers(asked.headers)
    if (asked.key !== undefined) headers.set("x-api-key", asked.key)
    const body = asked.raw ?? (asked.body === undefined ? null : JSON.stringify(asked.body))
    if (body !== null && !headers.has("content-type")) headers.set("content-type", "application/json")
    const request = new Request(`http://rest.test${path}`, { method, headers, body, signal: asked.signal ?? null })
    return toAnswer(await handler(request, options.context))
  }
  return { ask, logged, close: dispose }
}

let parties = 0

/** A new organisation with its credentials. `only` reduces its operator's permissions. */
export const makeOrganisation = (only: ReadonlyArray<string> = permissions) =>
  Effect.gen(function* () {
    const access = yield* Access
    const secrets = yield* Secrets
    const n = parties++
    const { text, ...key } = newKey(secrets)
    const pair = newV1Pair(secrets)
    const { organisation } = yield* access.createOrganisation(
      {
        name: `Organisation ${n}`,
        countryCode: "NL",
        partyId: n.toString(36).toUpperCase().padStart(3, "0"),
        operatorEmail: `rest-${n}@example.com`,
        operatorPasswordHash: undefined,
        operatorPermissions: only,
        key: { name: "first", ...key, permissions: undefined },
        v1: { clientId: pair.clientId, codeVerifier: pair.codeVerifier }
      },
      Date.UTC(2026, 4, 20, 12)
    )
    return {
      organisationId: organisation.id,
      key: text,
      clientId: pair.clientId,
      code: pair.code
    } satisfies TestCredentials
  })

/** REST over fakes with one organisation, whose operator has all permissions. */
export const fakeApp = async (options: RestOptions = {}) => {
  const world = new FakeWorld()
  const ports = fakePorts(world)
  const organise = (only?: ReadonlyArray<string>): Promise<TestCredentials> =>
    Effect.runPromise(makeOrganisation(only).pipe(Effect.provide(ports)))
  const own = await organise()
  const app = restApp(ports, options)
  return { ...app, world, organise, own, key: own.key }
}

/** A site and a charger of an organisation, created over REST. */
export const withCharger = async (ask: Ask, key: string, chargerId: string) => {
  const site = await ask("POST", "/cpo/v2/sites", { key, body: { name: `Site of ${chargerId}` } })
  const charger = await ask("POST", "/cpo/v2/chargers", { key, body: { name: `Name of ${chargerId}`, chargerId } })
  return { siteId: String(site.json.id), charger }
}
