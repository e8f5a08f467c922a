import { describe, expect, it } from "vitest"
import { maskJson } from "../../../src/domain/values/SecretJson.ts"
import { maskUrls, shownAddresses } from "../../../src/domain/values/SecretAddresses.ts"
import { maskPrivateKeys, shownText, shownValue } from "../../../src/domain/values/SecretText.ts"
import { forSeeds } from "../../support/random.ts"

const mask = (text: string): string => maskJson(text, shownText) ?? "***"

describe("a secret configuration key", () => {
  const rows: ReadonlyArray<readonly [string, string, string]> = [
    [
      "has its value masked in a CALL",
      '[2,"7","ChangeConfiguration",{"key":"AuthorizationKey","value":"6b65792d31"}]',
      '[2,"7","ChangeConfiguration",{"key":"AuthorizationKey","value":"***"}]'
    ],
    [
      "has its value masked with any spacing, letter case and order",
      '[2,"7","ChangeConfiguration",{ "value" :\n"a\\"},\\\\" ,\t"key": " AUTHORIZATIONkey " }]',
      '[2,"7","ChangeConfiguration",{ "value" :\n"***" ,\t"key": " AUTHORIZATIONkey " }]'
    ],
    [
      "has its value masked if its name is escaped",
      '[3,"7",{"configurationKey":[{"key":"Authorization\\u004bey","readonly":false,"value":"abc"}]}]',
      '[3,"7",{"configurationKey":[{"key":"Authorization\\u004bey","readonly":false,"value":"***"}]}]'
    ],
    [
      "has only its own value masked among other keys",
      '[3,"7",{"configurationKey":[{"key":"A","value":"1"},{"key":"AuthorizationKey","value":"2"},{"key":"B","value":"3"}]}]',
      '[3,"7",{"configurationKey":[{"key":"A","value":"1"},{"key":"AuthorizationKey","value":"***"},{"key":"B","value":"3"}]}]'
    ],
    [
      "has its value masked under any member name and of any type",
      '[3,"7",{"configurationKey":[{"Value":{"a":["abc"]},"key":"AuthorizationKey","secret":123}]}]',
      '[3,"7",{"configurationKey":[{"Value":"***","key":"AuthorizationKey","secret":"***"}]}]'
    ],
    [
      "has its value masked as a member with its own name",
      '[2,"7","DataTransfer",{"data":{"authorizationKey":"abc","b":1}}]',
      '[2,"7","DataTransfer",{"data":{"authorizationKey":"***","b":1}}]'
    ],
    [
      "may be requested and reported as unknown",
      '[2,"7","GetConfiguration",{"key":["AuthorizationKey"]}]',
      '[2,"7","GetConfiguration",{"key":["AuthorizationKey"]}]'
    ],
    ["masks a truncated frame completely", '[2,"7","ChangeConfiguration",{"key":"AuthorizationKey","value":"ab', "***"],
    [
      "is recognised by any name that says so, in vendors' data too",
      '[2,"7","DataTransfer",{"vendorId":"V","messageId":"Set","data":"{\\"ssid\\":\\"a\\",\\"wifiPassword\\":\\"abc\\"}"}]',
      '[2,"7","DataTransfer",{"vendorId":"V","messageId":"Set","data":"{\\"ssid\\":\\"a\\",\\"wifiPassword\\":\\"***\\"}"}]'
    ],
    [
      "is recognised by the name of the message that carries it",
      '[2,"7","DataTransfer",{"vendorId":"V","messageId":"SetSimPin","data":"4711"}]',
      '[2,"7","DataTransfer",{"vendorId":"V","messageId":"SetSimPin","data":"***"}]'
    ],
    [
      "is recognised in a list of pairs",
      '[2,"7","DataTransfer",{"vendorId":"V","data":"apn=iot.example;user=u;password=abc;pin=4711"}]',
      '[2,"7","DataTransfer",{"vendorId":"V","data":"apn=iot.example;user=u;password=***;pin=***"}]'
    ],
    [
      "is not a switch",
      '[3,"7",{"configurationKey":[{"key":"WifiPassword","value":"true"},{"key":"SimPin","value":""}]}]',
      '[3,"7",{"configurationKey":[{"key":"WifiPassword","value":"true"},{"key":"SimPin","value":""}]}]'
    ],
    ["masks a frame that lacks a quote completely", '[2,"7","X",{"key":"AuthorizationKey,"value":"abc"}]', "***"],
    ["masks an excessively nested frame completely", "[".repeat(100_000), "***"]
  ]
  it.each(rows)("%s", (_, text, expected) => {
    expect(mask(text)).toBe(expected)
    expect(mask(expected)).toBe(expected)
  })

  it("is masked each time in a large frame", () => {
    const keys = Array.from(
      { length: 10_000 },
      (_, i) => `{"key":"AuthorizationKey","readonly":false,"value":"secret${i}"}`
    )
    expect(mask(`[3,"7",{"configurationKey":[${keys.join(",")}]}]`)).not.toContain("secret")
  })

  it("is masked anywhere in random frames", () => {
    forSeeds(2_000, (random) => {
      const secret = `s3cret${random.between(0, 1e9)}`
      const space = () => random.pick(["", " ", "\n", "\t "])
      const value = random.pick([`"${secret}"`, `["${secret}"]`, `{"x":"${secret}"}`, `"\\"${secret}\\\\"`])
      const name = random.pick(["AuthorizationKey", "authorizationkey", " AuthorizationKey", "\\u0041uthorizationKey"])
      const members = [
        `"key"${space()}:${space()}"${name}"`,
        `"value"${space()}:${space()}${value}`,
        `"readonly":false`
      ]
      const entry = `{${(random.next() < 0.5 ? members : members.toReversed()).join(`${space()},${space()}`)}${space()}}`
      const others = ['{"key":"A","value":"1"}', '{"key":"B"}', entry]
      const frame = `[3,"7",{"configurationKey":[${(random.next() < 0.5 ? others : others.toReversed()).join(",")}]}]`
      expect(mask(frame)).not.toContain(secret)
      expect(mask(frame)).toContain('{"key":"A","value":"1"}')
      expect(() => JSON.parse(mask(frame)) as unknown).not.toThrow()
    })
  })
})

