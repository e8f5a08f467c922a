/**
 * A charger's frames as they are written, newest first, while its log is looked at. A tab that is not looked at lets its line go: browsers open only six
 * to one host.
 */
import { useEffect, useState } from "react"
import { urlOf } from "../api/client.ts"
import type { Message } from "../api/types.ts"
import { changed } from "./store.ts"

/** More than these are read again in pages. */
const keptMost = 1_000

const againMillis = 5_000

/** Frames come in batches; a few a second are drawn at once. */
const drawMillis = 150

export const useTail = (chargerId: string, isOn: boolean): ReadonlyArray<Message> => {
  const [frames, setFrames] = useState<ReadonlyArray<Message>>([])
  useEffect(() => {
    if (!isOn) return
    let source: EventSource | undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    let drawing: ReturnType<typeof setTimeout> | undefined
    let waiting: Array<Message> = []
    const onMessage = ({ data }: MessageEvent<string>): void => {
      waiting.push(JSON.parse(data) as Message)
      drawing ??= setTimeout(() => {
        drawing = undefined
        const fresh = waiting.reverse()
        waiting = []
        setFrames((old) => [...fresh, ...old].slice(0, keptMost))
      }, drawMillis)
    }
    const close = (): void => {
      clearTimeout(timer)
      source?.close()
      source = undefined
    }
    const open = (): void => {
      close()
      source = new EventSource(urlOf("chargers.messages", { params: { chargerId } }))
      // What came before the line was open is in the pages.
      source.addEventListener("open", () => changed("chargers.messages"))
      source.addEventListener("message", onMessage)
      source.addEventListener("error", () => {
        if (source?.readyState === EventSource.CLOSED) timer = setTimeout(open, againMillis)
      })
    }
    const look = (): void => (document.hidden ? close() : open())
    document.addEventListener("visibilitychange", look)
    look()
    return () => {
      document.removeEventListener("visibilitychange", look)
      clearTimeout(drawing)
      close()
      setFrames([])
    }
  }, [chargerId, isOn])
  return frames
}
