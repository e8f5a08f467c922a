/** The port `CommandOpening`: reads a command's body with the row of its type, and fills in what it leaves open from the domain's ports. */
import { Clock, Effect, Layer, Schema } from "effect"
import type { ChargerCommand } from "../../../domain/command/ChargerCommand.ts"
import { Chargers } from "../../../domain/charger/Chargers.ts"
import { CommandOpening } from "../../../domain/command/CommandOpening.ts"
import { Commands } from "../../../domain/command/Commands.ts"
import { setsPassword, shownFields } from "../../../domain/command/SecretParts.ts"
import { Conflict, InvalidInput, NotFound } from "../../../domain/Errors.ts"
import { newChargerPassword } from "../../../domain/operator/Keys.ts"
import { Sessions } from "../../../domain/session/Sessions.ts"
import { maskedValue } from "../../../domain/values/SecretNames.ts"
import { Secrets } from "../../../domain/values/Secrets.ts"
import { commandRows, NewCommand, type NewCommandBody } from "./CommandsApi.ts"
import { listsByHand } from "./ManualLocalLists.ts"
import type { Open } from "./Row.ts"
import { type Transfer, Transfers } from "./Transfers.ts"

const decodeBody = Schema.decodeUnknownSync(NewCommand)

/** A complete command, with the values that were filled in. */
interface Found {
  readonly command: ChargerCommand
  readonly sessionId: string | undefined
  readonly fileId: string | undefined
  readonly password: string | undefined
  /** Further values that were chosen here rather than given. */
  readonly chosen: Readonly<Record<string, unknown>> | undefined
}

/** Numbers that the service assigns if the caller gives none. */
const numbers = ["reservationId", "requestId", "listVersion"] as const

/** The values that the service chose, under the names that the caller would have used. Secrets are never among them. */
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

/** What may be shown of a body before anything is filled in. */
export const shownParameters = (body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
  const { expiresIn: _, type: __, ...given } = body
  return shownFields(given)
}

/** The parameters that are stored: what the caller wrote, with secrets masked, and what the service chose. */
const parametersOf = (body: Readonly<Record<string, unknown>>, found: Found): Readonly<Record<string, unknown>> => {
  const { expiresIn: _, type: __, ...given } = body
  // A password that the service generated is not in the body.
  const shown = setsPassword(found.command) ? { ...given, value: maskedValue } : shownFields(given)
  return { ...shown, ...chosenOf(given, found) }
}

/** Looks up the organisation's own sessions. */
const looking = Effect.gen(function* () {
  const sessions = yield* Sessions

  const transactionOf = Effect.fnUntraced(function* (organisationId: string, chargerId: string, sessionId: string) {
    const session = yield* sessions.get(organisationId, sessionId)
    if (session.chargerId !== chargerId) {
      return yield* new NotFound({ kind: `session ${sessionId} at charger`, id: chargerId })
    }
    if (session.endedAt !== undefined) {
      return yield* new Conflict({ code: "session_ended", message: "This session has already ended." })
    }
    return Number(session.transactionId)
  })

  /** The session that a RemoteStop names by its transaction id. */
  const sessionOf = Effect.fnUntraced(function* (organisationId: string, chargerId: string, transactionId: number) {
    const one = { chargerId, transactionId: String(transactionId), status: "ACTIVE" } as const
    return (yield* sessions.list(organisationId, { limit: 1, ...one })).items[0]?.id
  })

  return { transactionOf, sessionOf }
})

/** True if the command is complete, so that nothing has to be filled in. */
const isWhole = ({ _tag }: Open): boolean =>
  _tag !== "Refused" && _tag !== "SendLocalList" && _tag !== "RemoteStop" && !_tag.startsWith("Needs")

const finding = Effect.gen(function* () {
  const chargers = yield* Chargers
  const commands = yield* Commands
  const secrets = yield* Secrets
  const transfers = yield* Transfers
  const { sessionOf, transactionOf } = yield* looking
  const { ownEntries, versionAfter, within } = yield* listsByHand

  return Effect.fnUntraced(function* (organisationId: string, chargerId: string, first: Open) {
    // First check that the charger is the caller's: otherwise numbers and upload places would be made for another organisation's charger. A
    // complete command needs no check here, since issuing it looks up the charger.
    if (!isWhole(first)) yield* chargers.get(organisationId, chargerId)
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
          open = open.with(yield* transactionOf(organisationId, chargerId, open.sessionId))
          break
        case "NeedsListVersion":
          open = open.with(yield* versionAfter(organisationId, chargerId))
          break
        case "NeedsTokens": {
          const listVersion: number = open.listVersion ?? (yield* versionAfter(organisationId, chargerId))
          const { entries, leftOut } = yield* ownEntries(organisationId)
          open = { _tag: "SendLocalList", listVersion, updateType: "Full", entries }
          chosen = { updateType: "Full", entries: entries.length, leftOut }
          break
        }
        case "NeedsUpload": {
          const place: Transfer = yield* transfers.upload(organisationId, chargerId, open.kind, now)
          fileId = place.fileId
          open = open.with(place.url)
          break
        }
        case "NeedsDownload": {
          const { retrieveAt } = open
          const place: Transfer = yield* transfers.download(organisationId, chargerId, open.fileId, retrieveAt, now)
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
          if (command._tag === "SendLocalList") yield* within(organisationId, chargerId, command)
          if (command._tag === "RemoteStop")
            sessionId ??= yield* sessionOf(organisationId, chargerId, command.transactionId)
          return { command, sessionId, fileId, password, chosen } satisfies Found
        }
      }
    }
    return yield* Effect.die("a command leaves more open than there is")
  })
})

/**
 * What a body needs, before anything is filled in. The cast selects the row's function for this very type, which the union no longer knows.
 */
export const openedBody = (body: NewCommandBody, now: number): Open =>
  (commandRows[body.type].open as (given: NewCommandBody, now: number) => Open)(body, now)

export const layer = Layer.effect(
  CommandOpening,
  Effect.map(finding, (find) =>
    CommandOpening.of({
      open: Effect.fnUntraced(function* (organisationId, chargerId, body) {
        // The body has already passed this schema at the endpoint.
        const given = decodeBody(body)
        const found = yield* find(organisationId, chargerId, openedBody(given, yield* Clock.currentTimeMillis))
        const { command, fileId, password, sessionId } = found
        const parameters = parametersOf(body, found)
        return { command, parameters, expiresInSeconds: given.expiresIn, sessionId, fileId, password }
      })
    })
  )
)
