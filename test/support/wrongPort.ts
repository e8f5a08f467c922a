/** A program that starts with a wrong setting, for a test that looks how long it takes to say so: prints the variable and milliseconds of CPU. */
const { loadConfig } = await import("../../src/Config.ts")
const Effect = await import("effect/Effect")
const error = await Effect.runPromise(Effect.flip(loadConfig({ PORT: "abc" }, [])))
const { system, user } = process.cpuUsage()
console.log(error.variable, Math.round((user + system) / 1000))
