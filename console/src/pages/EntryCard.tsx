/** The frame of the pages before the shell. */
import type { ReactNode } from "react"
import { useTitle } from "../parts/Page.tsx"

export const Card = ({
  children,
  text,
  title
}: {
  readonly title: string
  readonly text?: string
  readonly children: ReactNode
}) => {
  useTitle(title)
  return (
    <main className="entry">
      <section aria-labelledby="entry-title">
        <img src="/mark.svg" width="36" height="36" alt="" />
        <h1 id="entry-title">{title}</h1>
        {text === undefined ? null : <p className="secondary">{text}</p>}
        {children}
      </section>
    </main>
  )
}
