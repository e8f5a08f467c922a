/** What the benchmark must know of a server under test, which is the service or a floor. */
import type { Child } from "./child.ts"

export interface FleetSize {
  readonly prefix: string
  readonly chargers: number
  /** The first so many chargers get a driver's card each. */
  readonly cards: number
  readonly passwords: boolean
}

export interface Server {
  readonly name: "ours" | "bare" | "group"
  /** Base of the websocket address of its chargers. */
  readonly ocppUrl: string
  /** Database that it writes to; undefined for a server that stores nothing, which is not charged for PostgreSQL. */
  readonly database: string | undefined
  /** Minimum time after a ramp or storm until the server has sent all its CALLs to each charger that booted. */
  readonly bootSettleMs: number
  /** Starts a fresh process over the same data. */
  readonly start: () => Promise<Child>
  /** How a command to a charger is requested by HTTP; undefined for a server that cannot send commands. */
  readonly command:
    | { readonly url: string; readonly headers: Readonly<Record<string, string>>; readonly body: string }
    | undefined
  /** Makes a fleet known to the running process. */
  readonly register: (fleet: FleetSize) => Promise<void>
}
