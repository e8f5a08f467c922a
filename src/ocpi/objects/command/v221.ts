/** Commands in OCPI 2.2.1 §13: START_SESSION can name a connector. */
import { Effect, Schema } from "effect"
import { commandBodies22, requests22, response22, result22 } from "./v22.ts"
import { startFields, startOf, Token22, token22, type WireCommands } from "./Enums.ts"

const StartBody = Schema.Struct({ ...startFields, token: Token22 })
const Start = Schema.decodeUnknownEffect(
  StartBody.check(
    Schema.makeFilter(({ connector_id, evse_uid }) =>
      (connector_id ?? undefined) !== undefined && (evse_uid ?? undefined) === undefined
        ? "connector_id requires the evse_uid that it belongs to"
        : undefined
    )
  )
)

/** Schemas of the bodies, by command. */
export const commandBodies221 = { ...commandBodies22, START_SESSION: StartBody }

const requests = new Map([
  ...requests22,
  [
    "START_SESSION",
    (body: unknown) => Effect.map(Start(body), (given) => startOf(given, token22(given.token)))
  ] as const
])

export const commandsV221: WireCommands = {
  request: (name) => requests.get(name),
  response: response22,
  result: result22
}
