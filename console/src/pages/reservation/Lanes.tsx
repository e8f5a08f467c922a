/** Reservations of a day as lanes, one for each charger, with a line for the present time. The list below has the same information as text. */
import { Link } from "@tanstack/react-router"
import { Outside } from "../../parts/Facts.tsx"
import { hourMinute } from "../../parts/format.ts"
import { useNow } from "../../parts/now.ts"
import type { Item } from "../../parts/pages.ts"
import { t, word } from "../../text/text.ts"

type Reservation = Item<"reservations.list">

const hour = 3_600_000
/** The lanes begin this long ago; most of the day is ahead. */
const past = 4 * hour
const whole = 24 * hour

const width = 1_000
const height = 22

interface Bar {
  readonly reservation: Reservation
  readonly x: number
  readonly width: number
}

/** Where a reservation is on its lane; undefined if it lies outside or no longer reserves anything. */
export const barOf = (reservation: Reservation, from: number): Bar | undefined => {
  const { createdAt, expiryDate, status, updatedAt } = reservation
  if (status !== "Active" && status !== "Pending" && status !== "Used") return undefined
  // A used reservation ended when its session began.
  const end = status === "Used" ? Date.parse(updatedAt) : Date.parse(expiryDate)
  const [a, b] = [Math.max(from, Date.parse(createdAt)), Math.min(from + whole, end)]
  return b <= a
    ? undefined
    : { reservation, x: ((a - from) / whole) * width, width: Math.max(4, ((b - a) / whole) * width) }
}

export const Lanes = ({
  names,
  reservations
}: {
  readonly reservations: ReadonlyArray<Reservation>
  readonly names: ReadonlyMap<string, string>
}) => {
  const now = useNow()
  const from = Math.floor((now - past) / hour) * hour
  const lanes = new Map<string, Array<Bar>>()
  for (const one of reservations) {
    const bar = barOf(one, from)
    if (bar === undefined) continue
    const lane = lanes.get(one.chargerId) ?? []
    lane.push(bar)
    lanes.set(one.chargerId, lane)
  }
  if (lanes.size === 0) return null
  const hours = Array.from({ length: 7 }, (_, n) => from + n * 4 * hour)
  return (
    <section className="lanes" aria-label={t("reservation.day")}>
      <div className="lane" aria-hidden="true">
        <span />
        <div className="lane-hours">
          {hours.map((at) => (
            <span key={at}>{hourMinute(at)}</span>
          ))}
        </div>
      </div>
      {[...lanes].map(([chargerId, bars]) => (
        <div key={chargerId} className="lane">
          <Link to={`/chargers/${encodeURIComponent(chargerId)}` as never} search={{} as never}>
            <Outside>{names.get(chargerId) ?? chargerId}</Outside>
          </Link>
          <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
            {bars.map(({ reservation, width: wide, x }) => (
              <rect
                key={reservation.reservationId}
                className={`is-${reservation.status}`}
                x={x}
                y="3"
                width={wide}
                height={height - 6}
                rx="3"
              >
                <title>
                  {`${reservation.idTag} · ${word("reservationStatus", reservation.status)} · ${hourMinute(Date.parse(reservation.expiryDate))}`}
                </title>
              </rect>
            ))}
            <line
              className="lane-now"
              x1={((now - from) / whole) * width}
              x2={((now - from) / whole) * width}
              y1="0"
              y2={height}
            />
          </svg>
        </div>
      ))}
    </section>
  )
}
