/**
 * A charger's frames as they are written, newest first, while its log is open. A hidden tab closes its stream: browsers open only six connections to
 * one host.
 */
import { useEffect, useState } from "react"
import { urlOf } from "../api/client.ts"
import type { Message } from "../api/types.ts"
import { changed } from "./store.ts"

/** After so many frames the list is read again. Its first page then has the newest ones, and older ones follow on scrolling, without a gap. */
const keptMost = 2_000

const againMillis = 5_000

/** Frames come in batches; the page is drawn a few times a second at most. */
const drawMillis = 150

export const useTail = (chargerId: string, isOn: boolean): ReadonlyArray<Message> => {
  const [frames, setFrames] = useState<ReadonlyArray<Message>>([])
  useEffect(() => {
    if (!isOn) return
    let source: EventSource | undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    let drawing: ReturnType<typeof setTimeout> | undefined
    let waiting: Array<Message> = []
    let count = 0
    /** Frames from before are in the pages, which are read again. */
    const begin = (): void => {
      count = 0
      setFrames([])
      changed("chargers.messages")
    }
    const onMessage = ({ data }: MessageEvent<string>): void => {
      waiting.push(JSON.parse(data) as Message)
      drawing ??= setTimeout(() => {
        drawing = undefined
        const fresh = waiting.reverse()
        waiting = []
        count += fresh.length
        if (count > keptMost) begin()
        setFrames((old) => [...fresh, ...old])
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
      source.addEventListener("open", begin)
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
    }
  }, [chargerId, isOn])
  // Frames stay on screen when following ends: the person is reading them.
  useEffect(() => () => setFrames([]), [chargerId])
  return frames
}
