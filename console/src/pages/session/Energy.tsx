/**
 * Power and energy of a session over time: limits as a dashed step line, the periods of its tariff as a background, the figures as a table one key
 * away.
 */
import { useQuery } from "@tanstack/react-query"
import { useMemo } from "react"
import { call } from "../../api/client.ts"
import type { Answer } from "../../api/types.ts"
import { missingFor, useMe } from "../../app/me.ts"
import { Line } from "../../parts/Chart.tsx"
import { exact, moment } from "../../parts/format.ts"
import { useNow } from "../../parts/now.ts"
import { More } from "../../parts/Page.tsx"
import { usePages } from "../../parts/pages.ts"
import { Failed, Loading } from "../../parts/States.tsx"
import { t, word } from "../../text/text.ts"
import { bandsOf, energyOf, offeredOf, plannedOf, type Point, powerOf, type Supply, type TariffBand } from "./curves.ts"

type Session = Answer<"sessions.get">

/** How much of the future is shown for a running session with a limit: a quarter of an hour, or a quarter of the session's time if that is more. */
const aheadLeast = 15 * 60_000
const aheadShare = 0.25

const phasesOf = (powerType: string): number =>
  powerType === "AC_3_PHASE" ? 3 : powerType.startsWith("AC_2_PHASE") ? 2 : 1

/** The supply of the session's connector, as the operator described it. */
const useSupply = ({ chargerId, connectorId, evseId }: Session): Supply | undefined => {
  const { data } = useQuery({
    queryKey: ["chargers.get", chargerId],
    enabled: missingFor(useMe(), "chargers.get").length === 0,
    retry: false,
    queryFn: () => call("chargers.get", { params: { chargerId } })
  })
  const connector = data?.evses
    .find((evse) => evse.evseId === evseId)
    ?.connectors.find((one) => one.connectorId === connectorId)
  return connector === undefined || connector.assumed
    ? undefined
    : { voltage: connector.maxVoltage, phases: phasesOf(connector.powerType) }
}

/** The limit that the profiles in force add up to at the session's connector; undefined if there are none, or if the session has ended. */
const usePlanned = ({ chargerId, endedAt, evseId }: Session, to: number): ReadonlyArray<Point> | undefined => {
  const isOn = endedAt === null && missingFor(useMe(), "charging-profiles.standing").length === 0
  const standing = useQuery({
    queryKey: ["charging-profiles.standing", chargerId],
    enabled: isOn,
    retry: false,
    queryFn: () => call("charging-profiles.standing", { params: { chargerId } })
  })
  const hasProfiles = standing.data?.items.some((one) => one.evseId === evseId || one.evseId === 0) ?? false
  const composite = useQuery({
    queryKey: ["charging-profiles.composite", chargerId, evseId],
    enabled: isOn && hasProfiles,
    retry: false,
    queryFn: () =>
      call("charging-profiles.composite", {
        params: { chargerId },
        query: { connectorId: evseId, duration: 86_400, chargingRateUnit: "W" }
      })
  })
  const { computed } = composite.data ?? {}
  return computed === undefined || !hasProfiles ? undefined : plannedOf(computed, composite.dataUpdatedAt, to)
}

const bandLabel = ({ element, from, price, to, unit }: TariffBand, currency: string): string =>
  [
    `${moment(from)} – ${moment(to)}`,
    t("tariff.element", { n: element + 1 }),
    ...(price === null ? [] : [`${exact(price)} ${currency}${unit === null ? "" : `/${word("unit", unit)}`}`])
  ].join(" · ")

export const Energy = ({ session }: { readonly session: Session }) => {
  const pages = usePages("sessions.meterValues", { params: { sessionId: session.id }, query: { limit: 500 } })
  const { meterStartWh, startedAt } = session
  const readings = pages.rows
  // The register at the start is in none of the readings.
  const registers = useMemo(
    () => [{ at: startedAt, energyWh: meterStartWh }, ...readings],
    [startedAt, meterStartWh, readings]
  )
  const supply = useSupply(session)
  const price = useQuery({
    queryKey: ["sessions.price", session.id],
    enabled: missingFor(useMe(), "sessions.price").length === 0,
    retry: false,
    queryFn: () => call("sessions.price", { params: { sessionId: session.id } })
  })
  const power = useMemo(() => powerOf(registers), [registers])
  const energy = useMemo(() => energyOf(registers, meterStartWh), [registers, meterStartWh])
  const offered = useMemo(() => offeredOf(readings, supply), [readings, supply])
  const now = useNow()
  const from = Date.parse(startedAt)
  const end = session.endedAt === null ? now : Date.parse(session.endedAt)
  const ahead = end + Math.max(aheadLeast, (end - from) * aheadShare)
  const planned = usePlanned(session, ahead)
  if (pages.error !== null)
    return <Failed what={t("session.readingsNotRead")} error={pages.error} retry={pages.retry} />
  if (pages.isLoading) return <Loading rows={3} />
  if (power.length === 0) return <p className="none">{t("session.noReadings")}</p>
  const to = planned === undefined ? end : ahead
  const bands = bandsOf(price.data?.lines ?? [])
  const parts = bands.map((band) => ({ ...band, label: bandLabel(band, price.data?.currency ?? "") }))
  return (
    <>
      <Line
        label={t("session.power")}
        unit="kW"
        points={power}
        limit={[...(offered?.points ?? []), ...(planned ?? [])]}
        parts={parts}
        from={from}
        to={to}
        hasKey
      />
      {offered === undefined ? null : (
        <p className="secondary">{t("session.limitOffered", { measurand: offered.of })}</p>
      )}
      {planned === undefined ? null : <p className="secondary">{t("session.limitPlanned")}</p>}
      {offered === undefined && planned === undefined ? <p className="secondary">{t("session.limitNone")}</p> : null}
      <Line label={t("session.energySince")} unit="kWh" points={energy} parts={parts} from={from} to={to} />
      {parts.length === 0 ? null : (
        <>
          <h2>{t("session.bands")}</h2>
          <ul className="chart-parts">
            {parts.map(({ from: begins, label }) => (
              <li key={begins}>{label}</li>
            ))}
          </ul>
        </>
      )}
      <More pages={pages} />
    </>
  )
}
