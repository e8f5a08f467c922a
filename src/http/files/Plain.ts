/** Plain answers about files, one line of text each, since firmware reads them. */
import { HttpServerResponse } from "effect/http"

export const plain = (status: number, line: string) => HttpServerResponse.text(`${line}\n`, { status })

/** Answers 503. A database needs about half a minute to recover; firmware usually waits longer anyway. */
export const tryAgain = (line: string) => HttpServerResponse.setHeader(plain(503, line), "retry-after", "30")
