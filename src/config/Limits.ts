/**
 * Every bound of the service that is not the business of one function alone, each with its reason. They are grouped by who keeps them,
 * under the names by which those parts take them as options. A few can be changed by a variable (`Variables.ts`); the others are chosen
 * so that operators need not.
 */

const KiB = 1024
const MiB = 1024 * KiB
const second = 1_000

export const limits = {
  /** The sockets of chargers, as `ocpp/server/Limits.ts` names them. */
  ocpp: {
    // Longest message: a StopTransaction with a day's `transactionData` is legal and takes most of it.
    maxFrameBytes: MiB,
    // 1 MiB in pieces of 1 KiB; a flood of empty fragments otherwise grows without bytes (GHSA-96hv-2xvq-fx4p).
    maxFragments: 1_024,
    // 1 MiB in the smallest usual TCP segments of 512 bytes, doubled.
    maxBufferedChunks: 4_096,
    // 1 MiB over a slow modem takes about as long; a slower sender is taken for a silent one.
    slowFrameMillis: 120 * second,
    // TLS, upgrade request and its answer each take a round trip or two, even over a bad line.
    handshakeMillis: 10 * second,
    // Connected and silent: an honest client speaks at once, so the oldest go first when there are more.
    maxUnfinishedSockets: 5_000,
    // A whole city may come back at once, and waiting here is cheaper for everybody than coming again.
    maxWaitingUpgrades: 10_000,
    // Enough for large batches of look-ups, few enough that each is short.
    maxConcurrentUpgrades: 256,
    // Event-loop lag at which newcomers are sent away before those who are connected suffer.
    overloadLagMillis: 200,
    // Refused chargers come back after 5 to 30 s, spread so that they do not come together.
    retryAfterSeconds: 5,
    retryJitterSeconds: 25,
    // Refusals per minute and network before no reason is given any more: a site of misconfigured chargers stays below.
    refusalsPerMinute: 60,
    // Looked up at a time for all such networks, an eighth of the total: in their own queue they hold up no others.
    maxSuspectUpgrades: 32,
    // Wrong passwords per minute and charger that are answered as such (CWE-307). A right one is never held back, so that no attacker can lock a
    // charger out; what protects a password is its length.
    guessesPerMinute: 20,
    // A charger on a flapping line reconnects often; two chargers with one id would take turns for ever.
    reconnectBurst: 300,
    reconnectsPerMinute: 60,
    // Mobile networks drop silent lines after a few minutes; half a minute also finds a dead one soon.
    pingAfterMillis: 30 * second,
    // Two pings and ten seconds.
    deadAfterMillis: 70 * second,
    // Some chargers cannot answer a ping; their heartbeats come every few minutes.
    mutePingDeadAfterMillis: 600 * second,
    // A charger that lets so much wait is not reading: it is closed with 1013, a second one waits elsewhere.
    maxOutboundBytes: MiB,
    // The same, seen by time.
    stalledWriteMillis: 15 * second,
    // Frames that had been received when the socket was paused.
    maxBacklogBytes: 2 * MiB,
    // A broken charger sends a bad frame now and then; more is an attack or a wrong device.
    badFramesPerMinute: 20,
    // A charger that was offline sends its queue as fast as it is answered; more than this is not a charger.
    frameBurst: 200,
    framesPerSecond: 50,
    // A CALL sent after the one before was answered, as OCPP demands, is held back by our answers already.
    politeFrameCost: 0.05,
    // A day of minutely readings that was kept while the line was away (1.4 MiB), or two of the largest messages.
    bytesBurst: 2 * MiB,
    // OCPP_BYTES_PER_SECOND says otherwise. A charger with ten connectors that are read every ten seconds sends 2 KiB a second; the largest message
    // takes the service a third of a second in all, which once in half a minute is below the hundredth that a 99th percentile sees.
    bytesPerSecond: 32 * KiB,
    // The cheapest frames take a tenth of a millisecond; one whose frames take a twentieth of the thread is broken, or wants to harm.
    workBurstMillis: 2 * second,
    workMillisPerSecond: 50,
    // What has more takes milliseconds to read and to store. Ordinary messages have less than 2 KiB, signed ones up to 20.
    largeFrameBytes: 64 * KiB,
    // So that a thousand chargers that all come with their large messages do not stop everybody else.
    largeBytesPerSecond: 4 * MiB,
    largeRest: 3
  },

  /** Calls of ours to partners' platforms (T16, T31). */
  outbound: {
    // From the dial to the last byte: a page of locations takes seconds on slow platforms, and a partner waits for our answer meanwhile.
    timeoutMillis: 10 * second,
    // A page of a thousand locations with all their EVSEs.
    maxResponseBytes: 10 * MiB,
    // Most servers close an idle connection after five seconds: ours goes first, so that no call meets it closing.
    idleMillis: 4 * second,
    // Several partners may live in one place, and each is sent sixteen objects at a time.
    maxPerPlace: 64
  },

  /** One fiber per connected charger. */
  actors: {
    // Messages that wait; then the socket is paused, and resumed at half. A charger has one CALL open, so 64 is already odd.
    mailboxHigh: 64,
    // A call has its answer within ten seconds, the way to the charger included: InternalError where the database is away or slow, and the charger
    // keeps it.
    patienceMillis: 9 * second,
    // Chargers answer in well under a second, but some reboot first and answer then.
    callTimeoutMillis: 60 * second,
    // Commands behind the outstanding one: an operator's bulk action is a few, each held for at most the timeout above.
    maxWaiting: 100,
    // On profile 0 an older socket that answers a ping within this stays.
    oldSocketPingMillis: 5 * second,
    // After connecting a charger is busy with its own boot and status messages.
    settleMillis: 2 * second,
    // Chargers that are closed come back at once, to another node or this one started again: 50 a second is no storm.
    drainPerSecond: 50,
    // Orchestrators kill 30 s after SIGTERM by default. Every turn comes within this, the last answer within its patience after that, and
    // the whole within 20 s.
    drainMillis: 8 * second
  },

  /** The group commit of facts. */
  journal: {
    // Facts in one transaction: about 50 ms of PostgreSQL's time, which is what a commit behind it waits.
    maxBatchFacts: 1_000,
    // Commits that wait: a hundred full batches would be later than anybody's patience; each is a few hundred bytes here.
    maxWaiting: 20_000,
    patienceMillis: 10 * second
  },

  /** Commands to chargers, durable until they have ended. */
  commands: {
    // One is outstanding at a time, each for a minute at most: more than these would wait for longer than anybody does.
    maxWaiting: 32,
    // What can do harm goes to no more chargers a minute than this by one operator, whatever keys he has: a stolen key, or a script gone wild, is slow (T26).
    chargersPerMinute: 60
  },

  /** Work in the background: prices, locations, deliveries, partners' tokens, local lists. */
  background: {
    // How often each looks for work, unless BACKGROUND_INTERVAL_MILLIS says otherwise. Readers see changes within a second or two, and an
    // idle service costs next to nothing.
    intervalMillis: second
  },

  /** Files of chargers and firmware. */
  files: {
    // Days that diagnostics and logs are kept, unless FILES_RETENTION_DAYS says otherwise: what was wrong is found within a quarter. Firmware
    // stays until it is removed.
    retentionDays: 90,
    // What the files of one organisation may have in all: forty of the largest, or years of logs.
    quotaBytes: 10 * 1024 * MiB,
    // Eight times what the database keeps for itself: several uploads at the disk's full speed end before it notices. Where the database keeps
    // more than usual, files leave at least four times that. FILES_MIN_FREE_DISK_BYTES says otherwise.
    minFreeBytes: 512 * MiB,
    // Of one organisation, in this process: each costs the disk's speed.
    uploadsAtOnce: 4,
    // The mean of two minutes. A charger on GPRS has 2.5 to 5 KiB/s upwards; one that is silent every other minute is still faster than this.
    slowestChargerBytesPerSecond: 512,
    // Images of up to 256 MiB come from offices and build servers. A DSL line of 1 Mbit/s upwards is twice as fast; with less than this, a large
    // image would hold its room for more than an hour.
    slowestOperatorBytesPerSecond: 64 * KiB
  },

  /** Look-ups for Authorize and for connecting chargers, asked in batches. */
  directory: {
    maxBatch: 500,
    // A city's worth of chargers, each with one question.
    maxQueue: 20_000,
    waitMillis: 10 * second,
    // Cards that are remembered: those of a city's drivers in a day, at about 1 KB each. What does not fit is read.
    maxCards: 50_000,
    maxCardBytes: 32 * MiB
  },

  /** How long what chargers say, and commands to them, are kept, unless READINGS_, FACTS_ and COMMANDS_RETENTION_MONTHS say otherwise. */
  retention: {
    // A year's bill may be disputed for another year, and a month is begun.
    readingsMonths: 25,
    // A year back and the month that is running.
    factsMonths: 13,
    // As long as the history of statuses and connections, which they explain.
    commandsMonths: 25
  },

  /** Raw frames, written behind. */
  messageLog: {
    // Text that waits in memory while the database is away; then frames are dropped and counted, never facts.
    maxWaitingChars: 32 * MiB,
    // Small batches: a large one holds up the event loop, and the commits of facts, for as long as it is made.
    maxBatch: 250,
    // As large as a hundred ordinary batches; 250 of the longest frames would hold up the embedded database.
    maxBatchBytes: 4 * MiB,
    // What an operator wants to read of a frame: the largest that chargers send rightly, answers to GetConfiguration, have a third of it.
    maxFrameBytes: 64 * 1024,
    // The busiest charger that is right, two connectors read every ten seconds for twelve hours, has 9 MiB: 1.1 KB a MeterValues with its answer, measured.
    // One that is read every minute for six hours has 0.4 MiB.
    chargerBytesPerDay: 16 * MiB,
    // Some 2,500 chargers that are read every minute for six hours. Thirty days of it are 30 GiB.
    organisationBytesPerDay: 1024 * MiB,
    // Losing the last second of it in a crash is allowed; a quarter of one keeps the batches small.
    flushEveryMillis: 250,
    // What a kill can give a charger beyond its budget is as much as it logs in this time.
    useEveryMillis: 60 * second,
    // Days that frames are kept, unless MESSAGE_LOG_RETENTION_DAYS says otherwise: a dispute is raised within a month's bill.
    retentionDays: 30
  },

  /** What was exchanged with roaming partners, written behind as frames are. */
  exchanges: {
    // A record has two bodies of 8 KiB at most: a thousand of them.
    maxWaitingChars: 16 * MiB,
    // All that a quarter of a second brings at 2,000 pushes a second, which are 1 KB each; how a module does is counted once for each statement.
    maxBatch: 500,
    // A hundred of the largest: the embedded database does nothing else meanwhile.
    maxBatchChars: 1.6 * MiB,
    flushEveryMillis: 250,
    // What a partner complains about is some days old; a billing dispute rests on sessions and records, not on this log.
    retentionDays: 14,
    // A day of a partner with 10,000 sessions, each sent some twenty times: what went wrong yesterday can be looked up. Half a GB at the usual 2 KB.
    maxPerPartner: 250_000
  },

  /** When each charger was last heard, and with what. */
  lastSeen: {
    // REST shows memory over what is stored, so this is only what a crash may lose.
    flushEveryMillis: second,
    maxBatch: 500,
    // Whatever the last frames' sizes are; ordinary ones have 100 KiB together.
    maxBatchBytes: 4 * MiB,
    // As in the message log. One charger of a fleet that all send long frames costs this much memory at most.
    maxMessageBytes: 64 * 1024,
    // No statement runs longer.
    keepEndsMillis: 30 * second
  },

  /** Unregistered ids that tried to connect. Strangers make them up, so everything here is bounded twice. */
  attempts: {
    flushEveryMillis: second,
    maxBatch: 500,
    // Two flushes' worth of the largest burst that is believed; waiting for a database that is away, they take less than a megabyte.
    maxWaiting: 2_000,
    // A site that is moved here has a few dozen chargers behind one address; what does not fit comes with the next hour's tries.
    newPerNetworkPerHour: 60,
    // However many networks a liar has, he needs ten hours of it to push out who has been silent for so long.
    newPerHour: 1_000,
    maxRows: 10_000,
    // An installer comes back within a season.
    keepDays: 90
  },

  /** Refused connections that are published as events. */
  refusals: {
    flushEveryMillis: second,
    maxBatch: 200,
    leastGapMillis: 60 * second,
    // A charger that is never set right is published 24 times a day.
    mostGapMillis: 3_600 * second,
    // As many as unknown ids are kept; some two megabytes.
    maxRemembered: 10_000,
    // A fleet whose passwords were changed by mistake comes within some hours; the metrics show it at once.
    perOrganisationPerHour: 1_000,
    // As many new ids as are believed; see `attempts`.
    unknownPerNetworkPerHour: 60,
    unknownPerHour: 300,
    maxWaiting: 2_000
  },

  /** This process among several. */
  nodes: {
    // For so long a dead node's chargers still count as connected; renewed three times as often.
    leaseMillis: 15 * second
  },

  database: {
    // Connections to PostgreSQL. Batches need two or three, REST a few; its own default is 100 for everybody.
    poolSize: 10,
    // The embedded database hangs when its log cannot grow; a quarter second of writing at full disk speed fits in this.
    minFreeBytes: 64 * MiB,
    // Its thread answers pings between queries, and no page takes this long.
    watchdogMillis: 10 * second
  },

  /** REST and operations. */
  http: {
    // The largest legal body is a local list of a few thousand cards.
    maxBodyBytes: MiB,
    // As in contract: pages small by default, and never so large that one request holds the embedded database up.
    pageDefault: 50,
    pageMax: 500,
    // `?wait=` of a command.
    waitSeconds: 60,
    // Slow-loris: headers in ten seconds, the whole request in thirty.
    headersTimeoutMillis: 10 * second,
    requestTimeoutMillis: 30 * second,
    // Nothing of an answer has gone for so long: no line is that slow, and what lies in memory for it is a page or more.
    unreadAnswerMillis: 30 * second,
    // On Deno, where slow and nothing at all look alike, a page may take two minutes more: slower than any modem.
    slowestReaderBytesPerSecond: 8 * KiB,
    // Larger answers lie in memory until they are read, eight at most for each key: no program reads more at one time, and a thousand are a gigabyte.
    largeAnswerBytes: 64 * KiB,
    largeAnswersPerKey: 8,
    // A key gets answers as fast with eight requests at once as with a hundred, and others notice eight little.
    atOncePerKey: 8,
    atOncePerOrganisation: 16,
    waitingPerKey: 200,
    // Keys of `Idempotency-Key` are kept for a day, longer than any client retries.
    idempotencyHours: 24,
    // 200 a second, all at once if need be: a program that runs wild reaches it, one that works does not.
    requestsPerMinute: 12_000,
    // Of one network: a building full of people with a mistyped key stays below.
    wrongKeysPerMinute: 600
  },

  shutdown: {
    // From SIGTERM to the end, whatever happens: below the 30 s after which orchestrators kill.
    hardStopMillis: 25 * second
  }
} as const
