/** A charger's frames as a conversation: CALL and answer in one line with the time between them, and repetitions folded. */
import type { Message } from "../api/types.ts"

export interface Exchange {
  readonly asked: Message
  readonly answer: Message | undefined
  /** For folded repetitions: how many more there are, and since when. */
  readonly more: number
  readonly since: string
}

/** CALLs that come every few seconds and say little each. */
const dull: ReadonlySet<string> = new Set(["MeterValues", "Heartbeat"])

const isAnswer = ({ kind }: Pick<Message, "kind">): boolean => kind === "CALLRESULT" || kind === "CALLERROR"

export interface LogFilter {
  readonly actions: ReadonlyArray<string>
  readonly text: string
}

/** How much of a frame the service searches. */
const searchedChars = 4_096

/** Whether a live frame matches the filter of the list. */
export const fitsLog = ({ action, frame, messageId }: Message, { actions, text }: LogFilter): boolean => {
  if (actions.length > 0 && !actions.includes(action)) return false
  const wanted = text.trim().toLowerCase()
  return (
    wanted === "" ||
    frame.slice(0, searchedChars).toLowerCase().includes(wanted) ||
    messageId.toLowerCase().includes(wanted)
  )
}

/** The frames that were read and those that came live, each once, newest first. */
export const joined = (read: ReadonlyArray<Message>, live: ReadonlyArray<Message>): ReadonlyArray<Message> => {
  const known = new Set(read.map(({ id }) => id))
  const fresh = live.filter(({ id }) => !known.has(id))
  if (fresh.length === 0) return read
  const before = (one: Message, other: Message): number =>
    Date.parse(other.at) - Date.parse(one.at) || (BigInt(other.id) > BigInt(one.id) ? 1 : -1)
  return [...fresh, ...read].sort(before)
}

/**
 * Newest first, as the service lists them. A filtered list may contain an answer without its CALL: with `loose` it gets a line of its own; without
 * it, the CALL is expected on the next page.
 */
export const exchanges = (messages: ReadonlyArray<Message>, loose = false): ReadonlyArray<Exchange> => {
  // Both sides choose their own message ids. An answer goes in the opposite direction of its CALL.
  const keyOf = (direction: string, messageId: string) => `${direction}:${messageId}`
  const answers = new Map(
    messages.filter(isAnswer).map((one) => [keyOf(one.direction === "in" ? "out" : "in", one.messageId), one])
  )
  const questions = new Set(
    messages.filter((one) => !isAnswer(one)).map(({ direction, messageId }) => keyOf(direction, messageId))
  )
  const found: Array<Exchange> = []
  for (const asked of messages) {
    if (isAnswer(asked)) {
      const question = keyOf(asked.direction === "in" ? "out" : "in", asked.messageId)
      if (loose && !questions.has(question)) found.push({ asked, answer: undefined, more: 0, since: asked.at })
      continue
    }
    const answer = answers.get(keyOf(asked.direction, asked.messageId))
    const before = found.at(-1)
    const isFolded =
      before !== undefined &&
      dull.has(asked.action) &&
      before.asked.action === asked.action &&
      before.answer?.kind !== "CALLERROR" &&
      answer?.kind !== "CALLERROR"
    if (isFolded) found[found.length - 1] = { ...before, more: before.more + 1, since: asked.at }
    else found.push({ asked, answer, more: 0, since: asked.at })
  }
  return found
}

/** The payload of a frame: the fourth element of a CALL, the third of a CALLRESULT, code and description of a CALLERROR. */
export const payloadOf = ({ frame, kind }: Pick<Message, "frame" | "kind">): unknown => {
  try {
    const parts = JSON.parse(frame) as ReadonlyArray<unknown>
    if (kind === "CALLERROR") return { code: parts[2], description: parts[3] }
    return kind === "CALL" ? parts[3] : parts[2]
  } catch {
    return frame
  }
}

const longestGist = 120

/** The important values of a frame in one line. */
export const gist = (message: Pick<Message, "frame" | "kind">): string => {
  const body = payloadOf(message)
  if (typeof body !== "object" || body === null) return String(body).slice(0, longestGist)
  const one = body as Readonly<Record<string, unknown>>
  const values = one["meterValue"] as
    | ReadonlyArray<{ readonly sampledValue?: ReadonlyArray<{ readonly value?: string; readonly unit?: string }> }>
    | undefined
  const sample = Array.isArray(values) ? values[0]?.sampledValue?.[0] : undefined
  const info = one["idTagInfo"] as { readonly status?: unknown } | undefined
  const parts = [
    ...(sample === undefined ? [] : [`${String(sample.value)} ${sample.unit ?? "Wh"}`]),
    ...(typeof info?.status === "string" ? [info.status] : []),
    ...Object.entries(one)
      .filter(([key, value]) => key !== "timestamp" && typeof value !== "object" && value !== "" && value !== "NoError")
      .map(([key, value]) => (key === "status" ? String(value) : `${key} ${String(value)}`))
  ]
  return parts.slice(0, 5).join(" · ").slice(0, longestGist)
}

/** Milliseconds between the CALL and its answer. */
export const took = ({ answer, asked }: Exchange): number | undefined =>
  answer === undefined ? undefined : Math.max(0, Date.parse(answer.at) - Date.parse(asked.at))
