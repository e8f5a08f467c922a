import { expect, it } from "vitest"
import { meterKeysIn } from "../../../src/domain/charger/MeterKeys.ts"

const key = "305A301406072A86"
const meter = { connectorId: 1, meterSerial: "MS1", type: "SIGNATURE", publicKey: key }

it.each([
  [
    "of several meters",
    { meters: [meter, { ...meter, connectorId: "2", publicKey: "BASE64+/==" }] },
    [key, "BASE64+/=="]
  ],
  ["of one meter", { ConnectorId: 1, PublicKey: ` ${key}\n` }, [key]],
  ["in a list", [meter], [key]],
  ["with other names", { evse_id: 1, meter_public_key: key }, [key]],
  ["that are sent twice", { meters: [{ ...meter, publicKey: "old12345" }, meter] }, [key]]
])("public keys are read %s", (_, data, keys) => {
  expect(meterKeysIn(JSON.stringify(data))).toEqual(keys.map((publicKey, n) => ({ evseId: n + 1, publicKey })))
})

it("a key without a connector is that of the whole charger", () => {
  expect(meterKeysIn(JSON.stringify({ publicKey: key }))).toEqual([{ evseId: 0, publicKey: key }])
})

it.each([
  "publicKey=305A301406072A86",
  '{"publicKey":',
  "null",
  '["publicKey"]',
  JSON.stringify({ meters: [{ connectorId: 1 }], publicKeys: [key] }),
  JSON.stringify({ publicKey: "<script>" }),
  JSON.stringify({ publicKey: "short" }),
  JSON.stringify({ publicKey: "A".repeat(5001) }),
  JSON.stringify({ connectorId: -1, publicKey: key }),
  JSON.stringify({ connectorId: 256, publicKey: key }),
  JSON.stringify({ connectorId: {}, publicKey: key }),
  JSON.stringify({ publicKey: key, more: "x".repeat(70_000) })
])("no key is read from %.60s", (data) => {
  expect(meterKeysIn(data)).toEqual([])
})

it("no more keys are read than a charger has meters", () => {
  const meters = Array.from({ length: 100 }, (_, n) => ({ connectorId: n + 1, publicKey: key }))
  expect(meterKeysIn(JSON.stringify({ meters }))).toHaveLength(16)
})
