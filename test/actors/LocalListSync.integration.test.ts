/** Local lists that are kept in step, on both databases: what chargers are sent, and what their lists contain in the end. */
import { expect } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { keepInStep } from "../../src/actors/background/LocalListSync.ts"
import type { ChargerCommand } from "../../src/domain/command/ChargerCommand.ts"
import { Commands } from "../../src/domain/command/Commands.ts"
import { LocalLists } from "../../src/domain/command/LocalLists.ts"
import type { AuditContext } from "../../src/domain/values/AuditContext.ts"
import { Tokens } from "../../src/domain/token/Tokens.ts"
import { forEachDriver } from "../support/databases.ts"
import { aListCharger, type ListCharger, type Mood, storedCommands } from "../support/listCharger.ts"
import { Random, seeds } from "../support/random.ts"
import { anOrganisation, repositories } from "../support/repositories.ts"

const round = keepInStep({ everyMillis: 1, quietMillis: 1, chargersPerRound: 2, settleMillis: 0 })

const aToken = (uid: string, writing: AuditContext, status: "Accepted" | "Blocked" = "Accepted", parentUid?: string) =>
  Effect.flatMap(Tokens, (tokens) =>
    tokens.create(
      { uid, type: "RFID", status, parentUid, expiresAt: undefined, visualNumber: undefined, note: undefined },
      writing
    )
  )

/** Runs rounds and answers until the charger is sent nothing more. */
const settled = (charger: ListCharger) =>
  Effect.gen(function* () {
    for (let n = 0; n < 60; n++) {
      yield* charger.patience
      const looked = yield* round
      if (!(yield* charger.answer()) && looked === 0) return charger.heard
    }
    return yield* Effect.die(new Error(`the list does not come to rest: ${charger.heard.join(", ")}`))
  })

/** Runs one round, answered as `mood` says. */
const once = (charger: ListCharger, mood: Mood) =>
  Effect.andThen(Effect.andThen(charger.patience, round), charger.answer(mood))

const statusOf = (organisationId: string, chargerId: string) =>
  Effect.flatMap(LocalLists, (lists) => lists.status(organisationId, chargerId))

