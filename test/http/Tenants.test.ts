/** Nothing of one organisation is visible to another on any route (T23). The same walk over real databases: `Storage.integration.test.ts`. */
import { expect, it } from "vitest"
import { permissions } from "../../src/domain/operator/Permission.ts"
import type { FakeWorld } from "../support/fakeRecords.ts"
import { fakeApp } from "../support/restApp.ts"
import { aFakeSession } from "../support/fakeSessions.ts"
import { foreignIds, foreignIdsRefused, leaks } from "../support/tenantSuite.ts"
import { mark, walk } from "../support/tenantWalk.ts"

const operators = permissions.filter((permission) => permission !== "platform:admin")

const twoOrganisations = async () => {
  const app = await fakeApp()
  const stranger = await app.organise(operators)
  const makeSession = (world: FakeWorld) => (charger: { readonly chargerId: string; readonly siteId: string }) =>
    Promise.resolve(
      aFakeSession(world, { ...charger, organisationId: app.own.organisationId, tokenUid: `${mark} card` })
    )
  return { ...app, owner: app.own, stranger, makeSession: makeSession(app.world) }
}

it("shows and changes nothing of another organisation on any route", async () => {
  expect(await leaks(await twoOrganisations())).toEqual([])
})

it("refuses ids of another organisation inside a request", async () => {
  expect(await foreignIds(await twoOrganisations())).toEqual(foreignIdsRefused)
})

it("fails for a route whose path parameter or body has no recipe", async () => {
  const { ask, stranger } = await twoOrganisations()
  const owned = {
    siteId: "",
    groupId: "",
    chargerId: "",
    sessionId: "",
    uid: "",
    tokenUid: "",
    q: "",
    metric: "energy",
    keyId: "",
    tariffId: "",
    cdrId: "",
    partnerId: "",
    module: "",
    webhookId: "",
    deliveryId: "",
    eventId: "",
    id: "",
    operatorId: "",
    roleId: "",
    invitationId: "",
    signInId: "",
    passkeyId: "none",
    viewId: "none",
    domain: "owner.example"
  }
  const document = (operation: object) => ({
    servers: [{ url: "http://rest.test/cpo" }],
    paths: { "/v2/x/{newId}": operation }
  })
  await expect(walk(ask, document({ get: { operationId: "x.get" } }), stranger, owned)).rejects.toThrow("newId")
  await expect(
    walk(ask, document({ post: { operationId: "x.add", requestBody: {} } }), stranger, owned)
  ).rejects.toThrow("bodies")
})
