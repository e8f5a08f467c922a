/**
 * How a stranger tries each row of the endpoint table on another partner's objects. The test fails for a row without a recipe, so that whose data a
 * new method gives is always considered.
 */
import type { Answer } from "../partner/Client.ts"
import type { Partner } from "../partner/Partner.ts"
import type { Version } from "../schemas/Schemas.ts"
import { field, type Json, printed } from "../partner/Wire.ts"

/** What a partner has with us that no other may see or change. */
export interface Owned {
  readonly partner: Partner
  readonly token: Json
  /** A running session, and one that has ended and was billed. */
  readonly sessionId: string
  readonly endedId: string
  readonly cdrId: string
  readonly locationId: string
  /** Texts that must not appear in an answer to a stranger. */
  readonly secrets: ReadonlyArray<string>
}

export interface Attempt {
  readonly path: string
  readonly body?: unknown
}

export interface Recipe {
  /** `version` is that of the address. The stranger may be registered in another. */
  readonly attempts: (owned: Owned, stranger: Partner, version: Version) => ReadonlyArray<Attempt>
  /** What is wrong with the answer. Undefined if it is correct. */
  readonly wrong: (answer: Answer) => string | undefined
}

const shown = ({ code, http, text }: Answer): string => `${http} ${String(code)} ${text.slice(0, 300)}`

/** A list without the other partner's objects. */
const list: Recipe = {
  attempts: () => [{ path: "?date_from=2020-01-01T00:00:00Z" }, { path: "?limit=1" }, { path: "?offset=1" }],
  wrong: (answer) => (answer.http === 200 && Array.isArray(answer.data) ? undefined : shown(answer))
}

/** HTTP 404, or 200 with a code for a missing or forbidden object. */
const refused = (answer: Answer): string | undefined => {
  const is404 = answer.http === 404 && Number(answer.code) >= 2000
  const isRefusal = answer.http === 200 && Number(answer.code) >= 2000 && answer.data === undefined
  return is404 || isRefusal ? undefined : shown(answer)
}

/** The result in the answer is one of these. */
const answered =
  (...words: ReadonlyArray<string>) =>
  (answer: Answer): string | undefined =>
    answer.http === 200 && answer.code === 1000 && words.includes(String(field(answer.data, "result")))
      ? undefined
      : refused(answer)

/** All partners of the organisation see its locations. */
const shared: Recipe = {
  attempts: ({ locationId }) => [{ path: `/${locationId}` }],
  wrong: (answer) => (answer.http === 200 ? undefined : shown(answer))
}

const evse: Recipe = {
  attempts: ({ locationId }) => [{ path: `/${locationId}/nothing` }],
  wrong: refused
}

const ownTokenPath = ({ partner, token }: Owned): string => partner.tokenPath(token).split("?", 1)[0] ?? ""

/** With the token's own address, in lower case, and with the stranger's party in the body. */
const token = (body: (owned: Owned, stranger: Partner) => unknown): Recipe => ({
  attempts: (owned, stranger) => {
    const path = ownTokenPath(owned)
    return [path, path.toLowerCase(), `${path}/`, `${path}?type=RFID`].map((one) => ({
      path: one,
      body: body(owned, stranger)
    }))
  },
  wrong: refused
})

const url = (stranger: Partner, kind: string): string => stranger.expectResult("commands", kind).url

/** A token of 2.1.1 does not name its party: it belongs to the partner that sends it, and so does the session. */
const foreignToken = (owned: Owned, stranger: Partner, version: Version): ReadonlyArray<Attempt> =>
  version === "2.1.1"
    ? []
    : [
        {
          path: "/START_SESSION",
          body: { response_url: url(stranger, "START_SESSION"), token: owned.token, location_id: owned.locationId }
        }
      ]

