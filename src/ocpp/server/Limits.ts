/**
 * Every bound that the OCPP server keeps, as one value that main decodes from the settings. Over a bound no other charger suffers: the frame,
 * the upgrade or the connection that went over it is refused, paused or closed, and counted.
 */

export interface OcppLimits {
  /** Longest message in bytes: a StopTransaction with a day's `transactionData` is legal and takes most of 1 MiB. */
  readonly maxFrameBytes: number
  /** Fragments of one message: 1 MiB in pieces of 1 KiB. A flood of empty fragments otherwise grows without bytes (GHSA-96hv-2xvq-fx4p). */
  readonly maxFragments: number
  /** Pieces in which TCP may bring one message: 1 MiB in the smallest usual segments of 512 bytes, doubled. */
  readonly maxBufferedChunks: number
  /** An unfinished message ends the connection after this long: 1 MiB over a slow modem takes about as much. */
  readonly slowFrameMillis: number

  /** From TCP accept to the upgrade request, and again from the request to its answer. */
  readonly handshakeMillis: number
  /** Sockets that have connected and asked for nothing yet; the oldest goes first, since honest ones speak at once. */
  readonly maxUnfinishedSockets: number
  /** Upgrades that wait for their turn; more are asked to come back. A whole city may come at once. */
  readonly maxWaitingUpgrades: number
  /** Upgrades whose credentials and admission are being looked up: enough for large batches, few enough to stay short. */
  readonly maxConcurrentUpgrades: number
  /** New upgrades are refused while every second's worst event-loop lag was above this, three seconds running. */
  readonly overloadLagMillis: number
  /** Shortest `Retry-After`, and what is added at random so that refused chargers do not come back together. In seconds. */
  readonly retryAfterSeconds: number
  readonly retryJitterSeconds: number

  /** Refused upgrades per minute of one network (/24 or /64) before all its failures are answered alike, and it waits in a queue of its own. */
  readonly refusalsPerMinute: number
  /** Upgrades of all such networks that are looked up at one time. */
  readonly maxSuspectUpgrades: number
  /** Wrong passwords per minute and charger that are answered as such, from wherever they come (CWE-307); all others are asked to come back later. */
  readonly guessesPerMinute: number
  /** Reconnects of one charger: this many at once, then `reconnectsPerMinute`. Two chargers with one id would otherwise take turns. */
  readonly reconnectBurst: number
  readonly reconnectsPerMinute: number

  /** Silence after which a charger is pinged, and pinged again. */
  readonly pingAfterMillis: number
  /** Silence after which a charger is gone: two pings and ten seconds. */
  readonly deadAfterMillis: number
  /** The same for one that talks and does not answer pings; some chargers cannot, and speak only by their heartbeats. */
  readonly mutePingDeadAfterMillis: number

  /** Bytes that wait to be sent to one charger; over it the charger does not read, and is cut. */
  readonly maxOutboundBytes: number
  /** Bytes that wait without one of them leaving, for this long, cut it too. */
  readonly stalledWriteMillis: number
  /** Bytes of frames that had been received when the socket was paused. */
  readonly maxBacklogBytes: number

  /** Frames per minute that are no OCPP message before the connection is closed with 1008. */
  readonly badFramesPerMinute: number
  /** Frames of one charger: this many at once, then `framesPerSecond`; over it the socket is not read for a while. */
  readonly frameBurst: number
  readonly framesPerSecond: number
  /** A CALL sent after the one before was answered, as OCPP demands, costs this part of a frame: its answers already hold it back. */
  readonly politeFrameCost: number
  /** Bytes of one charger's frames: so many at once, then `bytesPerSecond`; over it the socket is not read for a while, and nothing is lost. */
  readonly bytesBurst: number
  readonly bytesPerSecond: number
  /** Time of the thread that everybody shares, in ms, for taking one charger's frames: so much at once, then so much a second. */
  readonly workBurstMillis: number
  readonly workMillisPerSecond: number
  /** Frames longer than this are taken in turn, one of all chargers at a time. */
  readonly largeFrameBytes: number
  /** Of all chargers' large frames together. */
  readonly largeBytesPerSecond: number
  /** After each the thread is left to others for so many times as long as it took. */
  readonly largeRest: number
}

const MiB = 1024 * 1024

/** What the service runs with unless its settings say otherwise. */
export const defaultLimits: OcppLimits = {
  maxFrameBytes: MiB,
  maxFragments: 1024,
  maxBufferedChunks: 4096,
  slowFrameMillis: 120_000,
  handshakeMillis: 10_000,
  maxUnfinishedSockets: 5_000,
  maxWaitingUpgrades: 10_000,
  maxConcurrentUpgrades: 256,
  overloadLagMillis: 200,
  retryAfterSeconds: 5,
  retryJitterSeconds: 25,
  refusalsPerMinute: 60,
  maxSuspectUpgrades: 32,
  guessesPerMinute: 20,
  reconnectBurst: 300,
  reconnectsPerMinute: 60,
  pingAfterMillis: 30_000,
  deadAfterMillis: 70_000,
  mutePingDeadAfterMillis: 600_000,
  maxOutboundBytes: MiB,
  stalledWriteMillis: 15_000,
  maxBacklogBytes: 2 * MiB,
  badFramesPerMinute: 20,
  frameBurst: 200,
  framesPerSecond: 50,
  politeFrameCost: 0.05,
  bytesBurst: 2 * MiB,
  bytesPerSecond: 32 * 1024,
  workBurstMillis: 2_000,
  workMillisPerSecond: 50,
  largeFrameBytes: 64 * 1024,
  largeBytesPerSecond: 4 * MiB,
  largeRest: 3
}
