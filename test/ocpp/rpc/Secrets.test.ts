import { describe, expect, it } from "vitest"
import { maskConfigurationKey, maskPrivateKeys, maskUrls } from "../../../src/ocpp/rpc/Secrets.ts"
import { forSeeds } from "../../support/random.ts"

const mask = (text: string): string => maskConfigurationKey(text, "authorizationkey")

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
