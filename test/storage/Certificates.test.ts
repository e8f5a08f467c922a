/** Which certificates a charger has, read from the stored results of its commands. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Certificates } from "../../src/domain/charger/Certificates.ts"
import * as CertificatesRepository from "../../src/storage/charging/Certificates.ts"
import { forEachDriver } from "../support/databases.ts"
import { freshId, seedChargers, type Seeded } from "../support/journalFacts.ts"
import { planOf, statementsOf } from "../support/statements.ts"

/** Later than the registration of the chargers, which happens now. */
const afterRegistration = Date.now() + 3_600_000
const hash = { hashAlgorithm: "SHA256", issuerNameHash: "aa", issuerKeyHash: "bb", serialNumber: "01" } as const
const central = "CentralSystemRootCertificate"
const manufacturer = "ManufacturerRootCertificate"

interface Ended {
  readonly status: string
  readonly result: object
  readonly at: number
}

const command = (seeded: Seeded, chargerId: string, type: string, parameters: object, ended: Ended) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { at, result, status } = ended
    yield* sql`INSERT INTO command (id, organisation_id, charger_id, type, status, command, parameters, issued_by, created_at, sent_at,
        completed_at, result)
      VALUES (${freshId()}::uuid, ${seeded.organisationId}::uuid, ${chargerId}, ${type}, ${status}, ${JSON.stringify(parameters)}::text::jsonb,
        '{}', 'test', ${new Date(at)}, ${new Date(at)}, ${new Date(at)}, ${JSON.stringify(result)}::text::jsonb)`
  })

const asked = (
  seeded: Seeded,
  chargerId: string,
  certificateType: string,
  at: number,
  result: object,
  status = "Accepted"
) => command(seeded, chargerId, "GetInstalledCertificateIds", { certificateType }, { status, result, at })

const accepted = (...certificateHashData: ReadonlyArray<unknown>) => ({ status: "Accepted", certificateHashData })

