/** What holds between two organisations on every route, whatever stores the data. */
import { expect } from "vitest"
import { makeOwned, type Owned, ownersView, walk } from "./tenantWalk.ts"
import type { Ask, TestCredentials } from "./restApp.ts"

export interface TenantWorld {
  readonly ask: Ask
  readonly owner: TestCredentials
  /** May do everything that an operator of an organisation may, and nothing of the platform's. */
  readonly stranger: TestCredentials
  readonly makeSession: (charger: { readonly chargerId: string; readonly siteId: string }) => Promise<string>
}

/** Walks both generations as a stranger, and looks whether the owner's records are as they were. */
export const strangersLearnNothing = async ({ ask, makeSession, owner, stranger }: TenantWorld): Promise<void> => {
  const owned = await makeOwned(ask, owner, makeSession)
  const before = await ownersView(ask, owner, owned)
  expect(before.filter((line) => / 4\d\d /.test(line))).toEqual([])

  const v2 = await ask("GET", "/cpo/swagger.json")
  const v1 = await ask("GET", "/api/swagger.json")
  const walked = [await walk(ask, v2.json, stranger, owned), await walk(ask, v1.json, stranger, owned)]

  expect(walked.flatMap(({ wrong }) => wrong)).toEqual([])
  // A walk that met no route proves nothing.
  expect(walked.map(({ steps }) => steps.length > 3)).toEqual([true, true])
  expect(await ownersView(ask, owner, owned)).toEqual(before)
}

/** What a stranger may not do with the owner's ids inside its own requests. */
export const strangersCannotReferToOthers = async ({ ask, makeSession, owner, stranger }: TenantWorld): Promise<Owned> => {
  const owned = await makeOwned(ask, owner, makeSession)
  const key = stranger.key
  await ask("POST", "/cpo/v2/sites", { key, body: { name: "Own site" } })
  await ask("POST", "/cpo/v2/chargers", { key, body: { name: "Own charger", chargerId: "STRANGERS-OWN" } })

  const moved = await ask("PATCH", "/cpo/v2/chargers/STRANGERS-OWN", { key, body: { siteId: owned.siteId } })
  expect([moved.status, moved.json.code]).toEqual([404, "not_found"])
  const taken = await ask("POST", "/cpo/v2/chargers", { key, body: { name: "Mine now", chargerId: owned.chargerId } })
  expect([taken.status, taken.json.code]).toEqual([409, "charger_id_in_use"])
  const same = await ask("POST", "/cpo/v2/tokens", { key, body: { uid: owned.uid } })
  expect(same.status).toBe(201)
  return owned
}
