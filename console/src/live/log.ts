/** A charger's frames as a conversation: question and answer in one line, with the time it took, and what repeats folded. */
import type { Message } from "../api/types.ts"

export interface Exchange {
  readonly asked: Message
  readonly answer: Message | undefined
  /** The same question again and again: how many more, and since when. */
  readonly more: number
  readonly since: string
}

/** Questions that come every few seconds and say little each. */
const dull: ReadonlySet<string> = new Set(["MeterValues", "Heartbeat"])

/** Newest first, as the service lists them. */
export const exchanges = (messages: ReadonlyArray<Message>): ReadonlyArray<Exchange> => {
  // Both sides choose ids of their own: an answer goes the other way.
  const keyOf = (direction: string, messageId: string) => `${direction}:${messageId}`
  const answers = new Map(
    messages
      .filter(({ kind }) => kind === "CALLRESULT" || kind === "CALLERROR")
      .map((one) => [keyOf(one.direction === "in" ? "out" : "in", one.messageId), one])
  )
  const found: Array<Exchange> = []
  for (const asked of messages) {
    if (asked.kind === "CALLRESULT" || asked.kind === "CALLERROR") continue
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

/** The payload of a frame: of a CALL its fourth part, of a CALLRESULT its third, of a CALLERROR code and description. */
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

/** The parts of a frame that matter, in a line. */
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

/** Milliseconds between question and answer. */
export const took = ({ answer, asked }: Exchange): number | undefined =>
  answer === undefined ? undefined : Math.max(0, Date.parse(answer.at) - Date.parse(asked.at))
