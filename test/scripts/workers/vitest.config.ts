/** The settings of this project, with short limits and the files of this folder, which no other run finds. */
import { defineConfig } from "vitest/config"
import settings from "../../../vitest.config.ts"

const project = {
  extends: true as const,
  test: {
    name: "workers",
    include: ["test/scripts/workers/*.ts"],
    exclude: ["**/vitest.config.ts"],
    provide: { workerLimits: { blocked_s: 3, file_s: 7 } }
  }
}

export default defineConfig({ test: { ...settings.test, hookTimeout: 1000, projects: [project] } })
