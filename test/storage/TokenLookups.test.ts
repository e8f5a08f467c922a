/** Look-ups of cards with a memory give the same answers as those without one, and the memory is bounded. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Partners } from "../../src/domain/roaming/Partners.ts"
import { RoamingTokens } from "../../src/domain/token/RoamingTokens.ts"
import { tokenKey } from "../../src/domain/token/Token.ts"
import { Tokens } from "../../src/domain/token/Tokens.ts"
import { CardMemory } from "../../src/storage/charging/CardMemory.ts"
import { findStarts, findTokens } from "../../src/storage/charging/TokenLookups.ts"
import { aPartner, roamingCard } from "../contracts/RoamingTokensContract.ts"
import { forEachDriver } from "../support/databases.ts"
import { anOrganisation, noon, repositories } from "../support/repositories.ts"

const limits = { maxCards: 100, maxCardBytes: 100_000 }
const makeMemory = (more: Partial<typeof limits> = {}) => new CardMemory({ ...limits, ...more }, Context.empty())

const card = (uid: string) => ({
  uid,
  type: "RFID" as const,
  status: "Accepted" as const,
  parentUid: undefined,
  expiresAt: undefined,
  visualNumber: undefined,
  note: undefined
})

forEachDriver("Look-ups of cards", repositories, (test) => {
  test.effect("are up to date whatever is remembered, after every write of cards and partners", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const tokens = yield* Tokens
      const partners = yield* Partners
      const roamingTokens = yield* RoamingTokens
      const ours = yield* anOrganisation
      const { id: partnerId } = yield* aPartner(ours)
      const other = yield* aPartner(ours)
      // Two processes, with a memory each.
      const memories = [makeMemory(), makeMemory()]
      const wanted = ["Own", "Theirs", "Stranger"].map((tokenUid) => ({
        organisationId: ours.id,
        tokenUid,
        chargerId: "X",
        at: noon
      }))
      const agree = (what: string) =>
        Effect.gen(function* () {
          const fresh = yield* findTokens(sql)(wanted)
          for (const memory of memories) {
            assert.deepStrictEqual(yield* findTokens(sql, memory)(wanted), fresh, what)
            // Remembered by now.
            assert.deepStrictEqual(yield* findTokens(sql, memory)(wanted), fresh, what)
          }
          return fresh
        })
      const steps: ReadonlyArray<readonly [string, Effect.Effect<unknown, unknown>]> = [
        ["an own card is made", tokens.create(card("Own"), ours.writing())],
        ["it is blocked", tokens.update("Own", { status: "Blocked" }, ours.writing())],
        ["it is changed by SQL", sql`UPDATE token SET status = 'Accepted' WHERE organisation_id = ${ours.id}`],
        [
          "a partner's cards are pushed",
          roamingTokens.put(
            partnerId,
            ["Theirs", "Own"].map((uid) => roamingCard(uid)),
            ours.writing()
          )
        ],
        [
          "it is blocked by its partner",
          roamingTokens.put(partnerId, [roamingCard("Theirs", { valid: false, lastUpdated: noon + 1 })], ours.writing())
        ],
        ["its partner is suspended", partners.update(partnerId, { suspended: true }, ours.writing())],
        ["its partner may go on", partners.update(partnerId, { suspended: false }, ours.writing())],
        [
          "another partner is the card's party",
          sql`INSERT INTO partner_party (organisation_id, partner_id, country_code, party_id, role, expected)
            VALUES (${ours.id}, ${other.id}, 'DE', 'EMS', 'EMSP', false)`
        ],
        [
          "it is that party no more",
          sql`DELETE FROM partner_party WHERE partner_id = ${other.id} AND party_id = 'EMS'`
        ],
        [
          "a partner may be asked",
          partners.update(partnerId, { switches: { askUnknownTokens: true } }, ours.writing())
        ],
        ["the own card is removed", tokens.remove("Own", ours.writing())],
        ["the own card is back", tokens.create(card("OWN"), ours.writing())],
        ["the partner's card is removed", sql`DELETE FROM roaming_token WHERE uid_key = ${tokenKey("Theirs")}`],
        ["another partner's is pushed", roamingTokens.put(other.id, [roamingCard("Stranger")], ours.writing())],
        ["its partner is removed", partners.remove(other.id, ours.writing())]
      ]
      let before = yield* agree("at first")
      for (const [what, step] of steps) {
        yield* step
        const after = yield* agree(what)
        assert.notDeepEqual(after, before, what)
        before = after
      }
    })
  )

  test.effect("do not read a remembered card again, even when a session starts", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const tokens = yield* Tokens
      const [ours, theirs] = [yield* anOrganisation, yield* anOrganisation]
      yield* tokens.create(card("A"), ours.writing())
      const memory = makeMemory()
      const wanted = { organisationId: ours.id, tokenUid: "a", chargerId: "X", at: noon }
      const start = { place: { evseId: 1, connectorId: 1 }, sentSince: noon }
      yield* findTokens(sql, memory)([wanted])
      const known = memory.recall(ours.id, "a")
      assert.strictEqual(known?.card.token?.uid, "A")
      // Shows where an answer comes from.
      const token = { ...known!.card.token!, note: "remembered" }
      memory.remember(ours.id, "a", { stamp: known!.stamp, card: { ...known!.card, token } })
      const notes = Effect.gen(function* () {
        const [asked] = yield* findTokens(sql, memory)([wanted])
        const [started] = yield* findStarts(sql, memory)([{ ...wanted, start }])
        return [asked?.token?.note, started?.token?.note]
      })
      assert.deepStrictEqual(yield* notes, ["remembered", "remembered"])
      // Another organisation's writes change nothing here.
      yield* tokens.create(card("A"), theirs.writing())
      assert.deepStrictEqual(yield* notes, ["remembered", "remembered"])
      yield* tokens.update("A", { note: "written" }, ours.writing())
      assert.deepStrictEqual(yield* notes, ["written", "written"])
    })
  )
})

describe("the memory of cards", () => {
  const token = (uid: string, note?: string) => ({
    ...card(uid),
    organisationId: "o",
    note,
    createdAt: noon,
    updatedAt: noon
  })
  const known = (uid: string, note?: string) => ({ stamp: 1, card: { token: token(uid, note), roaming: [] } })
  const held = (memory: CardMemory, keys: ReadonlyArray<string>) =>
    keys.filter((key) => memory.recall("o", key) !== undefined)

  it("drops the least recently used cards above its maximum number", () => {
    const memory = makeMemory({ maxCards: 2 })
    for (const uid of ["a", "b"]) memory.remember("o", uid, known(uid))
    memory.recall("o", "a")
    memory.remember("o", "c", known("c"))
    assert.deepStrictEqual(held(memory, ["a", "b", "c"]), ["a", "c"])
  })

  it("drops the oldest cards above its maximum of bytes, and a card that alone is too large", () => {
    const memory = makeMemory({ maxCardBytes: 10_000 })
    for (let n = 0; n < 10; n++) memory.remember("o", `${n}`, known(`${n}`, "x".repeat(1_000)))
    assert.deepStrictEqual(held(memory, ["0", "7", "8", "9"]), ["7", "8", "9"])
    memory.remember("o", "large", known("large", "x".repeat(10_000)))
    assert.deepStrictEqual(held(memory, ["7", "8", "9", "large"]), [])
    memory.remember("o", "small", known("small"))
    assert.deepStrictEqual(held(memory, ["small"]), ["small"])
  })

  it("keeps no unknown card, and none that is older than the remembered one", () => {
    const memory = makeMemory()
    memory.remember("o", "made up", { stamp: 1, card: { token: undefined, roaming: [], askable: ["p"] } })
    assert.isUndefined(memory.recall("o", "made up"))
    memory.remember("o", "a", { ...known("a", "new"), stamp: 7 })
    memory.remember("o", "a", { ...known("a", "old"), stamp: 6 })
    assert.strictEqual(memory.recall("o", "a")?.card.token?.note, "new")
  })

  it("forgets a card that has become unknown", () => {
    const memory = makeMemory()
    memory.remember("o", "a", known("a"))
    memory.remember("o", "a", { stamp: 2, card: { token: undefined, roaming: [] } })
    assert.isUndefined(memory.recall("o", "a"))
  })
})
