/** Times: how long ago, with the moment in UTC as the title. */
import { ago, moment, utc } from "./format.ts"
import { useNow } from "./now.ts"

export const Ago = ({
  at,
  none = "–"
}: {
  readonly at: string | number | null | undefined
  readonly none?: string
}) => {
  const now = useNow()
  if (at === null || at === undefined) return <span className="none">{none}</span>
  const millis = typeof at === "number" ? at : Date.parse(at)
  return (
    <time dateTime={utc(millis)} title={utc(millis)}>
      {ago(millis, now)}
    </time>
  )
}

export const Moment = ({ at }: { readonly at: string | number | null | undefined }) => {
  if (at === null || at === undefined) return <span className="none">–</span>
  const millis = typeof at === "number" ? at : Date.parse(at)
  return (
    <time dateTime={utc(millis)} title={utc(millis)}>
      {moment(millis)}
    </time>
  )
}
