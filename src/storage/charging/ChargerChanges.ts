/** What an operator may change about a charger, and the rule that guards its security profile. Part of `Chargers`. */
import { Effect, Equal } from "effect"
import type { SqlClient } from "effect/sql"
import type { ChargerPatch } from "../../domain/charger/Charger.ts"
import type { DescribedEvse } from "../../domain/site/Connector.ts"
import { describedEquipment, describedEvses, describedEvsesMax } from "../../domain/charger/Describing.ts"
import { Conflict, InvalidInput, NotFound } from "../../domain/Errors.ts"
import { evseDetailsMax, isWithin } from "../../domain/site/Details.ts"
import type { AuditContext } from "../../domain/values/AuditContext.ts"
import type { ChargerRecord } from "../../domain/event/RecordFact.ts"
import { isUuid } from "../../domain/values/Uuid7.ts"
import { int4Array, jsonbArray, textArray } from "../kernel/Arrays.ts"
import { findCharger, findRecord } from "./ChargerRows.ts"
import { factOf, type Recording } from "../kernel/Facts.ts"
import { scopedTo, type Scoped } from "../kernel/Scoped.ts"
import { refusingValues, storable } from "../kernel/Storable.ts"

export const siteNotFound = (id: string): NotFound => new NotFound({ kind: "site", id })

/**
 * Profiles 1 and 2 authenticate the charger by its password (OCPP security whitepaper, table 1), and 3 by its certificate; 0 does not
 * authenticate it.
 */
export const needsPassword = (profile: number): boolean => profile === 1 || profile === 2

export const passwordMissing = (): Conflict =>
  new Conflict({
    code: "password_required",
    message: "Security profiles 1 and 2 need a password. Send one, or set generatePassword."
  })

type Equipment = ChargerRecord["equipment"]

const storeEquipment = (sql: SqlClient.SqlClient, own: Scoped, chargerId: string, entries: Equipment) => own`
  INSERT INTO charger_equipment (charger_id, evse_id, connector_id, standard, format, power_type, max_voltage, max_amperage,
    max_power_w, terms_and_conditions)
  SELECT c.charger_id, e.* FROM charger c, unnest(
    ${int4Array(entries.map((entry) => entry.evseId))}, ${int4Array(entries.map((entry) => entry.connectorId))},
    ${textArray(entries.map((entry) => entry.standard))}, ${textArray(entries.map((entry) => entry.format))},
    ${textArray(entries.map((entry) => entry.powerType))}, ${int4Array(entries.map((entry) => entry.maxVoltage))},
    ${int4Array(entries.map((entry) => entry.maxAmperage))}, ${int4Array(entries.map((entry) => entry.maxPowerW))},
    ${textArray(entries.map((entry) => entry.termsAndConditions ?? null))}
  ) AS e
  WHERE ${own.rowsOf("c")} AND c.charger_id = ${chargerId}
  ON CONFLICT (charger_id, evse_id, connector_id) DO UPDATE SET standard = excluded.standard, format = excluded.format,
    power_type = excluded.power_type, max_voltage = excluded.max_voltage, max_amperage = excluded.max_amperage,
    max_power_w = excluded.max_power_w, terms_and_conditions = excluded.terms_and_conditions`

/** Stores the details of a charger's EVSEs and deletes all others. */
const storeEvses = (own: Scoped, chargerId: string, evses: ReadonlyArray<DescribedEvse>) =>
  Effect.gen(function* () {
    const ids = int4Array(evses.map(({ evseId }) => evseId))
    yield* own`
      DELETE FROM charger_evse v USING charger c
      WHERE ${own.rowsOf("c")} AND c.charger_id = ${chargerId} AND v.charger_id = c.charger_id AND v.evse_id <> ALL (${ids})`
    yield* own`
      INSERT INTO charger_evse AS v (charger_id, evse_id, details)
      SELECT c.charger_id, e.* FROM charger c,
        unnest(${ids}, ${jsonbArray(evses.map(({ evseId: _, ...details }) => details))}) AS e
      WHERE ${own.rowsOf("c")} AND c.charger_id = ${chargerId}
      ON CONFLICT (charger_id, evse_id) DO UPDATE SET details = excluded.details WHERE v.details <> excluded.details`
  })