describe("a URL", () => {
  const rows: ReadonlyArray<readonly [string, string, string]> = [
    [
      "of our file store has its last segment masked",
      '{"location":"https://csms.example/files/uploads/t0k3n","retries":3}',
      '{"location":"https://csms.example/files/uploads/***","retries":3}'
    ],
    [
      "of our up- and downloads has everything after the kind masked",
      '"https://h/files/down/t0k3n/image.bin" https:\\/\\/h\\/files\\/up\\/t0k3n\\/log.tgz',
      '"https://h/files/down/***" https:\\/\\/h\\/files\\/up\\/***'
    ],
    [
      "has that segment masked before a trailing slash",
      "https://csms.example/files/t0k3n/",
      "https://csms.example/files/***/"
    ],
    [
      "has its query and its fragment masked too",
      '"https://h:8443/a/files/f.bin?expires=1&t=t0k3n#t0k3n"',
      '"https://h:8443/a/files/***?***"'
    ],
    [
      "is masked when slashes and ampersands are escaped",
      '"https:\\/\\/csms.example\\/files\\/t0k3n\\/?a=1\\u0026b=t0k3n"',
      '"https:\\/\\/csms.example\\/files\\/***\\/?***"'
    ],
    ["is masked in the middle of a text", "cannot get https://h/files/t0k3n now", "cannot get https://h/files/*** now"],
    ["is unchanged if nothing follows /files/", "https://h/files/", "https://h/files/"],
    ["has its password masked", '"ftp://user:t0k3n@h/dir/f.bin"', '"ftp://user:***@h/dir/f.bin"'],
    ["has a password with special characters masked", '"sftp://user:t0?k@3n@h:22/f"', '"sftp://user:***@h:22/f"'],
    [
      "has a query with a signature masked",
      '"https://b.s3.example/f.bin?X-Amz-Expires=60&X-Amz-Signature=t0k3n"',
      '"https://b.s3.example/f.bin?***"'
    ],
    ["is otherwise unchanged", '"https://h:80/a/b.bin?version=2#top"', '"https://h:80/a/b.bin?version=2#top"'],
    ["is not recognised from a path alone", '{"path":"/files/x","at":"10:00"}', '{"path":"/files/x","at":"10:00"}'],
    ["is masked next to another", '["ftp://a:b@h/","https://h/files/x"]', '["ftp://a:***@h/","https://h/files/***"]']
  ]
  it.each(rows)("%s", (_, text, expected) => {
    expect(maskUrls(text)).toBe(expected)
    expect(maskUrls(expected)).toBe(expected)
  })

  it("is masked in linear time, whatever the text", () => {
    const long = "a".repeat(300_000)
    const slashes = "/".repeat(300_000)
    const before = process.cpuUsage()
    for (const text of [`https://h/files/${long}/x`, `https://h/files${slashes}`, `https://${long}`, `${long}://`])
      maskUrls(text)
    maskUrls(`https://h/files/${"a/".repeat(100_000)}`)
    maskUrls("https://a:".repeat(30_000))
    // A single pass takes far less than a second of processor time; a quadratic search takes minutes.
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(1_000)
  })
})

