/** The endpoints of commands over the domain's ports: what a command leaves open is found, then it is stored, and the charger's actor woken. */
import { Clock, Effect, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import type { ChargerCommand } from "../../../domain/command/ChargerCommand.ts"
import { newChargerPassword } from "../../../domain/operator/Keys.ts"
import { isSecret } from "../../../domain/command/Kinds.ts"
import type { Command as DomainCommand } from "../../../domain/command/Command.ts"
import { Conflict, InvalidInput, NotFound } from "../../../domain/Errors.ts"
import { shownLocation } from "../../../domain/file/Location.ts"
import { ChargerLink } from "../../../domain/charger/ChargerLink.ts"
import { Chargers } from "../../../domain/charger/Chargers.ts"
import { Commands } from "../../../domain/command/Commands.ts"
import { Retrying } from "../../../domain/operator/Idempotency.ts"
import { Secrets } from "../../../domain/values/Secrets.ts"
import { Sessions } from "../../../domain/session/Sessions.ts"
import { Api } from "../Api.ts"
import { organisationId, audit } from "../requests/Caller.ts"
import { type Command, commandRows, NewCommand, type NewCommandBody } from "./CommandsApi.ts"
import type { Open } from "./Row.ts"
import { LetNextBegin } from "../requests/FairShare.ts"
import { listsByHand } from "./ManualLocalLists.ts"
import { listed, located, pageRequest, PublicUrl } from "../requests/Paging.ts"
import { type Transfer, Transfers } from "./Transfers.ts"

/** A command on the wire. */
export const toCommand = (command: DomainCommand): typeof Command.Type => ({
  id: command.id,
  type: command.type,
  chargerId: command.chargerId,
  status: command.status,
  createdAt: command.createdAt,
  sentAt: command.sentAt ?? null,
  completedAt: command.completedAt ?? null,
  expiresAt: command.expiresAt ?? null,
  result: command.result ?? null,
  sessionId: command.sessionId ?? null,
  effect: command.effect ?? null,
  fileId: command.fileId ?? null,
  progress: command.progress ?? null,
  parameters: command.parameters,
  issuedBy: command.by
})

const encodeBody = Schema.encodeSync(NewCommand)

/** What a command turned out to be, and what else belongs to it. */
interface Found {
  readonly command: ChargerCommand
  readonly sessionId: string | undefined
  readonly fileId: string | undefined
  readonly password: string | undefined
  /** What else of the command was found here and not given. */
  readonly chosen: Readonly<Record<string, unknown>> | undefined
}

/** Numbers that are given by the service where the caller gives none. */
const numbers = ["reservationId", "requestId", "listVersion"] as const

/** What the service chose, by the names that the caller would have given it. Never what opens anything. */
const chosenOf = (given: object, { chosen, command, fileId }: Found): Readonly<Record<string, unknown>> => {
  const asSent: Readonly<Record<string, unknown>> = command
  return {
    ...Object.fromEntries(
      numbers.filter((name) => name in asSent && !(name in given)).map((name) => [name, asSent[name]])
    ),
    ...(fileId === undefined || "fileId" in given ? {} : { fileId }),
    ...chosen
  }
}

const locations: ReadonlySet<string> = new Set(["location", "remoteLocation"])

/** Locations stand at the top or one level below (GetLog, SignedUpdateFirmware). */
const withShownLocations = (given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      if (name === "log" || name === "firmware") return [name, withShownLocations({ ...(value as object) })]
      return [name, typeof value === "string" && locations.has(name) ? shownLocation(value) : value]
    })
  )

/** What is stored of the parameters is what the caller wrote, secrets masked, and what was chosen beside it. */
const parametersOf = (body: NewCommandBody, found: Found): Readonly<Record<string, unknown>> => {
  const { expiresIn: _, type: __, ...given } = encodeBody(body)
  const shown = isSecret(found.command) ? { ...given, value: "***" } : withShownLocations(given)
  return { ...shown, ...chosenOf(given, found) }
}

/** Sessions of the caller's own. */
const looking = Effect.gen(function* () {
  const sessions = yield* Sessions

  const transactionOf = Effect.fnUntraced(function* (chargerId: string, sessionId: string) {
    const session = yield* sessions.get(yield* organisationId, sessionId)
    if (session.chargerId !== chargerId) {
      return yield* new NotFound({ kind: `session ${sessionId} at charger`, id: chargerId })
    }
    if (session.endedAt !== undefined) {
      return yield* new Conflict({ code: "session_ended", message: "This session has ended already." })
    }
    return Number(session.transactionId)
  })

  /** The session of a transaction that a RemoteStop names by its number. */
  const sessionOf = Effect.fnUntraced(function* (chargerId: string, transactionId: number) {
    const one = { chargerId, transactionId: String(transactionId), status: "ACTIVE" } as const
    return (yield* sessions.list(yield* organisationId, { limit: 1, ...one })).items[0]?.id
  })

  return { transactionOf, sessionOf }
})