forEachDriver("Local lists", Layer.provideMerge(storedCommands, repositories), (it) => {
  it.effect("a list is first sent whole in parts, then only its changes, and each change once", () =>
    Effect.gen(function* () {
      const tokens = yield* Tokens
      const { charger, chargerId, ours } = yield* aListCharger({ SendLocalListMaxLength: "2" })
      expect(yield* statusOf(ours.id, chargerId)).toEqual({
        version: undefined,
        state: "Unknown",
        inStep: false,
        reason: undefined,
        updatedAt: undefined
      })
      for (const uid of ["A", "B", "C", "D".repeat(21), "E"]) yield* aToken(uid, ours.writing())
      expect(yield* settled(charger)).toEqual(["version?", "Full 1: A B", "Differential 2: C E"])
      expect(yield* statusOf(ours.id, chargerId)).toMatchObject({ version: 2, state: "InStep", inStep: true })
      expect(yield* settled(charger)).toEqual([])

      yield* tokens.update("B", { status: "Blocked" }, ours.writing())
      yield* tokens.update("C", { note: "is no business of the charger's" }, ours.writing())
      expect(yield* statusOf(ours.id, chargerId)).toMatchObject({ inStep: false })
      expect(yield* settled(charger)).toEqual(["Differential 3: B"])
      yield* tokens.remove("A", ours.writing())
      yield* tokens.remove("E", ours.writing())
      yield* aToken("e", ours.writing(), "Blocked")
      expect(yield* settled(charger)).toEqual(["Differential 4: A e"])
      expect([...charger.entries]).toEqual([
        ["b", "Blocked"],
        ["c", "Accepted"],
        ["e", "Blocked"]
      ])
      yield* tokens.remove("D".repeat(21), ours.writing())
      expect(yield* settled(charger)).toEqual([])
      expect(yield* statusOf(ours.id, chargerId)).toMatchObject({ version: 4, inStep: true })
    })
  )

  it.effect(
    "a list with an unexpected version is sent whole, and the version is requested after each connection and boot",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { charger, chargerId, ours } = yield* aListCharger()
        yield* aToken("A", ours.writing())
        charger.version = 7
        expect(yield* settled(charger)).toEqual(["version?", "Full 8: A"])
        yield* charger.reconnect
        expect(yield* settled(charger)).toEqual(["version?"])
        charger.version = 0
        charger.entries.clear()
        yield* sql`UPDATE charger SET booted_at = ${new Date(Date.now() + 1000)} WHERE charger_id = ${chargerId}`
        yield* charger.patience
        yield* round
        yield* charger.answer()
        yield* sql`UPDATE charger SET booted_at = ${new Date(0)} WHERE charger_id = ${chargerId}`
        expect(yield* settled(charger)).toEqual(["version?", "Full 1: A"])
        // A list from elsewhere: the version is requested, and our list is sent.
        charger.version = 99
        yield* aToken("B", ours.writing())
        expect(yield* settled(charger)).toEqual(["Differential 2: B", "version?", "Full 100: A B"])
      })
  )

  it.effect("the version shows whether an unanswered update arrived, so that it is not sent twice", () =>
    Effect.gen(function* () {
      const { charger, ours } = yield* aListCharger()
      yield* aToken("A", ours.writing())
      yield* settled(charger)
      yield* aToken("B", ours.writing())
      yield* once(charger, "LostAfter")
      expect([charger.heard, yield* settled(charger)]).toEqual([["Differential 2: B", "LostAfter"], ["version?"]])
      yield* aToken("C", ours.writing())
      yield* once(charger, "LostBefore")
      expect([charger.heard, yield* settled(charger)]).toEqual([["LostBefore"], ["version?", "Differential 3: C"]])
      yield* aToken("D", ours.writing())
      yield* once(charger, "Reconnects")
      expect(yield* settled(charger)).toEqual(["version?", "Differential 4: D"])
    })
  )

  it.effect("a refused update is followed by the whole list, and a refused whole list by a pause", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { charger, chargerId, ours } = yield* aListCharger()
      yield* aToken("A", ours.writing())
      yield* settled(charger)
      yield* aToken("B", ours.writing())
      yield* once(charger, "Failed")
      yield* round
      yield* charger.answer("Failed")
      expect(charger.heard).toEqual(["Failed", "Failed"])
      expect(yield* statusOf(ours.id, chargerId)).toMatchObject({ state: "Failed", inStep: false })
      yield* round
      expect(yield* charger.answer()).toBe(false)
      const [row] = yield* sql<{ postponed: boolean }>`
        SELECT next_look_at > now() + interval '20 seconds' AS postponed FROM local_list WHERE charger_id = ${chargerId}`
      expect(row?.postponed).toBe(true)
      expect(yield* settled(charger)).toEqual(["Full 2: A B"])
    })
  )

  for (const what of ["Mismatches", "Restarts"] as const) {
    const behaviour = what === "Restarts" ? "restarts at" : "answers VersionMismatch to"
    it.effect(`a charger that ${behaviour} each whole list gets the next one only after a pause`, () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { charger, chargerId, ours } = yield* aListCharger()
        yield* aToken("A", ours.writing())
        charger.atWholeList = what
        const rounds = Effect.gen(function* () {
          for (let n = 0; n < 12; n++) {
            yield* round
            yield* charger.answer()
            // As after each boot.
            yield* sql`UPDATE charger_configuration SET reported_at = ${new Date()} WHERE charger_id = ${chargerId}`
          }
          return charger.heard
        })
        expect(yield* rounds).toEqual(["version?", "Full 1: A", "version?"])
        expect(yield* statusOf(ours.id, chargerId)).toMatchObject({
          state: "Failed",
          inStep: false,
          reason: "the charger has not taken the whole list and reports version 0; the list will be sent again later"
        })
        yield* charger.patience
        expect(yield* rounds).toEqual(["Full 1: A", "version?"])
        const [row] = yield* sql<{ paused: boolean }>`
          SELECT next_look_at > now() + interval '50 seconds' AS paused FROM local_list WHERE charger_id = ${chargerId}`
        expect(row?.paused).toBe(true)
        charger.atWholeList = "Takes"
        yield* charger.patience
        expect(yield* rounds).toEqual(["Full 1: A"])
        expect(yield* statusOf(ours.id, chargerId)).toMatchObject({ state: "InStep", inStep: true, version: 1 })
      })
    )
  }

  it.effect("a charger without a list is asked once per connection, and one with lists disabled not at all", () =>
    Effect.gen(function* () {
      const { charger, chargerId, ours } = yield* aListCharger()
      yield* aToken("A", ours.writing())
      charger.version = -1
      expect(yield* settled(charger)).toEqual(["version?"])
      expect(yield* statusOf(ours.id, chargerId)).toMatchObject({
        state: "Unsupported",
        inStep: false,
        reason: "the charger reports with listVersion -1 that it has no list"
      })
      yield* charger.reconnect
      expect(yield* settled(charger)).toEqual(["version?"])
      const off = yield* aListCharger({ LocalAuthListEnabled: "false" })
      expect([yield* round, yield* off.charger.answer(), yield* round]).toEqual([1, false, 0])
      expect(yield* statusOf(off.ours.id, off.chargerId)).toMatchObject({
        version: undefined,
        state: "Disabled",
        reason: expect.stringContaining("LocalAuthListEnabled")
      })
      const refusing = yield* aListCharger()
      yield* once(refusing.charger, "NotSupported")
      expect(yield* settled(refusing.charger)).toEqual(["NotSupported"])
      expect(yield* statusOf(refusing.ours.id, refusing.chargerId)).toMatchObject({
        state: "Unsupported",
        reason: "the charger answers NotSupported to messages about its list"
      })
    })
  )

  it.effect(
    "a charger that reports only the feature profile is kept in step, and one that reports nothing about lists is not",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const bare = { LocalAuthListEnabled: undefined }
        const profile = { ...bare, SupportedFeatureProfiles: "Core,LocalAuthListManagement" }
        const named = yield* aListCharger(profile)
        yield* aToken("A", named.ours.writing())
        expect(yield* settled(named.charger)).toEqual(["version?", "Full 1: A"])
        expect(yield* statusOf(named.ours.id, named.chargerId)).toMatchObject({ state: "InStep", reason: undefined })

        const { charger, chargerId, ours } = yield* aListCharger({ ...bare, SupportedFeatureProfiles: "Core" })
        yield* aToken("A", ours.writing())
        expect([yield* round, yield* charger.answer()]).toEqual([1, false])
        expect(yield* statusOf(ours.id, chargerId)).toMatchObject({
          state: "Unsupported",
          inStep: false,
          reason: expect.stringContaining("SupportedFeatureProfiles")
        })
        // With other firmware it has a list.
        yield* sql`UPDATE charger_configuration SET reported_at = ${new Date(Date.now() + 60_000)},
        keys = '[{"key": "SendLocalListMaxLength", "readonly": true, "value": "5"}]' WHERE charger_id = ${chargerId}`
        expect([yield* round, yield* charger.answer()]).toEqual([1, true])
        expect(yield* settled(charger)).toEqual(["version?", "Full 1: A"])
        expect(yield* statusOf(ours.id, chargerId)).toMatchObject({ state: "InStep", inStep: true, reason: undefined })
      })
  )

  it.effect("the status says what a list waits for", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { chargerId, ours } = yield* aListCharger()
      const reason = Effect.map(statusOf(ours.id, chargerId), (status) => status.reason)
      expect(yield* reason).toBe(undefined)
      yield* sql`DELETE FROM charger_configuration WHERE charger_id = ${chargerId}`
      expect(yield* reason).toMatch(/GetConfiguration/)
      yield* sql`UPDATE connection SET closed_at = now() WHERE charger_id = ${chargerId}`
      expect(yield* reason).toMatch(/not connected/)
      yield* sql`UPDATE charger SET registration = 'Pending' WHERE charger_id = ${chargerId}`
      expect(yield* reason).toMatch(/registration/)
    })
  )

  it.effect("the version of a list that an operator sent is known, and a managed list is then sent again", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const commands = yield* Commands
      const lists = yield* LocalLists
      const { charger, chargerId, ours } = yield* aListCharger({ SendLocalListMaxLength: "20" })
      yield* aToken("A", ours.writing())
      yield* sql`UPDATE organisation SET local_lists = 'Manual' WHERE id = ${ours.id}`
      const ask = (command: ChargerCommand) =>
        commands.issue({ chargerId, command, parameters: {}, expiresInSeconds: undefined }, ours.writing(Date.now()))
      const byHand = (listVersion: number) =>
        ask({ _tag: "SendLocalList", listVersion, updateType: "Full", entries: [] })
      const known = Effect.map(lists.byHand(ours.id, chargerId), ({ version }) => version)
      expect(yield* lists.byHand(ours.id, chargerId)).toMatchObject({
        version: 0,
        configuration: [{ key: "LocalAuthListEnabled" }, { key: "SendLocalListMaxLength", value: "20" }]
      })
      yield* byHand(12)
      expect(yield* known, "on its way").toBe(12)
      yield* charger.answer("Failed")
      expect(yield* known).toBe(0)
      expect(yield* statusOf(ours.id, chargerId)).toMatchObject({ version: undefined, state: "Manual" })
      yield* byHand(12)
      yield* charger.answer()
      expect(yield* statusOf(ours.id, chargerId)).toMatchObject({
        version: 12,
        state: "Manual",
        inStep: false,
        reason: expect.stringContaining("Manual")
      })
      charger.version = 30
      yield* ask({ _tag: "GetLocalListVersion" })
      yield* charger.answer()
      expect([yield* known, (yield* statusOf(ours.id, chargerId)).version]).toEqual([30, 30])
      charger.asked.splice(0)
      yield* sql`UPDATE organisation SET local_lists = 'Managed' WHERE id = ${ours.id}`
      expect(yield* settled(charger)).toEqual(["Full 31: A"])
      yield* byHand(40)
      yield* charger.answer()
      expect(yield* statusOf(ours.id, chargerId)).toMatchObject({ version: 40, state: "Unknown" })
      expect(yield* settled(charger)).toEqual(["Full 40: ", "version?", "Full 41: A"])
      const stranger = yield* anOrganisation
      expect((yield* Effect.flip(lists.byHand(stranger.id, chargerId)))._tag).toBe("NotFound")
    })
  )

  it.effect("a list that is too small contains the newest tokens", () =>
    Effect.gen(function* () {
      const { charger, ours } = yield* aListCharger({ LocalAuthListMaxLength: "3", SendLocalListMaxLength: "2" })
      for (const uid of ["A", "B", "C", "D"]) yield* aToken(uid, ours.writing())
      expect(yield* settled(charger)).toEqual(["version?", "Full 1: B C", "Differential 2: D"])
      yield* aToken("E", ours.writing())
      expect(yield* settled(charger)).toEqual(["Full 3: C D", "Differential 4: E"])
    })
  )

  it.effect(
    "a round commands a limited number of chargers, none twice, and none of an organisation with manual lists",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`UPDATE organisation SET local_lists = 'Manual'`
        const { another, ours } = yield* aListCharger()
        const others = [yield* another, yield* another]
        const open = Effect.map(
          sql<{
            n: number
          }>`SELECT count(*)::int AS n FROM command WHERE organisation_id = ${ours.id} AND status = 'Sent'`,
          (rows) => rows[0]?.n
        )
        expect([yield* round, yield* open, yield* round, yield* open, yield* round, yield* open]).toEqual([
          2, 2, 1, 3, 0, 3
        ])
        for (const { charger } of others) yield* charger.answer()
        yield* sql`UPDATE organisation SET local_lists = 'Manual' WHERE id = ${ours.id}`
        expect([yield* round, yield* open]).toEqual([0, 1])
        const stranger = yield* anOrganisation
        expect((yield* Effect.flip(statusOf(stranger.id, others[0]!.chargerId)))._tag).toBe("NotFound")
      })
  )

  it.effect("old removals are forgotten, and a charger that did not receive them gets the whole list", () =>
    Effect.gen(function* () {
      const tokens = yield* Tokens
      const lists = yield* LocalLists
      const { charger, ours } = yield* aListCharger()
      yield* aToken("A", ours.writing())
      yield* aToken("B", ours.writing())
      yield* settled(charger)
      yield* tokens.remove("A", ours.writing())
      yield* lists.forget(Date.now() - 60_000)
      expect(yield* settled(charger)).toEqual(["Differential 2: A"])
      yield* tokens.remove("B", ours.writing())
      yield* lists.forget(Date.now() + 60_000)
      expect(yield* settled(charger)).toEqual(["Full 3: "])
    })
  )

  it.effect("after any history the list agrees with the tokens", () =>
    Effect.gen(function* () {
      const tokens = yield* Tokens
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE organisation SET local_lists = 'Manual'`
      for (const seed of seeds(4)) {
        const random = new Random(seed)
        const { charger, chargerId, ours } = yield* aListCharger({
          SendLocalListMaxLength: String(random.between(1, 4))
        })
        const existing = new Map<string, string>()
        for (let n = 0; n < 60; n++) {
          const uid = random.pick(["A", "B", "C", "D", "E", "F", "G"])
          const status = random.pick(["Accepted", "Blocked"] as const)
          if (random.chance(0.5)) {
            const mood = random.pick<Mood>(["Well", "Well", "Well", "Failed", "LostAfter", "LostBefore", "Reconnects"])
            yield* once(charger, mood)
          } else if (random.chance(0.1)) yield* charger.reconnect
          else if (existing.has(uid) && random.chance(0.4)) {
            yield* tokens.remove(uid, ours.writing())
            existing.delete(uid)
          } else {
            if (existing.has(uid)) yield* tokens.update(uid, { status }, ours.writing())
            else yield* aToken(uid, ours.writing(), status)
            existing.set(uid, status)
          }
        }
        yield* charger.answer()
        yield* settled(charger)
        const wanted = [...existing].map(([uid, status]) => [uid.toLowerCase(), status]).toSorted()
        expect([seed, [...charger.entries].toSorted()]).toEqual([seed, wanted])
        expect(yield* statusOf(ours.id, chargerId)).toMatchObject({ version: charger.version, inStep: true })
        yield* sql`UPDATE organisation SET local_lists = 'Manual'`
      }
    })
  )
})
