/**
 * The floor of a page: an HTTP server that got the objects of a page beforehand and writes them as JSON at every request. No service that answers
 * with the same objects can be cheaper, however it finds them.
 *
 * Run as its own process: `PORT=9001 node bench/floors/memory.ts`. PUT stores the JSON of an address, GET returns it.
 */
import { createServer } from "node:http"
import { text } from "node:stream/consumers"

const pages = new Map<string | undefined, unknown>()

createServer((request, response) => {
  if (request.method === "PUT") {
    void text(request).then((body) => {
      pages.set(request.url, JSON.parse(body))
      response.end()
    })
  } else response.end(JSON.stringify(pages.get(request.url)))
}).listen(Number(process.env["PORT"]), "127.0.0.1")
