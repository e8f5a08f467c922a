/**
 * Every limit of the service that concerns more than one function, each with its reason. They are grouped by the part
 * that applies them, and named as that part's options. A few can be changed by a variable (`Variables.ts`); the others
 * are chosen so that operators need not change them.
 */

const KiB = 1024
const MiB = 1024 * KiB
const second = 1_000

export const limits = {
  /** The sockets of chargers; the names are those of `ocpp/server/Limits.ts`. */
  ocpp: {
    // The longest message: a StopTransaction with a day's `transactionData` is legal and takes most of this.
    maxFrameBytes: MiB,
    // The longest StopTransaction: three days of twelve samples a minute take half of this. Its charger would repeat one
    // that is refused for ever.
    maxStopBytes: 4 * MiB,
    // Messages above 1 MiB that may be in memory at once, so at most 64 MiB. They are rare, and one that is turned away
    // is sent again.
    maxLongMessages: 16,
    // 1 MiB in pieces of 1 KiB; a flood of empty fragments otherwise grows without bytes (GHSA-96hv-2xvq-fx4p).
    maxFragments: 1_024,
    // 1 MiB in the smallest usual TCP segments of 512 bytes, doubled.
    maxBufferedChunks: 4_096,
    // 1 MiB over a slow modem takes about this long; a slower sender counts as silent.
    slowFrameMillis: 120 * second,
    // TLS, the upgrade request and its answer each take a round trip or two, even over a bad line.
    handshakeMillis: 10 * second,
    // Connected and silent sockets. An honest client sends its request at once, so above this number the oldest are
    // closed first.
    maxUnfinishedSockets: 5_000,
    // All chargers of a city may reconnect at once. Waiting here costs them and the service less than trying again.
    maxWaitingUpgrades: 10_000,
    // Enough for large batches of look-ups, few enough that each is short.
    maxConcurrentUpgrades: 256,
    // Event-loop lag from which new connections are refused, before the connected chargers are affected.
    overloadLagMillis: 200,
    // Refused chargers are asked to return after 5 to 30 s, at random, so that they do not return together.
    retryAfterSeconds: 5,
    retryJitterSeconds: 25,
    // Refusals per minute and network after which the answers give no reason. A site of misconfigured chargers stays
    // below this.
    refusalsPerMinute: 60,
    // Upgrades from all such networks that are checked at the same time, an eighth of the total. In their own queue
    // they do not delay others.
    maxSuspectUpgrades: 32,
    // Wrong passwords per minute and charger that are answered as such (CWE-307). A correct one is never delayed, so
    // that no attacker can lock a charger out. A password's protection is its length.
    guessesPerMinute: 20,
    // A charger on an unstable line reconnects often. Two chargers with one id would otherwise replace each other
    // forever.
    reconnectBurst: 300,
    reconnectsPerMinute: 60,
    // Mobile networks drop silent connections after a few minutes. Half a minute also detects a dead connection soon.
    pingAfterMillis: 30 * second,
    // Two pings and ten seconds.
    deadAfterMillis: 70 * second,
    // Some chargers cannot answer a ping, and send only a heartbeat every few minutes.
    mutePingDeadAfterMillis: 600 * second,
    // A charger that leaves this much unread is not reading: its connection is cut.
    maxOutboundBytes: MiB,
    // The same, as a time without progress.
    stalledWriteMillis: 15 * second,
    // Frames that had been received before the socket was paused.
    maxBacklogBytes: 2 * MiB,
    // A faulty charger sends a bad frame now and then; more than this is an attack or a wrong device.
    badFramesPerMinute: 20,
    // A charger that was offline sends its queue as fast as it is answered. A higher rate does not come from a charger.
    frameBurst: 200,
    framesPerSecond: 50,
    // A CALL that is sent after the one before was answered, as OCPP requires, is already limited by the rate of our
    // answers.
    politeFrameCost: 0.05,
    // A day of readings at one per minute that were queued while the charger was offline (1.4 MiB), or two of the
    // largest messages.
    bytesBurst: 2 * MiB,
    // Unless OCPP_BYTES_PER_SECOND is set. A charger with ten connectors that are read every ten seconds sends 2 KiB a
    // second. The largest message takes the service a third of a second in all. Once in half a minute, this is below
    // the hundredth that a 99th percentile shows.
    bytesPerSecond: 32 * KiB,
    // The cheapest frames take a tenth of a millisecond. A charger whose frames take a twentieth of the thread is
    // faulty or malicious.
    workBurstMillis: 2 * second,
    workMillisPerSecond: 50,
    // Larger frames take milliseconds to read and to store. Ordinary messages have less than 2 KiB, signed ones up to
    // 20 KiB.
    largeFrameBytes: 64 * KiB,
    // So that a thousand chargers that all send large messages at once do not block the others.
    largeBytesPerSecond: 4 * MiB,
    largeRest: 3
  },

  /** Our calls to partners' platforms (T16, T31). */
  outbound: {
    // From the connection attempt to the last byte. A page of locations takes seconds on slow platforms, and a partner
    // may be waiting for our answer meanwhile.
    timeoutMillis: 10 * second,
    // A page of a thousand locations with all their EVSEs.
    maxResponseBytes: 10 * MiB,
    // Most servers close an idle connection after five seconds. We close it earlier, so that no call uses a connection
    // that is being closed.
    idleMillis: 4 * second,
    // Several partners may share one server, and each is sent up to sixteen objects at a time.
    maxPerPlace: 64
  },

  /** One fiber per connected charger. */
  actors: {
    // Waiting messages at which reading from the socket is paused; it is resumed at half as many. A charger has one
    // CALL open, so 64 is already unusual.
    mailboxHigh: 64,
    // A call is answered within ten seconds, including the way to the charger. If the database is unavailable or slow
    // the answer is InternalError, and the charger keeps the message.
    patienceMillis: 9 * second,
    // Chargers answer in well under a second, but some reboot first and answer after that.
    callTimeoutMillis: 60 * second,
    // Commands that wait behind the outstanding one. An operator's bulk action is a few, each taking at most the
    // timeout above.
    maxWaiting: 100,
    // On security profile 0, an older socket that answers a ping within this time is kept.
    oldSocketPingMillis: 5 * second,
    // After connecting, a charger is busy with its own boot and status messages.
    settleMillis: 2 * second,
    // Chargers that are disconnected reconnect at once, to another node or to this one after its restart. 50 a second
    // do not overload it.
    drainPerSecond: 50,
    // Orchestrators kill a process 30 s after SIGTERM by default. The last charger begins to close within this time and
    // needs at most `patienceMillis` after that; the whole is done within 20 s.
    drainMillis: 8 * second
  },

  /** The group commit of facts. */
  journal: {
    // Facts in one transaction: about 50 ms of PostgreSQL's time, for which the next commit waits.
    maxBatchFacts: 1_000,
    // Commits that wait. A hundred full batches would take longer than any deadline allows. Each commit is a few
    // hundred bytes here.
    maxWaiting: 20_000,
    patienceMillis: 10 * second
  },

  /** Commands to chargers, stored until they have ended. */
  commands: {
    // One is outstanding at a time, each for at most a minute. If more waited, the last would wait for longer than an
    // operator does.
    maxWaiting: 32,
    // One operator can send harmful commands to at most this many chargers a minute, whatever keys he uses: this slows
    // down a stolen key or a faulty script (T26).
    chargersPerMinute: 60
  },

  /** Background loops: prices, locations, deliveries, partners' tokens, local lists. */
  background: {
    // How often each loop looks for work, unless BACKGROUND_INTERVAL_MILLIS is set. Readers see changes within a second
    // or two, and an idle service costs next to nothing.
    intervalMillis: second
  },

  /** Files of chargers and firmware. */
  files: {
    // Days that diagnostics and logs are kept, unless FILES_RETENTION_DAYS is set: a fault is investigated within a
    // quarter of a year. Firmware is kept until it is removed.
    retentionDays: 90,
    // The maximum size of all files of one organisation: forty of the largest, or years of logs.
    quotaBytes: 10 * 1024 * MiB,
    // Eight times what the database keeps free for itself: several uploads at the disk's full speed are stopped before
    // they affect it. If the database keeps more free than usual, files leave at least four times that, unless
    // FILES_MIN_FREE_DISK_BYTES is set.
    minFreeBytes: 512 * MiB,
    // Per organisation, in this process: each upload can use the disk's full speed.
    uploadsAtOnce: 4,
    // The average over two minutes. A charger on GPRS uploads 2.5 to 5 KiB/s; even if it is silent every other minute
    // it is faster than this.
    slowestChargerBytesPerSecond: 512,
    // Images of up to 256 MiB come from offices and build servers. A DSL line with an upload rate of 1 Mbit/s is twice
    // as fast. At a lower rate, a large image would occupy its place for more than an hour.
    slowestOperatorBytesPerSecond: 64 * KiB
  },

  /** Look-ups for Authorize and for connecting chargers, which are queried in batches. */
  directory: {
    maxBatch: 500,
    // All chargers of a city, with one look-up each.
    maxQueue: 20_000,
    waitMillis: 10 * second,
    // Cards that are cached: those of a city's drivers in a day, at about 1 KB each. Others are read from the database.
    maxCards: 50_000,
    maxCardBytes: 32 * MiB
  },

  /**
   * How long chargers' readings and facts, commands to them, and the audit log are kept, unless READINGS_, FACTS_,
   * COMMANDS_ and AUDIT_RETENTION_MONTHS are set.
   */
  retention: {
    // A bill for a year may be disputed for another year; plus the current month.
    readingsMonths: 25,
    // A year back and the current month.
    factsMonths: 13,
    // As long as the history of statuses and connections, which commands explain.
    commandsMonths: 25,
    // Longer than any of the above: two annual audits and the current month. It also limits what keys and people can
    // fill, at most two years of their daily budgets.
    auditMonths: 25
  },

  /** What an organisation's keys and people may have stored in a day, unless it is set (`WriteBudget.ts`). */
  writes: {
    // Rows included, 110,000 commands by REST, or 90,000 cards that are imported, which is more than ordinary fleets have in
    // a day. One key may use three quarters.
    auditBytesPerDay: 256 * MiB,
    // Answers are kept for a day. Ordinary ones have 1 to 2 KiB with their rows: 130,000 requests.
    idempotencyBytesPerDay: 256 * MiB
  },

  /** What is stored of a charger's transactions and readings in a day. */
  recording: {
    // A public connector has at most 60 sessions a day, so a charger with twenty has 1,200. As many again are stored if
    // they are plausible. The organisation's: a hundred chargers that use up their own, or 5,000 ordinary ones with 40
    // sessions a day. Unless TRANSACTIONS_CHARGER_PER_DAY and TRANSACTIONS_ORGANISATION_PER_DAY are set.
    transactions: { charger: 2_000, organisation: 200_000 },
    // Bytes in the database. Ten connectors that are read every ten seconds all day, each time with twelve values, need
    // 220 MiB; an ordinary charger with a reading a minute for six hours needs 0.6 MiB, so the organisation's is that of
    // 14,000. Unless READINGS_CHARGER_BYTES_PER_DAY and READINGS_ORGANISATION_BYTES_PER_DAY are set.
    readingBytes: { charger: 256 * MiB, organisation: 8_192 * MiB }
  },

  /** Raw frames, written behind. */
  messageLog: {
    // Characters that wait in memory while the database is unavailable. Above this, frames are dropped and counted, but
    // never facts.
    maxWaitingChars: 32 * MiB,
    // Small batches: a large one blocks the event loop, and so the commits of facts, while it is being built.
    maxBatch: 250,
    // As large as a hundred ordinary batches. 250 of the longest frames would block the embedded database.
    maxBatchBytes: 4 * MiB,
    // What an operator wants to read of a frame. The largest frames that chargers legitimately send, answers to
    // GetConfiguration, have a third of it.
    maxFrameBytes: 64 * 1024,
    // The busiest correct charger, with two connectors read every ten seconds for twelve hours, has 9 MiB: 1.1 KB for a
    // MeterValues with its answer, measured. A charger that is read every minute for six hours has 0.4 MiB.
    chargerBytesPerDay: 16 * MiB,
    // About 2,500 chargers that are read every minute for six hours. Thirty days of it are 30 GiB.
    organisationBytesPerDay: 1024 * MiB,
    // A crash may lose the last second of the log; a quarter of a second keeps the batches small.
    flushEveryMillis: 250,
    // If the process is killed, a charger can exceed its budget by what it logs in this time.
    useEveryMillis: 60 * second,
    // Days that frames are kept, unless MESSAGE_LOG_RETENTION_DAYS is set: a dispute is raised within a month of the
    // bill.
    retentionDays: 30
  },

  /** The log of exchanges with roaming partners, written behind like frames. */
  exchanges: {
    // A record has two bodies of at most 8 KiB: this is a thousand records.
    maxWaitingChars: 16 * MiB,
    // All records of a quarter of a second at 2,000 pushes a second, which have 1 KB each. The state of a module is
    // counted once per statement.
    maxBatch: 500,
    // A hundred of the largest records: the embedded database does nothing else meanwhile.
    maxBatchChars: 1.6 * MiB,
    flushEveryMillis: 250,
    // A partner's complaint is about something that is a few days old. A billing dispute is settled from sessions and
    // CDRs, not from this log.
    retentionDays: 14,
    // A day of a partner with 10,000 sessions, each sent about twenty times, so that yesterday's errors can be looked
    // up. Half a GB at the usual 2 KB.
    maxPerPartner: 250_000
  },

  /** When each charger was last heard from, and its last frame. */
  lastSeen: {
    // REST prefers memory to what is stored, so this is only what a crash may lose.
    flushEveryMillis: second,
    maxBatch: 500,
    // However large the last frames are; ordinary ones have 100 KiB together.
    maxBatchBytes: 4 * MiB,
    // As in the message log. If all chargers of a fleet send long frames, each costs at most this much memory.
    maxMessageBytes: 64 * 1024,
    // How long a stored end is kept in memory: no statement runs for longer.
    keepEndsMillis: 30 * second
  },

  /** Unregistered ids that tried to connect. Unknown clients can make them up, so everything here has two limits. */
  attempts: {
    flushEveryMillis: second,
    maxBatch: 500,
    // Two flushes of the largest plausible burst. While they wait for an unavailable database, they take less than a
    // megabyte.
    maxWaiting: 2_000,
    // A site that moves to this service has a few dozen chargers behind one address. Those above the limit are recorded
    // when they try again in the next hour.
    newPerNetworkPerHour: 60,
    // However many networks an attacker uses, he needs ten hours to displace an id that has been silent for that long.
    newPerHour: 1_000,
    maxRows: 10_000,
    // An installer returns within a season.
    keepDays: 90
  },

  /** Refused connections that are published as events. */
  refusals: {
    flushEveryMillis: second,
    maxBatch: 200,
    leastGapMillis: 60 * second,
    // A charger that is never corrected is published 24 times a day.
    mostGapMillis: 3_600 * second,
    // As many as the unknown ids that are kept; about two megabytes.
    maxRemembered: 10_000,
    // A fleet whose passwords were changed by mistake tries to connect within some hours; the metrics show it at once.
    perOrganisationPerHour: 1_000,
    // As many new ids as are accepted; see `attempts`.
    unknownPerNetworkPerHour: 60,
    unknownPerHour: 300,
    maxWaiting: 2_000
  },

  /** This process among several. */
  nodes: {
    // How long the chargers of a dead node still count as connected; the lease is renewed three times as often.
    leaseMillis: 15 * second
  },

  database: {
    // Connections to PostgreSQL. Batches need two or three, REST a few. PostgreSQL's own default is 100 for all
    // clients.
    poolSize: 10,
    // The embedded database hangs if its log cannot grow. What is written in a quarter of a second at full disk speed
    // fits into this.
    minFreeBytes: 64 * MiB,
    // The database's thread answers pings between queries, and no page takes this long.
    watchdogMillis: 10 * second
  },

  /** REST and operations. */
  http: {
    // The largest legal body is a local list of a few thousand cards.
    maxBodyBytes: MiB,
    // As in the contract: small pages by default, and never so large that one request blocks the embedded database.
    pageDefault: 50,
    pageMax: 500,
    // `?wait=` of a command.
    waitSeconds: 60,
    // Slow-loris: headers must arrive in ten seconds, the whole request in thirty.
    headersTimeoutMillis: 10 * second,
    requestTimeoutMillis: 30 * second,
    // Proxies keep their connections to us for 60 seconds, and must be the first to close one. Otherwise a request may cross
    // with our closing, and the proxy answers 502.
    keepAliveSeconds: 65,
    // An answer that makes no progress for this long: no line is that slow, and a page or more of it waits in memory.
    unreadAnswerMillis: 30 * second,
    // On Deno a slow reader cannot be distinguished from one that does not read. There, a page may take two more
    // minutes: slower than any modem.
    slowestReaderBytesPerSecond: 8 * KiB,
    // Larger answers stay in memory until they are read, at most eight for each key: no program reads more at the same
    // time, and a thousand would be a gigabyte.
    largeAnswerBytes: 64 * KiB,
    largeAnswersPerKey: 8,
    // Eight concurrent requests of a key are answered as fast as a hundred, and affect others little.
    atOncePerKey: 8,
    atOncePerOrganisation: 16,
    waitingPerKey: 200,
    // All requests together, in one turn of the event loop; then what has come in from chargers is handled. A transaction message takes five or six
    // turns from its arrival to its answer.
    sliceMillis: 5,
    // Values of `Idempotency-Key` are kept for a day, longer than any client retries.
    idempotencyHours: 24,
    // 200 a second, or all at once. A faulty program reaches this, a correct one does not.
    requestsPerMinute: 12_000,
    // Per network: many people in one building with a mistyped key stay below this.
    wrongKeysPerMinute: 600
  },

  /** Callers without credentials. */
  strangers: {
    // A tenth of the main thread for one network: a hundred routed requests or a thousand ready answers a second, and four seconds' worth at once,
    // which is more than a full office that opens the console at the same time.
    networkMillisPerSecond: 100,
    // A quarter for all: chargers and those with credentials keep the rest, however many networks an attacker has.
    millisPerSecond: 250,
    // Browsers open six, proxies are not counted by network.
    connectionsPerNetwork: 1_000,
    // Each may hold two reads of 64 KiB.
    connections: 10_000,
    // TLS handshakes. Each takes most of a millisecond of the main thread; a charger that connects takes more than that afterwards.
    handshakes: {
      perSecond: 400,
      // Half of them: carriers put thousands of chargers behind one address, and others must not wait for them.
      perNetworkPerSecond: 200,
      // Shorter than the time after which chargers and browsers give up.
      waitMillis: 10 * second,
      // What one network may begin while the first of them waits.
      waitingPerNetwork: 2_000,
      waiting: 4_000
    }
  },

  shutdown: {
    // From SIGTERM to the end of the process in any case: less than the 30 s after which orchestrators kill it.
    hardStopMillis: 25 * second
  }
} as const
