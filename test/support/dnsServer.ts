/** A DNS server over UDP on this machine that knows some TXT records. */
import { createSocket, type Socket } from "node:dgram"
import type { AddressInfo } from "node:net"

/** The question's name, and where it ends. */
const nameOf = (message: Buffer): readonly [name: string, end: number] => {
  const labels: Array<string> = []
  let at = 12
  for (let length = message[at] ?? 0; length !== 0; length = message[at] ?? 0) {
    labels.push(message.toString("latin1", at + 1, at + 1 + length))
    at += 1 + length
  }
  return [labels.join(".").toLowerCase(), at + 5]
}

const textType = 16

const answerTo = (message: Buffer, values: ReadonlyArray<string> | undefined, code: number): Buffer => {
  const [, end] = nameOf(message)
  const header = Buffer.alloc(12)
  message.copy(header, 0, 0, 2)
  header.writeUInt16BE(0x8180 | code, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(values?.length ?? 0, 6)
  const records = (values ?? []).map((value) => {
    const parts = (value.match(/.{1,255}/gs) ?? [""]).map((part) => Buffer.from(part, "latin1"))
    const data = Buffer.concat(parts.flatMap((part) => [Buffer.from([part.length]), part]))
    const fixed = Buffer.alloc(12)
    fixed.writeUInt16BE(0xc00c, 0)
    fixed.writeUInt16BE(textType, 2)
    fixed.writeUInt16BE(1, 4)
    fixed.writeUInt32BE(60, 6)
    fixed.writeUInt16BE(data.length, 10)
    return Buffer.concat([fixed, data])
  })
  return Buffer.concat([header, message.subarray(12, end), ...records])
}

export class DnsServer {
  readonly texts = new Map<string, ReadonlyArray<string>>()
  /** The names that were asked for. */
  readonly asked: Array<string> = []
  /** What it does instead of answering: nothing, or say that it failed. */
  trouble: "silent" | "failing" | undefined
  private readonly socket: Socket

  private constructor(socket: Socket) {
    this.socket = socket
    // It does not keep the test's process running.
    socket.unref()
    socket.on("message", (message, { address, port }) => {
      const [name] = nameOf(message)
      this.asked.push(name)
      if (this.trouble === "silent") return
      const values = this.trouble === undefined ? this.texts.get(name) : undefined
      const code = this.trouble === "failing" ? 2 : values === undefined ? 3 : 0
      socket.send(answerTo(message, values, code), port, address)
    })
  }

  static start(): Promise<DnsServer> {
    return new Promise((resolve, reject) => {
      const socket = createSocket("udp4")
      socket.once("error", reject)
      socket.bind(0, "127.0.0.1", () => resolve(new DnsServer(socket)))
    })
  }

  get address(): string {
    const { port } = this.socket.address() as AddressInfo
    return `127.0.0.1:${port}`
  }

  stop(): void {
    this.socket.close()
  }
}
