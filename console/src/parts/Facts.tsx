/** Names and values of one thing, and text from outside the service. */
import type { ReactNode } from "react"

export const Facts = ({ rows }: { readonly rows: ReadonlyArray<readonly [string, ReactNode]> }) => (
  <dl className="facts">
    {rows.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value === null || value === undefined || value === "" ? <span className="none">–</span> : value}</dd>
      </div>
    ))}
  </dl>
)

/** Text by a charger, partner or person: plain text only, with its own writing direction; the title has all of it. */
export const Outside = ({ children, mono = false }: { readonly children: string; readonly mono?: boolean }) => (
  <bdi className={mono ? "mono" : undefined} title={children}>
    {children}
  </bdi>
)
