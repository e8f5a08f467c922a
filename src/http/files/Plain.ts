/** Answers to chargers about files: a line of text, since what reads them is firmware. */
import { HttpServerResponse } from "effect/http"

export const plain = (status: number, line: string) => HttpServerResponse.text(`${line}\n`, { status })

/** 503. Half a minute is what a database needs to come back, and firmware waits for longer by itself. */
export const tryAgain = (line: string) => HttpServerResponse.setHeader(plain(503, line), "retry-after", "30")
