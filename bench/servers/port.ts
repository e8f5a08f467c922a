/** Finds a port that was free a moment ago. */
import { createServer } from "node:net"

export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer().once("error", reject)
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address()
      const port = address === null || typeof address === "string" ? undefined : address.port
      probe.close(() => (port === undefined ? reject(new Error("no free port")) : resolve(port)))
    })
  })
