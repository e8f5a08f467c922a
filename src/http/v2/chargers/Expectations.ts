/** The endpoints of the configuration template and the quirk book over the domain's ports. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import type { Charger } from "../../../domain/charger/Charger.ts"
import { builtInQuirks, concerns, type Quirk } from "../../../domain/charger/Quirks.ts"
import { toleranceKinds } from "../../../domain/charger/ToleranceKinds.ts"
import { shownTemplate, toChange } from "../../../domain/charger/Template.ts"
import { expectedOf, templateRound } from "../../../domain/decide/Templating.ts"
import { Access } from "../../../domain/operator/Access.ts"
import { ChargerLink } from "../../../domain/charger/ChargerLink.ts"
import { Chargers } from "../../../domain/charger/Chargers.ts"
import { Commands } from "../../../domain/command/Commands.ts"
import { Expectations, type Fleet, type Template } from "../../../domain/charger/Expectations.ts"
import { shownValue } from "../../../domain/values/SecretText.ts"
import { Drifts } from "../../../domain/charger/Drifts.ts"
import { Api } from "../Api.ts"
import { organisationId, audit, seesSecrets } from "../requests/Caller.ts"
import { listed, pageRequest, PublicUrl } from "../requests/Paging.ts"
import { toCommand } from "../commands/Commands.ts"

/** What is expected of a charger: the template, and the keys that its model needs. */
export const expecting = Effect.gen(function* () {
  const access = yield* Access
  const expectations = yield* Expectations
  return Effect.fnUntraced(function* ({ firmwareVersion, manufacturer, model, organisationId }: Charger) {
    const { policy } = yield* access.organisation(organisationId)
    const { keys } = yield* expectations.template(organisationId)
    const quirks = yield* expectations.quirks(organisationId)
    return expectedOf({ vendor: manufacturer, model, firmwareVersion }, { ...policy, template: keys, quirks })
  })
})

const toTemplate = Effect.fnUntraced(function* ({ keys, updatedAt }: Template) {
  return { keys: (yield* seesSecrets) ? keys : shownTemplate(keys), updatedAt: updatedAt ?? null }
})

/** Chargers listed with a rule: enough to see whether the rule matches the intended ones. */
const chargersNamed = 20

const withChargers = (fleets: ReadonlyArray<Fleet>) => (quirk: Quirk) => {
  const concerned = fleets.filter((fleet) => concerns(quirk, fleet))
  return {
    ...quirk,
    chargers: concerned.reduce((sum, { chargers }) => sum + chargers, 0),
    chargerIds: concerned.flatMap(({ chargerIds }) => chargerIds).slice(0, chargersNamed)
  }
}

const kinds = toleranceKinds.map((kind) => ({
  ...kind,
  unit: kind.unit ?? null,
  minimum: kind.minimum ?? null,
  maximum: kind.maximum ?? null
}))

export const layer = HttpApiBuilder.group(
  Api,
  "expectations",
  Effect.fn(function* (handlers) {
    const expectations = yield* Expectations
    const chargers = yield* Chargers
    const commands = yield* Commands
    const link = yield* ChargerLink
    const drifts = yield* Drifts
    const expected = yield* expecting
    const publicUrl = yield* PublicUrl

    const bookOf = Effect.fnUntraced(function* (rules: ReadonlyArray<Quirk>) {
      const shown = withChargers(yield* expectations.fleets(yield* organisationId))
      return { rules: rules.map(shown), builtIn: builtInQuirks.map(shown), kinds }
    })

    return handlers.handleAll({
      template: Effect.fn("v2.expectations.template")(function* () {
        return yield* toTemplate(yield* expectations.template(yield* organisationId))
      }),
      setTemplate: Effect.fn("v2.expectations.setTemplate")(function* ({ payload }) {
        return yield* toTemplate(yield* expectations.setTemplate(payload.keys, yield* audit))
      }),
      apply: Effect.fn("v2.expectations.apply")(function* ({ params: { chargerId }, payload }) {
        const charger = yield* chargers.withSecrets(yield* organisationId, chargerId)
        // An operator who applies the template explicitly also wants the secrets that the charger does not report.
        const wanted = toChange(yield* expected(charger), charger.configuration, true).slice(0, templateRound)
        const by = yield* audit
        const items = yield* Effect.forEach(wanted, ({ key, value }) =>
          commands.issue(
            {
              chargerId,
              command: { _tag: "ChangeConfiguration", key, value },
              parameters: { key, value: shownValue(key, value) },
              expiresInSeconds: payload?.expiresIn
            },
            by
          )
        )
        yield* link.wake(chargerId)
        return { items: items.map(toCommand) }
      }),
      drifts: Effect.fn("v2.expectations.drifts")(function* ({ query, request }) {
        const page = yield* drifts.list(yield* organisationId, pageRequest(query))
        return yield* listed(publicUrl, request.url, page, ({ manufacturer: vendor, ...drift }) => ({
          ...drift,
          vendor
        }))
      }),
      quirks: Effect.fn("v2.expectations.quirks")(function* () {
        return yield* bookOf(yield* expectations.quirks(yield* organisationId))
      }),
      setQuirks: Effect.fn("v2.expectations.setQuirks")(function* ({ payload }) {
        return yield* bookOf(yield* expectations.setQuirks(payload.rules, yield* audit))
      })
    })
  })
)
