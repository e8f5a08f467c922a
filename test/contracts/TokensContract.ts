/** What every storage of drivers' tokens must do, on every database. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { Tokens, type TokenInput } from "../../src/domain/token/Tokens.ts"
import { nastyTexts, unstorableTexts } from "../support/nastyText.ts"
import { anOrganisation, type ContractIt, factsOf, failureOf, noon } from "../support/repositories.ts"

const card = (uid: string, rest: Partial<TokenInput> = {}): TokenInput => ({
  uid,
  type: "RFID",
  status: "Accepted",
  parentUid: undefined,
  expiresAt: undefined,
  visualNumber: undefined,
  note: undefined,
  ...rest
})

const full = card("04A2B3", {
  type: "OTHER",
  status: "Blocked",
  parentUid: "FLEET",
  expiresAt: noon + 123,
  visualNumber: "NL-1",
  note: "lost in May"
})

export const tokensContract = (it: ContractIt): void => {
  it.effect("a token is read back as it was written, and found by its uid in any case", () =>
    Effect.gen(function* () {
      const tokens = yield* Tokens
      const ours = yield* anOrganisation
      const token = yield* tokens.create(full, ours.writing())
      expect(token).toEqual({ ...full, organisationId: ours.id, createdAt: noon, updatedAt: noon })
      for (const uid of ["04A2B3", "04a2b3", "04a2B3"]) expect(yield* tokens.get(ours.id, uid)).toEqual(token)
      expect(yield* failureOf(tokens.get(ours.id, "04A2B"))).toEqual(["NotFound", "token"])
    })
  )

  it.effect("a uid is unique in an organisation regardless of case, even if several are created at once", () =>
    Effect.gen(function* () {
      const tokens = yield* Tokens
      const ours = yield* anOrganisation
      const theirs = yield* anOrganisation
      const outcomes = yield* Effect.forEach(
        ["abc", "ABC", "aBc"],
        (uid) => Effect.exit(tokens.create(card(uid), ours.writing())),
        { concurrency: "unbounded" }
      )
      expect(outcomes.filter(({ _tag }) => _tag === "Success")).toHaveLength(1)
      expect(yield* failureOf(tokens.create(card("Abc"), ours.writing()))).toEqual(["Conflict", "token_exists"])
      yield* tokens.create(card("abc"), theirs.writing())
    })
  )

  it.effect(
    "a patch leaves fields that it does not name, clears those that are null, and resets null type and status",
    () =>
      Effect.gen(function* () {
        const tokens = yield* Tokens
        const ours = yield* anOrganisation
        const token = yield* tokens.create(full, ours.writing())
        const patch = { status: "Accepted", note: null, expiresAt: null, parentUid: undefined } as const
        const changed = yield* tokens.update("04a2b3", patch, ours.writing(noon + 1))
        expect(changed).toEqual({
          ...token,
          status: "Accepted",
          note: undefined,
          expiresAt: undefined,
          updatedAt: noon + 1
        })
        expect(yield* tokens.get(ours.id, token.uid)).toEqual(changed)
        const reset = yield* tokens.update(token.uid, { type: null, status: null }, ours.writing())
        expect([reset.type, reset.status]).toEqual(["RFID", "Accepted"])
      })
  )

  it.effect("every change is a fact, and a patch that changes nothing makes none", () =>
    Effect.gen(function* () {
      const tokens = yield* Tokens
      const ours = yield* anOrganisation
      yield* tokens.create(full, ours.writing())
      yield* tokens.update(full.uid, { status: "Accepted" }, ours.writing(noon + 1))
      yield* tokens.update(full.uid, { status: "Accepted", note: full.note }, ours.writing(noon + 2))
      yield* tokens.remove("04a2b3", ours.writing(noon + 3))
      const facts = (yield* factsOf(ours)).filter(({ subject }) => subject === "token:04A2B3")
      expect(facts.map(({ body, type }) => [type, body.by, body.before?.["status"], body.after?.["status"]])).toEqual([
        ["TokenCreated", ours.principal.actor, undefined, "Blocked"],
        ["TokenChanged", ours.principal.actor, "Blocked", "Accepted"],
        ["TokenRemoved", ours.principal.actor, "Accepted", undefined]
      ])
      expect(yield* failureOf(tokens.remove(full.uid, ours.writing()))).toEqual(["NotFound", "token"])
    })
  )

  it.effect("another organisation can neither see, change nor remove a token", () =>
    Effect.gen(function* () {
      const tokens = yield* Tokens
      const ours = yield* anOrganisation
      const theirs = yield* anOrganisation
      const token = yield* tokens.create(full, ours.writing())
      const tries = [
        tokens.get(theirs.id, token.uid),
        tokens.update(token.uid, { note: "taken" }, theirs.writing()),
        tokens.remove(token.uid, theirs.writing())
      ]
      for (const one of tries) expect(yield* failureOf(one)).toEqual(["NotFound", "token"])
      expect((yield* tokens.list(theirs.id, { limit: 50 })).items).toEqual([])
      expect(yield* tokens.get(ours.id, token.uid)).toEqual(token)
    })
  )

  it.effect("pages hold every token once, even if others are created between two pages", () =>
    Effect.gen(function* () {
      const tokens = yield* Tokens
      const ours = yield* anOrganisation
      for (const uid of ["b", "D", "f", "H"]) yield* tokens.create(card(uid), ours.writing())
      const first = yield* tokens.list(ours.id, { limit: 2 })
      for (const uid of ["A", "c", "e"]) yield* tokens.create(card(uid), ours.writing())
      const second = yield* tokens.list(ours.id, { limit: 5, cursor: first.nextCursor ?? "" })
      expect([first, second].flatMap((page) => page.items.map(({ uid }) => uid))).toEqual(["b", "D", "e", "f", "H"])
      expect(second.nextCursor).toBeNull()
      expect(yield* failureOf(tokens.list(ours.id, { limit: 5, cursor: "?" }))).toEqual(["InvalidInput", "/cursor"])
    })
  )

  it.effect("any text that can be stored is accepted as uid and note and comes back unchanged", () =>
    Effect.gen(function* () {
      const tokens = yield* Tokens
      const ours = yield* anOrganisation
      for (const [index, text] of nastyTexts.entries()) {
        const token = yield* tokens.create(card(`${text}${index}`, { note: text, parentUid: text }), ours.writing())
        expect([token.uid, token.note, token.parentUid]).toEqual([`${text}${index}`, text, text])
        expect(yield* tokens.get(ours.id, `${text}${index}`.toLowerCase())).toEqual(token)
      }
      for (const text of unstorableTexts) {
        expect(yield* failureOf(tokens.create(card(text), ours.writing()))).toEqual(["InvalidInput", "/uid"])
        expect(yield* failureOf(tokens.get(ours.id, text))).toEqual(["NotFound", "token"])
        expect(yield* failureOf(tokens.update(text, { note: "x" }, ours.writing()))).toEqual(["NotFound", "token"])
        expect(yield* failureOf(tokens.remove(text, ours.writing()))).toEqual(["NotFound", "token"])
      }
    })
  )
}
