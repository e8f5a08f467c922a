/** The service as tests start it, when another process has taken the port that was found for it. */
import { createServer } from "node:net"
import { expect, it } from "vitest"
import { freePort } from "../../bench/servers/port.ts"
import { PortTaken, Service } from "./Process.ts"

it("starts on another port, and reports that a required port is taken", async () => {
  // It accepts connections and never answers, so that requests to it get no response.
  const other = createServer()
  const taken = await new Promise<number>((resolve) =>
    other.listen(0, "127.0.0.1", () => resolve((other.address() as { port: number }).port))
  )
  const chosen: Array<number> = []
  const choose = async () => {
    const port = chosen.length === 0 ? taken : await freePort()
    chosen.push(port)
    return port
  }
  try {
    await expect(Service.start({ port: taken })).rejects.toThrow(PortTaken)
    await using service = await Service.start({}, choose)
    expect(chosen).toEqual([taken, service.port])
    expect(await service.status("/readyz")).toBe(200)
  } finally {
    other.close()
  }
})
