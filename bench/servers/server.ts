/** What the bench must know of a server under test, be it the service or a floor. */
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
  /** Database that it writes to; undefined for a server that stores nothing, which is then not charged for PostgreSQL. */
  readonly database: string | undefined
  /** Least time after a ramp or storm until what the server asks each booted charger has been asked. */
  readonly bootSettleMs: number
  /** Starts a fresh process over the same data. */
  readonly start: () => Promise<Child>
  /** How it is asked by HTTP to send a charger a command; undefined for one that cannot be. */
  readonly command:
    | { readonly url: string; readonly headers: Readonly<Record<string, string>>; readonly body: string }
    | undefined
  /** Makes a fleet known to the running process. */
  readonly register: (fleet: FleetSize) => Promise<void>
}
