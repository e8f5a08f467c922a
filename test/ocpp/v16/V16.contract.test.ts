import type { Reply } from "../../../src/domain/charger/Reply.ts"
import { v16 } from "../../../src/ocpp/v16/V16.ts"
import { protocolVersionContract } from "../../contracts/ProtocolVersionContract.ts"
import { examples } from "./examples.ts"
import { replies } from "./replies.ts"
import { allActions, schemaProblem } from "./schemas.ts"

const fromChargers = new Set(examples.map(({ action }) => action))
const status = (word: string) => ({ payload: { status: word }, result: { _tag: "Status", status: word } as const })
const acknowledged: Reply = { _tag: "Acknowledged" }

protocolVersionContract({
  version: v16,
  examples,
  transactionActions: ["StartTransaction", "StopTransaction", "MeterValues"],
  // DataTransfer goes both ways; every other action goes one.
  ownActions: allActions.filter((action) => !fromChargers.has(action)),
  replies: [...replies, { action: "StopTransaction", reply: acknowledged }],
  commands: [
    {
      command: { _tag: "GetConfiguration", keys: [] },
      answers: [
        { payload: {}, result: { _tag: "ConfigurationKeys", keys: [], unknown: [] } },
        {
          payload: {
            configurationKey: [
              { key: "HeartbeatInterval", readonly: false, value: "300" },
              { key: "NumberOfConnectors", readonly: true }
            ],
            unknownKey: ["Nonsense"]
          },
          result: {
            _tag: "ConfigurationKeys",
            keys: [
              { key: "HeartbeatInterval", readonly: false, value: "300" },
              { key: "NumberOfConnectors", readonly: true, value: undefined }
            ],
            unknown: ["Nonsense"]
          }
        }
      ]
    },
    {
      command: { _tag: "GetConfiguration", keys: ["HeartbeatInterval"] },
      answers: [
        {
          payload: { unknownKey: ["HeartbeatInterval"] },
          result: { _tag: "ConfigurationKeys", keys: [], unknown: ["HeartbeatInterval"] }
        }
      ]
    },
    {
      command: { _tag: "ChangeConfiguration", key: "HeartbeatInterval", value: "60" },
      answers: ["Accepted", "Rejected", "RebootRequired", "NotSupported"].map(status)
    },
    {
      command: { _tag: "TriggerMessage", requestedMessage: "StatusNotification", connectorId: undefined },
      answers: ["Accepted", "Rejected", "NotImplemented"].map(status)
    },
    {
      command: { _tag: "TriggerMessage", requestedMessage: "MeterValues", connectorId: 2 },
      answers: [status("Accepted")]
    }
  ],
  secrets: [
    {
      action: "ChangeConfiguration",
      frame: '[2,"1","ChangeConfiguration",{"key":"AuthorizationKey","value":"4f5a"}]',
      secret: "4f5a"
    },
    {
      action: "ChangeConfiguration",
      frame: '[2,"1","ChangeConfiguration",{ "value" : "4f5a" , "key" : " authorizationKEY " }]',
      secret: "4f5a"
    },
    {
      action: "GetConfiguration",
      frame: '[3,"1",{"configurationKey":[{"key":"A","value":"1"},{"key":"Authorization\\u004bey","value":"4f5a"}]}]',
      secret: "4f5a"
    },
    // A result whose CALL is not known any more.
    { action: "", frame: '[3,"1",{"configurationKey":[{"value":"4f5a","key":"AuthorizationKey"}]}]', secret: "4f5a" },
    {
      action: "GetConfiguration",
      frame: '[3,"1",{"configurationKey":[{"key":"AuthorizationKey","value":"4f5a',
      secret: "4f5a"
    }
  ],
  schemaProblem,
  skips: {}
})
