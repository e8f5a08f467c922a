-- The statements that write the journal. Facts of many chargers are written in one round trip and one transaction, which determines what a
-- message costs; one statement per projection would cost four to six times as much. Parameters are arrays of equal length or JSON
-- documents, so the statement's text never changes and stays prepared. This file comes last, since it writes to most tables.

-- Appends facts and changes their projections. `ord` in the documents is the 1-based ordinal of the fact in the arrays; a projection is
-- only changed if its fact is new. Returns the ordinals of the new facts, or null if all are new, and the sessions of starts that were
-- stored before.
CREATE FUNCTION journal_commit(
  p_keys text[], p_organisations uuid[], p_types text[], p_chargers text[], p_at timestamp with time zone[], p_heard timestamp with time
  zone[], p_bodies text[], p_epochs double precision[], p_requires integer[], p_meter_ord integer[], p_meter_sessions uuid[],
  p_meter_evses integer[], p_meter_connectors integer[], p_meter_at timestamp with time zone[], p_meter_raw_at text[], p_meter_energy
  double precision[], p_meter_samples text[], p_register_ord integer[], p_register_sessions uuid[], p_register_wh double precision[],
  p_register_at timestamp with time zone[], p_register_energy double precision[], p_register_power double precision[],
  p_register_power_at timestamp with time zone[], p_refused jsonb, p_starts jsonb, p_ends jsonb, p_statuses jsonb, p_boots jsonb, p_configurations jsonb,
  p_orphans jsonb, p_provisional jsonb, OUT fresh integer[], OUT standing jsonb
)
RETURNS record
LANGUAGE plpgsql
-- Rows are looked up by their keys. A plan made while a table is small would scan all of it, and would be kept while the table grows.
SET enable_seqscan TO 'off'
AS $function$
#variable_conflict use_column
DECLARE
  v_before bigint;
  v_inserted int;
  v_following int;
  v_all boolean;
  -- The sessions stored for this commit's starts; none for a start that was stored before, or whose charger was removed.
  v_stored uuid[];
