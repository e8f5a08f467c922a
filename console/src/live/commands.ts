/**
 * The commands that this person sent, from "sent" until their effect was seen. Their state follows from events only, never from assumptions. The last
 * few are on screen: a finished one for some seconds, a failed one until it is closed.
 */
import { useSyncExternalStore } from "react"
import { call } from "../api/client.ts"
import type { Command, LiveEvent } from "../api/types.ts"

export interface Followed {
  readonly command: Command
}

const shown = 6
let followed: ReadonlyArray<Followed> = []
const listeners = new Set<() => void>()

/** Long enough to be read; a longer notice would cover what is below it. */
const doneMillis = 12_000
const leaving = new Set<string>()

const set = (next: ReadonlyArray<Followed>): void => {
  followed = next.slice(0, shown)
  for (const { command } of followed) {
    if (leaving.has(command.id) || phase(command) !== "done") continue
    leaving.add(command.id)
    setTimeout(() => {
      leaving.delete(command.id)
      dismiss(command.id)
    }, doneMillis)
  }
  for (const listener of listeners) listener()
}

export const follow = (command: Command): void =>
  set([{ command }, ...followed.filter((one) => one.command.id !== command.id)])

export const dismiss = (id: string): void => set(followed.filter(({ command }) => command.id !== id))

const reread = async (id: string): Promise<void> => {
  const command = await call("commands.get", { params: { id } }).catch(() => undefined)
  if (command === undefined) return
  set(followed.map((one) => (one.command.id === id ? { ...one, command } : one)))
}

const seen = (event: LiveEvent): void => {
  if (event.type === "command.completed") {
    if (followed.some(({ command }) => command.id === event.data.commandId)) void reread(event.data.commandId)
    return
  }
  if (event.type !== "session.started" && event.type !== "session.ended") return
  const wanted = event.type === "session.started" ? "RemoteStart" : "RemoteStop"
  for (const { command } of followed) {
    const isHere = command.type === wanted && command.chargerId === event.data.chargerId
    if (isHere && command.effect === null) void reread(command.id)
  }
}

/** Updates the followed commands from the events of a feed; returns a function that stops it. */
export const followCommands = (listen: (listener: (event: LiveEvent) => void) => () => void): (() => void) =>
  listen(seen)

export const useFollowed = (): ReadonlyArray<Followed> =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => followed
  )

/** The state of a command: not answered yet, answered but its effect not seen yet, done, or failed. */
export const phase = ({ effect, status, type }: Command): "waiting" | "accepted" | "done" | "failed" => {
  if (status === "Pending" || status === "Sent") return "waiting"
  if (status !== "Accepted") return "failed"
  return (type === "RemoteStart" || type === "RemoteStop") && effect === null ? "accepted" : "done"
}
