/** An operator's tokens in memory, for tests of the layers above their repository. */
import { Effect } from "effect"
import { Conflict } from "../../src/domain/Errors.ts"
import { Tokens } from "../../src/domain/token/Tokens.ts"
import { type FakeWorld, owned, paged, patched, tokenId, mentions } from "./fakeRecords.ts"

export const tokens = (world: FakeWorld) =>
  Tokens.of({
    create: (input, { by, now }) =>
      world.write(() => {
        const id = tokenId(by.organisationId, input.uid)
        if (world.tokens.has(id))
          return Effect.fail(new Conflict({ code: "token_exists", message: "That uid is taken." }))
        const token = { ...input, organisationId: by.organisationId, createdAt: now, updatedAt: now }
        world.tokens.set(id, token)
        return Effect.succeed(token)
      }),
    get: (organisationId, uid) =>
      world.ask(() => owned(world.tokens.get(tokenId(organisationId, uid)), organisationId, "token", uid)),
    list: (organisationId, page) =>
      world.ask(() =>
        paged(
          [...world.tokens.values()].filter(
            (token) =>
              token.organisationId === organisationId &&
              (page.status === undefined || token.status === page.status) &&
              mentions([token.uid, token.parentUid, token.visualNumber, token.note], page.text)
          ),
          (token) => token.uid,
          page
        )
      ),
    update: (uid, patch, { by, now }) =>
      world.write(() => {
        const id = tokenId(by.organisationId, uid)
        return Effect.map(owned(world.tokens.get(id), by.organisationId, "token", uid), (token) => {
          const changed = patched(token, patch, now)
          world.tokens.set(id, changed)
          return changed
        })
      }),
    remove: (uid, { by }) =>
      world.write(() => {
        const id = tokenId(by.organisationId, uid)
        return Effect.map(owned(world.tokens.get(id), by.organisationId, "token", uid), () => {
          world.tokens.delete(id)
        })
      })
  })
