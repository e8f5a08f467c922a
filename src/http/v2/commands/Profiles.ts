/** The commands of LocalAuthListManagement, Reservation and SmartCharging (OCPP 1.6 §5.2, §5.5, §5.7, §5.10, §5.13, §5.15, §5.16). */
import { Schema } from "effect"
import { validateProfile } from "../../../domain/command/Profile.ts"
import { refused, row } from "./Row.ts"
import { ConnectorOrWhole, IdTag, Integer, Natural, placeOf, Profile, profileOf, Time } from "./Values.ts"
import { whole } from "../../Fields.ts"
import { listedStatuses } from "../../../domain/command/ChargerCommand.ts"
import { profilePurposes } from "../../../domain/command/ChargingProfile.ts"

const type = <T extends string>(name: T) => ({ type: Schema.Literal(name) })

const Entry = Schema.Struct({
  idTag: IdTag,
  idTagInfo: Schema.optionalKey(
    Schema.Struct({
      status: Schema.Literals(listedStatuses),
      expiryDate: Schema.optionalKey(Time),
      parentIdTag: Schema.optionalKey(IdTag)
    })
  )
})

const entryOf = ({ idTag, idTagInfo }: typeof Entry.Type) => ({
  tokenUid: idTag,
  ...(idTagInfo === undefined
    ? {}
    : {
        authorization: {
          status: idTagInfo.status,
          ...(idTagInfo.expiryDate === undefined ? {} : { expiresAt: idTagInfo.expiryDate }),
          ...(idTagInfo.parentIdTag === undefined ? {} : { parentUid: idTagInfo.parentIdTag })
        }
      })
})

export const profiles = {
  GetLocalListVersion: row(Schema.Struct(type("GetLocalListVersion")), () => ({ _tag: "GetLocalListVersion" })),
  SendLocalList: row(
    Schema.Struct({
      ...type("SendLocalList"),
      listVersion: Schema.optionalKey(whole(1, 0x7fffffff)),
      updateType: Schema.optionalKey(Schema.Literals(["Full", "Differential"])),
      localAuthorizationList: Schema.optionalKey(Schema.Array(Entry).check(Schema.isMaxLength(5000)))
    }),
    ({ listVersion, localAuthorizationList, updateType }) => {
      if (localAuthorizationList === undefined) {
        return updateType === "Differential"
          ? refused(
              "/localAuthorizationList",
              "Is required for a differential update; your own tokens are sent only as a full list"
            )
          : { _tag: "NeedsTokens", listVersion }
      }
      if (updateType !== "Differential" && localAuthorizationList.some(({ idTagInfo }) => idTagInfo === undefined)) {
        return refused("/localAuthorizationList", "Must have idTagInfo for each idTag of a full list (OCPP 1.6 §5.15)")
      }
      const with_ = (version: number) =>
        ({
          _tag: "SendLocalList",
          listVersion: version,
          updateType: updateType ?? "Full",
          entries: localAuthorizationList.map(entryOf)
        }) as const
      return listVersion === undefined ? { _tag: "NeedsListVersion", with: with_ } : with_(listVersion)
    }
  ),
  ReserveNow: row(
    Schema.Struct({
      ...type("ReserveNow"),
      connectorId: ConnectorOrWhole,
      idTag: IdTag,
      expiryDate: Time,
      parentIdTag: Schema.optionalKey(IdTag),
      reservationId: Schema.optionalKey(whole(1, 0x7fffffff))
    }),
    ({ connectorId, expiryDate, idTag, parentIdTag, reservationId }, now) => {
      if (expiryDate <= now) return refused("/expiryDate", "Must be in the future")
      const with_ = (id: number) =>
        ({
          _tag: "ReserveNow",
          reservationId: id,
          place: placeOf(connectorId),
          tokenUid: idTag,
          expiresAt: expiryDate,
          ...(parentIdTag === undefined ? {} : { parentUid: parentIdTag })
        }) as const
      return reservationId === undefined ? { _tag: "NeedsNumber", with: with_ } : with_(reservationId)
    }
  ),
  CancelReservation: row(
    Schema.Struct({ ...type("CancelReservation"), reservationId: Integer }),
    ({ reservationId }) => ({
      _tag: "CancelReservation",
      reservationId
    })
  ),
  SetChargingProfile: row(
    Schema.Struct({
      ...type("SetChargingProfile"),
      connectorId: ConnectorOrWhole,
      chargingProfile: Schema.optionalKey(Profile),
      csChargingProfiles: Schema.optionalKey(Profile)
    }),
    ({ chargingProfile, connectorId, csChargingProfiles }) => {
      if (chargingProfile !== undefined && csChargingProfiles !== undefined) {
        return refused(
          "/csChargingProfiles",
          "Must not be given together with chargingProfile, which is another name for it"
        )
      }
      const given = chargingProfile ?? csChargingProfiles
      if (given === undefined) return refused("/chargingProfile", "Is required")
      const name = chargingProfile === undefined ? "csChargingProfiles" : "chargingProfile"
      const place = placeOf(connectorId)
      const profile = profileOf(given)
      const [finding] = validateProfile(profile, { command: "SetChargingProfile", evseId: place.evseId })
      if (finding !== undefined) return refused(`/${name}${finding.pointer}`, finding.detail)
      return { _tag: "SetChargingProfile", place, profile }
    }
  ),
  ClearChargingProfile: row(
    Schema.Struct({
      ...type("ClearChargingProfile"),
      id: Schema.optionalKey(Integer),
      connectorId: Schema.optionalKey(ConnectorOrWhole),
      chargingProfilePurpose: Schema.optionalKey(Schema.Literals(profilePurposes)),
      stackLevel: Schema.optionalKey(Natural)
    }),
    ({ chargingProfilePurpose, connectorId, id, stackLevel }) => ({
      _tag: "ClearChargingProfile",
      ...(id === undefined ? {} : { profileId: id }),
      ...(connectorId === undefined ? {} : { place: placeOf(connectorId) }),
      ...(chargingProfilePurpose === undefined ? {} : { purpose: chargingProfilePurpose }),
      ...(stackLevel === undefined ? {} : { stackLevel })
    })
  ),
  GetCompositeSchedule: row(
    Schema.Struct({
      ...type("GetCompositeSchedule"),
      connectorId: ConnectorOrWhole,
      duration: whole(1, 31_536_000).annotate({ description: "Seconds, from now on" }),
      chargingRateUnit: Schema.optionalKey(Schema.Literals(["A", "W"]))
    }),
    ({ chargingRateUnit, connectorId, duration }) => ({
      _tag: "GetCompositeSchedule",
      place: placeOf(connectorId),
      durationSeconds: duration,
      ...(chargingRateUnit === undefined ? {} : { rateUnit: chargingRateUnit })
    })
  )
} as const
