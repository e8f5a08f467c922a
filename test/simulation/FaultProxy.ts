/**
 * A small TCP proxy between chargers and the service that does to a connection what networks do: it swallows the bytes of one direction, delays and
 * throttles them, cuts a frame in its middle, resets, or leaves a half-open connection. The kernel's own tools (netem, iptables) are not available on
 * an ordinary machine, and would affect other connections too.
 */
import { createServer, connect, type AddressInfo, type Server, type Socket } from "node:net"

export type Direction = "toServer" | "toCharger"

/** What happens to the bytes of one direction. `blackHole` also swallows the end of the stream, as a dead connection does. */
export type Fault =
  | { readonly kind: "pass" }
  | { readonly kind: "blackHole" }
  | { readonly kind: "delay"; readonly millis: number }
  | { readonly kind: "throttle"; readonly bytesPerSecond: number }
  /** Half of the next chunk is passed on, then both sides are closed. */
  | { readonly kind: "cut" }

const pass: Fault = { kind: "pass" }

/** One charger's connection through the proxy. */
export class Link {
  readonly charger: Socket
  readonly server: Socket
  private readonly faults: Record<Direction, Fault>
  /** The tail of each direction: chunks leave in the order in which they came, whatever their delay. */
  private readonly tails: Record<Direction, Promise<void>> = {
    toServer: Promise.resolve(),
    toCharger: Promise.resolve()
  }
  /** Bytes that a black hole swallowed, per direction. */
  readonly swallowed: Record<Direction, number> = { toServer: 0, toCharger: 0 }

  constructor(charger: Socket, server: Socket, faults: Record<Direction, Fault>) {
    this.charger = charger
    this.server = server
    this.faults = { ...faults }
    this.pipe("toServer", charger, server)
    this.pipe("toCharger", server, charger)
  }

  set(direction: Direction, fault: Fault): void {
    this.faults[direction] = fault
  }

  /** Ends both sides with a TCP reset. */
  reset(): void {
    this.charger.resetAndDestroy()
    this.server.resetAndDestroy()
  }

  get closed(): boolean {
    return this.charger.destroyed && this.server.destroyed
  }

  private pipe(direction: Direction, from: Socket, to: Socket): void {
    from.on("data", (chunk) => {
      const fault = this.faults[direction]
      if (fault.kind === "blackHole") {
        this.swallowed[direction] += chunk.length
        return
      }
      if (fault.kind === "cut") return this.cut(chunk, to)
      if (fault.kind !== "pass") from.pause()
      this.tails[direction] = this.tails[direction].then(async () => {
        await wait(fault, chunk.length)
        if (!to.destroyed) to.write(chunk)
        from.resume()
      })
    })
    // Errors are followed by "close"; without a listener they would end the test.
    from.on("error", () => undefined)
    from.on("close", () => {
      if (this.faults[direction].kind === "blackHole") return
      void this.tails[direction].then(() => to.destroy())
    })
    from.on("end", () => {
      if (this.faults[direction].kind === "blackHole") return
      void this.tails[direction].then(() => to.end())
    })
  }

  private cut(chunk: Buffer, to: Socket): void {
    if (!to.destroyed) to.write(chunk.subarray(0, chunk.length >> 1), () => this.destroy())
    else this.destroy()
  }

  destroy(): void {
    this.charger.destroy()
    this.server.destroy()
  }
}

const wait = (fault: Fault, bytes: number): Promise<void> => {
  const millis =
    fault.kind === "delay" ? fault.millis : fault.kind === "throttle" ? (bytes / fault.bytesPerSecond) * 1000 : 0
  return millis > 0 ? new Promise((resolve) => setTimeout(resolve, millis)) : Promise.resolve()
}

export class FaultProxy implements AsyncDisposable {
  private readonly server: Server
  private readonly target: number
  /** The faults that new links begin with. */
  private readonly faults: Record<Direction, Fault> = { toServer: pass, toCharger: pass }
  /** Links that are not closed, oldest first. */
  readonly links = new Set<Link>()

  private constructor(server: Server, target: number) {
    this.server = server
    this.target = target
  }

  /** Listens on a free port of the loopback address and passes everything on to `targetPort` there. */
  static async listen(targetPort: number): Promise<FaultProxy> {
    const server = createServer({ noDelay: true, allowHalfOpen: true })
    const proxy = new FaultProxy(server, targetPort)
    server.on("connection", (charger) => proxy.accept(charger))
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject)
      server.listen({ port: 0, host: "127.0.0.1", backlog: 4096 }, resolve)
    })
    return proxy
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port
  }

  /** Sets a fault for all open links and for new ones. */
  set(direction: Direction, fault: Fault): void {
    this.faults[direction] = fault
    for (const link of this.links) link.set(direction, fault)
  }

  /** Removes the faults of both directions for new links; open ones keep theirs. */
  healNew(): void {
    this.faults.toServer = pass
    this.faults.toCharger = pass
  }

  heal(): void {
    this.set("toServer", pass)
    this.set("toCharger", pass)
  }

  /** Resets every open link. */
  reset(): void {
    for (const link of this.links) link.reset()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const link of this.links) link.destroy()
    await new Promise<void>((resolve) => this.server.close(() => resolve()))
  }

  private accept(charger: Socket): void {
    const server = connect({ port: this.target, host: "127.0.0.1", noDelay: true, allowHalfOpen: true })
    const link = new Link(charger, server, this.faults)
    this.links.add(link)
    const forget = () => {
      if (link.closed) this.links.delete(link)
    }
    charger.on("close", forget)
    server.on("close", forget)
  }
}
