/** Renders results as Markdown tables, which read well in a terminal too. */
import { corePercent, figure, type Measurement, perCpuSecond, perSecond, ratioTo, type Results } from "./results.ts"

const workloads = ["ramp", "heartbeat", "heartbeat open", "meter", "meter open", "tx", "command", "storm"] as const
const servers = ["ours", "bare", "group"] as const
const titles = { ours: "Voltlane", bare: "bare floor", group: "group-commit floor" } as const

/** Three significant digits with a separator for thousands; a dash for what was not measured. */
export const show = (value: number | undefined): string => {
  if (value === undefined) return "–"
  if (value >= 1000) return Number(value.toPrecision(3)).toLocaleString("en")
  return `${Number(value.toPrecision(3))}`
}

/** A Markdown table with padded columns, so that it can also be read unrendered. */
export const markdown = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]?.length ?? 0)))
  const line = (cells: ReadonlyArray<string>) =>
    `| ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(" | ")} |`
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n")
}

const loadTable = (results: Results): string => {
  const rows = workloads.flatMap((workload) =>
    servers.flatMap((server) => {
      const of = (value: (m: Measurement) => number | undefined) => figure(results, server, workload, value)
      if (of((m) => m.chargers) === undefined) return []
      const ratio = server === "ours" ? undefined : ratioTo(results, server, workload, perCpuSecond)
      return [
        [
          workload,
          titles[server],
          show(of(perCpuSecond)),
          show(ratio),
          show(of((m) => (m.messages === 0 ? undefined : (m.postgresCpu / m.messages) * 1e6))),
          show(of(perSecond)),
          `${show(of((m) => m.p50Ms))} / ${show(of((m) => m.p99Ms))}`,
          show(of((m) => m.failures)),
          show(of((m) => m.workLeft))
        ]
      ]
    })
  )
  const head = [
    "workload",
    "server",
    "messages per CPU s",
    "ours / this",
    "of it PostgreSQL, µs a message",
    "messages/s",
    "p50 / p99 ms",
    "failures",
    "work left s"
  ]
  return markdown(head, rows)
}

const memoryTable = (results: Results): string => {
  const rows = servers.flatMap((server) => {
    const of = (value: (m: Measurement) => number | undefined) => figure(results, server, "idle", value)
    const chargers = of((m) => m.chargers)
    if (chargers === undefined) return []
    const cpuShare = of(corePercent)
    return [
      [
        titles[server],
        show(chargers),
        show(of((m) => m.memory?.rssKiBPerCharger)),
        show(of((m) => m.memory?.rssMiB)),
        show(of((m) => m.memory?.pssMiB)),
        show(cpuShare),
        show(of((m) => m.failures))
      ]
    ]
  })
  const head = [
    "server",
    "chargers idle",
    "RSS KiB a charger",
    "RSS MiB",
    "PSS MiB with PostgreSQL",
    "CPU % of a core",
    "failures"
  ]
  return markdown(head, rows)
}

const restTable = (results: Results): string => {
  const rows = (["empty", "silent"] as const).flatMap((workload) => {
    const of = (value: (m: Measurement) => number | undefined) => figure(results, "ours", workload, value)
    const chargers = of((m) => m.chargers)
    if (chargers === undefined) return []
    const share = (cpu: (m: Measurement) => number) => show(of((m) => (cpu(m) / m.seconds) * 100))
    return [[workload, show(chargers), show(of(corePercent)), share((m) => m.serverCpu), share((m) => m.postgresCpu)]]
  })
  return markdown(["at rest", "chargers", "CPU % of a core", "of it the service", "of it PostgreSQL"], rows)
}

const writesTable = (results: Results): string => {
  const rows = workloads.flatMap((workload) =>
    servers.flatMap((server) => {
      const of = (value: (m: Measurement) => number | undefined) => figure(results, server, workload, value)
      const written = of((m) => m.writes?.rows)
      if (written === undefined) return []
      const [commits, wal] = [of((m) => m.writes?.commits), of((m) => m.writes?.walBytes)]
      return [[workload, titles[server], show(written), show(commits), show(wal)]]
    })
  )
  return markdown(["workload", "server", "rows a message", "commits a message", "WAL bytes a message"], rows)
}

export const tables = (results: Results): string => {
  const { machine, measurements } = results
  const has = (test: (measurement: Measurement) => boolean) => measurements.some(test)
  return [
    `Measured ${results.at} at ${results.commit} with \`${results.command}\` on ${machine.cpu}, ${machine.cores} cores, ` +
      `${show(machine.memoryGiB)} GiB, ${machine.system}, ${machine.runtime}, PostgreSQL ${machine.postgres}, ` +
      `load average ${machine.loadAverage} at the start; medians of ${Math.max(...measurements.map((m) => m.run))} run(s).`,
    ...(has((m) => workloads.some((workload) => workload === m.workload)) ? [loadTable(results)] : []),
    ...(has((m) => m.workload === "idle") ? [memoryTable(results)] : []),
    ...(has((m) => m.workload === "empty" || m.workload === "silent") ? [restTable(results)] : []),
    ...(has((m) => m.writes !== undefined) ? [writesTable(results)] : [])
  ].join("\n\n")
}
