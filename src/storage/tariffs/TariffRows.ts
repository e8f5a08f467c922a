/** Rows of tariffs and of what they are assigned to, decoded into the domain's. */
import { Schema } from "effect"
import { type Assignment, TariffBody } from "../../domain/tariff/Tariff.ts"
import { Millis } from "../kernel/Rows.ts"

export const TariffRow = Schema.Struct({
  id: Schema.String,
  organisationId: Schema.String,
  version: Schema.Int,
  body: TariffBody,
  createdAt: Millis,
  updatedAt: Millis
})

/** An assignment in its stored form; values that its scope does not use are empty or 0. */
export interface Target {
  readonly scope: Assignment["scope"]
  readonly target: string
  readonly evseId: number
  readonly connectorId: number
}

export const assignmentOf = ({ connectorId, evseId, scope, target }: Target): Assignment => {
  switch (scope) {
    case "organisation":
      return { scope }
    case "site":
      return { scope, siteId: target }
    case "charger":
      return { scope, chargerId: target }
    case "connector":
      return { scope, chargerId: target, evseId, connectorId }
  }
}