forEachDriver("the certificates of a charger", CertificatesRepository.layer, (it) => {
  it.effect("are unknown until the charger is asked", () =>
    Effect.gen(function* () {
      const seeded = yield* seedChargers(["CERT-1"])
      assert.deepStrictEqual(yield* (yield* Certificates).installed(seeded.organisationId, "CERT-1"), [])
    })
  )

  it.effect("are its latest answer for each type, including that it has none", () =>
    Effect.gen(function* () {
      const certificates = yield* Certificates
      const seeded = yield* seedChargers(["CERT-2", "CERT-3"])
      const other = { ...hash, serialNumber: "02" }
      yield* asked(seeded, "CERT-2", central, afterRegistration, accepted(hash))
      yield* asked(
        seeded,
        "CERT-2",
        central,
        afterRegistration + 1,
        accepted(other, { ...hash, hashAlgorithm: "sha-256" })
      )
      yield* asked(seeded, "CERT-2", manufacturer, afterRegistration + 2, accepted(hash))
      yield* asked(seeded, "CERT-2", manufacturer, afterRegistration + 3, { status: "NotFound" }, "Rejected")
      yield* asked(seeded, "CERT-3", central, afterRegistration + 4, accepted())
      assert.deepStrictEqual(yield* certificates.installed(seeded.organisationId, "CERT-2"), [
        { certificateType: central, askedAt: afterRegistration + 1, certificates: [other, hash], changedSince: false },
        { certificateType: manufacturer, askedAt: afterRegistration + 3, certificates: [], changedSince: false }
      ])
    })
  )

  it.effect("leave out failed commands and hashes that could not be sent back to the charger", () =>
    Effect.gen(function* () {
      const certificates = yield* Certificates
      const seeded = yield* seedChargers(["CERT-4"])
      yield* asked(
        seeded,
        "CERT-4",
        central,
        afterRegistration,
        accepted(hash, { serialNumber: "03" }, "odd", null, { ...hash, hashAlgorithm: "MD5" })
      )
      yield* asked(seeded, "CERT-4", central, afterRegistration + 1, { errorCode: "Timeout" }, "TimedOut")
      yield* asked(seeded, "CERT-4", central, afterRegistration + 2, { errorCode: "NotSupported" }, "Failed")
      yield* asked(seeded, "CERT-4", central, afterRegistration + 3, { status: "Rejected" }, "Rejected")
      yield* asked(seeded, "CERT-4", manufacturer, afterRegistration + 4, {
        status: "accepted",
        certificateHashData: hash
      })
      assert.deepStrictEqual(
        (yield* certificates.installed(seeded.organisationId, "CERT-4")).map((one) => [one.askedAt, one.certificates]),
        [
          [afterRegistration, [hash]],
          [afterRegistration + 4, [hash]]
        ]
      )
    })
  )

  it.effect("are flagged as possibly changed after a later install or delete of their type", () =>
    Effect.gen(function* () {
      const certificates = yield* Certificates
      const seeded = yield* seedChargers(["CERT-5"])
      const send = (type: string, parameters: object, status: string, result: object) =>
        command(seeded, "CERT-5", type, parameters, { status, result, at: afterRegistration + 10 })
      const changed = Effect.map(certificates.installed(seeded.organisationId, "CERT-5"), (all) =>
        all.map(({ changedSince }) => changedSince)
      )
      yield* send("InstallCertificate", { certificateType: central }, "Accepted", { status: "Accepted" })
      yield* asked(seeded, "CERT-5", central, afterRegistration, accepted(hash))
      yield* asked(seeded, "CERT-5", manufacturer, afterRegistration, accepted(hash))
      yield* send("InstallCertificate", { certificateType: central }, "Rejected", { status: "Rejected" })
      yield* send("DeleteCertificate", { hash }, "Failed", { errorCode: "NotConnected" })
      assert.deepStrictEqual(yield* changed, [false, false])
      yield* send("InstallCertificate", { certificateType: central }, "Accepted", { status: "Accepted" })
      assert.deepStrictEqual(yield* changed, [true, false])
      yield* send("DeleteCertificate", { hash }, "Failed", { errorCode: "ConnectionLost" })
      assert.deepStrictEqual(yield* changed, [true, true])
    })
  )

  it.effect("exclude answers from other organisations and from before the current registration", () =>
    Effect.gen(function* () {
      const certificates = yield* Certificates
      const theirs = yield* seedChargers([])
      const ours = yield* seedChargers(["CERT-6"])
      yield* asked(theirs, "CERT-6", central, afterRegistration, accepted(hash))
      yield* asked(ours, "CERT-6", manufacturer, Date.now() - 3_600_000, accepted(hash))
      assert.deepStrictEqual(yield* certificates.installed(ours.organisationId, "CERT-6"), [])
      yield* asked(ours, "CERT-6", central, afterRegistration, accepted(hash))
      assert.deepStrictEqual(yield* certificates.installed(theirs.organisationId, "CERT-6"), [])
      assert.lengthOf(yield* certificates.installed(ours.organisationId, "CERT-6"), 1)
    })
  )

  it.effect("are found by an index among thousands of other commands", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const certificates = yield* Certificates
      const seeded = yield* seedChargers(["CERT-7"])
      yield* sql`INSERT INTO command (id, organisation_id, charger_id, type, status, command, parameters, issued_by, created_at)
        SELECT gen_random_uuid(), ${seeded.organisationId}::uuid, 'CERT-7', 'DataTransfer', 'Accepted', '{}', '{}', 'test', now()
        FROM generate_series(1, 5000)`
      yield* asked(seeded, "CERT-7", central, afterRegistration, accepted(hash))
      yield* sql`ANALYZE command`
      const [statement] = yield* statementsOf(certificates.installed(seeded.organisationId, "CERT-7"))
      const plan = statement === undefined ? "" : yield* planOf(statement)
      assert.notMatch(plan, /Seq Scan on command|command_charger|command_organisation/)
      assert.include(plan, "command_certificates")
    })
  )
})
