/** The charging profiles of a charger, and the limit that they add up to over the next day: ours beside the one that the charger reported. */
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { call } from "../../api/client.ts"
import { missingFor, useMe } from "../../app/me.ts"
import { numberOf, type Row } from "../../live/fleet.ts"
import { Act } from "../../parts/Act.tsx"
import { StepLine } from "../../parts/Chart.tsx"
import { exact } from "../../parts/format.ts"
import { Failed, Loading, NotPermitted } from "../../parts/States.tsx"
import { Moment } from "../../parts/Time.tsx"
import { t } from "../../text/text.ts"
import { CommandDialog } from "../Commands.tsx"

const daySeconds = 86_400

export const Profiles = ({ row }: { readonly row: Row }) => {
  const missing = missingFor(useMe(), "charging-profiles.standing")
  const [connectorId, setConnector] = useState(row.connectors[0]?.evseId ?? 1)
  const [isClearing, setClearing] = useState(false)
  const standing = useQuery({
    queryKey: ["charging-profiles.standing", row.id],
    enabled: missing.length === 0,
    queryFn: () => call("charging-profiles.standing", { params: { chargerId: row.id } })
  })
  const composite = useQuery({
    queryKey: ["charging-profiles.composite", row.id, connectorId],
    enabled: missing.length === 0,
    queryFn: () =>
      call("charging-profiles.composite", {
        params: { chargerId: row.id },
        query: { connectorId, duration: daySeconds, chargingRateUnit: "W" }
      })
  })
  if (missing.length > 0) return <NotPermitted permissions={missing} />
  if (standing.error !== null) return <Failed what={t("profile.notRead")} error={standing.error} />
  if (standing.data === undefined) return <Loading rows={3} />
  const start = Date.now()
  const periods = composite.data?.computed?.chargingSchedulePeriod ?? []
  return (
    <>
      <div className="acts">
        <label>
          <span className="hide">{t("charger.connectors")}</span>
          <select value={connectorId} onChange={({ target }) => setConnector(Number(target.value))}>
            {row.connectors.map((one) => (
              <option key={`${one.evseId}.${one.connectorId}`} value={one.evseId}>
                {t("connector.one", { id: numberOf(one, row.connectors) })}
              </option>
            ))}
          </select>
        </label>
        <Act needs={["commands.issue"]} kind="small" onClick={() => setClearing(true)}>
          {t("profile.clear")}
        </Act>
      </div>
      {periods.length === 0 ? (
        <p className="none">{t("profile.noLimit")}</p>
      ) : (
        <StepLine
          label={t("profile.chart")}
          unit="kW"
          points={periods.map(({ limit, startPeriod }) => ({ at: start + startPeriod * 1000, value: limit / 1000 }))}
          from={start}
          to={start + daySeconds * 1000}
        />
      )}
      {composite.data?.differences === null || composite.data?.differences === undefined ? null : (
        <p className="trouble">{t("profile.differs")}</p>
      )}
      <ul className="rows">
        {standing.data.items.map(({ chargingProfile: profile, evseId: at, setAt }) => (
          <li key={`${at}.${profile.chargingProfileId}`}>
            <span>
              <b>{profile.chargingProfilePurpose}</b> {t("profile.layer", { n: profile.stackLevel })} ·{" "}
              {at === 0 ? t("connector.all") : t("connector.one", { id: at })}
              <small>
                {t("profile.id", { id: profile.chargingProfileId })} · <Moment at={setAt} /> ·{" "}
                {profile.chargingSchedule.chargingSchedulePeriod
                  .slice(0, 4)
                  .map(({ limit }) => `${exact(limit)} ${profile.chargingSchedule.chargingRateUnit}`)
                  .join(", ")}
              </small>
            </span>
          </li>
        ))}
      </ul>
      {standing.data.items.length === 0 ? <p className="none">{t("profile.none")}</p> : null}
      {isClearing ? <CommandDialog type="ClearChargingProfile" row={row} onClose={() => setClearing(false)} /> : null}
    </>
  )
}