describe("a private key", () => {
  const begin = "-----BEGIN EC PRIVATE KEY-----"
  const end = "-----END EC PRIVATE KEY-----"
  const certificate = "-----BEGIN CERTIFICATE-----\\nMIIB\\n-----END CERTIFICATE-----\\n"

  it("is masked in a certificate's frame, and the certificate is kept", () => {
    const frame = `[2,"7","InstallCertificate",{"certificate":"${certificate}${begin}\\nt0k3n-_\\n${end}\\n"}]`
    const masked = `[2,"7","InstallCertificate",{"certificate":"${certificate}***\\n"}]`
    expect(maskPrivateKeys(frame)).toBe(masked)
    expect(maskPrivateKeys(masked)).toBe(masked)
  })

  it("is masked to the end of its string when its end marker is missing", () => {
    expect(maskPrivateKeys(`["-----BEGIN PRIVATE KEY-----\\nt0k3n","x"]`)).toBe('["***","x"]')
    expect(maskPrivateKeys(`${begin}${"t0k3n".repeat(100_000)}`)).toBe("***")
  })

  it("is not recognised in a certificate alone", () => {
    expect(maskPrivateKeys(certificate)).toBe(certificate)
  })
})

describe("text", () => {
  const rows: ReadonlyArray<readonly [string, string]> = [
    ["apn=iot.example;user=u;password=abc def;x=1", "apn=iot.example;user=u;password=***;x=1"],
    ["ssid: home, psk: 'abc', channel: 11", "ssid: home, psk: '***', channel: 11"],
    [
      "<wifi><ssid>home</ssid><password>abc</password></wifi>",
      "<wifi><ssid>home</ssid><password>***</password></wifi>"
    ],
    ['<wifi ssid="home" password="abc"/>', '<wifi ssid="home" password="***"/>'],
    [
      '{"apn":{"name":"iot","apnPwd":"abc","pinEnabled":true}}',
      '{"apn":{"name":"iot","apnPwd":"***","pinEnabled":true}}'
    ],
    [
      '[{"name":"ftpPassword","value":"abc"},{"name":"port","value":"21"}]',
      '[{"name":"ftpPassword","value":"***"},{"name":"port","value":"21"}]'
    ],
    ["see ftp://user:abc@h/dir", "see ftp://user:***@h/dir"],
    ["TokenTimeout=30; MinimumPasswordLength=8", "TokenTimeout=30; MinimumPasswordLength=8"],
    ["Energy.Active.Import.Register,Power.Factor", "Energy.Active.Import.Register,Power.Factor"],
    ["2026-11-27T10:00:00Z", "2026-11-27T10:00:00Z"],
    ["{not json password=abc", "{not json password=***"],
    ['{"param":"WifiPassword","val":"abc"}', '{"param":"WifiPassword","val":"***"}'],
    ['{"id":"WifiPassword","value":"abc"}', '{"id":"WifiPassword","value":"***"}'],
    ['[["WifiPassword","abc"],["Ssid","home"]]', '[["WifiPassword","***"],["Ssid","home"]]'],
    ['["WifiPassword","abc"]', '["WifiPassword","***"]'],
    ['{"key":["AuthorizationKey","HeartbeatInterval"]}', '{"key":["AuthorizationKey","HeartbeatInterval"]}'],
    ['{"headers":{"Authorization":"Basic dTpw"}}', '{"headers":{"Authorization":"***"}}'],
    ['{"name":"Authorization","value":"Bearer abc"}', '{"name":"Authorization","value":"***"}'],
    ['{"Authorization":"Accepted"}', '{"Authorization":"Accepted"}'],
    ["<password><![CDATA[a<b]]></password>", "<password>***</password>"],
    ["<wifi><password>abc", "<wifi><password>***"],
    ['<param name="WifiPassword" value="abc"/>', '<param name="WifiPassword" value="***"/>'],
    ["<key>Password</key><string>abc</string>", "<key>Password</key><string>***</string>"],
    ["{'password':'abc','ssid':'home'}", "{'password':'***','ssid':'home'}"],
    ["set --password abc --ssid home", "set --password *** --ssid home"],
    ["AT+CPIN=4711", "AT+CPIN=***"],
    ['AT+CPWD="SC","4711","4712"', "AT+CPWD=***"],
    ["Authorization: Basic dTpw", "Authorization: ***"],
    ['Authorization: Digest username="u", response="abc"', "Authorization: ***"],
    ["wifi;password;abc", "wifi;password;***"],
    ["wifi|password|abc|11", "wifi|password|***|11"],
    ["Failed: pass=abc", "Failed: pass=***"],
    ["API key: abc", "API key: ***"],
    ['password="abc', 'password="***"'],
    ["hasło=abc", "hasło=***"],
    ["wss://h/p?apikey=abc", "wss://h/p?***"],
    ["got eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc_d", "got ***"],
    ["self test;pass;3", "self test;pass;3"],
    ["Token expired, retry in 5 s", "Token expired, retry in 5 s"],
    ["wrong pin code; connector: 1", "wrong pin code; connector: 1"],
    ["WifiSSID,WifiPassword,HeartbeatInterval", "WifiSSID,WifiPassword,HeartbeatInterval"],
    ["ApnAuth=PAP", "ApnAuth=PAP"],
    ['{"type":"Cable","value":"32"}', '{"type":"Cable","value":"32"}'],
    ["AT+CSQ=1", "AT+CSQ=1"]
  ]
  it.each(rows)("%s", (text, expected) => {
    expect(shownText(text)).toBe(expected)
    expect(shownText(expected)).toBe(expected)
  })

  it("is the value of a key with the name of a secret as a whole", () => {
    expect(shownValue("WifiPassword", "abc")).toBe("***")
    expect(shownValue("DiagnosticsUrl", "ftp://u:abc@h/")).toBe("ftp://u:***@h/")
    expect(shownValue("HeartbeatInterval", "300")).toBe("300")
  })

  it("is masked in linear time, whatever it is", () => {
    const before = process.cpuUsage()
    const parts = [
      "a=",
      "pass=",
      "a ",
      "<a>",
      "<a ",
      '"a":',
      "{",
      "[{",
      "password",
      "=",
      '"',
      "\\",
      "a.",
      "://",
      "AT+CPIN=",
      "--pass ",
      ";pin;",
      "<a><![CDATA[",
      "Authorization: Basic ",
      "key: a "
    ]
    for (const part of parts) shownText(part.repeat(Math.ceil(200_000 / part.length)))
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(3_000)
  })
})

describe("an address in traces and logs", () => {
  const rows: ReadonlyArray<readonly [string, string]> = [
    ["/files/up/t0k3n/log.txt", "/files/up/***/log.txt"],
    ["https://h/cpo/files/down/t0k3n", "https://h/cpo/files/down/***"],
    ["(500 PUT /files/up/t0k3n/log.txt)", "(500 PUT /files/up/***/log.txt)"],
    ["https://h/hook?token=t0k3n&x=1", "https://h/hook?token=***&x=1"],
    ["ftp://u:t0k3n@h/dir failed", "ftp://u:***@h/dir failed"],
    ["?clientId=t0k3n&code=t0k3n&limit=10", "?clientId=***&code=***&limit=10"],
    ["/cpo/v2/files/0192/content?country_code=FI", "/cpo/v2/files/0192/content?country_code=FI"]
  ]
  it.each(rows)("%s", (text, expected) => {
    expect(shownAddresses(text)).toBe(expected)
    expect(shownAddresses(expected)).toBe(expected)
  })
})
