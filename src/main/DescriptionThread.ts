/** The thread that makes the text of the OpenAPI document once: on the main thread, chargers would wait for it for most of a second. */
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads"
import { Effect, Schema } from "effect"
import { descriptionJson } from "../http/v2/OpenApiDocument.ts"

const Given = Schema.Struct({ publicUrl: Schema.String })

/** Half of what the thread takes otherwise, and returns to the system only in part. */
const resourceLimits = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 4 }

/** The document as JSON. */
export const descriptionText = (publicUrl: string): Effect.Effect<string> =>
  Effect.callback((resume) => {
    const given: typeof Given.Type = { publicUrl }
    const thread = new Worker(new URL(import.meta.url), { workerData: given, resourceLimits })
    thread.once("message", (text: string) => resume(Effect.succeed(text)))
    thread.once("error", () => {})
    // It ended without a text, for example for want of memory: then chargers wait.
    thread.once("exit", () => resume(Effect.sync(() => descriptionJson(publicUrl))))
  })

if (!isMainThread && Schema.is(Given)(workerData)) parentPort?.postMessage(descriptionJson(workerData.publicUrl))
