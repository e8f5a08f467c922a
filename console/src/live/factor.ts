/** The second factor that some calls ask for again: they wait here until the person has shown it, or does not want to. */
import { useSyncExternalStore } from "react"

let waiting: ReadonlyArray<(isShown: boolean) => void> = []
const listeners = new Set<() => void>()

const set = (next: typeof waiting): void => {
  waiting = next
  for (const listener of listeners) listener()
}

/** True once it was shown; false where the person gave up. */
export const factorShown = (): Promise<boolean> => new Promise((resolve) => set([...waiting, resolve]))

/** Lets all calls that wait go on, or fail. */
export const settleFactor = (isShown: boolean): void => {
  const all = waiting
  set([])
  for (const resolve of all) resolve(isShown)
}

export const useIsFactorAsked = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => waiting.length > 0
  )
