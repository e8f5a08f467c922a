/**
 * Every limit of the OCPP server, as one value that main builds from the settings. Exceeding a limit affects no other
 * charger: only the frame, upgrade or connection that exceeded it is refused, paused or closed, and counted.
 */

export interface OcppLimits {
  /** Longest message in bytes: a StopTransaction with a day's `transactionData` is legal and takes most of 1 MiB. */
  readonly maxFrameBytes: number
  /** Longest StopTransaction in bytes. Of one above `maxFrameBytes`, the readings in the middle are not read. */
  readonly maxStopBytes: number
  /** Messages above `maxFrameBytes` that may be in memory at the same time, over all chargers. */
  readonly maxLongMessages: number
  /** Fragments of one message of `maxFrameBytes`: 1 MiB in pieces of 1 KiB. A flood of empty fragments otherwise grows without bytes (GHSA-96hv-2xvq-fx4p). */
  readonly maxFragments: number
  /** Chunks in which TCP may deliver one message: 1 MiB in the smallest usual segments of 512 bytes, doubled. */
  readonly maxBufferedChunks: number
  /** An incomplete message ends the connection after this time: 1 MiB over a slow modem takes about as long. */
  readonly slowFrameMillis: number

  /** From TCP accept to the upgrade request, and again from the request to its answer. */
  readonly handshakeMillis: number
  /**
   * Sockets that have connected and not sent a request yet. Above this the oldest is closed, since honest clients send
   * their request at once.
   */
  readonly maxUnfinishedSockets: number
  /** Upgrades that wait for their turn; further ones are asked to come back. All chargers of a city may come at once. */
  readonly maxWaitingUpgrades: number
  /** Upgrades whose credentials and admission are being checked: enough for large batches, few enough to be short. */
  readonly maxConcurrentUpgrades: number
  /** New upgrades are refused while the worst event-loop lag of each of the last three seconds was above this. */
  readonly overloadLagMillis: number
  /** Shortest `Retry-After`, and the maximum that is added at random so that refused chargers do not return together. In seconds. */
  readonly retryAfterSeconds: number
  readonly retryJitterSeconds: number

  /**
   * Refused upgrades per minute of one network (/24 or /64). Above it all its failures get the same answer, and it
   * waits in a queue of its own.
   */
  readonly refusalsPerMinute: number
  /** Upgrades of all such networks that are checked at the same time. */
  readonly maxSuspectUpgrades: number
  /**
   * Wrong passwords per minute and charger that are answered as such, wherever they come from (CWE-307); further ones
   * are asked to come back later.
   */
  readonly guessesPerMinute: number
  /**
   * Reconnects of one charger: this many at once, then `reconnectsPerMinute`. Two chargers with one id would otherwise
   * replace each other forever.
   */
  readonly reconnectBurst: number
  readonly reconnectsPerMinute: number

  /** Silence after which a charger is pinged, and then pinged again. */
  readonly pingAfterMillis: number
  /** Silence after which a charger counts as gone: two pings and ten seconds. */
  readonly deadAfterMillis: number
  /** The same for a charger that sends messages but does not answer pings; some cannot, and are heard only by their heartbeats. */
  readonly mutePingDeadAfterMillis: number

  /** Bytes that wait to be sent to one charger. Above this the charger is not reading, and its connection is cut. */
  readonly maxOutboundBytes: number
  /** If bytes wait and none is sent for this time, the connection is cut too. */
  readonly stalledWriteMillis: number
  /** Bytes of frames that had been received before the socket was paused. */
  readonly maxBacklogBytes: number

  /** Frames per minute that are not OCPP messages; above this the connection is closed with 1008. */
  readonly badFramesPerMinute: number
  /** Frames of one charger: this many at once, then `framesPerSecond`. Above this the socket is not read for a while. */
  readonly frameBurst: number
  readonly framesPerSecond: number
  /**
   * A CALL that is sent after the one before was answered, as OCPP requires, costs this part of a frame: the rate of
   * our answers limits it already.
   */
  readonly politeFrameCost: number
  /**
   * Bytes of one charger's frames: this many at once, then `bytesPerSecond`. Above this the socket is not read for a
   * while, and nothing is lost.
   */
  readonly bytesBurst: number
  readonly bytesPerSecond: number
  /** Time of the shared thread, in ms, for one charger's frames: this much at once, then `workMillisPerSecond`. */
  readonly workBurstMillis: number
  readonly workMillisPerSecond: number
  /** Frames longer than this are handled one at a time over all chargers. */
  readonly largeFrameBytes: number
  /** The rate of large frames over all chargers. */
  readonly largeBytesPerSecond: number
  /** After each large frame, the pause for other work is at least this many times as long as the frame took. */
  readonly largeRest: number
}

const MiB = 1024 * 1024

/** The limits that apply unless the settings change them. */
export const defaultLimits: OcppLimits = {
  maxFrameBytes: MiB,
  maxStopBytes: 4 * MiB,
  maxLongMessages: 16,
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
