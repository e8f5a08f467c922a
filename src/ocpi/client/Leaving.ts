/** Removing a partner: once its registration with us is over, it is informed (OCPI 2.2.1 §7.2.4). */
import { Effect } from "effect"
import type { Partner } from "../../domain/roaming/Partner.ts"
import type { PartnerRegistrar } from "../../domain/roaming/PartnerRegistrar.ts"
import { Partners } from "../../domain/roaming/Partners.ts"
import { Secrets } from "../../domain/values/Secrets.ts"
import { accessBy, ask, type ClientOptions } from "./OcpiClient.ts"

/** What cannot be delivered is logged, and nothing depends on it: the partner learns it from its next call. It has no log of exchanges any more. */
const farewell = (
  secrets: Secrets["Service"],
  client: Omit<ClientOptions, "newId">,
  partner: Partner,
  sealed: string | undefined,
  now: number
) =>
  Effect.gen(function* () {
    const { connection } = partner
    const token = sealed === undefined ? undefined : secrets.open("partner-token", sealed)
    const url = connection?.endpoints.find(({ module }) => module === "credentials")?.url
    if (connection === undefined || token === undefined || url === undefined) return
    const access = accessBy(token, partner, connection.tokenForm)
    const call = { method: "DELETE", url, module: "credentials", correlationId: secrets.uuid(now) } as const
    yield* ask(call, access, { ...client, newId: () => secrets.uuid(now) })
  }).pipe(
    Effect.catchTag("PartnerFailed", ({ message }) =>
      Effect.logWarning(`a partner that was removed could not be informed: ${message}`)
    ),
    Effect.annotateLogs({ partnerId: partner.id })
  )

/** Makes `PartnerRegistrar.remove`. Calls that are open when the scope closes are cut off. */
export const leaving = (client: Omit<ClientOptions, "newId">) =>
  Effect.gen(function* () {
    const partners = yield* Partners
    const secrets = yield* Secrets
    const scope = yield* Effect.scope
    const remove: PartnerRegistrar["Service"]["remove"] = Effect.fn("PartnerRegistrar.remove")(function* (id, audit) {
      const { organisationId } = audit.by
      const partner = yield* partners.get(organisationId, id)
      const sealed = yield* partners.theirToken(organisationId, id)
      yield* partners.remove(id, audit)
      yield* Effect.forkIn(farewell(secrets, client, partner, sealed, audit.now), scope)
    })
    return remove
  })
