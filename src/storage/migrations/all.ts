/** Every migration in order. Adding one is a new file and a new line here; a released one is never edited. */
import { spine } from "./0001_spine.ts"
import { journalFunctions } from "./0002_journal_functions.ts"
import { partitions } from "./0003_partitions.ts"
import { service } from "./0004_service.ts"
import { commands } from "./0005_commands.ts"
import { localLists } from "./0006_local_lists.ts"
import { reservations } from "./0007_reservations.ts"
import { pendingCredentials } from "./0008_pending_credentials.ts"
import { audit } from "./0009_audit.ts"
import { files } from "./0010_files.ts"
import { unknownChargers } from "./0011_unknown_chargers.ts"
import { history } from "./0012_history.ts"
import { firmware } from "./0013_firmware.ts"
import { configuration } from "./0014_configuration.ts"
import { permissions } from "./0015_permissions.ts"
import { tariffs } from "./0016_tariffs.ts"
import { prices } from "./0017_prices.ts"
import { cdrs } from "./0018_cdrs.ts"
import { effects } from "./0019_effects.ts"
import { configurationKeys } from "./0020_configuration_keys.ts"
import { reviews } from "./0021_reviews.ts"
import { closing } from "./0022_closing.ts"
import { authorisation } from "./0023_authorisation.ts"
import { registers } from "./0024_registers.ts"
import { reservedSessions } from "./0025_reserved_sessions.ts"
import { earlyReadings } from "./0026_early_readings.ts"
import { listing } from "./0027_listing.ts"
import { sessionUpdates } from "./0028_session_updates.ts"
import { clocks } from "./0029_clocks.ts"
import { zoneOfPrice } from "./0030_zone_of_price.ts"
import { waiting } from "./0031_waiting.ts"
import { clockAhead } from "./0032_clock_ahead.ts"
import { partners } from "./0033_partners.ts"
import { parties } from "./0034_parties.ts"
import { errands } from "./0035_errands.ts"
import { subscriptions } from "./0036_subscriptions.ts"
import { locations } from "./0037_locations.ts"
import { roamingSessions } from "./0038_roaming_sessions.ts"
import { roamingTokens } from "./0039_roaming_tokens.ts"
import { webhooks } from "./0040_webhooks.ts"
import { exchanges } from "./0041_exchanges.ts"
import { chargingPreferences } from "./0042_charging_preferences.ts"
import { activeProfiles } from "./0043_active_profiles.ts"
import { untold } from "./0044_untold.ts"
import { listedTokens } from "./0045_listed_tokens.ts"
import { fewEarlyReadings } from "./0046_few_early_readings.ts"
import { toldPrices } from "./0047_told_prices.ts"
import { readOn } from "./0048_read_on.ts"
import { onTheirWay } from "./0049_on_their_way.ts"
import { movedWebhooks } from "./0050_moved_webhooks.ts"
import { expectedTokens } from "./0051_expected_tokens.ts"
import { countedObjects } from "./0052_counted_objects.ts"
import { oneEnd } from "./0053_one_end.ts"
import { standbyPower } from "./0054_standby_power.ts"
import { authorizedUntil } from "./0055_authorized_until.ts"
import { refusedWithoutStop } from "./0056_refused_without_stop.ts"
import { connectorMeters } from "./0057_connector_meters.ts"
import { namedObjects } from "./0058_named_objects.ts"
import { furtherStops } from "./0059_further_stops.ts"
import { reservedConnectors } from "./0060_reserved_connectors.ts"
import { siteDetails } from "./0061_site_details.ts"
import { registeredSerials } from "./0062_registered_serials.ts"
import { idempotentWork } from "./0063_idempotent_work.ts"
import { filters } from "./0064_filters.ts"
import { commandRate } from "./0065_command_rate.ts"
import { cutFrames } from "./0066_cut_frames.ts"

export const migrations = {
  "0001_spine": spine,
  "0002_journal_functions": journalFunctions,
  "0003_partitions": partitions,
  "0004_service": service,
  "0005_commands": commands,
  "0006_local_lists": localLists,
  "0007_reservations": reservations,
  "0008_pending_credentials": pendingCredentials,
  "0009_audit": audit,
  "0010_files": files,
  "0011_unknown_chargers": unknownChargers,
  "0012_history": history,
  "0013_firmware": firmware,
  "0014_configuration": configuration,
  "0015_permissions": permissions,
  "0016_tariffs": tariffs,
  "0017_prices": prices,
  "0018_cdrs": cdrs,
  "0019_effects": effects,
  "0020_configuration_keys": configurationKeys,
  "0021_reviews": reviews,
  "0022_closing": closing,
  "0023_authorisation": authorisation,
  "0024_registers": registers,
  "0025_reserved_sessions": reservedSessions,
  "0026_early_readings": earlyReadings,
  "0027_listing": listing,
  "0028_session_updates": sessionUpdates,
  "0029_clocks": clocks,
  "0030_zone_of_price": zoneOfPrice,
  "0031_waiting": waiting,
  "0032_clock_ahead": clockAhead,
  "0033_partners": partners,
  "0034_parties": parties,
  "0035_errands": errands,
  "0036_subscriptions": subscriptions,
  "0037_locations": locations,
  "0038_roaming_sessions": roamingSessions,
  "0039_roaming_tokens": roamingTokens,
  "0040_webhooks": webhooks,
  "0041_exchanges": exchanges,
  "0042_charging_preferences": chargingPreferences,
  "0043_active_profiles": activeProfiles,
  "0044_untold": untold,
  "0045_listed_tokens": listedTokens,
  "0046_few_early_readings": fewEarlyReadings,
  "0047_told_prices": toldPrices,
  "0048_read_on": readOn,
  "0049_on_their_way": onTheirWay,
  "0050_moved_webhooks": movedWebhooks,
  "0051_expected_tokens": expectedTokens,
  "0052_counted_objects": countedObjects,
  "0053_one_end": oneEnd,
  "0054_standby_power": standbyPower,
  "0055_authorized_until": authorizedUntil,
  "0056_refused_without_stop": refusedWithoutStop,
  "0057_connector_meters": connectorMeters,
  "0058_named_objects": namedObjects,
  "0059_further_stops": furtherStops,
  "0060_reserved_connectors": reservedConnectors,
  "0061_site_details": siteDetails,
  "0062_registered_serials": registeredSerials,
  "0063_idempotent_work": idempotentWork,
  "0064_filters": filters,
  "0065_command_rate": commandRate,
  "0066_cut_frames": cutFrames
}
