/** The endpoints of tariffs over the domain. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { toPrice } from "../../domain/money/Amount.ts"
import { warningsOf } from "../../domain/tariff/Findings.ts"
import { amountOf, type Line } from "../../domain/tariff/Line.ts"
import { price } from "../../domain/tariff/Price.ts"
import { Api } from "./Api.ts"

const hourMillis = 3_600_000

/** Wh as kWh, ms as hours, and once as it is. */
const inUnits = (volume: number, dimension: Line["priced"]["component"]["type"]): number =>
  dimension === "FLAT" ? volume : dimension === "ENERGY" ? volume / 1000 : volume / hourMillis

const toLine = (line: Line) => {
  const { component, element } = line.priced
  const { exclVat, inclVat } = toPrice(amountOf(line))
  return {
    dimension: component.type,
    element,
    reservation: line.phase !== "session",
    price: component.price,
    vat: component.vat ?? null,
    volume: inUnits(line.volume, component.type),
    billedVolume: inUnits(line.billed, component.type),
    exclVat,
    inclVat
  }
}

export const layer = HttpApiBuilder.group(
  Api,
  "tariffs",
  Effect.fn(function* (handlers) {
    return handlers.handleAll({
      preview: Effect.fn("v2.tariffs.preview")(function* ({ payload: { reservation, session, tariff } }) {
        const timeZone = session.timeZone ?? "UTC"
        const { costs, lines, periods, total } = price(tariff, {
          session: { ...session, timeZone },
          reserved: reservation,
          timeZone,
          ended: session.running !== true
        })
        return {
          cost: { currency: tariff.currency, ...total },
          costs,
          lines: lines.map(toLine),
          periods,
          warnings: warningsOf(tariff)
        }
      })
    })
  })
)