BEGIN
  PERFORM pg_advisory_xact_lock(7016996765);
  SELECT coalesce(max(position), 0) INTO v_before FROM journal;

  INSERT INTO journal (key, organisation_id, type, subject, at, heard_at, body)
  SELECT substring(sha256(convert_to(u.key_text, 'UTF8')) for 16), u.organisation_id, u.type, 'charger:' || u.charger_id, u.at,
    u.heard_at, u.body::json
  FROM unnest(p_keys, p_organisations, p_types, p_chargers, p_at, p_heard, p_bodies, p_epochs, p_requires)
    WITH ORDINALITY AS u(key_text, organisation_id, type, charger_id, at, heard_at, body, epoch, requires, ord)
  WHERE u.requires IS NULL AND (u.epoch IS NULL OR EXISTS (
    SELECT 1 FROM connection c
    WHERE c.charger_id = u.charger_id AND c.organisation_id = u.organisation_id AND c.epoch = u.epoch AND c.closed_at IS NULL))
  ORDER BY u.ord
  ON CONFLICT (key) DO NOTHING;
  GET DIAGNOSTICS v_inserted = ROW_COUNT;

  -- A fact that requires another fact of its commit is only stored if that one is new and was stored by this commit.
  IF v_inserted < cardinality(p_keys) THEN
    INSERT INTO journal (key, organisation_id, type, subject, at, heard_at, body)
    SELECT substring(sha256(convert_to(p_keys[r.ord], 'UTF8')) for 16), p_organisations[r.ord], p_types[r.ord],
      'charger:' || p_chargers[r.ord], p_at[r.ord], p_heard[r.ord], p_bodies[r.ord]::json
    FROM unnest(p_requires) WITH ORDINALITY AS r(requires, ord)
    WHERE r.requires IS NOT NULL AND array_position(p_keys, p_keys[r.requires]) = r.requires AND EXISTS (
      SELECT 1 FROM journal j
      WHERE j.key = substring(sha256(convert_to(p_keys[r.requires], 'UTF8')) for 16) AND j.position > v_before)
    ORDER BY r.ord
    ON CONFLICT (key) DO NOTHING;
    GET DIAGNOSTICS v_following = ROW_COUNT;
    v_inserted := v_inserted + v_following;
  END IF;
  v_all := v_inserted = cardinality(p_keys);

  -- Which facts are new is only determined if some are not. No other transaction writes while we hold the lock, so all later positions are
  -- ours.
  IF NOT v_all THEN
    SELECT coalesce(array_agg(new.ord), '{}') INTO fresh
    FROM (
      SELECT min(u.ord)::int AS ord
      FROM unnest(p_keys, p_epochs) WITH ORDINALITY AS u(key_text, epoch, ord)
      JOIN journal j ON j.key = substring(sha256(convert_to(u.key_text, 'UTF8')) for 16) AND j.position > v_before
      GROUP BY j.key
    ) new;
  END IF;

  IF p_orphans IS NOT NULL THEN
    INSERT INTO orphan (id, organisation_id, charger_id, action, raw_transaction_id, token_uid, meter_stop_wh, reason, raw_at, problem,
      raw, at, heard_at, at_hand, contradicts, readings)
    SELECT x.id, p_organisations[x.ord], p_chargers[x.ord], x.action, x.tx, x.token, x.meter, x.reason, x.raw_at, x.problem, x.raw,
      p_at[x.ord], p_heard[x.ord], x.at_hand, x.contradicts, x.readings
    FROM jsonb_to_recordset(p_orphans) AS x(ord int, id uuid, action text, tx text, token text, meter bigint, reason text, raw_at text,
      problem text, raw text, at_hand boolean, contradicts uuid, readings json)
    WHERE v_all OR x.ord = ANY (fresh);
    UPDATE session s SET contradicted = true, updated_at = greatest(s.updated_at, p_heard[x.ord])
    FROM jsonb_to_recordset(p_orphans) AS x(ord int, contradicts uuid)
    WHERE s.id = x.contradicts AND (v_all OR x.ord = ANY (fresh));
  END IF;

  IF p_starts IS NOT NULL THEN
    IF p_starts @> '[{"reserved": true}]' THEN
      WITH gone AS (
        DELETE FROM session s USING jsonb_to_recordset(p_starts) AS x(ord int, id uuid, reserved boolean, keeps_tariff boolean)
        WHERE x.reserved AND s.id = x.id AND s.reservation_only AND (v_all OR x.ord = ANY (fresh))
        RETURNING s.id, coalesce(x.keeps_tariff, false) AS keeps
      )
      DELETE FROM session_tariff t USING gone g WHERE t.session_id = g.id AND NOT g.keeps;
    END IF;

    WITH stored AS (
      INSERT INTO session (id, organisation_id, charger_id, site_id, evse_id, connector_id, transaction_id, ocpp_version, token_uid,
        token_key, status, authorization_status, authorization_source, authorized_at, parent_uid, started_at, meter_start_wh,
        created_at, updated_at, reservation_id, partner_id, roaming, authorized_until, clock_ignored)
      SELECT x.id, c.organisation_id, c.charger_id, c.site_id, x.evse, x.connector, x.tx, coalesce(c.ocpp_version, '1.6'), x.token,
        x.token_key, 'ACTIVE', x.auth, x.source, to_timestamp(x.auth_at / 1000), x.parent, to_timestamp(x.at / 1000), x.meter,
        to_timestamp(x.heard / 1000), to_timestamp(x.heard / 1000), x.reservation, (x.roaming ->> 'partnerId')::uuid, x.roaming, to_timestamp(x.auth_until / 1000), coalesce(x.clock_ignored, false)
      FROM jsonb_to_recordset(p_starts) AS x(ord int, id uuid, charger text, evse int, connector int, tx text, token text,
        token_key text, auth text, source text, auth_at float8, parent text, at float8, heard float8, meter bigint, reservation int, roaming jsonb, auth_until float8, clock_ignored boolean)
      -- If the charger was removed and registered by another organisation meanwhile, it is not the one that this fact is about.
      JOIN charger c ON c.charger_id = x.charger AND c.organisation_id = p_organisations[x.ord]
      WHERE v_all OR x.ord = ANY (fresh)
      RETURNING id, organisation_id
    ), priced AS (
      INSERT INTO session_tariff (session_id, organisation_id, tariff_id, version, time_zone)
      SELECT n.id, n.organisation_id, x.tariff, x.tariff_version, x.time_zone
      FROM jsonb_to_recordset(p_starts) AS x(id uuid, tariff uuid, tariff_version int, time_zone text) JOIN stored n ON n.id = x.id
      WHERE x.tariff IS NOT NULL
      -- Keeps the tariff under which the driver reserved.
      ON CONFLICT (session_id) DO NOTHING
    )
    SELECT array_agg(n.id) INTO v_stored FROM stored n;

    -- A reservation that was ended otherwise since the start was decided stays unchanged.
    IF jsonb_path_exists(p_starts, '$[*].consumes') THEN
      UPDATE reservation r SET status = 'Used', session_id = x.id, updated_at = p_heard[x.ord]
      FROM (
        SELECT DISTINCT ON (y.consumes) y.consumes, y.id, y.ord FROM jsonb_to_recordset(p_starts) AS y(ord int, id uuid, consumes uuid)
        WHERE y.consumes IS NOT NULL AND y.id = ANY (v_stored)
        ORDER BY y.consumes, y.ord
      ) x
      WHERE r.command_id = x.consumes AND r.charger_id = p_chargers[x.ord] AND r.organisation_id = p_organisations[x.ord]
        AND r.status IN ('Pending', 'Active', 'Unknown', 'Expired');
    END IF;

    IF jsonb_path_exists(p_starts, '$[*].follows') THEN
      UPDATE command m SET session_id = x.id
      FROM (
        SELECT DISTINCT ON (y.follows) y.follows, y.id, y.ord FROM jsonb_to_recordset(p_starts) AS y(ord int, id uuid, follows uuid)
        WHERE y.follows IS NOT NULL AND y.id = ANY (v_stored)
        ORDER BY y.follows, y.ord
      ) x
      WHERE m.id = x.follows AND m.session_id IS NULL AND m.type = 'RemoteStart' AND m.charger_id = p_chargers[x.ord]
        AND m.organisation_id = p_organisations[x.ord];
    END IF;

    -- If the start had no register, 0 was stored instead, and everything that the meter ever counted would be billed.
    IF p_starts @> '[{"unmetered": true}]' THEN
      INSERT INTO session_review (session_id, organisation_id, held_reason, updated_at)
      SELECT x.id, p_organisations[x.ord], 'MeterStartMissing', p_heard[x.ord]
      FROM jsonb_to_recordset(p_starts) AS x(ord int, id uuid, unmetered boolean)
      WHERE x.unmetered AND (v_all OR x.ord = ANY (fresh))
      ON CONFLICT (session_id) DO NOTHING;
    END IF;

    IF NOT v_all THEN
      SELECT jsonb_agg(session_known(s) || jsonb_build_object('ord', x.ord))
      INTO standing
      FROM jsonb_to_recordset(p_starts) AS x(ord int)
      JOIN journal j ON j.key = substring(sha256(convert_to(p_keys[x.ord], 'UTF8')) for 16)
      JOIN session s ON s.id = (j.body ->> 'sessionId')::uuid
      WHERE NOT x.ord = ANY (fresh);
    END IF;
  END IF;

  -- A start register that only the stop's readings reported replaces the start's, and the session is no longer held for it. This comes
  -- before the readings, whose energy is computed from it.
  IF jsonb_path_exists(p_ends, '$[*].meter_start') THEN
    UPDATE session s SET meter_start_wh = x.meter_start
    FROM jsonb_to_recordset(p_ends) AS x(ord int, id uuid, meter_start bigint)
    WHERE s.id = x.id AND s.organisation_id = p_organisations[x.ord] AND x.meter_start IS NOT NULL AND (v_all OR x.ord = ANY (fresh));
    DELETE FROM session_review r USING jsonb_to_recordset(p_ends) AS x(ord int, id uuid, meter_start bigint)
    WHERE r.session_id = x.id AND x.meter_start IS NOT NULL AND r.held_reason = 'MeterStartMissing' AND r.released_at IS NULL
      AND (v_all OR x.ord = ANY (fresh));
  END IF;

  IF cardinality(p_meter_ord) > 0 THEN
    INSERT INTO meter (session_id, at, key, charger_id, organisation_id, evse_id, connector_id, heard_at, raw_at, energy_wh, samples)
    SELECT x.session_id, x.at, substring(sha256(convert_to(x.session_id::text || x.evse || x.samples, 'UTF8')) for 16),
      p_chargers[x.ord], p_organisations[x.ord], x.evse, x.connector, p_heard[x.ord], x.raw_at, x.energy::bigint, x.samples::json
    FROM unnest(p_meter_ord, p_meter_sessions, p_meter_evses, p_meter_connectors, p_meter_at, p_meter_raw_at, p_meter_energy,
      p_meter_samples) AS x(ord, session_id, evse, connector, at, raw_at, energy, samples)
    WHERE x.session_id IS NOT NULL AND (v_all OR x.ord = ANY (fresh))
    ON CONFLICT DO NOTHING;
    IF array_position(p_meter_sessions, NULL) IS NOT NULL THEN
      INSERT INTO meter_unassigned (charger_id, at, key, organisation_id, evse_id, connector_id, heard_at, raw_at, energy_wh, samples)
      SELECT p_chargers[x.ord], x.at, substring(sha256(convert_to(x.evse || x.samples, 'UTF8')) for 16), p_organisations[x.ord],
        x.evse, x.connector, p_heard[x.ord], x.raw_at, x.energy::bigint, x.samples::json
      FROM unnest(p_meter_ord, p_meter_sessions, p_meter_evses, p_meter_connectors, p_meter_at, p_meter_raw_at, p_meter_energy,
        p_meter_samples) AS x(ord, session_id, evse, connector, at, raw_at, energy, samples)
      WHERE x.session_id IS NULL AND (v_all OR x.ord = ANY (fresh))
      ON CONFLICT DO NOTHING;
    END IF;
  END IF;

  -- Only for sessions that ended without a stop; a session that was superseded by another start stays held for the missing stop. This comes
  -- before the registers themselves, and in the same order: an older register changes nothing.
  IF p_refused IS NOT NULL THEN
    UPDATE session s SET status = x.status, held_reason = x.held
    FROM (
      SELECT DISTINCT ON (r.id) r.* FROM jsonb_to_recordset(p_refused) AS r(ord int, id uuid, at float8, status text, held text)
      WHERE v_all OR r.ord = ANY (fresh)
      ORDER BY r.id, r.at DESC, r.ord DESC
    ) x
    WHERE s.id = x.id AND s.superseded AND coalesce(s.held_reason, 'NotAuthorized') = 'NotAuthorized'
      AND (s.register_at IS NULL OR s.register_at <= to_timestamp(x.at / 1000));
  END IF;

  IF cardinality(p_register_sessions) > 0 THEN
    -- In the order of the charger's times, even if two connections of one charger report at the same time. For the same reason the row is
    -- checked for whether it has ended meanwhile: its stop determines its energy. Readings without a register only change the power.
    UPDATE session s SET register_wh = coalesce(x.wh::bigint, s.register_wh), register_at = CASE WHEN x.wh IS NULL THEN s.register_at ELSE x.at END,
      updated_at = CASE WHEN x.wh IS NULL THEN s.updated_at ELSE greatest(s.updated_at, clock_timestamp()) END,
      energy_wh = CASE WHEN s.ended_at IS NULL OR s.superseded THEN coalesce(x.energy::bigint, s.energy_wh) ELSE s.energy_wh END,
      meter_stop_wh = CASE WHEN s.superseded THEN coalesce(x.wh::bigint, s.meter_stop_wh) ELSE s.meter_stop_wh END,
      power_w = coalesce(x.power::integer, s.power_w), power_at = coalesce(x.power_at, s.power_at)
    FROM (
      SELECT DISTINCT ON (r.id) r.id, r.wh, r.at, r.energy, r.power, r.power_at
      FROM unnest(p_register_ord, p_register_sessions, p_register_wh, p_register_at, p_register_energy, p_register_power, p_register_power_at)
        AS r(ord, id, wh, at, energy, power, power_at)
      WHERE v_all OR r.ord = ANY (fresh)
      ORDER BY r.id, r.wh IS NULL, r.at DESC, r.ord DESC
    ) x
    WHERE s.id = x.id AND (s.register_at IS NULL OR s.register_at <= x.at);
  END IF;

  IF p_ends IS NOT NULL THEN
    -- Without a stop, the newest register replaces the stop's. Two connections of one charger may report at the same time. If one commit
    -- has several ends of a session, the stop counts. An end without a stop is dropped if the session has ended meanwhile. It is also
    -- dropped if the session was considered to be without energy, and a register is newer than the one on which that was based.
    UPDATE session s SET status = x.status, superseded = coalesce(x.unheard, false), ended_at = to_timestamp(x.at / 1000),
      meter_stop_wh = CASE WHEN x.unheard THEN s.register_wh ELSE coalesce(x.meter, s.meter_stop_wh) END,
      energy_wh = coalesce(x.energy, s.energy_wh), stop_reason = x.reason, held_reason = x.held, reported_stop = x.reported,
      clock_jumped = coalesce(x.jumped, s.clock_jumped), clock_ahead_ms = coalesce(x.ahead, s.clock_ahead_ms),
      updated_at = greatest(s.updated_at, to_timestamp(x.heard / 1000))
    FROM (
      SELECT DISTINCT ON (e.id) e.* FROM jsonb_to_recordset(p_ends) AS e(ord int, id uuid, at float8, heard float8, meter bigint, energy bigint,
        reason text, status text, held text, unheard boolean, reported jsonb, jumped boolean, ahead int)
      WHERE v_all OR e.ord = ANY (fresh)
      ORDER BY e.id, e.unheard NULLS FIRST, e.ord
    ) x
    WHERE s.id = x.id AND (x.unheard IS NOT TRUE OR (
      s.ended_at IS NULL AND (x.status <> 'INVALID' OR s.register_wh IS NULL OR s.register_wh <= x.meter)));
    UPDATE orphan o SET session_id = x.id
    FROM jsonb_to_recordset(p_ends) AS x(ord int, id uuid, orphan uuid)
    WHERE o.id = x.orphan AND (v_all OR x.ord = ANY (fresh));
  END IF;

  IF p_statuses IS NOT NULL THEN
    INSERT INTO connector_history (charger_id, evse_id, connector_id, from_at, heard_at, tie, organisation_id, status, error_code, info,
      vendor_id, vendor_error_code)
    SELECT x.charger, x.evse, x.connector, least(p_at[x.ord], p_heard[x.ord]), p_heard[x.ord], hashtextextended(p_keys[x.ord], 0),
      p_organisations[x.ord], x.status, x.error, x.info, x.vendor, x.vendor_error
    FROM jsonb_to_recordset(p_statuses) AS x(ord int, charger text, evse int, connector int, status text, error text, info text,
      vendor text, vendor_error text)
    WHERE v_all OR x.ord = ANY (fresh)
    ON CONFLICT DO NOTHING;
    INSERT INTO connector AS k (charger_id, evse_id, connector_id, status, raw_status, error_code, info, vendor_id, vendor_error_code,
      status_at, heard_at)
    SELECT DISTINCT ON (x.charger, x.evse, x.connector) x.charger, x.evse, x.connector, x.status, x.raw, x.error, x.info, x.vendor,
      x.vendor_error, p_at[x.ord], p_heard[x.ord]
    FROM jsonb_to_recordset(p_statuses) AS x(ord int, charger text, evse int, connector int, status text, raw text, error text,
      info text, vendor text, vendor_error text, past boolean)
    JOIN charger c ON c.charger_id = x.charger
    WHERE x.past IS NULL AND (v_all OR x.ord = ANY (fresh))
    ORDER BY x.charger, x.evse, x.connector, x.ord DESC
    ON CONFLICT (charger_id, evse_id, connector_id) DO UPDATE SET status = excluded.status, raw_status = excluded.raw_status,
      error_code = excluded.error_code, info = excluded.info, vendor_id = excluded.vendor_id,
      vendor_error_code = excluded.vendor_error_code, status_at = excluded.status_at, heard_at = excluded.heard_at;
  END IF;

  IF p_boots IS NOT NULL THEN
    UPDATE charger c SET manufacturer = x.vendor, model = x.model, serial_number = x.serial, firmware_version = x.firmware,
      iccid = x.iccid, imsi = x.imsi, meter_type = x.meter_type, meter_serial_number = x.meter_serial,
      booted_at = CASE WHEN x.accepted THEN p_heard[x.ord] ELSE c.booted_at END, updated_at = p_heard[x.ord]
    FROM jsonb_to_recordset(p_boots) AS x(ord int, charger text, vendor text, model text, serial text, firmware text, iccid text,
      imsi text, meter_type text, meter_serial text, accepted boolean)
    WHERE c.charger_id = x.charger AND (v_all OR x.ord = ANY (fresh));
  END IF;

  IF p_configurations IS NOT NULL THEN
    INSERT INTO charger_configuration (charger_id, keys, reported_at)
    SELECT DISTINCT ON (x.charger) x.charger, x.keys, p_heard[x.ord]
    FROM jsonb_to_recordset(p_configurations) AS x(ord int, charger text, keys jsonb)
    JOIN charger c ON c.charger_id = x.charger
    WHERE v_all OR x.ord = ANY (fresh)
    ORDER BY x.charger, x.ord DESC
    ON CONFLICT (charger_id) DO UPDATE SET keys = excluded.keys, reported_at = excluded.reported_at;
  END IF;

  -- The changes of provisional transactions are no facts of the journal; each replaces what was stored.
  IF p_provisional IS NOT NULL THEN
    DELETE FROM provisional_transaction p USING jsonb_to_recordset(p_provisional -> 'transactions') AS x(charger text, tx text, body text)
    WHERE p.charger_id = x.charger AND p.transaction_id = x.tx AND x.body IS NULL;
    INSERT INTO provisional_transaction AS p (charger_id, transaction_id, organisation_id, begun_at, body)
    SELECT x.charger, x.tx, x.organisation, to_timestamp(x.begun / 1000), x.body::json
    FROM jsonb_to_recordset(p_provisional -> 'transactions') AS x(charger text, tx text, organisation uuid, begun float8, body text)
    JOIN charger c ON c.charger_id = x.charger AND c.organisation_id = x.organisation
    WHERE x.body IS NOT NULL
    ON CONFLICT (charger_id, transaction_id) DO UPDATE SET body = excluded.body;
    INSERT INTO negligible_transactions AS n (charger_id, day, organisation_id, transactions, energy_wh, first_at, last_at)
    SELECT x.charger, x.day, x.organisation, x.transactions, x.energy, to_timestamp(x.first / 1000), to_timestamp(x.last / 1000)
    FROM jsonb_to_recordset(p_provisional -> 'days') AS x(charger text, day date, organisation uuid, transactions bigint, energy bigint,
      first float8, last float8)
    JOIN charger c ON c.charger_id = x.charger AND c.organisation_id = x.organisation
    ON CONFLICT (charger_id, day) DO UPDATE SET transactions = excluded.transactions, energy_wh = excluded.energy_wh,
      last_at = excluded.last_at, organisation_id = excluded.organisation_id;
  END IF;

