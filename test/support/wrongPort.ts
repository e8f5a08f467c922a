/** A program that starts with a wrong setting, for a test of how long it takes to report it. Prints the variable and the milliseconds of CPU. */
const { loadConfig } = await import("../../src/Config.ts")
const Effect = await import("effect/Effect")
const error = await Effect.runPromise(Effect.flip(loadConfig({ PORT: "abc" }, [])))
const { system, user } = process.cpuUsage()
console.log(error.variable, Math.round((user + system) / 1000))
