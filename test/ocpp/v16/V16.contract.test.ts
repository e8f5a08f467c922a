import type { Reply } from "../../../src/domain/charger/Reply.ts"
import { v16 } from "../../../src/ocpp/v16/V16.ts"
import { protocolVersionContract } from "../../contracts/ProtocolVersionContract.ts"
import { answersTo } from "./commandAnswers.ts"
import { sentCommands } from "./commands.ts"
import { examples } from "./examples.ts"
import { replies } from "./replies.ts"
import { allActions, schemaProblem } from "./schemas.ts"

const fromChargers = new Set(examples.map(({ action }) => action))
const acknowledged: Reply = { _tag: "Acknowledged" }

protocolVersionContract({
  version: v16,
  examples,
  transactionActions: ["StartTransaction", "StopTransaction", "MeterValues"],
  // DataTransfer goes both ways; every other action goes one.
  ownActions: allActions.filter((action) => !fromChargers.has(action)),
  replies: [...replies, { action: "StopTransaction", reply: acknowledged }],
  commands: sentCommands.map(({ action, command }) => ({ command, answers: answersTo(command._tag, action) })),
  secrets: [
    {
      frame: '[2,"1","ChangeConfiguration",{"key":"AuthorizationKey","value":"4f5a"}]',
      secret: "4f5a"
    },
    {
      frame: '[2,"1","ChangeConfiguration",{ "value" : "4f5a" , "key" : " authorizationKEY " }]',
      secret: "4f5a"
    },
    {
      frame: '[3,"1",{"configurationKey":[{"key":"A","value":"1"},{"key":"Authorization\\u004bey","value":"4f5a"}]}]',
      secret: "4f5a"
    },
    // A result whose CALL is no longer known.
    { frame: '[3,"1",{"configurationKey":[{"value":"4f5a","key":"AuthorizationKey"}]}]', secret: "4f5a" },
    {
      frame: '[3,"1",{"configurationKey":[{"key":"AuthorizationKey","value":"4f5a',
      secret: "4f5a"
    },
    {
      frame: '[2,"1","GetDiagnostics",{"location":"https://csms.example/files/uploads/t0k3n"}]',
      secret: "t0k3n"
    },
    {
      frame: '[2,"1","UpdateFirmware",{"location":"ftp://user:t0k3n@files.example/f.bin"}]',
      secret: "t0k3n"
    },
    {
      frame: '[2,"1","GetLog",{"log":{"remoteLocation":"https://csms.example/files/up?key=t0k3n"}}]',
      secret: "t0k3n"
    },
    {
      frame:
        '[2,"1","InstallCertificate",{"certificate":"-----BEGIN EC PRIVATE KEY-----\\nt0k3n\\n-----END EC PRIVATE KEY-----"}]',
      secret: "t0k3n"
    },
    // No action is free of secrets: its frames may have other fields, and its errors any text.
    { frame: '[4,"1","GenericError","WifiPassword=t0k3n",{}]', secret: "t0k3n" },
    { frame: '[4,"1","GenericError","",{"WifiPassword":"t0k3n"}]', secret: "t0k3n" },
    {
      frame: '[2,"1","BootNotification",{"chargePointVendor":"V","chargePointModel":"M","WifiPassword":"t0k3n"}]',
      secret: "t0k3n"
    },
    {
      frame: '[2,"1","BootNotification",{"chargePointVendor":"V","password":"t0k3n"',
      secret: "t0k3n"
    },
    {
      frame:
        '[2,"1","StatusNotification",{"connectorId":1,"errorCode":"OtherError","status":"Faulted","info":"pass=t0k3n","vendorErrorCode":"pw:t0k3n"}]',
      secret: "t0k3n"
    },
    { frame: '[2,"1","MeterValues",{"Wifi\\u0050assword":"t0k3n"}]', secret: "t0k3n" },
    {
      frame: '[2,"1","DataTransfer",{"vendorId":"V","data":"Authorization: Basic t0k3n"}]',
      secret: "t0k3n"
    }
  ],
  schemaProblem,
  skips: {}
})
