/** A browser as far as sign-ins need one: it keeps cookies, and says which site a request comes from. */
import type { Answer, Ask, Asked } from "./restApp.ts"

export const origin = "https://cpo.example"

export class Browser {
  readonly cookies = new Map<string, string>()
  /** The `Set-Cookie` headers of the last answer. */
  set: ReadonlyArray<string> = []
  private readonly rest: Ask

  constructor(rest: Ask) {
    this.rest = rest
  }

  get header(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ")
  }

  async ask(method: string, path: string, asked: Asked = {}): Promise<Answer> {
    const headers = { "sec-fetch-site": "same-origin", cookie: this.header, ...asked.headers }
    const answer = await this.rest(method, `/cpo/v2${path}`, { ...asked, headers })
    this.set = answer.headers.getSetCookie()
    for (const line of this.set) {
      const [name = "", value = ""] = (line.split(";", 1)[0] ?? "").split(/=(.*)/s)
      if (value === "") this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    return answer
  }

  post(path: string, body: object): Promise<Answer> {
    return this.ask("POST", path, { body })
  }
}
