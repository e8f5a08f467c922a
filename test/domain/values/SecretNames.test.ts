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
    "wak",
    // A digit at the end of the word.
    "wifi_pass1",
    "PUK2",
    "Pin3",
    "Wifi2Pw1",
    // Whose it is, before and after it.
    "WebUserPass",
    "UserPass",
    "UserPin",
    "PublicWifiPassword",
    "PasswordForUser",
    "PasswordOfAdmin",
    "AuthorizationKeyHex",
    "AUTHORIZATIONKEYHEX",
    // Keys by their owner.
    "NetworkKey",
    "TLSKey",
    "TLSKEY",
    "ClientKey",
    "EncKey",
    "SSHKey",
    "BackendKey",
    "DESFireKey",
    "MifareKeyA",
    "mifare_key_b",
    "MifareDefaultKey",
    "AppSKey",
    "NwkSKey",
    // Logins and codes.
    "OAuthBearer",
    "JWT",
    "ProxyAuth",
    "APNAuth",
    "MasterCode",
    "SecurityCode",
    "security_code",
    "PairingCode",
    "AdminCode",
    "UnlockCode",
    "AccessCode",
    "CPIN",
    // Other languages, with and without accents.
    "Wachtwoord",
    "Hasło",
    "HASŁO",
    "WifiHaslo",
    "senha",
    "adgangskode",
    "salasana",
    "ClaveWifi",
    "Contraseña",
    "Lösenord",
    "Passord",
    "heslo",
    "Slaptažodis",
    "Jelszó",
    "Şifre",
    "MotDePasse",
    "Пароль",
    "密码",
    "パスワード",
    "비밀번호"
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
    "KeyCount",
    "KeyLockEnabled",
    "KeySwitch",
    "NumberOfKeys",
    "HotKey",
    "TurnKey",
    "IdempotencyKey",
    "ClientPublicKey",
    "TLSPublicKey",
    "ClientKeyLength",
    "SessionKeyLifetime",
    "MaxKeyLength",
    "LengthOfPassword",
    "ErrorCode",
    "vendorErrorCode",
    "CountryCode",
    "StatusCode",
    "UnlockConnectorOnEVSideDisconnect",
    "LocalAuth",
    "OfflineAuth",
    "Authorization",
    "AuthorizationMethod",
    "NetworkBearer",
    "AccessControl",
    "ByPass",
    "LowPass",
    "RelayPin3",
    "PinNumber",
    "Enclave",
    "KeyboardLayout",
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
  it.each(["PAP", "chap", "PAP/CHAP", "none", "Basic"])("%s is only the method of a login", (value) =>
    expect(isSecretEntry("ApnAuth", value)).toBe(false)
  )
  it.each(["Basic dTpw", "Bearer abc", "Digest username=u"])("%s is secret in a header", (value) => {
    expect(isSecretEntry("Authorization", value)).toBe(true)
    expect(isSecretEntry("Proxy-Authorization", value)).toBe(true)
  })
  it("is not secret if it says how drivers are authorised", () =>
    expect(isSecretEntry("Authorization", "Accepted")).toBe(false))
  it("is examined in linear time, whatever the name", () => {
    const before = process.cpuUsage()
    for (const name of ["A".repeat(300_000), "pass".repeat(100_000), "aB".repeat(100_000), "_".repeat(300_000)])
      isSecretName(name)
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(1_000)
  })
})
