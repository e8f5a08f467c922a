/** What holds between two organisations on every route, whatever stores the data. Returns the violations. */
import { makeOwned, ownersView, walk } from "./tenantWalk.ts"
import type { Answer, Ask, TestCredentials } from "./restApp.ts"

export interface TenantWorld {
  readonly ask: Ask
  readonly owner: TestCredentials
  /** Has all permissions of an operator of an organisation, and none of the platform's. */
  readonly stranger: TestCredentials
  readonly makeSession: (charger: { readonly chargerId: string; readonly siteId: string }) => Promise<string>
}

/** Calls every route of both REST versions as a stranger, and checks that the owner's records are unchanged. */
export const leaks = async ({ ask, makeSession, owner, stranger }: TenantWorld): Promise<ReadonlyArray<string>> => {
  const owned = await makeOwned(ask, owner, makeSession)
  const before = await ownersView(ask, owner, owned)
  const unread = before.filter((line) => / [45]\d\d /.test(line)).map((line) => `the owner itself cannot read ${line}`)

  const v2 = await walk(ask, (await ask("GET", "/cpo/swagger.json")).json, stranger, owned)
  const v1 = await walk(ask, (await ask("GET", "/api/swagger.json")).json, stranger, owned)
  // A walk that found no routes proves nothing.
  const short = [v2, v1].filter(({ steps }) => steps.length < 4).map(() => "a walk met fewer than four routes")

  const after = await ownersView(ask, owner, owned)
  const changed = after.filter((line, i) => line !== before[i]).map((line) => `the owner's record was changed: ${line}`)
  return [...unread, ...v2.wrong, ...v1.wrong, ...short, ...changed]
}

const brief = (answer: Answer): ReadonlyArray<unknown> => [answer.status, answer.json?.code]

/** What happens to the owner's ids inside the stranger's own requests: its site, its charger's id, its token's uid. */
export const foreignIds = async ({ ask, makeSession, owner, stranger }: TenantWorld) => {
  const owned = await makeOwned(ask, owner, makeSession)
  const key = stranger.key
  const chargerId = `OWN-OF-STRANGER-${stranger.clientId}`
  await ask("POST", "/cpo/v2/sites", { key, body: { name: "Own site" } })
  await ask("POST", "/cpo/v2/chargers", { key, body: { name: "Own charger", chargerId } })
  return {
    movedToForeignSite: brief(
      await ask("PATCH", `/cpo/v2/chargers/${chargerId}`, { key, body: { siteId: owned.siteId } })
    ),
    foreignChargerId: brief(
      await ask("POST", "/cpo/v2/chargers", { key, body: { name: "Mine", chargerId: owned.chargerId } })
    ),
    webhookOfForeignSite: brief(
      await ask("POST", "/cpo/v2/webhooks", {
        key,
        body: { url: "https://hooks.example/mine", siteIds: [owned.siteId] }
      })
    ),
    sameToken: brief(await ask("POST", "/cpo/v2/tokens", { key, body: { uid: owned.uid } }))
  }
}

/** The expected results of `foreignIds`: an unknown site, an id that is in use, and a card that other organisations may have too. */
export const foreignIdsRefused = {
  movedToForeignSite: [404, "not_found"],
  foreignChargerId: [409, "charger_id_in_use"],
  webhookOfForeignSite: [404, "not_found"],
  sameToken: [201, undefined]
}