END
$function$;

-- Connections open and close in batches, with all consequences: their facts, their history and the marks of their locations. Each row is
-- looked up by its charger and passed along, and never joined with another list in the same statement. With a plan made for a batch of one,
-- a thousand chargers that reconnect at once would otherwise cause a million comparisons.

-- Assigns the next epoch to each charger that exists and records the connection; returns one row for each charger that got an epoch.
CREATE FUNCTION connection_open(
  p_chargers text[], p_versions text[], p_profiles integer[], p_addresses text[], p_at timestamp with time zone[], p_node text
)
RETURNS TABLE(charger_id text, epoch double precision)
LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
BEGIN
  PERFORM pg_advisory_xact_lock(7016996765);
  RETURN QUERY
  WITH input AS MATERIALIZED (
    SELECT u.*, c.organisation_id, c.site_id, c.ocpp_version, n.epoch AS was_epoch, n.connected_at AS was_at, n.node_id AS was_node,
      n.epoch IS NOT NULL AND n.closed_at IS NULL AS was_open
    FROM unnest(p_chargers, p_versions, p_profiles, p_addresses, p_at) AS u(charger, version, profile, address, at)
    JOIN charger c ON c.charger_id = u.charger
    LEFT JOIN connection n ON n.charger_id = u.charger
  ), opened AS (
    INSERT INTO connection AS n (charger_id, organisation_id, node_id, epoch, ocpp_version, security_profile, remote_address, connected_at)
    -- The first epoch is the time in ms, so that a charger that is removed and registered again never gets an earlier epoch again.
    SELECT charger, organisation_id, p_node, (extract(epoch FROM clock_timestamp()) * 1000)::bigint, version, profile, address, at
    FROM input
    ON CONFLICT (charger_id) DO UPDATE SET organisation_id = excluded.organisation_id, node_id = excluded.node_id, epoch = n.epoch + 1,
      ocpp_version = excluded.ocpp_version, security_profile = excluded.security_profile, remote_address = excluded.remote_address,
      connected_at = excluded.connected_at, closed_at = NULL, closed_reason = NULL
    RETURNING n.*
  ), replaced AS (
    UPDATE connection_history h SET reason = 'the charger connected anew', disconnected_at = greatest(i.at, i.was_at)
    FROM input i
    WHERE i.was_open AND h.charger_id = i.charger AND h.connected_at = i.was_at AND h.epoch = i.was_epoch AND h.disconnected_at IS NULL
  ), begun AS (
    INSERT INTO connection_history (charger_id, connected_at, epoch, organisation_id, ocpp_version, security_profile, remote_address)
    SELECT charger_id, connected_at, epoch, organisation_id, ocpp_version, security_profile, remote_address FROM opened
    ON CONFLICT DO NOTHING
  ), marked AS (
    INSERT INTO location_stale (organisation_id, site_id)
    SELECT DISTINCT organisation_id, site_id FROM input WHERE NOT was_open OR was_node <> p_node
  ), versions AS (
    UPDATE charger c SET ocpp_version = input.version FROM input
    WHERE c.charger_id = input.charger AND input.ocpp_version IS DISTINCT FROM input.version
  ), facts AS (
    INSERT INTO journal (key, organisation_id, type, subject, at, heard_at, body)
    SELECT substring(sha256(convert_to('connected:' || o.charger_id || ':' || o.epoch, 'UTF8')) for 16), o.organisation_id,
      'ChargerConnected', 'charger:' || o.charger_id, o.connected_at, o.connected_at,
      json_build_object('epoch', o.epoch, 'node', p_node, 'ocppVersion', o.ocpp_version, 'securityProfile', o.security_profile)
    FROM opened o
    ON CONFLICT (key) DO NOTHING
  )
  SELECT o.charger_id, o.epoch::float8 FROM opened o;
