/**
 * The registry of shortcuts: the keys, the palette and the help all use the same entries. Letters do nothing inside fields, and a setting turns
 * shortcuts off (WCAG 2.1.4).
 */
import { useEffect, useRef, useSyncExternalStore } from "react"

export interface Shortcut {
  /** `g c`: one key after the other; `Ctrl+K`: both together. */
  readonly keys: string
  readonly label: string
  readonly run: () => void
}

let registered: ReadonlyArray<{ readonly shortcut: React.RefObject<Shortcut> }> = []
const listeners = new Set<() => void>()
const notify = (): void => {
  for (const listener of listeners) listener()
}

const storedAt = "voltlane.letters"
let lettersOn = (() => {
  try {
    return localStorage.getItem(storedAt) !== "off"
  } catch {
    return true
  }
})()

export const areLettersOn = (): boolean => lettersOn
export const setLetters = (on: boolean): void => {
  lettersOn = on
  try {
    localStorage.setItem(storedAt, on ? "on" : "off")
  } catch {
    // A browser without storage has them on again at the next visit.
  }
  notify()
}

/** Registers a shortcut while a component is shown. If two have the same keys, the newest wins. */
export const useShortcut = (keys: string, label: string, run: () => void, isOn = true): void => {
  const shortcut = useRef<Shortcut>({ keys, label, run })
  useEffect(() => {
    shortcut.current = { keys, label, run }
  })
  useEffect(() => {
    if (!isOn) return
    const entry = { shortcut }
    registered = [...registered, entry]
    notify()
    return () => {
      registered = registered.filter((one) => one !== entry)
      notify()
    }
  }, [isOn])
}

export const useShortcuts = (): ReadonlyArray<Shortcut> => {
  const all = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => registered
  )
  const byKeys = new Map(all.map(({ shortcut }) => [shortcut.current.keys, shortcut.current]))
  return [...byKeys.values()]
}

const isField = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest("input:not([type=checkbox],[type=radio]),textarea,select") !== null

/** A key press in the notation of the registry. */
const written = (event: KeyboardEvent): string => {
  const key = event.key === "ArrowDown" ? "j" : event.key === "ArrowUp" ? "k" : event.key
  return `${event.ctrlKey || event.metaKey ? "Ctrl+" : ""}${event.ctrlKey || event.metaKey ? key.toUpperCase() : key}`
}

const sequenceMillis = 1_200

/** Listens for all shortcuts; returns a function that stops it. */
export const listenForShortcuts = (): (() => void) => {
  let first = ""
  let firstAt = 0
  const find = (keys: string) => registered.findLast(({ shortcut }) => shortcut.current.keys === keys)?.shortcut.current
  const onKey = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.altKey || event.isComposing) return
    const key = written(event)
    // A key that is held down moves through a list, and does nothing else twice.
    if (event.repeat && key !== "j" && key !== "k") return
    const isLetter = key.length === 1
    // Keys in a dialog trigger no shortcut; Escape is left to the browser there.
    const isInDialog = document.querySelector("dialog[open]") !== null
    if (isInDialog) return
    if (isField(event.target) && !key.startsWith("Ctrl+") && key !== "Escape") return
    if (isLetter && !lettersOn && !key.startsWith("Ctrl+")) return
    // The second key of a sequence such as `g c` must follow within `sequenceMillis`.
    const keys = first !== "" && event.timeStamp - firstAt < sequenceMillis ? `${first} ${key}` : key
    const found = find(keys) ?? find(key)
    first = ""
    if (found !== undefined) {
      event.preventDefault()
      found.run()
    } else if (registered.some(({ shortcut }) => shortcut.current.keys.startsWith(`${key} `))) {
      first = key
      firstAt = event.timeStamp
    }
  }
  addEventListener("keydown", onKey)
  return () => removeEventListener("keydown", onKey)
}