const finding = Effect.gen(function* () {
  const chargers = yield* Chargers
  const commands = yield* Commands
  const secrets = yield* Secrets
  const transfers = yield* Transfers
  const { sessionOf, transactionOf } = yield* looking
  const { ownEntries, versionAfter, within } = yield* listsByHand

  return Effect.fnUntraced(function* (chargerId: string, first: Open) {
    // Before anything is made for it: a charger of another organisation gets neither numbers nor places for uploads.
    yield* chargers.get(yield* organisationId, chargerId)
    const now = yield* Clock.currentTimeMillis
    let open = first
    let sessionId: string | undefined
    let fileId: string | undefined
    let password: string | undefined
    let chosen: Found["chosen"]
    // Each kind of gap is filled at most once.
    for (let gaps = 0; gaps < 4; gaps++) {
      switch (open._tag) {
        case "Refused":
          return yield* new InvalidInput({ pointer: open.pointer, detail: open.detail })
        case "NeedsNumber":
          open = open.with(yield* commands.takeNumber)
          break
        case "NeedsSession":
          sessionId = open.sessionId
          open = open.with(yield* transactionOf(chargerId, open.sessionId))
          break
        case "NeedsListVersion":
          open = open.with(yield* versionAfter(chargerId))
          break
        case "NeedsTokens": {
          const listVersion: number = open.listVersion ?? (yield* versionAfter(chargerId))
          const { entries, leftOut } = yield* ownEntries
          open = { _tag: "SendLocalList", listVersion, updateType: "Full", entries }
          chosen = { updateType: "Full", entries: entries.length, leftOut }
          break
        }
        case "NeedsUpload": {
          const place: Transfer = yield* transfers.upload(yield* organisationId, chargerId, open.kind, now)
          fileId = place.fileId
          open = open.with(place.url)
          break
        }
        case "NeedsDownload": {
          const { retrieveAt } = open
          const organisation = yield* organisationId
          const place: Transfer = yield* transfers.download(organisation, chargerId, open.fileId, retrieveAt, now)
          fileId = place.fileId
          open = open.with(place.url)
          break
        }
        case "NeedsPassword":
          password = newChargerPassword(secrets)
          open = { _tag: "ChangeConfiguration", key: open.key, value: password }
          break
        default: {
          const command: ChargerCommand = open
          if (command._tag === "SendLocalList") yield* within(chargerId, command)
          if (command._tag === "RemoteStop") sessionId ??= yield* sessionOf(chargerId, command.transactionId)
          return { command, sessionId, fileId, password, chosen } satisfies Found
        }
      }
    }
    return yield* Effect.die("a command leaves more open than there is")
  })
})

/** What a retry must know of a command that was issued: its id, and the password that was made for it and is stored nowhere else. */
const Issued = Schema.fromJsonString(Schema.Struct({ id: Schema.String, password: Schema.optional(Schema.String) }))
const writeIssued = Schema.encodeSync(Issued)
const readIssued = Schema.decodeUnknownSync(Issued)

export const layer = HttpApiBuilder.group(
  Api,
  "commands",
  Effect.fn(function* (handlers) {
    const chargers = yield* Chargers
    const commands = yield* Commands
    const link = yield* ChargerLink
    const publicUrl = yield* PublicUrl
    const find = yield* finding
    /** In its present state, or after a wait. */
    const seen = (organisation: string, id: string, waitSeconds: number | undefined) =>
      waitSeconds === undefined
        ? commands.get(organisation, id)
        : // The charger is waited for, and nothing is worked on.
          Effect.andThen(Effect.flatten(LetNextBegin), commands.wait(organisation, id, waitSeconds * 1000))
    return handlers.handleAll({
      issue: Effect.fn("v2.commands.issue")(function* ({ params: { chargerId }, payload, query }) {
        // The row's own function for this very type; the union has lost which.
        const open = commandRows[payload.type].open as (given: NewCommandBody, now: number) => Open
        const issue = Effect.gen(function* () {
          const found = yield* find(chargerId, open(payload, yield* Clock.currentTimeMillis))
          const { command, fileId, password, sessionId } = found
          const parameters = parametersOf(payload, found)
          const expiresInSeconds = payload.expiresIn
          const given = { chargerId, command, parameters, expiresInSeconds, sessionId, fileId }
          const issued = yield* commands.issue(given, yield* audit)
          return { id: issued.id, password, issued }
        })
        const { commit, reached } = yield* Retrying
        const done =
          reached === undefined ? yield* commit(issue, writeIssued) : { ...readIssued(reached), issued: undefined }
        yield* link.wake(chargerId)
        const { id, issued, password } = done
        const isAsked = issued === undefined || query.wait !== undefined
        const body = toCommand(isAsked ? yield* seen(yield* organisationId, id, query.wait) : issued)
        return located(publicUrl, `/v2/commands/${id}`, password === undefined ? body : { ...body, password })
      }),
      listOfCharger: Effect.fn("v2.commands.listOfCharger")(function* ({ params: { chargerId }, query, request }) {
        const organisation = yield* organisationId
        yield* chargers.get(organisation, chargerId)
        const page = yield* commands.list(organisation, { ...pageRequest(query), chargerId, status: query.status })
        return listed(publicUrl, request.url, page, toCommand)
      }),
      list: Effect.fn("v2.commands.list")(function* ({ query, request }) {
        const { chargerId, fileId, status } = query
        const page = yield* commands.list(yield* organisationId, { ...pageRequest(query), chargerId, fileId, status })
        return listed(publicUrl, request.url, page, toCommand)
      }),
      get: Effect.fn("v2.commands.get")(function* ({ params, query }) {
        return toCommand(yield* seen(yield* organisationId, params.id, query.wait))
      })
    })
  })
)
