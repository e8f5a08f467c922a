import { describe, expect, it } from "vitest"
import {
  bodyMax,
  hiddenOf,
  isSuccess,
  kept,
  keptPath,
  ocpiStatusOf,
  withoutHidden
} from "../../../src/domain/roaming/ExchangeRecord.ts"

describe("a body in the log of exchanges", () => {
  it("contains no credentials token, wherever it was cut", () => {
    const secret = "A1b2C3d4E5f6"
    const body = JSON.stringify({ url: "https://x.example", token: secret, roles: [] })
    expect(kept(body)).toBe('{"url":"https://x.example","token":"***","roles":[]}')
    expect(kept(`{ "token" : "with \\" quote ${secret}" }`)).toBe('{ "token" : "***" }')
    for (let max = 1; max <= body.length; max++) expect(kept(body, max)).not.toMatch(/A1/)
    expect(kept(JSON.stringify({ data: [{ token: secret }, { TOKEN: secret }] }))).not.toContain(secret)
  })

  it("contains only the host of a response_url, wherever it was cut", () => {
    const url = "https://emsp.example.com:8443/ocpi/commands/S3CRET?key=S3CRET"
    const body = JSON.stringify({ response_url: url, location_id: "L1" })
    expect(kept(body)).toBe('{"response_url":"https://emsp.example.com:8443/***","location_id":"L1"}')
    expect(kept(body.replaceAll("/", "\\/"))).toBe(kept(body))
    for (let max = 1; max <= body.length; max++) {
      expect(kept(body, max)).not.toMatch(/S3/)
      expect(kept(body.replaceAll("/", "\\/"), max)).not.toMatch(/S3/)
    }
    for (const odd of ["S3CRET", "https://S3CRET@emsp.example.com/", 'a\\" S3CRET', "https://emsp.example.com"]) {
      expect(kept(JSON.stringify({ RESPONSE_URL: odd }))).toBe('{"RESPONSE_URL":"***"}')
    }
    expect(kept('{"token":"S3CRET\\')).toBe('{"token":"***')
  })

  it("contains no secret of a partner's URLs, wherever it was cut", () => {
    const body = JSON.stringify({
      url: "https://u:S3CRET@p.example/ocpi/versions?token=S3CRET&limit=10",
      password: "S3CRET"
    })
    expect(kept(body)).toBe('{"url":"https://u:***@p.example/ocpi/versions?token=***&limit=10","password":"***"}')
    for (let max = 1; max <= body.length; max++) expect(kept(body, max)).not.toMatch(/S3/)
  })

  it("keeps drivers' card uids, which operators search for", () => {
    const body = '{"token":{"uid":"04AABB","type":"RFID"},"location_id":"L1"}'
    expect(kept(body)).toBe(body)
  })

  it("is truncated, and made storable in the database", () => {
    expect(kept("x".repeat(bodyMax + 10))?.length).toBe(bodyMax)
    expect(kept("a\u0000b\ud800")).toBe("a\\u0000b\ufffd")
    expect([kept(""), kept(undefined)]).toEqual([undefined, undefined])
  })
})

describe("a path in the log of exchanges", () => {
  it("contains only the host of a response_url, and everything else", () => {
    const url = "https://emsp.example.com/results/S3CRET?key=S3CRET"
    const path = "/ocpi/2.2.1/chargingprofiles/s1?duration=900&response_url="
    expect(keptPath(`${path}${encodeURIComponent(url)}&x=1`)).toBe(`${path}https://emsp.example.com/***&x=1`)
    const bare = `/ocpi/2.2.1/chargingprofiles/s1?response%5furl=${encodeURIComponent(url)}`
    for (let end = 1; end <= bare.length; end++) expect(keptPath(bare.slice(0, end))).not.toMatch(/S3/)
    expect(keptPath(`${path}%E0%A4%A`)).toBe(`${path}***`)
    expect(keptPath("/ocpi/2.2.1/cdrs?offset=0&limit=10")).toBe("/ocpi/2.2.1/cdrs?offset=0&limit=10")
  })

  it("contains no secret of the query and no password, and everything else", () => {
    expect(keptPath("p.example/ocpi/versions?token=S3CRET&limit=10")).toBe("p.example/ocpi/versions?token=***&limit=10")
    expect(keptPath("u:S3CRET@p.example/ocpi/versions?api_key=S3CRET")).toBe("***@p.example/ocpi/versions?api_key=***")
    expect(keptPath("/ocpi/2.2.1/tokens/FI/ABC/04AABB?type=RFID")).toBe("/ocpi/2.2.1/tokens/FI/ABC/04AABB?type=RFID")
  })

  it("of a result is shown relative to the partner's endpoints, and otherwise only as its host", () => {
    const addresses = [
      "https://emsp.example.com/ocpi/2.2.1/commands",
      "https://emsp.example.com/ocpi/2.2.1/tokens/?t=1"
    ]
    expect(hiddenOf("https://emsp.example.com/ocpi/2.2.1/commands/START_SESSION/77", addresses)).toBe(
      "START_SESSION/77"
    )
    expect(hiddenOf("https://emsp.example.com/ocpi/2.2.1/commands-77", addresses)).toBe("ocpi/2.2.1/commands-77")
    expect(hiddenOf("https://results.example.com/77?key=1", addresses)).toBe("77?key=1")
    expect(hiddenOf("https://results.example.com", addresses)).toBe("https://results.example.com")
    expect(withoutHidden("Cannot POST /results/S3CRET", "results/S3CRET?key=1")).toBe("Cannot POST /***")
    expect([withoutHidden("status 77", "77"), withoutHidden(undefined, "S3CRET")]).toEqual(["status 77", undefined])
  })
})

describe("an exchange", () => {
  it("succeeds with HTTP 2xx and a status of 1xxx, or none", () => {
    const is = (httpStatus: number | undefined, ocpiStatus?: number) => isSuccess({ httpStatus, ocpiStatus })
    expect([is(200, 1000), is(204), is(201, 1999)]).toEqual([true, true, true])
    expect([is(200, 2001), is(404, 1000), is(undefined), is(302), is(500, 3000)]).toEqual(Array(5).fill(false))
  })

  it("has the status code of its envelope, whether number or text", () => {
    expect(ocpiStatusOf('{"status_code":1000,"data":[]}')).toBe(1000)
    expect(ocpiStatusOf('{"data":null,"status_code" : "2003"}')).toBe(2003)
    expect([ocpiStatusOf("<html>"), ocpiStatusOf(undefined)]).toEqual([undefined, undefined])
  })
})
