/** What happened since the person was last here, in one line: counted from the events in between, up to a limited number. */
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { call } from "../api/client.ts"
import type { Answer, LiveEvent } from "../api/types.ts"
import { may, useMe } from "../app/me.ts"
import { happenedIn, type Happened } from "../live/happened.ts"
import { type LastVisit, lastVisit } from "../live/since.ts"
import { moment } from "../parts/format.ts"
import { t, tn } from "../text/text.ts"

const types = "charger.changed,connector.status,tariff.changed,session.held,cdr.issued,rollout.changed,partner.health"
const pageSize = 500
const pagesMost = 4

const eventsSince = async ({ event }: LastVisit) => {
  const found: Array<LiveEvent> = []
  let cursor = event
  for (let page = 0; page < pagesMost; page++) {
    const next: Answer<"events.list"> = await call("events.list", { query: { cursor, type: types, limit: pageSize } })
    found.push(...next.items)
    if (next.items.length === 0 || next.nextCursor === null) return { found, isAll: true }
    cursor = next.nextCursor
  }
  return { found, isAll: false }
}

const links: ReadonlyArray<readonly [keyof Happened, string, Readonly<Record<string, string>>]> = [
  ["faulted", "/chargers", { is: "attention" }],
  ["healed", "/events", {}],
  ["added", "/chargers", { is: "new" }],
  ["held", "/work", {}],
  ["records", "/cdrs", {}],
  ["tariffs", "/tariffs", {}],
  ["rollouts", "/files-and-firmware/campaigns", {}],
  ["partners", "/roaming", {}]
]

export const Since = () => {
  const me = useMe()
  const last = lastVisit(me.organisation.id, me.operator?.id ?? "key")
  const { data } = useQuery({
    queryKey: ["since", last?.event],
    enabled: last !== undefined && may(me, "events.list"),
    staleTime: Infinity,
    // A restored database may not know the event any more: then nothing is shown.
    queryFn: () => eventsSince(last!).catch(() => null)
  })
  if (last === undefined || data === undefined || data === null) return null
  const happened = happenedIn(data.found)
  const shown = links.filter(([what]) => happened[what] > 0)
  return (
    <p className="since">
      <b>{t("since.title", { at: moment(last.at) })}</b> {shown.length === 0 ? t("since.nothing") : null}
      {shown.map(([what, to, search], index) => (
        <span key={what}>
          {index === 0 ? "" : " · "}
          <Link to={to as never} search={search as never}>
            {tn(`since.${what}`, happened[what])}
          </Link>
        </span>
      ))}
      {data.isAll ? null : ` · ${t("since.more")}`}
    </p>
  )
}
