/** Starts the two floors. They have no registry of chargers, so there is nothing to register. */
import { fileURLToPath } from "node:url"
import type { Cluster } from "../measure/postgres.ts"
import { freePort } from "./port.ts"
import { startChild } from "./child.ts"
import type { Server } from "./server.ts"

const floor = async (name: "bare" | "group", file: string, databaseUrl: string | undefined): Promise<Server> => {
  const port = await freePort()
  const path = fileURLToPath(new URL(`../floors/${file}`, import.meta.url))
  const env = { PORT: `${port}`, ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }) }
  return {
    name,
    ocppUrl: `ws://127.0.0.1:${port}/ocpp`,
    database: databaseUrl === undefined ? undefined : new URL(databaseUrl).pathname.slice(1),
    bootSettleMs: 0,
    // A websocket server answers a plain GET with 426 Upgrade Required.
    start: () => startChild([process.execPath, path], env, `http://127.0.0.1:${port}/`, [426]),
    command: name === "bare" ? undefined : { url: `http://127.0.0.1:${port}/commands/{id}`, headers: {}, body: "{}" },
    register: async () => {}
  }
}

export const bareFloor = (): Promise<Server> => floor("bare", "bare.ts", undefined)

export const groupCommitFloor = async (cluster: Cluster, database: string): Promise<Server> =>
  floor("group", "groupCommit.ts", await cluster.createDatabase(database))
