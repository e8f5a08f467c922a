/** An identity provider for tests: OpenID Connect over real HTTP, whose answers a test can change. */
import { createHash, createSign, generateKeyPairSync, type KeyObject, randomUUID } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

type Claims = Readonly<Record<string, unknown>>

const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url")

const read = async (request: IncomingMessage): Promise<URLSearchParams> => {
  let body = ""
  for await (const chunk of request) body += String(chunk)
  return new URLSearchParams(body)
}

interface Grant {
  readonly challenge: string
  readonly redirectUri: string
  readonly nonce: string
}

export const clientSecret = "the secret of the tests' client"

export class Provider {
  issuer = ""
  readonly clientId = "voltlane"
  /** The claims about the person who signs in. */
  person: Claims = {}
  /** Changes the claims of the ID token. */
  bend: (claims: Claims) => Claims = (claims) => claims
  /** Overrides fields of the provider's own metadata. */
  about: Claims = {}
  /** Signs with a key that is not published. */
  isForged = false
  /** Issues tokens for the same code any number of times. */
  keepsCodes = false
  /** Returned as the issuer along with the code. */
  returnedIssuer: string | undefined
  /** The token requests that were received. */
  readonly asked: Array<{ readonly body: URLSearchParams; readonly authorization: string | undefined }> = []
  private readonly keys = generateKeyPairSync("rsa", { modulusLength: 2048 })
  private readonly others = generateKeyPairSync("rsa", { modulusLength: 2048 })
  private readonly grants = new Map<string, Grant>()
  private readonly server = createServer((request, response) => void this.answer(request, response))

  static async start(): Promise<Provider> {
    const provider = new Provider()
    await new Promise<void>((resolve) => provider.server.listen(0, "127.0.0.1", resolve))
    provider.issuer = `http://127.0.0.1:${(provider.server.address() as AddressInfo).port}`
    return provider
  }

  stop(): Promise<void> {
    this.server.closeAllConnections()
    return new Promise((resolve) => this.server.close(() => resolve()))
  }

  /** The query with which a browser that opens `url` is sent back. */
  authorize(url: string): string {
    const { searchParams } = new URL(url)
    const code = randomUUID()
    this.grants.set(code, {
      challenge: searchParams.get("code_challenge") ?? "",
      redirectUri: searchParams.get("redirect_uri") ?? "",
      nonce: searchParams.get("nonce") ?? ""
    })
    const back = new URLSearchParams({ code, state: searchParams.get("state") ?? "" })
    if (this.returnedIssuer !== undefined) back.set("iss", this.returnedIssuer)
    return back.toString()
  }

  private signed(claims: Claims, key: KeyObject): string {
    const content = `${base64url({ alg: "RS256", typ: "JWT", kid: "one" })}.${base64url(claims)}`
    return `${content}.${createSign("RSA-SHA256").update(content).sign(key).toString("base64url")}`
  }

  private idToken({ nonce }: Grant): string {
    const now = Math.floor(Date.now() / 1000)
    const claims = { iss: this.issuer, aud: this.clientId, iat: now, exp: now + 300, nonce, ...this.person }
    return this.signed(this.bend(claims), (this.isForged ? this.others : this.keys).privateKey)
  }

  private async token(request: IncomingMessage): Promise<readonly [number, unknown]> {
    const body = await read(request)
    this.asked.push({ body, authorization: request.headers.authorization })
    const code = body.get("code") ?? ""
    const grant = this.grants.get(code)
    if (!this.keepsCodes) this.grants.delete(code)
    const challenge = createHash("sha256")
      .update(body.get("code_verifier") ?? "")
      .digest("base64url")
    const isRight =
      grant !== undefined && grant.challenge === challenge && grant.redirectUri === body.get("redirect_uri")
    if (!isRight) return [400, { error: "invalid_grant" }]
    return [200, { access_token: "access", token_type: "Bearer", expires_in: 60, id_token: this.idToken(grant) }]
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", this.issuer)
    if (url.pathname === "/authorize") {
      const to = `${url.searchParams.get("redirect_uri")}?${this.authorize(url.href)}`
      response.writeHead(302, { location: to }).end()
      return
    }
    const [status, body] = await this.document(url.pathname, request)
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
  }

  private document(
    path: string,
    request: IncomingMessage
  ): readonly [number, unknown] | Promise<readonly [number, unknown]> {
    switch (path) {
      case "/.well-known/openid-configuration":
        return [
          200,
          {
            issuer: this.issuer,
            authorization_endpoint: `${this.issuer}/authorize`,
            token_endpoint: `${this.issuer}/token`,
            jwks_uri: `${this.issuer}/keys`,
            response_types_supported: ["code"],
            subject_types_supported: ["public"],
            id_token_signing_alg_values_supported: ["RS256"],
            code_challenge_methods_supported: ["S256"],
            ...this.about
          }
        ]
      case "/keys":
        return [
          200,
          { keys: [{ ...this.keys.publicKey.export({ format: "jwk" }), kid: "one", alg: "RS256", use: "sig" }] }
        ]
      case "/token":
        return this.token(request)
      default:
        return [404, { error: "not_found" }]
    }
  }
}
