/** What happens to the tokens of a partner that has as many as are kept, here three, on every database. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { RoamingTokens } from "../../src/domain/token/RoamingTokens.ts"
import { anOrganisation, type ContractIt, factsOf, failureOf, noon } from "../support/repositories.ts"
import { aPartner, roamingCard } from "./RoamingTokensContract.ts"

const tooMany = ["Conflict", "too_many_tokens"]

const minute = 60_000

export const boundedTokensContract = (it: ContractIt): void => {
  it.effect("a push that exceeds the maximum is refused as a whole, and existing tokens can still be changed", () =>
    Effect.gen(function* () {
      const tokens = yield* RoamingTokens
      const ours = yield* anOrganisation
      const { id } = yield* aPartner(ours)
      const put = (...all: ReadonlyArray<ReturnType<typeof roamingCard>>) => tokens.put(id, all, ours.writing())
      expect(yield* put(roamingCard("a"), roamingCard("b"))).toEqual(["Created", "Created"])
      expect(yield* failureOf(put(roamingCard("b", { valid: false }), roamingCard("c"), roamingCard("d")))).toEqual(
        tooMany
      )
      expect(
        (yield* tokens.window(ours.id, id, { offset: 0, limit: 10 })).items.map(({ uid, valid }) => [uid, valid])
      ).toEqual([
        ["a", true],
        ["b", true]
      ])
      expect(yield* put(roamingCard("a", { valid: false }), roamingCard("c"))).toEqual(["Replaced", "Created"])
      expect(yield* failureOf(put(roamingCard("d")))).toEqual(tooMany)
      expect(yield* put(roamingCard("b", { valid: false }), roamingCard("c"))).toEqual(["Replaced", "Unchanged"])
      const other = yield* aPartner(ours)
      expect(yield* tokens.put(other.id, [roamingCard("d")], ours.writing())).toEqual(["Created"])
      expect((yield* factsOf(ours)).filter(({ type }) => type === "RoamingTokenChanged").length).toBe(6)
    })
  )

  it.effect("free room is noticed within a minute, without counting the tokens at every refusal", () =>
    Effect.gen(function* () {
      const tokens = yield* RoamingTokens
      const sql = yield* SqlClient.SqlClient
      const ours = yield* anOrganisation
      const { id } = yield* aPartner(ours)
      const put = (uid: string, now: number) => tokens.put(id, [roamingCard(uid)], ours.writing(now))
      for (const uid of ["a", "b", "c"]) yield* put(uid, noon)
      expect(yield* failureOf(put("d", noon))).toEqual(tooMany)
      yield* sql`DELETE FROM roaming_token WHERE partner_id = ${id} AND uid = 'a'`
      expect(yield* failureOf(put("d", noon + minute - 1))).toEqual(tooMany)
      expect(yield* put("d", noon + minute)).toEqual(["Created"])
      expect(yield* failureOf(put("e", noon + minute))).toEqual(tooMany)
    })
  )
}
