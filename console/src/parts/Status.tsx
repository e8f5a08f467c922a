/** A state as shape, colour and word. Each shape has a silhouette of its own, so that it is recognisable without its colour. */
import type { ReactNode } from "react"
import type { State } from "../live/fleet.ts"
import { t } from "../text/text.ts"

const tones = {
  Available: "ok",
  Preparing: "busy",
  Charging: "charge",
  SuspendedEV: "wait",
  SuspendedEVSE: "wait",
  Finishing: "busy",
  Reserved: "hold",
  Unavailable: "off",
  Faulted: "bad",
  Offline: "off",
  NeverConnected: "off"
} as const satisfies Readonly<Record<State, string>>

const bars = (
  <>
    <rect x="3.5" y="3" width="3.2" height="10" rx="1" />
    <rect x="9.3" y="3" width="3.2" height="10" rx="1" />
  </>
)

const shapes: Readonly<Record<State, ReactNode>> = {
  Available: <circle cx="8" cy="8" r="5" className="stroke" />,
  Preparing: (
    <>
      <circle cx="8" cy="8" r="5" className="stroke" />
      <path d="M8 3a5 5 0 0 1 0 10z" />
    </>
  ),
  Charging: (
    <>
      <circle cx="8" cy="8" r="7" />
      <path className="cut" d="M9.2 2.8 4.6 9h2.8l-.6 4.2L11.4 7H8.6z" />
    </>
  ),
  SuspendedEV: bars,
  SuspendedEVSE: bars,
  Finishing: (
    <>
      <circle cx="8" cy="8" r="5" className="stroke" />
      <path d="M8 8V3a5 5 0 0 1 5 5z" />
    </>
  ),
  Reserved: <path d="M8 1.5 14.5 8 8 14.5 1.5 8z" />,
  Unavailable: (
    <>
      <circle cx="8" cy="8" r="6.2" />
      <rect className="cut" x="4.4" y="7" width="7.2" height="2" rx=".5" />
    </>
  ),
  Faulted: (
    <>
      <path d="M8 1 15.4 14.3H.6z" />
      <rect className="cut" x="7.2" y="5.6" width="1.6" height="4.4" rx=".6" />
      <circle className="cut" cx="8" cy="12" r=".95" />
    </>
  ),
  Offline: (
    <>
      <circle cx="8" cy="8" r="5.6" className="stroke dash" />
      <path className="stroke" d="M3.8 12.2 12.2 3.8" />
    </>
  ),
  NeverConnected: <circle cx="8" cy="8" r="5.6" className="stroke dash" />
}

export const stateLabel = (state: State): string => t(`state.${state}`)

export const Shape = ({ state }: { readonly state: State }) => (
  <svg className={`shape tone-${tones[state]}`} viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
    {shapes[state]}
  </svg>
)

export const Status = ({ state }: { readonly state: State }) => (
  <span className={`status tone-${tones[state]}`} title={state}>
    <Shape state={state} />
    <span className="status-word">{stateLabel(state)}</span>
  </span>
)

/** A word in a colour that says how good or bad it is. */
export type Tone = "ok" | "wait" | "bad" | "off" | "busy" | "charge"
export const Pill = ({ children, tone }: { readonly tone: Tone; readonly children: ReactNode }) => (
  <span className={`pill tone-${tone}`}>
    <i aria-hidden="true" />
    {children}
  </span>
)
