/** Keys and certificates for a test, made by the `openssl` command in a temporary directory; Node cannot sign them itself. */
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export interface Identity {
  readonly cert: string
  readonly key: string
}

export interface Certificates {
  /** Issues all the others except `stranger`. */
  readonly ca: string
  readonly server: Identity
  readonly client: (commonName: string) => Identity
  readonly expired: (commonName: string) => Identity
  /** From an unknown CA. */
  readonly stranger: (commonName: string) => Identity
  /** PEM of a revocation list that contains `identities`. */
  readonly revocationOf: (identities: ReadonlyArray<Identity>) => string
  readonly remove: () => void
}

/** Why no certificates can be made here; undefined if they can. */
export const noOpenssl = (): string | undefined => {
  try {
    execFileSync("openssl", ["version"])
    return undefined
  } catch {
    return "needs the openssl command to make certificates"
  }
}

export const makeCertificates = (): Certificates => {
  const directory = mkdtempSync(join(tmpdir(), "certificates-"))
  const run = (...args: Array<string>): void =>
    void execFileSync("openssl", args, { cwd: directory, stdio: ["ignore", "ignore", "pipe"] })
  const read = (name: string): string => readFileSync(join(directory, name), "utf8")
  let made = 0
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]

  const authority = (name: string): void =>
    run(
      "req",
      "-x509",
      ...curve,
      "-keyout",
      `${name}.key`,
      "-out",
      `${name}.pem`,
      "-subj",
      `/O=Test/CN=${name}`,
      "-days",
      "2"
    )

  const issue = (ca: string, commonName: string, validity: ReadonlyArray<string>): Identity => {
    const name = `leaf${++made}`
    run("req", ...curve, "-keyout", `${name}.key`, "-out", `${name}.csr`, "-subj", `/O=Test/CN=${commonName}`)
    run(
      "x509",
      "-req",
      "-in",
      `${name}.csr`,
      "-CA",
      `${ca}.pem`,
      "-CAkey",
      `${ca}.key`,
      "-CAcreateserial",
      "-out",
      `${name}.pem`,
      "-extfile",
      "leaf.ext",
      ...validity
    )
    return { cert: read(`${name}.pem`), key: read(`${name}.key`) }
  }

  // Version 3 with its purpose: Deno's TLS accepts no version 1 certificates.
  const extensions = "basicConstraints=CA:FALSE\nkeyUsage=digitalSignature\nextendedKeyUsage=clientAuth,serverAuth\n"
  writeFileSync(join(directory, "leaf.ext"), extensions)
  authority("ca")
  authority("other")
  return {
    ca: read("ca.pem"),
    server: issue("ca", "localhost", ["-days", "2"]),
    client: (commonName) => issue("ca", commonName, ["-days", "2"]),
    expired: (commonName) => {
      // A certificate valid for no days has expired by the time it is checked.
      const identity = issue("ca", commonName, ["-days", "0"])
      execFileSync("sleep", ["1.1"])
      return identity
    },
    stranger: (commonName) => issue("other", commonName, ["-days", "2"]),
    revocationOf: (identities) => {
      const config = `[ca]\ndefault_ca=x\n[x]\ndatabase=index.txt\ndefault_md=sha256\ndefault_crl_days=2\n`
      writeFileSync(join(directory, "crl.cnf"), config)
      writeFileSync(join(directory, "index.txt"), "")
      const ca = ["-config", "crl.cnf", "-cert", "ca.pem", "-keyfile", "ca.key"]
      for (const { cert } of identities) {
        writeFileSync(join(directory, "revoked.pem"), cert)
        run("ca", ...ca, "-revoke", "revoked.pem")
      }
      run("ca", ...ca, "-gencrl", "-out", "crl.pem")
      return read("crl.pem")
    },
    remove: () => rmSync(directory, { recursive: true, force: true })
  }
}
