import { describe, expect, it } from "vitest"
import { isSecretEntry, isSecretName } from "../../../src/domain/values/SecretNames.ts"

describe("the name of a configuration key", () => {
  const secret = [
    "AuthorizationKey",
    "authorizationkey",
    " AuthorizationKey ",
    "WifiPassword",
    "WIFIPASSWORD",
    "wifi_password",
    "wifi.password2",
    "WiFiPassphrase",
    "WifiPSK",
    "wlanPsk",
    "WifiKey",
    "WPA2Key",
    "HotspotPass",
    "ftpPassword",
    "FTPPasswd",
    "ApnPwd",
    "APNPassword",
    "apn_pass",
    "GPRS-APN-Password",
    "SimPin",
    "SIMPIN",
    "SIM_PIN",
    "Puk",
    "G_CardPin",
    "G_Authentication",
    "WebSocketPassword",
    "HTTPPassword",
    "BasicAuthPassword",
    "AdminPassword",
    "UserPassword",
    "UserPwd1",
    "VpnPreSharedKey",
    "OpenVpnPrivateKey",
    "SnmpCommunity",
    "SNMPReadCommunity",
    "ApiKey",
    "api_key",
    "API-KEY",
    "clientSecret",
    "AccessToken",
    "Token",
    "ProxyCredentials",
    "PasswordHash",
    "EncryptionKey",
    "wak"
  ]
  it.each(secret)("%s is secret", (name) => expect(isSecretName(name)).toBe(true))

  const open = [
    "TokenTimeout",
    "MinimumPasswordLength",
    "PasswordLength",
    "PasswordMaxAge",
    "WifiPasswordEnabled",
    "AuthorizationCacheEnabled",
    "AuthorizeRemoteTxRequests",
    "AuthorizationKeyLength",
    "LocalAuthListEnabled",
    "HeartbeatInterval",
    "MeterPublicKey",
    "MeterPublicKey[1]",
    "PublicKeyWithSignedMeterValue",
    "issuerKeyHash",
    "issuerNameHash",
    "key",
    "idToken",
    "FreeModeIdToken",
    "FreevendTokenId",
    "RfidToken",
    "DefaultIdTag",
    "LedPin",
    "RelayPinNumber",
    "OpinionatedMode",
    "Shipping",
    "BypassEnabled",
    "PassThrough",
    "ApnUser",
    "FtpUsername",
    "SecurityProfile",
    "WifiSSID",
    "CommunicationMode",
    "SupportedFeatureProfiles",
    "CertificateStoreMaxLength",
    "PowerFactor",
    ""
  ]
  it.each(open)("%s is not secret", (name) => expect(isSecretName(name)).toBe(false))
})

describe("a value with the name of a secret", () => {
  it.each(["hunter2", "1234", "00000", "12345678", "truely"])("%s is secret", (value) =>
    expect(isSecretEntry("WifiPassword", value)).toBe(true)
  )
  it.each(["", " ", "true", "FALSE", "0", "1", "off"])("%j is only a switch", (value) =>
    expect(isSecretEntry("WifiPassword", value)).toBe(false)
  )
  it("is examined in linear time, whatever the name", () => {
    const before = process.cpuUsage()
    for (const name of ["A".repeat(300_000), "pass".repeat(100_000), "aB".repeat(100_000), "_".repeat(300_000)])
      isSecretName(name)
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(1_000)
  })
})
