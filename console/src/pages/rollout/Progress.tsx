/** The progress of a command batch or firmware campaign: a bar of its chargers by state, and the name of each state. */
import type { Answer } from "../../api/types.ts"
import { Pill, type Tone } from "../../parts/Status.tsx"
import { t, word } from "../../text/text.ts"

export type Rolled = Answer<"command-batches.get"> | Answer<"firmware-campaigns.get">
export type Counts = Rolled["counts"]
export type TargetState = Answer<"command-batches.targets">["items"][number]["state"]

const tones = {
  Succeeded: "ok",
  Issued: "charge",
  Failed: "bad",
  Skipped: "off",
  Waiting: "wait",
  Unreached: "off"
} as const satisfies Readonly<Record<TargetState, Tone>>

export const targetStates = Object.keys(tones) as ReadonlyArray<TargetState>

/** In the order of the bar. */
export const countsOf = (counts: Counts): ReadonlyArray<readonly [TargetState, number]> => [
  ["Succeeded", counts.succeeded],
  ["Issued", counts.issued],
  ["Failed", counts.failed],
  ["Skipped", counts.skipped],
  ["Waiting", counts.waiting],
  ["Unreached", counts.unreached]
]

export const TargetPill = ({ state }: { readonly state: TargetState }) => (
  <Pill tone={tones[state]}>{word("targetState", state)}</Pill>
)

const rolloutTones: Readonly<Record<Rolled["state"], Tone>> = {
  AwaitingApproval: "wait",
  Running: "busy",
  Paused: "wait",
  Completed: "ok",
  Cancelled: "off"
}

export const RolloutPill = ({
  rollout: { pauseReason, state }
}: {
  readonly rollout: Pick<Rolled, "pauseReason" | "state">
}) => (
  <Pill tone={pauseReason === "Failures" ? "bad" : rolloutTones[state]}>
    {pauseReason === "Failures" ? t("rollout.pausedByFailures") : word("rolloutState", state)}
  </Pill>
)

const barWidth = 200

/** Hidden from screen readers: the numbers beside it say the same. */
export const Bar = ({ counts, targets }: { readonly counts: Counts; readonly targets: number }) => {
  let from = 0
  return (
    <svg className="rollout-bar" viewBox={`0 0 ${barWidth} 8`} preserveAspectRatio="none" aria-hidden="true">
      {countsOf(counts).map(([state, count]) => {
        const width = targets === 0 ? 0 : (count / targets) * barWidth
        const x = from
        from += width
        return width === 0 ? null : (
          <rect key={state} className={`tone-${tones[state]} is-${state}`} x={x} y="0" width={width} height="8" />
        )
      })}
    </svg>
  )
}

/** For example "12 of 40 done, 1 failed". */
export const progressText = ({ counts, targets }: Pick<Rolled, "counts" | "targets">): string => {
  const done = counts.succeeded + counts.skipped
  return counts.failed === 0
    ? t("rollout.done", { done, total: targets })
    : t("rollout.doneFailed", { done, total: targets, failed: counts.failed })
}
