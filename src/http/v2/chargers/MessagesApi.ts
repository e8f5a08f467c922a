/** The log of OCPP frames in REST v2: searched in pages, followed live, and exported as JSON lines. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import { type FrameKind, frameKinds, searchedChars, searchedFrames } from "../../../domain/charger/MessageLog.ts"
import { flag, ChargerId, rule, text, Time } from "../../Fields.ts"
import { NotFound404, TooMany429 } from "../requests/Failures.ts"
import { operation } from "../requests/Middleware.ts"
import { listOf, PageQuery } from "../requests/Paging.ts"

export const LoggedMessage = Schema.Struct({
  id: Schema.String,
  at: Time,
  direction: Schema.Literals(["in", "out"]).annotate({ description: "`in`: from the charger, `out`: to the charger" }),
  kind: Schema.Literals(frameKinds),
  action: Schema.String,
  messageId: Schema.String,
  frame: Schema.String.annotate({ description: "The frame's text, at most 64 KiB; passwords and keys are masked" }),
  cutFrom: Schema.NullOr(Schema.Int).annotate({
    description: "Size of the whole frame in bytes if `frame` is only its beginning; null if `frame` is complete"
  })
}).annotate({ identifier: "LoggedMessage" })

const isKind = (word: string): word is FrameKind => (frameKinds as ReadonlyArray<string>).includes(word)

/** The values of a query parameter, separated by commas. */
export const listedOf = (words: string | undefined): ReadonlyArray<string> | undefined => words?.split(",")

export const kindsOf = (words: string | undefined): ReadonlyArray<FrameKind> | undefined =>
  words?.split(",").filter(isKind)

const params = { chargerId: ChargerId }

const filters = {
  from: Schema.optionalKey(Time.annotate({ description: "At or after" })),
  to: Schema.optionalKey(Time.annotate({ description: "Before" })),
  action: Schema.optionalKey(
    text(500).annotate({
      description: "Only frames of these actions, separated by commas; an answer has the action of its request"
    })
  ),
  kind: Schema.optionalKey(
    text(100)
      .check(
        rule(
          (words: string) => words.split(",").every(isKind),
          `One of ${frameKinds.join(", ")}; several separated by commas`
        )
      )
      .annotate({ description: "Only frames of these kinds, separated by commas" })
  ),
  trouble: Schema.optionalKey(flag("true: only errors, frames that are not OCPP, and answers that refuse the request")),
  q: Schema.optionalKey(
    text(100)
      .check(rule((words: string) => words.trim().length >= 2, "Must have at least 2 characters", { minLength: 2 }))
      .annotate({
        description: `A part of the frame or its message id; case does not matter; frames are searched up to character ${searchedChars}`
      })
  )
}

const about =
  "List raw OCPP frames, newest first; with `Accept: text/event-stream` stream new frames as they are logged. With a filter, a page searches " +
  `${searchedFrames} frames: a page with few or no items is the last only if \`nextCursor\` is null`

export const messages = HttpApiEndpoint.get("messages", "/v2/chargers/:chargerId/messages", {
  params,
  query: { ...PageQuery, ...filters },
  headers: {
    "last-event-id": Schema.optionalKey(
      Schema.String.annotate({
        description: "For server-sent events: continue after this frame, at most an hour back; default: start now"
      })
    )
  },
  success: listOf(LoggedMessage),
  error: [NotFound404, TooMany429]
}).annotateMerge(operation(about, "chargers:read"))

export const exportMessages = HttpApiEndpoint.get("exportMessages", "/v2/chargers/:chargerId/messages.jsonl", {
  params,
  query: filters,
  success: HttpApiSchema.WithHeaders(HttpApiSchema.StreamUint8Array({ contentType: "application/jsonl" }), {
    "content-disposition": Schema.String.annotate({ description: "`attachment`, with the name of the file" })
  }),
  error: NotFound404
}).annotateMerge(operation("Export all matching frames of a charger as JSON lines, newest first", "chargers:read"))
