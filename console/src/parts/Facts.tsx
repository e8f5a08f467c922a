/** Names and values of one thing, and text that comes from outside. */
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

/** What a charger, partner or person wrote: text and nothing else, of its own direction, whole in the title. */
export const Outside = ({ children, mono = false }: { readonly children: string; readonly mono?: boolean }) => (
  <bdi className={mono ? "mono" : undefined} title={children}>
    {children}
  </bdi>
)