/** Applies a patch to a record, or fails with the reason why it may not. The security profile only gets lower if the patch names a lower one. */
const changed = (own: Scoped, before: Effect.Success<ReturnType<typeof findRecord>>, patch: ChargerPatch) =>
  Effect.gen(function* () {
    const { passwordVerifier, securityProfile, siteId } = patch
    if (siteId !== undefined && siteId !== before.siteId) {
      const found = isUuid(siteId) ? yield* own`SELECT 1 FROM site s WHERE ${own.rowsOf("s")} AND s.id = ${siteId}` : []
      if (found.length === 0) return yield* siteNotFound(siteId)
    }
    const hasPassword = before.hasPassword || passwordVerifier !== undefined
    if (securityProfile !== undefined && needsPassword(securityProfile) && !hasPassword) return yield* passwordMissing()
    const { evses: current = [], registeredSerialNumber: registered, ...record } = before
    const serial = patch.registeredSerialNumber === undefined ? registered : patch.registeredSerialNumber
    const evses = describedEvses(current, patch.evses ?? [])
    if (evses.length > describedEvsesMax && evses.length > current.length) {
      const detail = `would describe ${evses.length} EVSEs of the charger; at most ${describedEvsesMax} are allowed`
      return yield* new InvalidInput({ pointer: "/evses", detail })
    }
    const long = evses.find((evse) => !isWithin(evse, evseDetailsMax))
    if (long !== undefined) {
      const detail = `would give EVSE ${long.evseId} more than ${evseDetailsMax} characters of images, directions and similar details`
      return yield* new InvalidInput({ pointer: "/evses", detail })
    }
    return {
      ...record,
      name: patch.name ?? before.name,
      siteId: siteId ?? before.siteId,
      securityProfile: securityProfile ?? before.securityProfile,
      registration: patch.registration ?? before.registration,
      hasPassword,
      ...(serial === undefined || serial === null ? {} : { registeredSerialNumber: serial }),
      equipment: describedEquipment(before.equipment, patch.equipment ?? []),
      ...(evses.length === 0 ? {} : { evses })
    }
  })

export const update = ({ journaled, secrets, sql }: Recording) =>
  Effect.fn("Chargers.update")(function* (chargerId: string, patch: ChargerPatch, audit: AuditContext) {
    yield* storable(patch)
    const own = scopedTo(sql, audit.by.organisationId)
    const write = Effect.gen(function* () {
      const before = yield* findRecord(sql, own, chargerId)
      const after = yield* changed(own, before, patch)
      const passwordChanged = patch.passwordVerifier !== undefined
      if (!passwordChanged && Equal.equals(before, after)) {
        return { result: yield* findCharger(sql, own, chargerId), facts: [] }
      }
      yield* own`
        UPDATE charger c SET name = ${after.name}, site_id = ${after.siteId}, security_profile = ${after.securityProfile},
          registration = ${after.registration}, password_verifier = coalesce(${patch.passwordVerifier}, c.password_verifier),
          registered_serial = ${after.registeredSerialNumber}, updated_at = ${new Date(audit.now)}
        WHERE ${own.rowsOf("c")} AND c.charger_id = ${chargerId}`
      // An operator who sets a password by hand knows which one the charger has, so pending ones are deleted.
      if (passwordChanged)
        yield* sql`DELETE FROM charger_pending WHERE charger_id = ${chargerId} AND verifier IS NOT NULL`
      if (patch.equipment !== undefined) yield* storeEquipment(sql, own, chargerId, after.equipment)
      if (patch.evses !== undefined) yield* storeEvses(own, chargerId, after.evses ?? [])
      const fact = factOf("ChargerChanged", `charger:${chargerId}`, secrets.uuid(audit.now), audit)
      return {
        result: yield* findCharger(sql, own, chargerId),
        facts: [
          {
            ...fact,
            body: { by: audit.by.actor, before, after: passwordChanged ? { ...after, passwordChanged } : after }
          }
        ]
      }
    })
    return yield* journaled(refusingValues(write))
  })