const commands: Recipe = {
  attempts: (owned, stranger, version) => [
    { path: "/STOP_SESSION", body: { response_url: url(stranger, "STOP_SESSION"), session_id: owned.sessionId } },
    { path: "/STOP_SESSION", body: { response_url: url(stranger, "STOP_SESSION"), session_id: owned.endedId } },
    {
      path: "/CANCEL_RESERVATION",
      body: { response_url: url(stranger, "CANCEL_RESERVATION"), reservation_id: "another's" }
    },
    ...foreignToken(owned, stranger, version)
  ],
  wrong: answered("UNKNOWN_SESSION", "REJECTED", "NOT_SUPPORTED")
}

const profile = (attempt: (owned: Owned, stranger: Partner) => Attempt): Recipe => ({
  attempts: (owned, stranger) => [
    attempt(owned, stranger),
    attempt({ ...owned, sessionId: owned.sessionId.toUpperCase() }, stranger)
  ],
  wrong: answered("UNKNOWN_SESSION", "REJECTED")
})

const response = (stranger: Partner, kind: string): string =>
  `response_url=${encodeURIComponent(stranger.expectResult("chargingprofiles", kind).url)}`

const limit = { charging_rate_unit: "A", charging_profile_period: [{ start_period: 0, limit: 6 }] }

/** Each partner has clients of its own: what a stranger sends about another's party is stored as the stranger's. */
const info: Recipe = {
  attempts: ({ partner: { party } }) => [
    {
      path: `/${party.country_code}/${party.party_id}`,
      body: { ...party, role: "EMSP", status: "SUSPENDED", last_updated: printed(Date.now()) }
    }
  ],
  wrong: (answer) => {
    const isOwn = answer.http < 300 && [undefined, "SUSPENDED"].includes(field(answer.data, "status") as undefined)
    return isOwn ? undefined : refused(answer)
  }
}

/** Credentials always belong to the caller: see `Credentials.integration.test.ts`. */
const own: Recipe = { attempts: () => [], wrong: () => undefined }

export const recipes: Readonly<Record<string, Recipe>> = {
  "GET credentials": own,
  "POST credentials": own,
  "PUT credentials": own,
  "DELETE credentials": own,
  "GET locations": list,
  "GET locations/:locationId": shared,
  "GET locations/:locationId/:evseUid": evse,
  "GET locations/:locationId/:evseUid/:connectorId": {
    attempts: ({ locationId }) => [{ path: `/${locationId}/nothing/1` }],
    wrong: refused
  },
  "GET sessions": list,
  "PUT sessions/:sessionId/charging_preferences": {
    attempts: ({ endedId, sessionId }) =>
      [sessionId, endedId].map((id) => ({
        path: `/${id}/charging_preferences`,
        body: { profile_type: "FAST" }
      })),
    wrong: refused
  },
  "GET cdrs": list,
  "GET tariffs": list,
  "GET tokens/:countryCode/:partyId/:tokenUid": token(() => undefined),
  "PUT tokens/:countryCode/:partyId/:tokenUid": token(({ token: theirs }, stranger) => ({
    ...stranger.cards.make(String(theirs["uid"]), { valid: false }),
    ...theirs,
    valid: false
  })),
  "PATCH tokens/:countryCode/:partyId/:tokenUid": token(() => ({
    valid: false,
    last_updated: printed(Date.now() + 60_000)
  })),
  "POST commands/:command": commands,
  "GET chargingprofiles/:sessionId": profile(({ sessionId }, stranger) => ({
    path: `/${sessionId}?duration=60&${response(stranger, "active")}`
  })),
  "PUT chargingprofiles/:sessionId": profile(({ sessionId }, stranger) => ({
    path: `/${sessionId}`,
    body: { charging_profile: limit, response_url: stranger.expectResult("chargingprofiles", "set").url }
  })),
  "DELETE chargingprofiles/:sessionId": profile(({ sessionId }, stranger) => ({
    path: `/${sessionId}?${response(stranger, "clear")}`
  })),
  "GET hubclientinfo/:countryCode/:partyId": info,
  "PUT hubclientinfo/:countryCode/:partyId": info
}