END
$function$;

-- Closes connections whose epoch is the current one; a late close of an older connection changes nothing.
CREATE FUNCTION connection_close(
  p_chargers text[], p_epochs double precision[], p_at timestamp with time zone[], p_reasons text[]
)
RETURNS void
LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
BEGIN
  PERFORM pg_advisory_xact_lock(7016996765);
  WITH closed AS (
    UPDATE connection n SET closed_at = x.at, closed_reason = x.reason
    FROM unnest(p_chargers, p_epochs, p_at, p_reasons) AS x(charger, epoch, at, reason), charger c
    WHERE n.charger_id = x.charger AND n.epoch = x.epoch AND n.closed_at IS NULL AND c.charger_id = x.charger
    RETURNING n.charger_id, n.epoch, n.organisation_id, n.connected_at, c.site_id, x.at, x.reason
  ), ended AS (
    UPDATE connection_history h SET reason = o.reason, disconnected_at = o.at
    FROM closed o
    WHERE h.charger_id = o.charger_id AND h.connected_at = o.connected_at AND h.epoch = o.epoch AND h.disconnected_at IS NULL
  ), marked AS (
    INSERT INTO location_stale (organisation_id, site_id) SELECT DISTINCT organisation_id, site_id FROM closed
  )
  INSERT INTO journal (key, organisation_id, type, subject, at, heard_at, body)
  SELECT substring(sha256(convert_to('disconnected:' || charger_id || ':' || epoch, 'UTF8')) for 16), organisation_id,
    'ChargerDisconnected', 'charger:' || charger_id, at, at, json_build_object('epoch', epoch, 'reason', reason)
  FROM closed
  ON CONFLICT (key) DO NOTHING;
END
$function$;
