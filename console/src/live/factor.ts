/** Calls for which the second factor is needed again wait here until the person has given it or declines. */
import { useSyncExternalStore } from "react"

let waiting: ReadonlyArray<(isShown: boolean) => void> = []
const listeners = new Set<() => void>()

const set = (next: typeof waiting): void => {
  waiting = next
  for (const listener of listeners) listener()
}

/** True once the second factor was given; false if the person declined. */
export const factorShown = (): Promise<boolean> => new Promise((resolve) => set([...waiting, resolve]))

/** Lets all waiting calls go on, or fail. */
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
