/** An audit log in a `FakeWorld`: only the test writes to it. */
import { AuditLog, type AuditEntry } from "../../src/domain/operator/AuditLog.ts"
import { type FakeWorld, paged } from "./fakeRecords.ts"

export type FakeEntry = AuditEntry & { readonly organisationId: string }

const worlds = new WeakMap<FakeWorld, Array<FakeEntry>>()

/** The entries of a world, newest first; tests change them directly. */
export const auditOf = (world: FakeWorld): Array<FakeEntry> => {
  const known = worlds.get(world) ?? []
  worlds.set(world, known)
  return known
}

export const auditLog = (world: FakeWorld) =>
  AuditLog.of({
    list: (organisationId, page) =>
      world.ask(() => {
        const entries = auditOf(world)
        const { action, actor, from = -Infinity, subject, to = Infinity } = page
        const own = entries.filter(
          (one) =>
            one.organisationId === organisationId &&
            (subject === undefined || one.subject === subject) &&
            (actor === undefined || one.actor === actor) &&
            (action === undefined || one.action === action) &&
            one.at >= from &&
            one.at < to
        )
        return paged(own, (one) => String(entries.indexOf(one)).padStart(6, "0"), page)
      })
  })
