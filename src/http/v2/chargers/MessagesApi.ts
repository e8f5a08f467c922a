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
  direction: Schema.Literals(["in", "out"]).annotate({ description: "`in` is from the charger" }),
  kind: Schema.Literals(frameKinds),
  action: Schema.String,
  messageId: Schema.String,
  frame: Schema.String.annotate({ description: "The frame's text, of at most 64 KiB; passwords and keys are masked" }),
  cutFrom: Schema.NullOr(Schema.Int).annotate({
    description: "Bytes of the whole frame where `frame` is only its beginning; null where it is all of it"
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
      description: "Of these actions alone, separated by commas; an answer has that of its question"
    })
  ),
  kind: Schema.optionalKey(
    text(100)
      .check(
        rule(
          (words: string) => words.split(",").every(isKind),
          `One of ${frameKinds.join(", ")}; several are separated by commas`
        )
      )
      .annotate({ description: "Of these kinds alone, separated by commas" })
  ),
  trouble: Schema.optionalKey(flag("true: errors, what is no OCPP frame, and answers that refuse what was asked")),
  q: Schema.optionalKey(
    text(100)
      .check(rule((words: string) => words.trim().length >= 2, "Must have 2 characters or more", { minLength: 2 }))
      .annotate({
        description: `A part of the frame or its message id, whatever the case of letters; frames are searched up to character ${searchedChars}`
      })
  )
}

const about =
  `The log of raw OCPP frames, newest first; with \`Accept: text/event-stream\` what comes from now on, as it is written. With a filter a page looks through ` +
  `${searchedFrames} frames: one with few items or none is the last only where \`nextCursor\` is null`

export const messages = HttpApiEndpoint.get("messages", "/v2/chargers/:chargerId/messages", {
  params,
  query: { ...PageQuery, ...filters },
  headers: {
    "last-event-id": Schema.optionalKey(
      Schema.String.annotate({
        description: "Of server-sent events: go on behind this frame, at most an hour back; without it they begin now"
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
}).annotateMerge(operation("All frames of a charger that fit as JSON lines, newest first", "chargers:read"))
